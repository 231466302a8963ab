"""Keys of records as hints."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases.data import law
from likewise.constraints import Constraints, Partition
from likewise.sources._phonetic import soundex
from likewise.sources.blocking import from_records, ngrams, phonetic, prefix

PEOPLE = {
    "name": ["Meyer", "maier ", "Smith", "Smyth", None, ""],
    "town": ["Ulm", "Ulm", "Bath", "Bath", "Ulm", "York"],
    "age": [30, 31, 30, 30, 31, 62],
}
ROWS = [dict(zip(PEOPLE, values, strict=True)) for values in zip(*PEOPLE.values(), strict=True)]
TABLES = {
    "dict": PEOPLE,
    "rows": ROWS,
    "pandas": pd.DataFrame(PEOPLE),
    "pandas strings": pd.DataFrame(PEOPLE).astype({"name": "string", "town": "category"}),
    "polars": pl.DataFrame(PEOPLE),
    "arrow": pa.table(PEOPLE),
    "structured": np.array(
        [tuple(row.values()) for row in ROWS], dtype=[("name", object), ("town", "U8"), ("age", int)]
    ),
    "dict of arrays": {"name": np.array(PEOPLE["name"], dtype=object), **{k: PEOPLE[k] for k in ("town", "age")}},
}


@pytest.fixture(params=TABLES.values(), ids=TABLES)
def table(request):
    return request.param


def blocks(table, key, how="same"):
    (partition,) = from_records(table, **{how: [key]}).partitions
    return partition.codes.tolist()


def test_every_table_and_every_key(table):
    assert blocks(table, "name") == [0, 1, 2, 3, -1, -1]
    assert blocks(table, "town") == [0, 0, 1, 1, 0, 2]
    assert blocks(table, ("town", "age")) == [0, 1, 2, 2, 1, 3]
    assert blocks(table, ("town", "name")) == [0, 1, 2, 3, -1, -1]
    assert blocks(table, prefix("name", 1)) == [0, 0, 1, 1, -1, -1]
    assert blocks(table, phonetic("name")) == [0, 0, 1, 1, -1, -1]
    assert blocks(table, (phonetic("name"), "age")) == [0, 1, 2, 2, -1, -1]
    assert blocks(table, ("age", lambda age: age // 10)) == [0, 0, 0, 0, 0, 1]
    assert blocks(table, lambda row: (row["town"][0], row["age"] > 60)) == [0, 0, 1, 1, 0, 2]


def test_same_and_different_are_partitions(table):
    hints = from_records(table, same=["name", ("town", 0.5)], different_across=prefix("name", 1), weight=2.0)
    assert hints == Constraints(
        6,
        partitions=[
            Partition([0, 1, 2, 3, -1, -1], weight=2.0),
            Partition([0, 0, 1, 1, 0, 2], weight=0.5),
            Partition([0, 0, 1, 1, -1, -1], same_within=False, different_across=True, weight=2.0),
        ],
    )


def test_weights_of_keys():
    by_dict = from_records(PEOPLE, same={"town": 0.25, ("town", "age"): 3.0})
    by_list = from_records(PEOPLE, same=[("town", 0.25), (("town", "age"), 3.0)])
    assert by_dict == by_list
    assert [partition.weight for partition in by_dict.partitions] == [0.25, 3.0]
    numbered = pd.DataFrame({0: ["a", "a"], 1: ["b", "c"]})  # here 1 is a column, no weight
    assert from_records(numbered, same=[(0, 1)]).is_empty
    assert from_records(numbered, same=[(0, 1.5)]).partitions[0].weight == 1.5


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA, pd.NaT, "", "  "])
def test_what_is_missing_blocks_with_nothing(missing):
    table = {"a": [missing, missing, "x", "x"], "b": ["y", "y", missing, "y"]}
    assert blocks(table, "a") == [-1, -1, 0, 0]
    assert from_records(table, same=[("a", "b")]).n_must_link == 0
    for key in (prefix("a", 2), ngrams("a", 1), phonetic("a"), ("a", str)):
        assert blocks(table, key) == [-1, -1, 0, 0]
        assert blocks(table, key, "different_across") == [-1, -1, 0, 0]
    assert blocks({"a": ["x", "x", "y"]}, ("a", lambda value: missing if value == "x" else value)) == [-1, -1, 0]


KEYS = st.lists(st.tuples(*[st.sampled_from([None, "ab", "ac", "b"])] * 2), min_size=1, max_size=9)


@given(KEYS)
@law
def test_blocks_are_pairs_that_agree(cells):
    table = {"first": [a for a, _ in cells], "last": [b for _, b in cells]}
    hints = from_records(table, same=("first", "last"), different_across="first").expand()
    pairs = [(i, j) for j in range(len(cells)) for i in range(j)]
    agree = {(i, j) for i, j in pairs if cells[i] == cells[j] and None not in cells[i]}
    differ = {(i, j) for i, j in pairs if None not in (cells[i][0], cells[j][0]) and cells[i][0] != cells[j][0]}
    assert {tuple(pair) for pair in hints.must_link.tolist()} == agree
    assert {tuple(pair) for pair in hints.cannot_link.tolist()} == differ
    assert hints.conflicts() == []


WORDS = st.lists(st.text("abc", max_size=5), min_size=1, max_size=8)


def pieces(word, length):
    return {word[start : start + length] for start in range(max(len(word) - length, 0) + 1)} if word else set()


@given(WORDS, st.integers(1, 3))
@law
def test_ngrams_join_only_what_shares_one_and_part_only_what_shares_none(words, length):
    table = {"word": words}
    hints = from_records(table, same=ngrams("word", length), different_across=ngrams("word", length))
    grams = [pieces(word, length) for word in words]
    pairs = hints.expand()
    assert all(grams[i] & grams[j] for i, j in pairs.must_link.tolist())
    assert not any(grams[i] & grams[j] for i, j in pairs.cannot_link.tolist())
    assert hints.conflicts() == []
    for row, code in enumerate(blocks_of(hints)):  # a record has a block if and only if it shares something
        shares = any(grams[row] & grams[other] for other in range(len(words)) if other != row)
        assert (code >= 0) == shares


def blocks_of(hints):
    same = [partition for partition in hints.partitions if partition.same_within]
    return same[0].codes.tolist() if same else [-1] * hints.n_samples


def test_the_rarest_ngram_decides():
    names = {"name": ["xq ann", "ann", "ann", "xq bob"]}
    assert blocks(names, ngrams("name", 2)) == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Robert", "R163"),
        ("Rupert", "R163"),
        ("Rubin", "R150"),
        ("Ashcraft", "A261"),
        ("Ashcroft", "A261"),
        ("Tymczak", "T522"),
        ("Pfister", "P236"),
        ("Honeyman", "H555"),
        ("Washington", "W252"),
        ("Gutierrez", "G362"),
        ("Jackson", "J250"),
        ("VanDeusen", "V532"),
        ("Lee", "L000"),
        ("O'Hara", "O600"),
        ("müller", "M460"),
        ("", None),
        ("李", None),
    ],
)
def test_soundex_of_known_names(name, code):
    assert soundex(name) == code


@given(st.text("abcdfhlmrswyzBRéüß-' 1李"))
@law
def test_soundex_is_a_letter_and_three_digits(name):
    code = soundex(name)
    assert code is None or (len(code) == 4 and code[0].isupper() and code[1:].isdigit())
    assert soundex(name.upper().lower()) == soundex(name.upper())


def test_a_million_records_stay_small():
    n = 1_000_000
    rng = np.random.default_rng(0)
    table = {
        "email": rng.integers(0, n // 2, n).tolist(),
        "name": np.array(["anna", "bernd", "carla", "dieter"], dtype=object)[rng.integers(0, 4, n)],
    }
    tracemalloc.start()
    hints = from_records(table, same=["email", ("name", "email")], different_across=["name"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert hints.n_cannot_link > 3e11
    assert len(hints.must_link) == len(hints.cannot_link) == 0
    assert peak < 300 * n  # 300 bytes a record, where pairs would take terabytes


def test_contradictions_are_the_callers_to_check():
    table = {"telephone": [1, 1], "name": ["ann", "bob"]}
    hints = from_records(table, same="telephone", different_across="name")
    assert len(hints.conflicts()) == 1


def test_keys_pickle_and_compare():
    keys = prefix("a", 2), ngrams("a", 3), phonetic("a")
    assert pickle.loads(pickle.dumps(keys)) == keys
    assert len({*keys, prefix("a", 2)}) == 3


def test_no_records():
    assert from_records({"a": []}, same=["a", ngrams("a"), ("a", "a")], different_across=ngrams("a")) == Constraints(0)


@pytest.mark.parametrize(
    ("table", "keys", "error", "message"),
    [
        (PEOPLE, {"same": "nmae"}, ValueError, "'nmae', which is no column of the table: it has 'name', 'town', 'age'"),
        (PEOPLE, {"same": ("town", "nmae")}, ValueError, "'nmae', which is no column"),
        (PEOPLE, {"different_across": [["town"]]}, ValueError, r"different_across names the key \['town'\]"),
        (PEOPLE, {"same": prefix("nmae", 2)}, ValueError, "'nmae' is no column"),
        (PEOPLE, {}, ValueError, "no key was given"),
        (PEOPLE, {"same": ("town", list)}, TypeError, r"gives \['U', 'l', 'm'\] for record 0, a list"),
        (PEOPLE, {"same": {"town": -1.0}}, ValueError, "above 0"),
        ({"a": [1], "b": [1, 2]}, {"same": "b"}, ValueError, "column 'b' has 2 values, the table 1 rows"),
        ([], {"same": "a"}, ValueError, "no columns"),
        ([{"a": 1}, 2], {"same": "a"}, TypeError, r"table\[1\] is a int, not a dict"),
        (3, {"same": "a"}, TypeError, "cannot be read from a int"),
        (pl.LazyFrame(PEOPLE), {"same": "name"}, TypeError, "collected, if it is lazy"),
        (np.zeros((2, 2)), {"same": "a"}, TypeError, "cannot be read from a ndarray"),
    ],
)
def test_errors_say_what_to_do(table, keys, error, message):
    with pytest.raises(error, match=message):
        from_records(table, **keys)


@pytest.mark.parametrize("length", [0, -1, 1.5, True, "2"])
def test_lengths_are_checked(length):
    for key in (prefix, ngrams):
        with pytest.raises(ValueError, match="whole number of letters"):
            key("a", length)
