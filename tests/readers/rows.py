"""Blocks as plain Python, for comparison."""

from typing import NamedTuple


class Row(NamedTuple):
    features: list[tuple[object, float]]  # (name or key, value)
    label: int | None
    weight: float


def rows_of(block):
    """The rows of one block."""
    rows = []
    for r in range(len(block)):
        places = range(block.starts[r], block.starts[r + 1])
        features = [(block.name(i) if block.named else int(block.keys[i]), float(block.values[i])) for i in places]
        label = int(block.labels[r]) if len(block.labels) else None
        rows.append(Row(features, label, float(block.weights[r]) if len(block.weights) else 1.0))
    return rows


def all_rows(blocks):
    """The rows of all blocks."""
    return [row for block in blocks for row in rows_of(block)]


def feed_in_pieces(parser, data, cuts):
    """The rows and the error of a parser whose input is split at these positions."""
    rows = []
    places = sorted({min(cut, len(data)) for cut in cuts})
    for begin, end in zip([0, *places], [*places, len(data)], strict=True):
        rows += rows_of(parser.feed(data[begin:end], final=end == len(data) and begin == ([0, *places])[-1]))
        if parser.error:
            break
    return rows, parser.error


def libsvm_files(folder, n_files=3, n_rows=500):
    for file in range(n_files):
        lines = [f"{1 if row % 3 else -1} {file}:{row} 7:0.5\n" for row in range(n_rows)]
        (folder / f"{file}.svm").write_text("".join(lines))
    return str(folder / "*.svm")
