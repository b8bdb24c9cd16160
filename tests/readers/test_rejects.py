"""Rows that cannot be read end the input, or are skipped, counted and stored."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.readers.rows import feed_in_pieces, rows_of
from wmsketch import _core
from wmsketch.readers import BadInput, open_examples

cuts = st.lists(st.integers(0, 80), max_size=4)


def write(folder, name, text, encoding="utf-8"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return path


def read(path, **options):
    with open_examples(path, bad_rows="skip", **options) as examples:
        rows = [row for block in examples for row in rows_of(block)]
        return rows, examples.rejects


# file, options, number of good and bad rows, first bad row
BAD_FILES = {
    "csv": ("a.csv", "x,c,y\n1,r,1\n2,r\n3,r,0,4\n4,s,0\n5,s", {"label": "y"}, 2, 3, "3:4: expected 3 columns"),
    "quote": ("a.csv", 'x,c,y\n1,r,1\n2,"s,0\n3,r,0\n4,s,1\n', {"label": "y"}, 3, 1, "3:3: expected a closing"),
    "label": ("a.csv", "x,y\n1,1\n2,0\n3,oops\n4,1\n", {"label": "y"}, 3, 1, "4:3: expected a number or true"),
    "jsonl": (
        "a.jsonl",
        '{"x": 1, "y": 1}\n{"x": 2, "y"\nx\n{"x": 3, "y": 0}\n{"x": 4',
        {"label": "y"},
        2,
        3,
        '2:13: expected ":"',
    ),
    "libsvm": ("a.svm", "1 3:1\n-1 4:x\n-1 4:1\nx 3:1\n1 5:", {}, 2, 3, "2:6: expected a finite number"),
    "vw": ("a.vw", "1 |a b c\n-1 |a b:x c\n-1 |a d\n1", {}, 2, 2, "2:9: expected a finite"),
    "utf8": ("a.csv", b"x,c,y\n1,caf\xe9,1\n2,tea,0\n", {"label": "y"}, 1, 1, "2:6: expected text in UTF-8"),
}


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("chunk_bytes", [1 << 20, 7])
def test_bad_rows_are_passed_over_and_the_others_are_read(tmp_path, name, chunk_bytes):
    file, text, options, n_rows, n_bad, first = BAD_FILES[name]
    rows, rejects = read(write(tmp_path, file, text), chunk_bytes=chunk_bytes, **options)
    assert len(rows) == n_rows and rejects.bad_rows == n_bad
    assert str(rejects.first).startswith(f"{tmp_path / file}:{first}")
    with pytest.raises(BadInput):
        list(open_examples(tmp_path / file, chunk_bytes=chunk_bytes, bad_rows="stop", **options))


def test_a_bad_row_leaves_no_trace(tmp_path):
    """A bad row must not add a label, features, or kinds of columns."""
    clean = write(tmp_path, "clean.svm", "1 3:1\n-1 4:1\n")
    dirty = write(tmp_path, "dirty.svm", "5 3:x\n1 3:1\n7 8:1 9:\n-1 4:1\n")
    assert read(dirty)[0] == read(clean)[0]
    clean = write(tmp_path, "clean.vw", "1 |a b\n-1 |a c\n")
    dirty = write(tmp_path, "dirty.vw", "1 |a b\n1 |a d e:x\n-1 |a c\n")
    assert read(dirty)[0] == read(clean)[0]
    clean = write(tmp_path, "clean.jsonl", '{"a": 1, "y": 1}\n{"a": 2, "y": 0}\n')
    dirty = write(
        tmp_path, "dirty.jsonl", '{"a": "x", "y": 7, "z"\n{"a": 1, "y": 1}\n{"a": "x", "y": 0,\n{"a": 2, "y": 0}\n'
    )
    assert read(dirty, label="y")[0] == read(clean, label="y")[0]


def test_a_bad_label_does_not_make_words_of_the_others(tmp_path):
    rows, rejects = read(write(tmp_path, "a.csv", "x,y\n1,TRUE\n2,False\n3,oops\n4,true\n"), label="y")
    assert [row.label for row in rows] == [1, -1, 1] and rejects.rows == 1


def csv_parser():
    return _core.CsvParser(_core.RowEncoder(categorical=["a", "b"]), columns=["a", "b"])


def json_parser():
    return _core.JsonLinesParser(_core.RowEncoder())


PARSERS = [_core.LibsvmParser, _core.VwParser, csv_parser, json_parser]


@given(st.text('0a1:|,"\\{}é\n ', max_size=80), cuts, st.sampled_from(PARSERS))
def test_the_same_rows_are_passed_over_however_the_input_is_cut(text, places, make):
    told = []
    for cut in (places, []):
        parser = make()
        parser.set_rejects(skip_bad=True, tolerate=False, skip_missing=True, keep_all=True)
        rows, error = feed_in_pieces(parser, text.encode(), cut)
        n_bad, n_missing, rejected, _ = parser.take_rejected()
        assert error is None and n_bad + n_missing == len(rejected)
        told.append((rows, [(row.line, row.column, row.message, row.text) for row in rejected]))
    assert told[0] == told[1]


def test_a_lone_quote_costs_one_line_and_not_the_rest_of_the_file(tmp_path):
    lines = [f"{i},c{i % 7},{i % 2}" for i in range(400_000)]
    lines[1000] = '1000,"c,1'
    path = write(tmp_path, "a.csv", "x,c,y\n" + "\n".join(lines) + "\n")
    with open_examples(path, label="y", bad_rows="skip") as examples:
        n_rows = sum(map(len, examples))
    assert n_rows == 399_999 and examples.rejects.rows == 1


def test_a_header_is_never_passed_over(tmp_path):
    path = write(tmp_path, "a.csv", 'a,"b\n1,2\n3,4\n')
    with pytest.raises(BadInput, match="expected a closing quote"):
        read(path)


def test_rows_without_a_label_are_a_matter_of_their_own(tmp_path):
    path = write(tmp_path, "a.csv", "x,y\n1,1\n2,\n3,0\n4,NA\n")
    with pytest.raises(BadInput, match="expected a label") as caught:
        read(path, label="y")
    assert caught.value.fault == "label"
    with open_examples(path, label="y", missing_label="skip") as examples:
        assert sum(map(len, examples)) == 2
    assert (examples.rejects.bad_rows, examples.rejects.missing_labels) == (0, 2)
    svm = write(tmp_path, "a.svm", "1 3:1\n4:1\n-1 4:1\n")
    with open_examples(svm, missing_label="skip") as examples:
        assert sum(map(len, examples)) == 2
    assert examples.rejects.missing_labels == 1


def test_rejected_rows_are_kept_as_they_stand(tmp_path):
    path = write(tmp_path, "a.csv", b"x,c,y\n1,r,1\n2\n3,\xff,0\n4,s,0\r\n5\r\n")
    kept = tmp_path / "rejects.tsv"
    read(path, label="y", rejects=kept)
    lines = [line.split(b"\t") for line in kept.read_bytes().splitlines()]
    assert [line[2] for line in lines] == [b"2", b"3,\xff,0", b"5"]
    assert lines[0][:2] == [f"{path}:3:2".encode(), b"expected 3 columns, found 1"]


def test_rows_of_arrow_have_a_number(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"x": [1.0, -2.0, 3.0, 4.0], "y": [1, 0, None, 0]})
    with open_examples(
        table, label="y", weight="x", bad_rows="skip", missing_label="skip", rejects=tmp_path / "r"
    ) as examples:
        assert sum(map(len, examples)) == 2
    assert (examples.rejects.bad_rows, examples.rejects.missing_labels) == (1, 1)
    assert "row 2: expected a weight of at least 0" in str(examples.rejects.first)
    assert len((tmp_path / "r").read_text().splitlines()) == 2


def test_resume_counts_only_new_rows(tmp_path):
    text = "x,y\n" + "".join(f"{i},{i % 2}\n" + "oops\n" * (i % 10 == 0) for i in range(1000))
    path = write(tmp_path, "a.csv", text)
    options = {"label": "y", "bad_rows": "skip", "chunk_bytes": 1000}
    with open_examples(path, **options) as examples:
        first = next(examples)
        before = examples.rejects.rows
    with open_examples(path, resume=first.position, **options) as examples:
        assert len(first) + sum(map(len, examples)) == 1000
    assert 0 < before < 100 and before + examples.rejects.rows == 100


@pytest.mark.parametrize("kind", ["csv", "jsonl", "arrow"])
def test_words_that_mean_missing(tmp_path, kind):
    rows = [("-", 3, 1), ("a", -999, 0), ("?", 5, 1)]
    options = {"label": "y", "na": ["-", "?", "-999"]}
    if kind == "arrow":
        pyarrow = pytest.importorskip("pyarrow")
        source = pyarrow.table({name: [row[i] for row in rows] for i, name in enumerate("cxy")})
    elif kind == "csv":
        source = write(tmp_path, "a.csv", "c,x,y\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    else:
        source = write(
            tmp_path, "a.jsonl", "".join(json.dumps(dict(zip("cxy", row, strict=True))) + "\n" for row in rows)
        )
    [block] = open_examples(source, **options)
    names = [block.name(i) for i in range(len(block.keys))]
    assert names == ["x", "c=a", "x"] and block.values.tolist() == [3, 1, 5]


def test_other_encodings(tmp_path):
    text = "c,y\ncafé,1\n5 €,0\n"
    for encoding in ("cp1252", "utf-16", "utf-16-le", "utf-8-sig"):
        path = write(tmp_path, "a.csv", text, encoding)
        for chunk_bytes in (1 << 20, 3):
            with open_examples(path, label="y", encoding=encoding, chunk_bytes=chunk_bytes) as examples:
                names = [block.name(i) for block in examples for i in range(len(block.keys))]
            assert names == ["c=café", "c=5 €"], encoding
    with open_examples(write(tmp_path, "b.csv", text, "utf-16"), label="y") as examples:
        assert sum(map(len, examples)) == len(text.splitlines()) - 1
    assert [note.code for note in examples.doubts] == ["encoding"]
    with pytest.raises(BadInput, match=r"b\.csv:2: expected text in ascii, found the byte 0xc3"):
        list(open_examples(write(tmp_path, "b.csv", text), label="y", encoding="ascii"))
    for wrong in ("zip", "no-such-code"):
        with pytest.raises(ValueError, match="encoding must be a name like cp1252"):
            open_examples(path, label="y", encoding=wrong)


def test_truth_values_are_one_feature_however_they_are_written(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    path = write(tmp_path, "a.csv", "c,y\nTRUE,1\nTrue,0\ntrue,1\nFALSE,0\n")
    [block] = open_examples(path, label="y")
    assert {block.name(i) for i in range(4)} == {"c=true", "c=false"}
    table = pyarrow.table({"c": ["TRUE", "True", "false"]})  # texts in a column that was learned as boolean
    [block] = open_examples(table, require_labels=False, column_kinds={"c": "boolean"})
    assert [block.name(i) for i in range(3)] == ["c=true", "c=true", "c=false"]
