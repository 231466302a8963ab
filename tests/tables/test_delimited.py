"""CSV and TSV files: what separates cells, what is above the header, and which lines are rows."""

import csv
from pathlib import Path

import pytest

from likewise._progress import observe
from likewise.tables._delimited import _cells, _delimiter, _titles, _top, check_names, read_delimited

T = Path("t.csv")


def read(path, content, is_header=None):
    path = path / "t.csv"
    path.write_text(content, encoding="utf-8", newline="")
    return read_delimited(path, None, is_header)


# -- what separates cells ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "spaces", "delimiter"),
    [
        ("a b", True, " "),
        (" ab ", True, ","),
        ("ab", True, ","),
        ("a b,c d", True, ","),
        ("a b|c", True, "|"),
        ('"a b"', True, ","),
        ('"a,b" c d', True, " "),
        ("a b", False, ","),
        ("a;b,c;d", False, ";"),
        ("a|b|c;d", False, "|"),
        ("a\tb", False, "\t"),
        ("a,b;c", False, ","),
        ('"a;b;c",d', False, ","),
        ('"a;b;c"";d",e,f', False, ","),
    ],
)
def test_what_separates_cells_is_what_a_line_has_most_of(first, spaces, delimiter):
    assert _delimiter(T, first, spaces=spaces) == delimiter


@pytest.mark.parametrize(
    ("name", "delimiter"),
    [("t.tsv", "\t"), ("t.tsv.gz", "\t"), ("t.tsv.a.csv", ","), ("tsv", ","), ("a.csv.tsv", "\t")],
)
def test_a_suffix_may_say_what_separates_cells(name, delimiter):
    assert _delimiter(Path(name), "a,b,c\td", spaces=False) == delimiter


@pytest.mark.parametrize("delimiter", [",", "\t", "|"])
def test_decimal_commas_are_those_of_semicolons(tmp_path, delimiter):
    raw = read(tmp_path, f'a{delimiter}b\n"1,5"{delimiter}2\n')
    assert raw.columns == {"a": ["1,5"], "b": ["2"]}
    assert read(tmp_path, "a;b\n1,5; -2,25 \n+3,0;4\n").columns == {"a": ["1.5", "+3.0"], "b": [" -2.25 ", "4"]}


@pytest.mark.parametrize("delimiter", [",", "\t", "|", ";"])
def test_spaces_in_cells_stay(tmp_path, delimiter):
    assert read(tmp_path, f" a{delimiter} b \n 1{delimiter} 2\n").columns == {"a": [" 1"], "b": [" 2"]}


def test_spaces_between_cells_are_one(tmp_path):
    raw = read(tmp_path, "a  b c\n1 2   3\n", lambda first, rest: True)
    assert raw.columns == {"a": ["1"], "b": ["2"], "c": ["3"]}


# -- what is above the header ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "top", "first"),
    [
        ("", [], ""),
        ("a;b", [], "a;b"),
        ("a\nb\n", [], "a"),
        ("\n\n a\nb", ["", ""], " a"),
        ("# c\n#d\na\n", ["# c", "#d"], "a"),
        ("# c\n\n# d", ["# c", ""], "# d"),
        ("# c\n", ["# c"], ""),
        ("sep=;\na\n", ["sep=;"], "a"),
        ("SEP=| \n# c\na\n", ["SEP=| ", "# c"], "a"),
        ("# c\nsep=;\na\n", ["# c"], "sep=;"),
        ("sep=x\na\n", [], "sep=x"),
        (" # c\na\n", [], " # c"),
    ],
)
def test_comments_and_empty_lines_at_the_top(text, top, first):
    start = sum(len(line) + 1 for line in top)
    assert _top(text) == (top, first, start)
    assert text.startswith(first, start)


