"""The paper's own data sets, from their public sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wmsketch.evaluation.fetch import Progress, checked_digest, digest_file, fetch
from wmsketch.readers import open_examples

VERSION = 1
HOME = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"


@dataclass(frozen=True)
class PaperData:
    """A LIBSVM file, and its size according to the paper (Table 1)."""

    file: str
    rows: int
    features: int


PAPER_DATA = {
    "rcv1": PaperData("rcv1_test.binary.bz2", 677_399, 47_236),
    "url": PaperData("url_combined.bz2", 2_396_130, 3_231_961),
    "kdda": PaperData("kdda.bz2", 8_407_752, 20_216_830),
}


def id_of(name: str) -> str:
    return f"{name}-v{VERSION}"


def is_there(name: str, folder: Path) -> bool:
    """Return whether the file of a data set was downloaded."""
    return name in PAPER_DATA and (folder / PAPER_DATA[name].file).exists()


def download(names: Sequence[str], folder: Path, progress: Progress | None = None, home: str = HOME) -> None:
    """Download the files and convert each, which checks every row and the numbers of rows and features.

    Their source publishes no digests. The first download writes ``FILE.sha256``; later ones, also on another machine
    that has this file, must agree with it.
    """
    for name in names:
        if name not in PAPER_DATA:
            raise ValueError(f"download must be one of {', '.join(PAPER_DATA)}, got {name!r}")
    for name in names:
        about, path = PAPER_DATA[name], folder / f"{id_of(name)}.npz"
        fetch(home + about.file, folder / about.file, progress)
        if not path.exists():
            digest = checked_digest(folder / about.file)
            convert(name, folder, path)
            digest_file(folder / about.file).write_text(f"{digest}  {about.file}\n")


def convert(name: str, folder: Path, path: Path) -> None:
    """Read a downloaded file and store its rows as arrays, scaled to l2 norm 1, in their order.

    All rows are held in memory: 8 bytes per feature, briefly twice that, or about 5 GB for URL and for KDD Algebra.
    """
    about = PAPER_DATA[name]
    labels, lengths, keys, values = [], [], [], []
    with open_examples([str(folder / about.file)], format="libsvm") as blocks:
        for block in blocks:
            starts, found = np.asarray(block.starts), np.array(block.values)
            counts = np.diff(starts)
            norms = np.sqrt(
                np.bincount(np.repeat(np.arange(len(counts)), counts), found.astype(float) ** 2, len(counts))
            )
            values.append((found / np.repeat(norms, counts)).astype(np.float32))
            keys.append(np.array(block.keys).astype(np.int32))
            labels.append(np.array(block.labels) > 0)
            lengths.append(counts)
    y, indices = np.concatenate(labels), np.concatenate(keys)
    found_size = (len(y), int(indices.max()))  # ids are counted from 1
    if found_size != (about.rows, about.features):
        raise FileFormatError(
            f"{folder / about.file}: expected {about.rows:,} rows and ids up to {about.features:,}, "
            f"got {found_size[0]:,} and {found_size[1]:,}"
        )
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    unfinished = path.with_suffix(".tmp")
    with unfinished.open("wb") as file:
        np.savez(file, data=np.concatenate(values), indices=indices, indptr=indptr, y=y)
    unfinished.replace(path)


class FileFormatError(ValueError):
    """A file does not contain the data set of its name."""
