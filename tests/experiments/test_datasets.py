"""Each data set is read as documented, from small files in the same format."""

import lzma
import tarfile

import numpy as np
import pytest

from experiments import datasets


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """A data folder to fill, and an empty cache."""
    monkeypatch.setenv("WMSKETCH_DATA", str(tmp_path))
    monkeypatch.setenv("WMSKETCH_CACHE", str(tmp_path / "cache"))
    return tmp_path


def write_xz(path, *lines):
    with lzma.open(path, "wt") as file:
        file.write("".join(line + "\n" for line in lines))


def as_dicts(table):
    return [
        (bool(label), {table.names[j]: float(v) for j, v in zip(row.indices, row.data, strict=True)})
        for label, row in zip(table.y, table.X, strict=True)
    ]


def test_imdb_rows_have_length_one_and_log_counts(folders):
    write_xz(
        folders / "imdb.tsv.xz",
        "split\tlabel\trating\tid\ttext",
        "train\t1\t9\ta\tGood, good film!",
        "test\t-1\t1\tb\tbad",
    )
    (liked, first), (disliked, second) = as_dicts(datasets.load("imdb"))
    assert liked and not disliked
    assert first["good"] / first["film"] == pytest.approx(1 + np.log(2))
    assert np.linalg.norm(list(first.values())) == pytest.approx(1)
    assert second == {"bad": 1.0}
    assert set(as_dicts(datasets.load("imdb_bigrams"))[0][1]) == {"good", "film", "good good", "good film"}


def test_reuters_keeps_stories_with_topics_in_order(folders):
    write_xz(
        folders / "reuters21578.tsv.xz",
        "newid\tdate\tlewissplit\thas_topics\ttopics\ttitle\tbody",
        "1\td\tTRAIN\tYES\tcocoa\tBAHIA\tcocoa",
        "2\td\tTRAIN\tNO\t\tSTANDARD\toil",
        "3\td\tTRAIN\tYES\tgrain acq\tMERGER\tdone",
    )
    table = datasets.load("reuters")
    assert table.y.tolist() == [False, True]
    assert table.names == ["bahia", "cocoa", "merger", "done"]


def test_urls_both_leaves_out_collections_of_one_label(folders):
    write_xz(
        folders / "urls.tsv.xz",
        "label\tsource\tdate\turl",
        "1\tjpcert\t\thttps://a.bad.ru/x",
        "-1\tiscx2016_benign\t\thttp://Ok.com/a-b",
    )
    assert datasets.load("urls").y.tolist() == [True, False]
    ((label, row),) = as_dicts(datasets.load("urls_both"))
    assert not label
    assert set(row) == {"h:com", "h:ok.com", "p:a", "p:b", *(f"c:{'ok.com/a-b'[k : k + 4]}" for k in range(7))}


def test_spending_labels_the_top_fifth_of_2015(folders):
    rows = [f'2015-01-{day:02},leeds,,,"Roads, paths",,,,ACME,{day}.00' for day in range(1, 11)]
    write_xz(
        folders / "uk_spending.csv.xz",
        "date,body,unit,subunit,category,detail,class,caprev,supplier,amount",
        "2014-12-31,leeds,,,,,,,OLD,1000000",
        *rows,
    )
    table = datasets.load("spending2015")
    assert table.y.tolist() == [False] * 8 + [True] * 2
    assert table.names == ["body=leeds", "category=Roads, paths", "supplier=ACME"]


def test_assistments_rows_hold_seven_attributes(folders):
    for year in ("2009", "2017"):
        write_xz(folders / f"assist{year}_pid.tsv.xz", "user\tt\tproblem\tskill\tlabel", "u1\t45\tp2\ts3\t1")
    ((label, row),) = as_dicts(datasets.load("assist2017"))
    assert label and len(row) == 7 and {"stage=2", "user,problem=u1,p2"} <= set(row)
    assert as_dicts(datasets.load("assist2009")) == [(label, row)]


def test_libsvm_keeps_rows_without_features(folders):
    (folders / "raw").write_text("-1 3:1 7:1 \n-1 \n1 7:1\n\n")
    with tarfile.open(folders / "libsvm_small.tar.xz", "w:xz") as archive:
        archive.add(folders / "raw", "data/a9a")
        archive.add(folders / "raw", "data/w8a")
    rows = [(label, sorted(row)) for label, row in as_dicts(datasets.load("a9a"))]
    assert rows == [(False, ["3", "7"]), (False, []), (True, ["7"])]
    mixed = [(label, sorted(row)) for label, row in as_dicts(datasets.load("w8a"))]
    assert sorted(mixed) == sorted(rows)


def test_the_second_load_needs_no_raw_data(folders):
    write_xz(
        folders / "newsgroups20.tsv.xz", "split\tgroup\ttext", "train\tsci.space\tthe sky", "test\trec.autos\ta car"
    )
    first = datasets.load("newsgroups")
    (folders / "newsgroups20.tsv.xz").unlink()
    second = datasets.load("newsgroups")
    assert as_dicts(second) == as_dicts(first) and second.X.data.dtype == np.float32
    assert second.X.indices.dtype == np.int32 and second.y.dtype == np.bool_


def test_an_unknown_name_is_told_the_known_ones(folders):
    with pytest.raises(ValueError, match=r"must be one of imdb, .*, got 'rcv1'"):
        datasets.load("rcv1")
