"""Chunks of complete rows: together they form the file, and each is parsed as in the file."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from wmsketch.readers.chunks import chunks_of


def rebuilt(path: Path, **options: object) -> bytes:
    chunks = list(chunks_of([str(path)], **options))  # type: ignore[arg-type]
    assert len({chunk.header for chunk in chunks}) == 1
    return chunks[0].header + b"".join(chunk.rows for chunk in chunks)


@pytest.mark.parametrize("size", [1, 7, 30, 1000])
def test_chunks_are_the_file_cut_at_row_ends(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.csv"
    rows = ['1,"a ""b""\nc",x', "2,plain,y", '3,"end, of\n\ncell",z', '4,5" disk,w', "5,,"]
    path.write_text("n,text,last\n" + "\n".join(rows) + "\n")
    chunks = list(chunks_of([str(path)], chunk_bytes=size))
    assert chunks[0].header + b"".join(chunk.rows for chunk in chunks) == path.read_bytes()
    starts = {chunk.rows.split(b",")[0] for chunk in chunks}
    assert starts <= {b"1", b"2", b"3", b"4", b"5"}  # no chunk starts inside a cell
    lines = path.read_bytes().splitlines()
    for chunk in chunks:
        assert lines[chunk.first_line - 1].startswith(chunk.rows.splitlines()[0])


def test_a_file_without_a_last_line_end_or_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.svm"
    path.write_text("1 2:3\n-1 4:5")
    assert rebuilt(path, chunk_bytes=4) == path.read_bytes()
    path.write_text("")
    assert list(chunks_of([str(path)])) == []
    only_header = tmp_path / "b.csv"
    only_header.write_text("a,b\n")
    assert b"".join(chunk.rows for chunk in chunks_of([str(only_header)])) == b""


def test_compressed_files_and_several_of_them(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv.gz").write_bytes(gzip.compress(f"x,y\n{name},1\n{name},2\n".encode()))
    chunks = list(chunks_of([str(tmp_path / "a.csv.gz"), str(tmp_path / "b.csv.gz")], chunk_bytes=4))
    assert [chunk.rows for chunk in chunks] == [b"a,1\n", b"a,2\n", b"b,1\n", b"b,2\n"]
    assert [chunk.first_line for chunk in chunks] == [2, 3, 2, 3]


def test_tables_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(ValueError, match=r"jobs needs lines of text .* got parquet"):
        list(chunks_of([str(path)]))
