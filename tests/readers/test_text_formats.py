"""LIBSVM, VW, JSON Lines, CSV and plain text: round trips, however the bytes are split."""

import csv
import io
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.readers.rows import feed_in_pieces, rows_of
from wmsketch import _core

HINT = " (without quoting, a quote is an ordinary character)"
cuts = st.lists(st.integers(0, 300), max_size=4)
floats = st.floats(width=32, allow_nan=False, allow_infinity=False).filter(lambda x: not math.isinf(np.float32(x)))
labels = st.sampled_from([-1, 1])
words = st.text(st.characters(exclude_characters=" \t\r\n|:'", exclude_categories=["Cs"]), min_size=1, max_size=12)


@given(st.lists(st.tuples(labels, st.lists(st.tuples(st.integers(0, 2**32 - 1), floats))), max_size=6), cuts)
def test_libsvm_round_trip(rows, places):
    text = "".join(f"{label} {' '.join(f'{i}:{v!r}' for i, v in features)}\n" for label, features in rows)
    got, error = feed_in_pieces(_core.LibsvmParser(), text.encode(), places)
    assert error is None
    assert [(row.label, row.features) for row in got] == rows


namespaces = st.lists(st.tuples(words | st.just(""), st.lists(st.tuples(words, floats))), max_size=3)


@given(st.lists(st.tuples(labels, st.sampled_from([1.0, 2.0, 0.5]), namespaces), max_size=5), cuts)
def test_vw_round_trip(rows, places):
    text = expected = ""
    expected = []
    for label, weight, spaces in rows:
        text += f"{label} {weight} " + " ".join(f"|{ns} {' '.join(f'{f}:{v!r}' for f, v in fs)}" for ns, fs in spaces)
        text += "\n" if spaces else "|\n"
        names = [(f"{ns}^{f}" if ns else f, v) for ns, fs in spaces for f, v in fs]
        expected.append((names, label, weight))
    got, error = feed_in_pieces(_core.VwParser(), text.encode(), places)
    assert error is None
    assert got == expected


json_leaves = st.none() | st.booleans() | floats | st.text(max_size=8)
json_keys = st.text(min_size=1, max_size=5)
json_values = st.recursive(
    json_leaves, lambda v: st.lists(v, max_size=3) | st.dictionaries(json_keys, v, max_size=3), max_leaves=8
)


def flatten(value, path=""):
    """Features of a JSON value, as the docstring of open_examples says."""
    if isinstance(value, dict):
        return [f for key, v in value.items() for f in flatten(v, f"{path}.{key}" if path else key)]
    if isinstance(value, list):
        places = [f"{path}.{i}" if isinstance(v, (dict, list, float)) else path for i, v in enumerate(value)]
        return [f for place, v in zip(places, value, strict=True) for f in flatten(v, place)]
    if value is None or value == "":
        return []
    if isinstance(value, bool):
        return [(f"{path}={str(value).lower()}", 1.0)]
    return [(path, float(value))] if isinstance(value, float) else [(f"{path}={value}", 1.0)]


@given(st.lists(st.dictionaries(json_keys, json_values, max_size=4), max_size=4), cuts, st.booleans())
def test_jsonl_round_trip(objects, places, ascii_only):
    text = "".join(json.dumps(each, ensure_ascii=ascii_only) + "\n" for each in objects)
    got, error = feed_in_pieces(_core.JsonLinesParser(_core.RowEncoder()), text.encode(), places)
    assert error is None
    assert [row.features for row in got] == [flatten(each) for each in objects]


cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@given(st.lists(st.tuples(cells, cells, floats), min_size=1, max_size=6), cuts, st.sampled_from(",;\t|"))
def test_csv_round_trip(rows, places, delimiter):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\r\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(["a", "b", "n"])
    writer.writerows(rows)
    encoder = _core.RowEncoder(categorical=["a", "b"], numeric=["n"])
    got, error = feed_in_pieces(_core.CsvParser(encoder, delimiter=delimiter), out.getvalue().encode(), places)
    assert error is None
    expected = [[(f"{c}={v}", 1.0) for c, v in (("a", a), ("b", b)) if v] + [("n", n)] for a, b, n in rows]
    assert [row.features for row in got] == expected


