"""``likewise methods``: the table of what there is, what it needs and when to prefer it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from difflib import get_close_matches

from rich.console import Console
from rich.table import Table

from ..constraints import Constraints
from .talk import print_json

RLNC = "Yan, Wang, Lee, Giles 2009"
DSP = "Yan, Bouaziz, Lee, Barlow 2012"


@dataclass(frozen=True)
class Method:
    """One line of the table.

    Attributes
    ----------
    name : str
        For ``--method``.
    does : {"cluster", "reduce", "both"}
    needs : str
        Hints it cannot do without.
    strengths : str
        When to prefer it.
    paper : str
    places : bool
        Whether it places new rows, so that ``--model`` and ``likewise assign`` work with it.
    hears : bool
        Whether it hears hints.
    """

    name: str
    does: str
    needs: str
    strengths: str
    paper: str
    places: bool = True
    hears: bool = True


TABLE = (
    Method("likewise", "cluster", "nothing; chooses k, too", "the one to start with: many clusterings trained on the "
           "hints; stays near the answer without hints if they say too little", "this package"),
    Method("project", "cluster", "k", "a projection learned from hints, then k-means that keeps must-links",
           "this package"),
    Method("networked", "cluster", "k, --links", "documents and their links", "Yan, thesis, ch. 5"),
    Method("pck", "cluster", "k", "every hint has a price; survives wrong ones", "Basu, Banerjee, Mooney 2004"),
    Method("mpck", "cluster", "k", "also learns a metric for each cluster", "Bilenko, Basu, Mooney 2004"),
    Method("cop", "cluster", "k", "hints that must hold", "Wagstaff et al. 2001"),
    Method("skk", "cluster", "k", "curved clusters, trusted must-links, few rows", DSP),
    Method("c-nc", "cluster", "k", "curved clusters: a normalized cut that pays for parting must-links", RLNC, False),
    Method("rl-nc", "cluster", "k, must-links and cannot-links", "text: a metric in the structure subspace, then a cut",
           RLNC, False),
    Method("rlc-nc", "cluster", "k, must-links and cannot-links", "the same, with a cut that hears must-links", RLNC,
           False),
    Method("lo-nc", "cluster", "k", "text: hints carried to neighbors, then a cut", RLNC, False),
    Method("glo-nc", "cluster", "k", "text: hints carried along shortest paths, then a cut", RLNC, False),
    Method("ensemble", "cluster", "k", "few rows, thousands of columns (genes)", "Yan, Domeniconi 2006", False),
    Method("xing", "cluster", "k, must-links and cannot-links", "weights of columns learned from pairs, then k-means",
           "Xing et al. 2002"),
    Method("costco", "both", "must-links", "wide data and text; uses all rows, survives wrong links",
           "Yan, thesis, ch. 5"),
    Method("asp", "both", "must-links", "text, many must-links; the cheapest", "Yan, thesis, ch. 4"),
    Method("dsp", "both", "hints", "tables with scattered classes; must-links act in a kernel space", DSP),
    Method("gcdr", "both", "hints", "hints of different strength in one graph", "Davidson 2009"),
    Method("ssdr", "both", "nothing", "few hints: PCA, gently corrected", "Zhang, Zhou, Chen 2007"),
    Method("rca", "both", "must-links", "many must-links for each column", "Shental et al. 2002"),
    Method("dca", "both", "cannot-links", "many hints for each column", "Hoi et al. 2006"),
    Method("screen", "both", "hints", "a baseline: directions between groups", "Tang et al. 2007"),
    Method("slpp", "both", "must-links", "a baseline: the must-link graph", "Cai, He 2005"),
    Method("lppsi", "both", "hints", "a baseline: neighbors, corrected by hints", "An, Liu, Venkatesh 2008"),
    Method("lpp", "both", "no hints", "a baseline: neighbors stay neighbors", "He, Niyogi 2003", hears=False),
    Method("pca", "both", "no hints", "a baseline: directions of largest variance", "Pearson 1901", hears=False),
    Method("k-means", "cluster", "k, no hints", "a baseline", "Lloyd 1982", hears=False),
    Method("nc", "cluster", "k, no hints", "a baseline for curved clusters", "Shi, Malik 2000", False, False),
    Method("umap", "cluster", "k, no hints; the extra papers", "a baseline: UMAP, then k-means",
           "McInnes, Healy, Melville 2018", False, False),
)  # fmt: skip

METHODS = {method.name: method for method in TABLE}


def method_named(name: str, does: str) -> Method:
    """The method of that name, if it does what is wanted: "cluster" or "reduce"."""
    known = [method.name for method in TABLE if method.does in (does, "both")]
    if name not in known:
        close = get_close_matches(name, known, n=3, cutoff=0.4)
        offer = f"Did you mean {' or '.join(close)}?" if close else f"There are: {', '.join(known)}."
        raise ValueError(f"there is no method {name!r} to {does} with. {offer} likewise methods tells of each.")
    return METHODS[name]


def check_needs(method: Method, told: Constraints) -> None:
    """Refuse a method that cannot do without hints which are not there."""
    lacking = {
        "must-links": "must-links" in method.needs and not told.n_must_link,
        "cannot-links": "cannot-links" in method.needs and not told.n_cannot_link,
        "hints": method.needs == "hints" and told.is_empty,
    }
    missing = [kind for kind, lacks in lacking.items() if lacks]
    if missing:
        raise ValueError(
            f"the method {method.name} learns from {' and '.join(missing)}, and there are none. Give them in a file "
            "(--hints), name a column with the classes of some rows (--label), or choose another: likewise methods."
        )


def run(as_json: bool) -> None:
    """Print the table."""
    if as_json:
        print_json({"methods": [asdict(method) for method in TABLE]})
        return
    table = Table(title="methods, for likewise cluster --method and likewise reduce --method")
    for column in ("method", "does", "needs", "prefer it for", "paper"):
        table.add_column(column)
    table.add_column("new rows", justify="center")
    for method in TABLE:
        does = "cluster, reduce" if method.does == "both" else method.does
        table.add_row(method.name, does, method.needs, method.strengths, method.paper, "yes" if method.places else "–")
    Console().print(table)