NO_TITLES = {
    "names": "id;price;hue\na;1;2\n",
    "one line": "Wines\n",
    "a shorter line": "Wines\nx;y;z\nid;price;hue;n\na;1;2;3\n",
    "a longer line": "Wines\nw;x;y;z\nid;price;hue\na;1;2\n",
    "another line": "Wines\nx;y\nid;price;hue\na;1;2\n",
    "nothing in the first cell": ";Wines;\nid;price;hue;n\na;1;2;3\n",
    "a text with a comma": "text\none, two\nthree, four\n",
    "two texts with a comma": "text\nmore\none, two\nthree, four\n",
    "a name of two lines": 'The 12" records\n\nid;price;hue\na;1;2\n',
    "another name of two lines": '"a\nb" of three";"c";"d\ne";f\n1;2;3\n',
    "one name": "Wines\n\nid;;\na;1;2\n",
}

TITLES = {
    "Wines\nid;price;hue\na;1;2\n": 1,
    "Wines\nby price\nid;price;hue\na;1;2\n": 2,
    '"Wines, red"\nid;price;hue\na;1;2\n': 1,
    '"12"" or so"\nid;price;hue\na;1;2\n': 1,
    "Wines;;\nid;price;hue\na;1;2\n": 1,
    "Wines;;\n;;\nid;price;hue\na;1;2\n": 2,
    "Wines\n\nid;price\na;1\n": 2,
    "\nWines\nid;price\na;1\n": 2,
    "Wines;\nby price\nid;price\na;1\n": 2,
    "Wines\nid;price;\na;1;\n": 1,
    "Wines\r\n\r\nid;price\r\na;1\r\n": 2,
}


@pytest.mark.parametrize("name", NO_TITLES)
def test_lines_that_are_no_title(name):
    assert _titles(T, NO_TITLES[name], None) == []


@pytest.mark.parametrize("text", TITLES)
def test_lines_that_are_a_title(text):
    assert _titles(T, text, None) == text.split("\n")[: TITLES[text]]
    assert _titles(T, text, ";") == text.split("\n")[: TITLES[text]]


def test_a_title_above_hundreds_of_columns(tmp_path):
    names = [f"c{place}" for place in range(300)]
    text = "Wines\n" + ",".join(names) + "\n" + ",".join("1" * 300) + "\n"
    with pytest.warns(UserWarning, match="'Wines' is taken as a title, and line 2 as the names"):
        raw = read(tmp_path, text)
    assert list(raw.columns) == names
    assert raw.n == 1


@pytest.mark.parametrize("above", [9, 10, 11])
def test_names_and_a_row_are_searched_in_twelve_lines(tmp_path, above):
    text = "Wines;;\n" + "\n" * (above - 1) + "id;price;hue\na;1;2\nb;3;4\n"
    if above == 11:
        with pytest.raises(ValueError, match="2 columns are called ''"):
            read(tmp_path, text)
        return
    with pytest.warns(UserWarning, match=f"and line {above + 1} as the names of the columns"):
        raw = read(tmp_path, text)
    assert raw.lines == [above + 2, above + 3]


@pytest.mark.parametrize("length", [59, 60, 61])
def test_a_long_title_is_shown_in_part(tmp_path, length):
    title = "".join(chr(97 + place % 26) for place in range(length))
    with pytest.warns(UserWarning, match="title") as warned:
        read(tmp_path, f" {title} ;;\nid;price;hue\na;1;2\n")
    assert f"{title[:60]!r} is taken as a title, and line 2" in str(warned[0].message)
    assert warned[0].filename == __file__  # it is about the call, not about this package


def test_commas_below_a_title_and_its_names_do_not_count(tmp_path):
    with pytest.warns(UserWarning, match="'Wines, red' is taken as a title"):
        raw = read(tmp_path, "Wines, red\nid;price;hue\na;1,2,3,4,5,6,7;2\nb;1;2\n")
    assert raw.columns == {"id": ["a", "b"], "price": ["1,2,3,4,5,6,7", "1"], "hue": ["2", "2"]}


def test_a_very_long_name_is_no_title(tmp_path):
    name = "word " * 40_000
    raw = read(tmp_path, f"{name},b\n1,2\n3,4\n")
    assert raw.columns == {name.strip(): ["1", "3"], "b": ["2", "4"]}
    assert _cells(name, ",") == [name]