@given(st.lists(st.lists(st.from_regex(r"[a-zA-Z0-9_]{1,6}", fullmatch=True), min_size=1), max_size=5), cuts)
def test_plain_text_gives_tokens_and_pairs(lines, places):
    text = "".join(" ".join(line) + ".\n" for line in lines)
    got, error = feed_in_pieces(_core.PlainTextParser(ngrams=2), text.encode(), places)
    assert error is None
    for line, row in zip(lines, got, strict=True):
        pairs = [f"{a} {b}" for a, b in itertools.pairwise(line)]
        assert sorted(name for name, _ in row.features) == sorted(line + pairs)


@given(st.binary(max_size=200), cuts, st.sampled_from([_core.LibsvmParser, _core.VwParser]))
def test_any_bytes_give_the_same_rows_and_error_however_they_are_cut(data, places, parser):
    assert feed_in_pieces(parser(), data, places) == feed_in_pieces(parser(), data, [])


json_like = st.text('{}[]",:.019eE+-tun\\ ', max_size=12).map(lambda text: '{"a": ' + text + "}")
numbers = st.from_regex(r"-?[0-9]{0,3}\.?[0-9]{0,3}([eE][-+]?[0-9]{0,2})?", fullmatch=True).map('{{"a": {}}}'.format)


@given(json_like | numbers)
def test_json_is_accepted_exactly_when_python_accepts_it(text):
    parser = _core.JsonLinesParser(_core.RowEncoder())
    got = rows_of(parser.feed(text.encode(), final=True))
    try:
        expected = json.loads(text, parse_int=float, strict=True)
    except ValueError:
        assert parser.error
    else:
        values = [value for _, value in flatten(expected)]
        if all(abs(value) < 3e38 for value in values):
            assert parser.error is None
            assert [name for name, _ in got[0].features] == [name for name, _ in flatten(expected)]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ('{"a": 1}\n{"a" 2}', (2, 6), 'expected ":", found "2"'),
        ('{"a": }', (1, 7), 'expected a value, found "}"'),
        ('{"a": 1', (1, 8), 'expected "," or "}", found the end of the line'),
        ('{"a": [1, 2}', (1, 12), 'expected "," or "]", found "}"'),
        ("[1]", (1, 1), 'expected an object like {"name": 1}, found "[1"'),
        ('{"a": 1} x', (1, 10), 'expected the end of the line, found "x"'),
        ('{"a": Nan}', (1, 7), 'expected a value, found "Nan"'),
        ('{"a": "x}', (1, 10), "expected a closing quote, found the end of the line"),
        ('{"a": "\\x"}', (1, 9), 'expected an escape like \\n or \\u00e9, found "x\\""'),
        ("{a: 1}", (1, 2), 'expected a name in quotes, found "a"'),
        ('{"a":' * 101 + "1", (1, 506), 'expected at most 100 levels of nesting, found "1"'),
    ],
)
def test_json_errors_point_at_the_place(text, place, message):
    parser = _core.JsonLinesParser(_core.RowEncoder())
    parser.feed(text.encode(), final=True)
    assert parser.error == (*place, message)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a,b\n1,2\n3\n", (3, 2), "expected 2 columns, found 1"),
        ("a,b\n1,2\n3,4,5\n", (3, 5), "expected 2 columns, found 3"),
        ('a,b\n"x\ny",2\n1,"z', (4, 3), 'expected a closing quote for "\\"z"' + HINT),
        ('a,b\n"x"y,2\n', (2, 4), 'expected a delimiter after the closing quote, found "y,2"' + HINT),
    ],
)
def test_csv_errors_point_at_the_place(text, place, message):
    parser = _core.CsvParser(_core.RowEncoder())
    parser.feed(text.encode(), final=True)
    assert parser.error == (*place, message)


def test_blanks_behind_a_closing_quote_are_left_out():
    parser = _core.CsvParser(_core.RowEncoder())
    block = parser.feed(b'"a" ,"b"  ,c\n"x, y" ,"z" ,"w"  \n"1\n2" ,3,4\n', final=True)
    assert parser.error is None and parser.columns == ["a", "b", "c"]
    assert [block.name(i) for i in range(3)] == ["a=x, y", "b=z", "c=w"] and len(block) == 2


def test_blanks_before_quotes_are_left_out_where_they_enclose_a_cell():
    parser = _core.CsvParser(_core.RowEncoder())
    block = parser.feed(b'"a",  "b", "c"\n"x", "y, ""z""" , "w"\n"x", "Bob" Smith, 6"\n', final=True)
    assert parser.error is None and parser.columns == ["a", "b", "c"]
    names = [block.name(i) for i in range(block.n_features)]
    assert names == ["a=x", 'b=y, "z"', "c=w", "a=x", 'b= "Bob" Smith', 'c= 6"']


