"""Columns whose kinds are settled are read by a faster way, which gives the same features."""

import random

import numpy as np
import pytest

from tests.readers.rows import feed_in_pieces
from wmsketch import _core

ROWS = 2500
WORDS = [
    "x",
    "ab",
    "abc",
    "Oslo",
    "key=value",
    "São Paulo",
    "東京",
    "eight888",
    "sixteen-16-bytes",
    "seventeen-17-byte",
]
WORDS += ["a" * 64, "b" * 65, "é" * 40, "2024-05-17", "NA", "0"]
NUMBERS = ["0", "-0", "7", "-12", "+3.25", ".5", "5.", "12345678", "123456789", "-1234.567", "0.12345678901234567"]
NUMBERS += ["1e3", "-2.5E-3", "3.4e38", "99999999.5", "1234567.", " 1.5", "2.5 "]


@pytest.fixture(params=["portable", ""])
def kernels(request):
    _core.choose_kernels(request.param)
    yield request.param
    _core.choose_kernels()


def table(quoted, line_end):
    """A text, and the features of each of its rows."""
    rng = random.Random(3)
    lines, features = ["city,price,note,amount"], []
    for _ in range(ROWS):
        city, note = rng.choice([*WORDS, f"user{rng.randrange(10**6)}", ""]), rng.choice(WORDS)
        price, amount = (
            f"{100 * rng.random():.2f}",
            rng.choice([*NUMBERS, "", "NaN"] if rng.random() < 0.2 else NUMBERS),
        )
        written = [f'"{city}"' if quoted and rng.random() < 0.3 else city, price, note, amount]
        lines.append(",".join(written))
        expected = [(f"city={city}", 1.0)] if city else []
        expected += [("price", float(np.float32(float(price)))), (f"note={note}", 1.0)]
        expected += [("amount", float(np.float32(float(amount))))] if amount not in ("", "NaN") else []
        features.append(expected)
    return (line_end.join([*lines, ""])).encode(), features


@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("piece", [1 << 20, 1 << 16, 997])
def test_settled_columns_have_the_features_of_their_cells(kernels, quoted, line_end, piece):
    text, features = table(quoted, line_end)
    encoder = _core.RowEncoder(categorical=["city", "note"])
    parser = _core.CsvParser(encoder)
    got, error = feed_in_pieces(parser, text, range(piece, len(text), piece))
    assert error is None
    assert [row.features for row in got] == features


def test_a_short_row_behind_settled_columns_is_found_where_it_is():
    text, _ = table(False, "\n")
    lines = text.decode().splitlines()
    lines[2000] = "Oslo,1.5,x"
    rows, error = feed_in_pieces(_core.CsvParser(_core.RowEncoder()), "\n".join([*lines, ""]).encode(), [1 << 16])
    assert len(rows) == 1999
    assert error == (2001, len("Oslo,1.5,x") + 1, "expected 4 columns, found 3")


def test_names_of_columns_again_are_refused_behind_settled_columns():
    text, _ = table(False, "\n")
    rows, error = feed_in_pieces(_core.CsvParser(_core.RowEncoder()), text + text, [])
    assert len(rows) == ROWS
    assert error == (ROWS + 2, 1, "expected a row, found the names of the columns again")