@pytest.mark.parametrize(
    ("content", "names", "metadata"),
    [
        ("#id,one\n1,2\n", ["#id", "one"], {}),
        ("# n=1\n#id,one\n1,2\n", ["#id", "one"], {"n": "1"}),
        ("# made by hand\nid,one\n1,2\n", ["id", "one"], {}),
        ("# a, b, n = 1\nid,one\n1,2\n", ["id", "one"], {"a, b, n": "1"}),
        ("#x=1\n# y=2=3\nid,one\n1,2\n", ["id", "one"], {"x": "1", "y": "2=3"}),
        ("sep=,\n# x=1\nid,one\n1,2\n", ["id", "one"], {"x": "1"}),
        ("sep=,\n#id,one\n1,2\n", ["#id", "one"], {}),
    ],
)
def test_a_line_with_the_sign_of_comments_is_a_header_if_it_has_as_many_cells(tmp_path, content, names, metadata):
    raw = read(tmp_path, content)
    assert raw.columns == {names[0]: ["1"], names[1]: ["2"]}
    assert raw.metadata == metadata
    assert raw.lines == [content.count("\n")]


# -- rows --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "rows", "lines"),
    [
        ("a,b\n1,2\n,\n3,4\n,\n , \n", [("1", "2"), ("", ""), ("3", "4")], [2, 3, 4]),
        ("a,b\n1,2\n3,\n", [("1", "2"), ("3", "")], [2, 3]),
        ("a,b\n,\n", [], []),
        ("a,b\n", [], []),
        ("\na,b\n\n1,2\n\n\n3,4", [("1", "2"), ("3", "4")], [4, 7]),
        ('# c\n# d\n\na,b\n1,"2\n3"\n4,5\n', [("1", "2\n3"), ("4", "5")], [6, 7]),
        ("a\n1\n \n", [("1",), (" ",)], [2, 3]),
    ],
)
def test_rows_and_their_lines(tmp_path, content, rows, lines):
    raw = read(tmp_path, content)
    assert list(zip(*raw.columns.values(), strict=True)) == rows
    assert raw.lines == lines
    assert raw.n == len(rows)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("# c\na,b\n1,2\n3\n", r"line 4: 1 cells where the header has 2 columns\. Quote a cell that holds a ','\."),
        ("# c\n# d\na|b\n1|2|3\n", r"line 4: 3 cells where the header has 2 columns\. Quote a cell that holds a '\|'"),
        ("\n\na\n1,2\n", r"line 4: 2 cells, but the first line, 'a', has one\. If that is a title"),
        ('# c\n# d\n\na,b\n1,2\n3,"4"5\n', r"line 6: .*\. Check the quotes\."),
        ('# c\na,b\n1,2\n3,"4\n5\n', r"line 5: .*\. Check the quotes\."),
        ("# c\n1.5,b\n1,2\n", r"line 2 looks like data: '1\.5' is a number"),
        ("# c\n# d\n3,4\n1,2\n", "line 3 looks like data: 3, 4 are numbers"),
        ("# c\n# d\n# e\na,b,a,b,b\n1,2,3,4,5\n", "line 4: 3 columns are called 'b'"),
        ("\n \n", "is empty. It needs a line with the names of the columns"),
    ],
)
def test_what_is_wrong_is_told_by_its_line(tmp_path, content, message):
    limit = csv.field_size_limit()
    with pytest.raises(ValueError, match=rf"t\.csv,? {message}"):
        read(tmp_path, content)
    assert csv.field_size_limit() == limit


def test_the_limit_of_cells_is_left_as_it_was(tmp_path):
    limit = csv.field_size_limit()
    assert read(tmp_path, f"a,b\n1,{'x' * 2 * limit}\n").n == 1
    assert csv.field_size_limit() == limit


