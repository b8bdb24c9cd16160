"""Hostile Arrow and Parquet data give valid rows or a BadInput, never a crash or bytes from other memory."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import ipc

from tests.readers.rows import all_rows
from wmsketch.readers import BadInput, open_examples


def ipc_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def words(*numbers: int, size: int = 4) -> bytes:
    return b"".join(number.to_bytes(size, "little", signed=True) for number in numbers)


DAMAGE: dict[str, tuple[Any, bytes, bytes]] = {
    "an offset behind the text": (pa.array(["abc", "def", "ghi"]), words(0, 3, 6, 9), words(0, 3, 6, 900_000)),
    "offsets that fall": (pa.array(["abc", "def", "ghi"]), words(0, 3, 6, 9), words(0, 6, 3, 9)),
    "an offset before the text": (pa.array(["abc", "def", "ghi"]), words(0, 3, 6, 9), words(-999, 3, 6, 9)),
    "an index behind the dictionary": (
        pa.array(["abc", "def", "abc", "def", "def", "abc"]).dictionary_encode(),
        words(0, 1, 0, 1, 1, 0),
        words(0, 1, 0, 77_000, 1, 0),
    ),
    "an index before the dictionary": (
        pa.array(["abc", "def", "abc", "def", "def", "abc"]).dictionary_encode(),
        words(0, 1, 0, 1, 1, 0),
        words(0, 1, 0, -4, 1, 0),
    ),
    "a list behind its values": (
        pa.array([[1.5, 2.5], [3.5], [4.5, 5.5]]),
        words(0, 2, 3, 5),
        words(0, 2, 3, 50_000),
    ),
    "a list that ends before it begins": (pa.array([[1.5, 2.5], [3.5], [4.5]]), words(0, 2, 3, 4), words(0, 2, 1, 4)),
}


@pytest.mark.parametrize("name", DAMAGE)
@pytest.mark.parametrize("way", ["file", "table", "reader"])
def test_what_leads_outside_of_its_buffer_is_refused(name: str, way: str, tmp_path: Path) -> None:
    column, right, wrong = DAMAGE[name]
    data = ipc_bytes(pa.table({"c": column}))
    assert data.count(right) == 1
    path = tmp_path / "table.arrow"
    path.write_bytes(data.replace(right, wrong))
    source: Any = str(path)
    if way != "file":
        source = ipc.open_stream(path.read_bytes())
    if way == "table":
        source = source.read_all()
    with pytest.raises((BadInput, RuntimeError), match=r"damaged Arrow data|nvalid|out of bounds"):
        all_rows(open_examples(source))


class HandMade:
    """An Arrow stream of another library, which reports no buffer sizes."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("name", [name for name in DAMAGE if "behind the text" not in name])
def test_other_libraries_are_checked_as_far_as_can_be(name: str) -> None:
    column, right, wrong = DAMAGE[name]
    table = ipc.open_stream(ipc_bytes(pa.table({"c": column})).replace(right, wrong)).read_all()
    with pytest.raises(BadInput, match=r"row \d: damaged Arrow data"):
        all_rows(open_examples(HandMade(table)))


def test_bytes_that_are_not_text_make_no_names() -> None:
    table = pa.table({"c": pa.array([b"fine", b"\xff\xfe"], pa.binary())})
    with pytest.raises(BadInput, match=r'row 2: expected text in UTF-8 in column "c", found other bytes: ignore it'):
        all_rows(open_examples(table))
    assert len(all_rows(open_examples(table, ignore=["c"]))) == 2


def test_times_beyond_all_calendars_are_refused() -> None:
    table = pa.table({"c": pa.array([0, 2**62], pa.timestamp("s"))})
    with pytest.raises(BadInput, match="row 2: damaged Arrow data: a time is more than 30,000 years from 1970"):
        all_rows(open_examples(table))


TABLE = pa.table(
    {
        "text": ["abc", None, "a text of more than twelve bytes", "é"],
        "kind": pa.array(["x", "y", "x", None]).dictionary_encode(),
        "view": pa.array(["one", "a view of more than twelve bytes", None, "two"], pa.string_view()),
        "list": [[1.0], [], None, [2.0, 3.0]],
        "deep": [{"a": 1, "b": "z"}, None, {"a": 3, "b": None}, {"a": 4, "b": "w"}],
        "when": pa.array([1, 2, None, 4], pa.timestamp("ms")),
    }
)


@pytest.mark.parametrize("suffix", ["arrow", "parquet"])
def test_damaged_files_give_rows_or_an_error(suffix: str, tmp_path: Path) -> None:
    path, rng = tmp_path / f"table.{suffix}", random.Random(3)
    if suffix == "parquet":
        pq.write_table(TABLE, path)
        whole = path.read_bytes()
    else:
        whole = ipc_bytes(TABLE)
    refused = 0
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 1, 2, 4))):
            at = rng.randrange(len(data))
            data[at : at + rng.choice((1, 4))] = rng.choice(
                (b"\xff" * 4, b"\0" * 4, b"\x7f", bytes([rng.randrange(256)]))
            )
        path.write_bytes(data[: rng.choice((len(data), len(data), rng.randrange(len(data))))])
        try:
            all_rows(open_examples(str(path)))
        except BadInput:
            refused += 1
    assert refused > 50


def test_a_message_that_promises_more_than_there_is_takes_no_memory(tmp_path: Path) -> None:
    data = ipc_bytes(TABLE)
    length = data.index(b"\xff\xff\xff\xff") + 4
    path = tmp_path / "table.arrow"
    path.write_bytes(data[:length] + words(2**31 - 9) + data[length + 4 :])
    with pytest.raises(BadInput, match="damaged Arrow IPC data"):
        all_rows(open_examples(str(path)))


def test_one_long_text_in_every_row_comes_in_small_blocks() -> None:
    text = "x" * 2**20
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 100, pa.int32()), pa.array([text]))
    sizes = [len(block) for block in open_examples(pa.table({"c": column}))]
    assert sum(sizes) == 100
    assert max(sizes) == 16


def test_parquet_comes_in_batches_that_a_long_text_cannot_blow_up(tmp_path: Path) -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 5000, pa.int32()), pa.array(["x" * 2**12]))
    pq.write_table(pa.table({"c": column}), tmp_path / "t.parquet", store_schema=False)
    assert max(len(block) for block in open_examples(str(tmp_path / "t.parquet"))) <= 1024


@pytest.mark.parametrize("way", ["file", "table"])
@pytest.mark.parametrize("column", [pa.array(["Rome"]), pa.array([{"part": "Rome"}])], ids=["column", "part"])
def test_a_name_of_a_column_that_is_no_text_is_refused(column: Any, way: str, tmp_path: Path) -> None:
    name = b"part" if pa.types.is_struct(column.type) else b"city"
    path = tmp_path / "table.arrow"
    path.write_bytes(ipc_bytes(pa.table({"city": column})).replace(name, b"\xff\xfe\xdc\x80"))
    source = path if way == "file" else ipc.open_stream(path.read_bytes()).read_all()
    with pytest.raises(BadInput, match=r"damaged Arrow data: .*(utf-8|UTF-8)"), open_examples(source) as examples:
        all_rows(examples)