def test_a_column_without_a_name_is_named_by_its_place():
    """pandas and R leave the header of row numbers empty, and some programs end each line with a delimiter."""
    rows = rows_of(_core.CsvParser(_core.RowEncoder()).feed(b",city,\n7,Rome,\n", final=True))
    assert rows[0].features == [("column1", 7.0), ("city=Rome", 1.0)]


def test_csv_kinds_never_flip():
    parser = _core.CsvParser(_core.RowEncoder())
    assert rows_of(parser.feed(b"n,b,s\n1,true,x\nNA,,y\n"))[1].features == [("s=y", 1.0)]
    rows = rows_of(parser.feed(b"2.5,False,3\nten,true,z\n"))
    assert [row.features for row in rows] == [
        [("n", 2.5), ("b=false", 1.0), ("s=3", 1.0)],
        [("n=ten", 1.0), ("b=true", 1.0), ("s=z", 1.0)],
    ]


def test_numbers_that_are_not_finite_are_odd_values():
    encoder = _core.RowEncoder()
    rows = rows_of(_core.JsonLinesParser(encoder).feed(b'{"a": 1, "b": NaN}\n{"a": -Infinity}\n{"a": 1e99}\n'))
    assert [row.features for row in rows] == [[("a", 1.0)], [("a=-inf", 1.0)], [("a=1e+99", 1.0)]]
    [odd] = encoder.odd_values
    assert (odd["column"], odd["first"], odd["count"], odd["row"]) == ("a", "-inf", 2, 2)


def test_names_that_stand_twice_get_a_number():
    parser = _core.CsvParser(_core.RowEncoder())
    rows = rows_of(parser.feed(b"a,a,a.2,a,,column5\n1,2,3,4,5,6\n", final=True))
    assert [name for name, _ in rows[0].features] == ["a", "a.3", "a.2", "a.4", "column5", "column5.2"]
    assert parser.renamed == [("a", "a.3"), ("a", "a.4"), ("column5", "column5.2")]


def test_csv_told_categorical_reads_text_from_the_start():
    parser = _core.CsvParser(_core.RowEncoder(categorical=["n"]))
    got = rows_of(parser.feed(b"n\n1\n02\nten\n"))
    assert [row.features[0][0] for row in got] == ["n=1", "n=02", "n=ten"]


def test_labels_weights_and_interactions():
    encoder = _core.RowEncoder(label="y", positive="yes", weight="w", interactions=[("a", "b"), ("a", "n")])
    parser = _core.CsvParser(encoder)
    got = rows_of(parser.feed(b"y,w,a,b,n\nyes,2,p,q,3\nno,0.5,p,,\nmaybe,1,,q,2\n"))
    assert [row.label for row in got] == [1, -1, -1]
    assert [row.weight for row in got] == [2, 0.5, 1]
    expected = [("a=p", 1.0), ("b=q", 1.0), ("n", 3.0), ("a=p&b=q", 1.0), ("a=p&n", 3.0)]
    assert got[0].features == expected
    assert got[1].features == [("a=p", 1.0)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,yes\n", '2:3: expected a number or true or false in the label column "y", found "yes"'),
        ("1,1\n1,\n", '3:1: expected a label in column "y", found none'),
        ("1,1\n1,2\n", "3:3: the labels 1 and 2 are both above 0: say which one is positive"),
        ("-1,1\n", '2:1: expected a weight of at least 0 in column "w", found -1'),
        (",1\n", '2:1: expected a weight in column "w", found none'),
    ],
)
def test_bad_labels_and_weights(rows, message):
    parser = _core.CsvParser(_core.RowEncoder(label="y", weight="w"))
    parser.feed(b"w,y\n" + rows.encode())
    line, column, found = parser.error
    assert f"{line}:{column}: {found}".startswith(message)


def test_arrays_of_a_named_column_are_a_bag():
    parser = _core.JsonLinesParser(_core.RowEncoder(categorical=["tags"], text=["notes"], lowercase=True))
    [row] = rows_of(parser.feed(b'{"tags": ["red", "big"], "notes": ["A cat", "B"], "x": [1, 2.5]}\n'))
    assert [name for name, _ in row.features] == [
        "tags=red",
        "tags=big",
        "notes=a",
        "notes=cat",
        "notes=b",
        "x=1",
        "x.1",
    ]