def test_hundreds_of_columns(tmp_path):
    names = [f"c{place}" for place in range(300)]
    raw = read(tmp_path, ",".join(names) + "\n" + ",".join(map(str, range(300))) + "\n")
    assert raw.columns == {name: [str(place)] for place, name in enumerate(names)}
    with pytest.raises(ValueError, match="line 1 looks like data: 1, 2, 3, 4, 5, … are numbers"):
        read(tmp_path, ",".join(map(str, range(1, 301))) + "\n")


def test_progress_is_the_place_in_the_file(tmp_path):
    seen = []
    with observe(seen.append):
        read(tmp_path, "# ten\n\nabc,d\n" + "1,2\n" * 2_100)
    size = 13 + 4 * 2_100
    assert [(each.done, each.total) for each in seen] == [(13 + 4 * 1_000, size), (13 + 4 * 2_000, size)]


# -- names -------------------------------------------------------------------------------------------------------------


def test_names_that_are_missing_are_numbers(tmp_path):
    asked = []

    def is_header(first, rest):
        asked.append((first, rest))
        return False

    raw = read(tmp_path, "# c\n\n5,6\n\n7,8\n", is_header)
    assert asked == [(["5", "6"], [["7", "8"]])]
    assert raw.columns == {"1": ["5", "7"], "2": ["6", "8"]}
    assert (raw.n, raw.lines) == (2, [3, 5])


def test_names_that_are_there_must_be_distinct(tmp_path):
    assert read(tmp_path, "5,6\n7,8\n", lambda first, rest: True).columns == {"5": ["7"], "6": ["8"]}
    with pytest.raises(ValueError, match=r"t\.csv, line 2: 2 columns are called '5'"):
        read(tmp_path, "# c\n5,5\n7,8\n", lambda first, rest: True)
    with pytest.raises(ValueError, match=r"t\.csv is empty"):
        read(tmp_path, "\n", lambda first, rest: True)


@pytest.mark.parametrize("is_header", [None, lambda first, rest: True, lambda first, rest: False])
def test_empty_columns_of_spreadsheets_are_left_out(tmp_path, is_header):
    found = read(tmp_path, "a,,b,,\nc,,d,, \n,,,,\n", is_header)
    columns = list(found.columns.items())
    cells = [["a", "c"], ["b", "d"]] if is_header is not None and not is_header([], []) else [["c"], ["d"]]
    assert [values for _, values in columns] == cells
    assert read(tmp_path, "a,\nc,d\n").columns == {"a": ["c"], "": ["d"]}
    with pytest.raises(ValueError, match=r"t\.csv, line 1: 2 columns are called ''"):
        read(tmp_path, "a,,\nc,d,e\n", is_header if is_header is None else lambda first, rest: True)


@pytest.mark.parametrize(
    ("names", "shown"), [(["0", "1"], "0, 1,"), (["0", "1", "2"], "0, 1, …,"), (list(map(str, range(300))), "0, 1, …,")]
)
def test_names_that_count_from_zero_are_told(names, shown):
    with pytest.warns(UserWarning, match="names") as warned:
        check_names(T, names)
    assert f"t.csv: its first line, {shown} is taken as the names" in str(warned[0].message)
    assert warned[0].filename == __file__


@pytest.mark.parametrize("names", [["id", "1"], ["1", "id"], ["a.b", "1"], ["a"], ["nan", "a"], ["1,5", "a"]])
def test_names_that_may_be_numbers_in_part(names):
    check_names(T, names)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["id", "1.5"], "line 7 looks like data: '1.5' is a number"),
        (["1", "0"], "line 7 looks like data: 1, 0 are numbers"),
        (["0", "1", "3"], "line 7 looks like data: 0, 1, 3 are numbers"),
        (["1e5"], "line 7 looks like data: 1e5 are numbers"),
        (["a", "a"], "line 7: 2 columns are called 'a'"),
        ([], "t.csv is empty"),
    ],
)
def test_names_that_are_none(names, message):
    with pytest.raises(ValueError, match=r"t\.csv") as caught:
        check_names(T, names, 7)
    assert message in str(caught.value)
