"""The table of the data sets: what is in each, where it comes from, and how it can be had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches


@dataclass(frozen=True)
class Fetch:
    """How scikit-learn gives a data set.

    Attributes
    ----------
    function : str
        The name of its function in ``sklearn.datasets``.
    parts : mapping of str to int
        Numbers of the parts on OpenML, by name. Most data sets have one part, without a name.
    labels : mapping of str to str
        Where classes have other names there: their name to ours.
    """

    function: str
    parts: Mapping[str, int] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        numbers = f" with data_id {', '.join(map(str, self.parts.values()))}" if self.parts else ""
        return f"sklearn.datasets.{self.function}{numbers}"

    @property
    def bundled(self) -> bool:
        """Whether scikit-learn brings it along, so that nothing has to be fetched."""
        return self.function.startswith("load_")


@dataclass(frozen=True)
class Entry:
    """What a data set must turn out to be.

    Attributes
    ----------
    name : str
        Its name here.
    n_features : int or None
        How many columns; None for raw text.
    classes : mapping of str to int
        The classes in the order of their codes, and how many rows each has.
    source : str
        Where the original is.
    fetch : Fetch or None
        How scikit-learn gives it, if it does.
    n_links : int or None
        How many links; None if the rows do not cite each other.
    """

    name: str
    n_features: int | None
    classes: Mapping[str, int]
    source: str
    fetch: Fetch | None = None
    n_links: int | None = None

    @property
    def n_samples(self) -> int:
        """How many rows."""
        return sum(self.classes.values())

    @property
    def file(self) -> str:
        """The name of its file in a folder of data sets."""
        return f"{self.name}.{'jsonl.gz' if self.n_features is None else 'npz'}"


def names() -> tuple[str, ...]:
    """Name the data sets that :func:`likewise.datasets.load` knows."""
    return tuple(sorted(CATALOG))


def entry_of(name: str) -> Entry:
    """Look a data set up; also by another name it goes by."""
    entry = CATALOG.get(ALIASES.get(name, name))
    if entry is None:
        known = [*CATALOG, *ALIASES]
        close = get_close_matches(str(name), known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"there are {', '.join(sorted(known))}"
        raise ValueError(f"no data set is called {name!r}; {hint}")
    return entry


def _counts(text: str) -> dict[str, int]:
    """Read "apples 3, green pears 4"."""
    pairs = (part.rsplit(" ", 1) for part in text.split(", "))
    return {name: int(size) for name, size in pairs}


def _openml(number: int, **labels: str) -> Fetch:
    return Fetch("fetch_openml", {"": number}, labels)


_DIGITS = "0123456789"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_OBJECTS = {f"obj{number:02d}": 72 for number in range(1, 21)}
_EIGHT_TUMOURS = _counts("BREAST 9, CNS 5, COLON 7, LEUKEMIA 8, MELANOMA 8, NSCLC 9, OVARIAN 6, RENAL 9")

_ENTRIES = (
    # Tables
    Entry(
        "iris",
        4,
        _counts("setosa 50, versicolor 50, virginica 50"),
        "UCI Machine Learning Repository: Iris",
        Fetch("load_iris"),
    ),
    Entry(
        "wine",
        13,
        _counts("class_0 59, class_1 71, class_2 48"),
        "UCI Machine Learning Repository: Wine",
        Fetch("load_wine"),
    ),
    Entry(
        "wdbc",
        30,
        _counts("malignant 212, benign 357"),
        "UCI Machine Learning Repository: Breast Cancer Wisconsin (Diagnostic)",
        Fetch("load_breast_cancer"),
    ),
    Entry(
        "pima",
        8,
        _counts("0 500, 1 268"),
        "NIDDK: Pima Indians Diabetes, on OpenML as 'diabetes'",
        _openml(37, tested_negative="0", tested_positive="1"),
    ),
    Entry(
        "ionosphere",
        34,
        _counts("b 126, g 225"),
        "UCI Machine Learning Repository: Ionosphere",
        _openml(59),
    ),
    Entry(
        "glass",
        9,
        _counts("1 70, 2 76, 3 17, 5 13, 6 9, 7 29"),
        "UCI Machine Learning Repository: Glass Identification",
        _openml(
            41,
            **{"build wind float": "1", "build wind non-float": "2", "vehic wind float": "3"},
            containers="5",
            tableware="6",
            headlamps="7",
        ),
    ),
    Entry(
        "yeast",
        8,
        _counts("CYT 463, ERL 5, EXC 35, ME1 44, ME2 51, ME3 163, MIT 244, NUC 429, POX 20, VAC 30"),
        "UCI Machine Learning Repository: Yeast",
        _openml(181),
    ),
    Entry(
        "vehicle",
        18,
        _counts("bus 218, opel 212, saab 217, van 199"),
        "UCI Machine Learning Repository: Statlog (Vehicle Silhouettes)",
        _openml(54),
    ),
    Entry(
        "balance",
        4,
        _counts("B 49, L 288, R 288"),
        "UCI Machine Learning Repository: Balance Scale",
        _openml(11),
    ),
    Entry(
        "sonar",
        60,
        _counts("M 111, R 97"),
        "UCI Machine Learning Repository: Connectionist Bench (Sonar, Mines vs. Rocks)",
        _openml(40, Mine="M", Rock="R"),
    ),
    Entry(
        "breast_w",
        9,
        _counts("2 444, 4 239"),
        "UCI Machine Learning Repository: Breast Cancer Wisconsin (Original)",
        _openml(15, benign="2", malignant="4"),
    ),
    Entry(
        "soybean_small",
        35,
        _counts("D1 10, D2 10, D3 10, D4 17"),
        "UCI Machine Learning Repository: Soybean (Small)",
    ),
    Entry(
        "mfeat",
        649,
        dict.fromkeys(_DIGITS, 200),
        "UCI Machine Learning Repository: Multiple Features",
        Fetch("fetch_openml", {"fac": 12, "fou": 14, "kar": 16, "mor": 18, "pix": 20, "zer": 22}),
    ),
    Entry(
        "isolet",
        617,
        {**dict.fromkeys(_LETTERS, 300), "F": 298, "M": 299},
        "UCI Machine Learning Repository: ISOLET",
        _openml(300, **{str(number): letter for number, letter in enumerate(_LETTERS, start=1)}),
    ),
    Entry(
        "pendigits",
        16,
        dict(zip(_DIGITS, (1143, 1143, 1144, 1055, 1144, 1055, 1056, 1142, 1055, 1055), strict=True)),
        "UCI Machine Learning Repository: Pen-Based Recognition of Handwritten Digits",
        _openml(32),
    ),
    Entry(
        "kddcup99_sample",
        41,
        _counts(
            "back 300, ipsweep 300, neptune 300, nmap 231, normal 300, pod 264, portsweep 300, satan 300, smurf 300, "
            "teardrop 300, warezclient 300"
        ),
        "UCI KDD archive: KDD Cup 1999, the 10 % file, of which at most 300 rows a type are drawn",
        Fetch("fetch_kddcup99"),
    ),
    # Pictures
    Entry(
        "digits",
        64,
        dict(zip(_DIGITS, (178, 182, 177, 183, 181, 182, 181, 179, 174, 180), strict=True)),
        "UCI Machine Learning Repository: Optical Recognition of Handwritten Digits",
        Fetch("load_digits"),
    ),
    Entry("coil20_16", 256, _OBJECTS, "Columbia University: COIL-20, processed, made 16×16 by bicubic interpolation"),
    Entry("coil20_32", 1024, _OBJECTS, "Columbia University: COIL-20, processed, made 32×32 by means of 4×4 pixels"),
    Entry(
        "cmu_faces",
        960,
        _counts("left 157, right 155, straight 156, up 156"),
        "UCI KDD archive: CMU Face Images",
    ),
    # Microarrays
    Entry("nci60", 6830, _EIGHT_TUMOURS, "Ross et al. 2000: NCI60 cell lines, as in the data of ISLR"),
    Entry("nci60_61x5244", 5244, _EIGHT_TUMOURS, "Dettling and Bühlmann: NCI, as circulated with varSelRF"),
    Entry(
        "lymphoma",
        4026,
        _counts("DLBCL 46, activated blood B 10, FL 9, CLL 11, resting/activated T 6, transformed cell lines 6"),
        "Alizadeh et al. 2000: Lymphoma/Leukemia Molecular Profiling Project",
    ),
    # Texts and links
    Entry(
        "newsgroups",
        None,
        _counts(
            "alt.atheism 799, comp.graphics 973, comp.os.ms-windows.misc 985, comp.sys.ibm.pc.hardware 982, "
            "comp.sys.mac.hardware 963, comp.windows.x 988, misc.forsale 975, rec.autos 990, rec.motorcycles 996, "
            "rec.sport.baseball 994, rec.sport.hockey 999, sci.crypt 991, sci.electronics 984, sci.med 990, "
            "sci.space 987, soc.religion.christian 997, talk.politics.guns 910, talk.politics.mideast 940, "
            "talk.politics.misc 775, talk.religion.misc 628"
        ),
        "Jason Rennie: 20 Newsgroups, 20news-bydate",
        Fetch("fetch_20newsgroups"),
    ),
    Entry(
        "reuters",
        None,
        _counts(
            "acq 2362, alum 50, bop 32, carcass 11, cocoa 63, coconut 1, coffee 116, copper 54, cotton 26, cpi 79, "
            "cpu 4, crude 408, dlr 6, earn 3945, fuel 11, gas 22, gnp 83, gold 99, grain 51, groundnut 2, heat 14, "
            "hog 1, housing 18, income 12, instal-debt 7, interest 285, inventories 3, ipi 49, iron-steel 47, jet 4, "
            "jobs 55, l-cattle 1, lead 8, lei 14, livestock 20, lumber 12, meal-feed 7, money-fx 307, "
            "money-supply 161, naphtha 1, nat-gas 45, nickel 4, oilseed 9, orange 22, pet-chem 21, platinum 3, "
            "potato 5, propane 1, rand 1, reserves 53, retail 22, rice 1, rubber 41, ship 158, silver 11, stg 1, "
            "strategic-metal 19, sugar 143, tea 6, tin 30, trade 361, veg-oil 37, wool 1, wpi 26, yen 6, zinc 16"
        ),
        "David D. Lewis: Reuters-21578, Distribution 1.0, the documents with exactly one topic",
    ),
    Entry(
        "banking77",
        None,
        _counts(
            "Refund_not_showing_up 202, activate_my_card 199, age_limit 150, apple_pay_or_google_pay 166, "
            "atm_support 127, automatic_top_up 167, balance_not_updated_after_bank_transfer 211, "
            "balance_not_updated_after_cheque_or_cash_deposit 221, beneficiary_not_allowed 196, cancel_transfer 197, "
            "card_about_to_expire 169, card_acceptance 99, card_arrival 193, card_delivery_estimate 152, "
            "card_linking 179, card_not_working 152, card_payment_fee_charged 227, card_payment_not_recognised 208, "
            "card_payment_wrong_exchange_rate 207, card_swallowed 101, cash_withdrawal_charge 217, "
            "cash_withdrawal_not_recognised 200, change_pin 162, compromised_card 126, contactless_not_working 75, "
            "country_support 169, declined_card_payment 193, declined_cash_withdrawal 213, declined_transfer 173, "
            "direct_debit_payment_not_recognised 222, disposable_card_limits 161, edit_personal_details 161, "
            "exchange_charge 161, exchange_rate 152, exchange_via_app 158, extra_charge_on_statement 206, "
            "failed_transfer 177, fiat_currency_support 166, get_disposable_virtual_card 137, get_physical_card 146, "
            "getting_spare_card 169, getting_virtual_card 138, lost_or_stolen_card 122, lost_or_stolen_phone 161, "
            "order_physical_card 160, passcode_forgotten 145, pending_card_payment 199, pending_cash_withdrawal 183, "
            "pending_top_up 189, pending_transfer 188, pin_blocked 155, receiving_money 135, request_refund 209, "
            "reverted_card_payment? 201, supported_cards_and_currencies 169, terminate_account 148, "
            "top_up_by_bank_transfer_charge 151, top_up_by_card_charge 154, top_up_by_cash_or_cheque 154, "
            "top_up_failed 185, top_up_limits 137, top_up_reverted 186, topping_up_by_card 143, "
            "transaction_charged_twice 215, transfer_fee_charged 212, transfer_into_account 153, "
            "transfer_not_received_by_recipient 211, transfer_timing 168, unable_to_verify_identity 142, "
            "verify_my_identity 144, verify_source_of_funds 153, verify_top_up 166, virtual_card_not_working 81, "
            "visa_or_mastercard 175, why_verify_identity 161, wrong_amount_of_cash_received 220, "
            "wrong_exchange_rate_for_cash_withdrawal 203"
        ),
        "PolyAI: BANKING77 (task-specific-datasets), training and test part together",
    ),
    Entry(
        "cora",
        1433,
        _counts(
            "Case_Based 298, Genetic_Algorithms 418, Neural_Networks 818, Probabilistic_Methods 426, "
            "Reinforcement_Learning 217, Rule_Learning 180, Theory 351"
        ),
        "LINQS: Cora, files cora.content and cora.cites",
        n_links=5429,
    ),
    Entry(
        "webkb",
        1703,
        _counts("course 218, faculty 125, project 80, staff 39, student 415"),
        "LINQS: WebKB, files .content and .cites of four universities",
        n_links=1608,
    ),
)

CATALOG: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}
ALIASES = {"breast_cancer": "wdbc"}