def test_text_that_is_not_utf8_is_refused_at_its_place():
    """Rows before it are delivered; a name that is not valid text is never learned."""
    parser = _core.CsvParser(_core.RowEncoder(label="y"))
    block = parser.feed(b"name,y\ncaf\xc3\xa9,1\nol\xe9,0\n")
    assert rows_of(block)[0].features == [("name=caf\u00e9", 1.0)]
    assert parser.error == (3, 3, 'expected text in UTF-8, found the bytes "\\xe9"')
    for parser, text in (
        (_core.JsonLinesParser(_core.RowEncoder()), b'{"a": "b\xff"}\n'),
        (_core.VwParser(), b"1 | a b\xff\n"),
    ):
        parser.feed(text)
        assert parser.error[0] == 1
        assert "expected text in UTF-8" in parser.error[2]


def test_comments_of_numbers_may_be_in_any_code():
    assert len(_core.LibsvmParser().feed(b"1 3:0.5 # caf\xe9\n")) == 1


def cells_of(text, quoting, delimiter="\t"):
    encoder = _core.RowEncoder(categorical=["a", "b"])
    parser = _core.CsvParser(encoder, delimiter=delimiter, columns=["a", "b"], quoting=quoting)
    rows = rows_of(parser.feed(text.encode(), final=True))
    return [[name.partition("=")[2] for name, _ in row.features] for row in rows], parser.error


@pytest.mark.parametrize(
    ("cell", "taken"),
    [
        ('"a', '"a'),
        ('"', '"'),
        ('5"', '5"'),
        ('"so" she said', '"so" she said'),
        ('"so" and "so"', '"so" and "so"'),
        ('"whole"', "whole"),
        ('"a ""b"" c"', 'a "b" c'),
        ('"a """', 'a "'),
    ],
)
def test_quotes_count_only_around_whole_cells(cell, taken):
    for text in (f"{cell}\tx\n", f"x\t{cell}\n", f"x\t{cell}"):
        [row], error = cells_of(text, "whole_cells")
        assert error is None
        assert sorted(row) == sorted([taken, "x"])
    assert cells_of(f"{cell}\tx\n", "none") == ([[cell, "x"]], None)


def test_half_a_quoted_cell_loses_nothing_in_silence():
    _, error = cells_of('"a\tb"\tc\n', "whole_cells")
    assert "expected 2 columns, found 3 (with quoting, a cell in quotes may contain" in error[2]
    assert cells_of('"a\tb"\tc\n', "strict") == ([["a\tb", "c"]], None)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=6), cuts)
def test_without_quoting_every_cell_is_taken_as_it_is(rows, places):
    rows = [["".join(c for c in cell if c not in "\t\r\n") for cell in row] for row in rows]
    text = "".join(f"{a}\t{b}.\n" for a, b in rows)
    encoder = _core.RowEncoder(categorical=["a", "b"])
    parser = _core.CsvParser(encoder, delimiter="\t", columns=["a", "b"], quoting="none")
    got, error = feed_in_pieces(parser, text.encode(), places)
    mark = text.startswith("\ufeff")
    assert error is None or mark
    if not mark:
        assert [row.features for row in got] == [
            [(f"{c}={v}", 1.0) for c, v in (("a", a), ("b", b + ".")) if v] for a, b in rows
        ]


def test_texts_that_repeat_have_the_same_names_in_every_block(tmp_path):
    times = ["2024-05-17T08:30:00Z", "2024-05-17 08:30:00", "2024-05-17T10:30:00+02:00"]
    texts = ["a", "b" * 70, "\u00e9", 'in "quotes", and more', *times]
    rows = [{"one": texts[i % 7], "two": texts[(i + i // 7) % 7], "number": i % 9 - 0.5} for i in range(700)]
    path = tmp_path / "rows.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    expected = []
    for row in rows:
        one, two = (times[1] if text in times else text for text in (row["one"], row["two"]))
        expected += [f"one={one}", f"two={two}", "number"]
    for chunk in (100, 1000, 1_000_000):
        parser, found, values = _core.CsvParser(_core.RowEncoder()), [], []
        data = path.read_bytes()
        for begin in range(0, len(data), chunk):
            block = parser.feed(data[begin : begin + chunk])
            found += [block.name(i) for i in range(len(block.keys))]
            values += block.values.tolist()
        assert found == expected
        assert values[2::3] == [row["number"] for row in rows]
