"""open_examples: odd files, bad options, progress, and closing early."""

import sys
import threading

import pytest

from tests.readers.rows import all_rows, libsvm_files, rows_of
from wmsketch import _core
from wmsketch.readers import BadInput, open_examples


def test_empty_files_have_no_rows_and_no_format(tmp_path):
    for name, text in (("0", ""), ("1", "1 2:3\n"), ("2", "")):
        (tmp_path / name).write_text(text)
    assert len(all_rows(open_examples(str(tmp_path / "*")))) == 1
    assert all_rows(open_examples(tmp_path / "0")) == []
    (tmp_path / "0").write_text("\n \n")
    with pytest.raises(BadInput, match="0: no examples found"):
        next(open_examples(tmp_path / "0"))


def test_tsv_takes_lone_quotes_as_they_are(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text('word\ty\n"tis\t1\n"whole"\t0\n')
    assert [row.features[0][0] for row in all_rows(open_examples(path, label="y"))] == ['word="tis', "word=whole"]
    raw = open_examples(path, label="y", quoting=False)
    assert [row.features[0][0] for row in all_rows(raw)] == ['word="tis', 'word="whole"']
    with pytest.raises(BadInput, match="without quoting, a quote is an ordinary character"):
        list(open_examples(path, label="y", quoting=True, bad_rows="stop"))


def test_no_header(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1,Rome\n0,Oslo\n")
    [block] = open_examples(path, label="y", columns=["y", "city"])
    assert [row.features for row in rows_of(block)] == [[("city=Rome", 1.0)], [("city=Oslo", 1.0)]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "xml"}, "format must be one of libsvm, vw"),
        ({"format": "libsvm", "label": "y"}, "label cannot be used with libsvm input"),
        ({"format": "text", "positive": 1}, "positive cannot be used with text input"),
        ({"format": "vw", "positive": "yes"}, "positive must be a number"),
        ({"format": "csv", "interactions": ["a"]}, "interactions must look like column:column, got 'a'"),
        ({"format": "csv", "interactions": ["a:y"], "label": "y"}, "it is ignored, the label, the weight or the time"),
        ({"format": "csv", "features": "a"}, "features must be a list of names, got 'a'"),
        ({"format": "csv", "delimiter": "::"}, "delimiter must be one ASCII character"),
        ({"format": "csv", "ngrams": 0}, "ngrams must be at least 1, got 0"),
    ],
)
def test_options_are_checked(tmp_path, options, message):
    path = tmp_path / "data"
    path.write_text("a,y\n1,1\n")
    with pytest.raises(ValueError, match=message):
        next(open_examples(path, **options))


def test_every_file_must_exist_before_the_first_is_read(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:1\n")
    with pytest.raises(FileNotFoundError, match=r"missing\.svm"):
        open_examples([tmp_path / "a.svm", tmp_path / "missing.svm"])


def test_unknown_format_says_what_to_do(tmp_path):
    (tmp_path / "data").write_text("hello\n")
    with pytest.raises(BadInput, match="cannot recognise the format"):
        next(open_examples(tmp_path / "data"))


def test_progress(tmp_path):
    paths = libsvm_files(tmp_path)
    examples = open_examples(paths, chunk_bytes=500)
    last = 0
    for block in examples:
        assert last <= examples.bytes_read <= examples.bytes_total
        assert examples.position == block.position
        last = examples.bytes_read
    assert examples.bytes_read == examples.bytes_total == sum(p.stat().st_size for p in tmp_path.glob("*.svm"))


def test_blocks_are_prepared_on_the_thread_that_reads(tmp_path):
    threads = set()
    so_far = _core.DistinctFeatures()

    def prepare(block):
        nonlocal so_far
        threads.add(threading.current_thread().name)
        so_far = block.counted = so_far.after(block)

    merged, counted = _core.DistinctFeatures(), _core.DistinctFeatures()
    for block in open_examples(libsvm_files(tmp_path, n_rows=2000), chunk_bytes=1000, prepare=prepare):
        merged.merge(block.counted)
        counted.add(block)
        assert bytes(merged.state()["distinct_ranks"]) == bytes(counted.state()["distinct_ranks"]) != bytes(512)
        assert block.part(0, 1).counted is None
    assert threads == {"wmsketch-reader"}


def test_leaving_early_closes_everything(tmp_path):
    with open_examples(libsvm_files(tmp_path, n_rows=20_000), chunk_bytes=1000) as examples:
        next(examples)
        stream = examples._source._stream
    assert stream.closed
    assert not [thread for thread in threading.enumerate() if thread.name == "wmsketch-reader"]


def test_forgetting_the_examples_stops_the_reader(tmp_path):
    examples = open_examples(libsvm_files(tmp_path, n_rows=20_000), chunk_bytes=1000)
    next(examples)
    del examples
    assert not [thread for thread in threading.enumerate() if thread.name == "wmsketch-reader"]


def test_pyarrow_is_only_needed_for_its_formats(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "a.csv").write_text("x,y\n1,1\n")
    assert len(next(open_examples(tmp_path / "a.csv", label="y"))) == 1
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(ImportError, match=r"pip install 'wmsketch\[arrow\]'"):
        next(open_examples(tmp_path / "a.parquet"))


def test_blocks_are_read_only_views(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:1\n")
    block = next(open_examples(tmp_path / "a.svm"))
    with pytest.raises(ValueError, match="read-only"):
        block.values[0] = 2
    values = block.values
    del block
    assert values.tolist() == [1.0]


def test_dropping_rows_keeps_names():
    block = _core.VwParser().feed(b"1 |f a b\n-1 3 |f c\n")
    block.drop_rows(1)
    assert rows_of(block) == [([("f^c", 1.0)], -1, 3.0)]
    with pytest.raises(ValueError, match="cannot drop 2 rows of a block of 1"):
        block.drop_rows(2)
