"""The experiments' data sets: where each comes from, which features it gets, and a cache of the result.

    python -m experiments.datasets [NAME...]     build what is missing and print a table

The raw files are in WMSKETCH_DATA (default: `../shared/data` beside the repository) and are read as streams. They
replace the data of the paper, which is not freely available. If you change the features of a set, increase its
version: it is part of the name of the cache.
"""

from __future__ import annotations

import csv
import os
import re
import sys
import tarfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from lzma import open as open_xz
from math import log
from pathlib import Path
from random import Random

import numpy as np

from experiments import csr_cache
from experiments.csr_cache import Table

Row = tuple[bool, dict[str, float]]
WORD = re.compile(r"[a-z0-9']+")
URL_SCHEME = re.compile(r"^https?://")
URL_SEPARATOR = re.compile(r"[/?=&\-_.+%]")
SPENDING_TOP_SHARE = 0.2


@dataclass(frozen=True)
class Dataset:
    """A named data set: how to read it, the version of its features, and a description for results pages."""

    rows: Callable[[], Iterator[Row]]
    version: int
    features: str
    source: str
    citation: str


def data_folder() -> Path:
    """Return the folder of the raw files: WMSKETCH_DATA, or `../shared/data` beside the repository."""
    return Path(os.environ.get("WMSKETCH_DATA") or Path(__file__).parents[2] / "shared" / "data")


def lines(file_name: str) -> Iterator[str]:
    with open_xz(data_folder() / file_name, "rt", encoding="utf-8", newline="\n") as file:
        next(file)  # skip the header
        for line in file:
            yield line.rstrip("\n")


def log_counts(tokens: Iterable[str]) -> dict[str, float]:
    return {token: 1.0 + log(count) for token, count in Counter(tokens).items()}


def imdb() -> Iterator[Row]:
    for line in lines("imdb.tsv.xz"):
        _, label, _, _, text = line.split("\t", 4)
        yield int(label) > 0, log_counts(WORD.findall(text.lower()))


def imdb_bigrams() -> Iterator[Row]:
    for line in lines("imdb.tsv.xz"):
        _, label, _, _, text = line.split("\t", 4)
        words = WORD.findall(text.lower())
        yield int(label) > 0, log_counts(words + [f"{a} {b}" for a, b in pairwise(words)])


def reuters() -> Iterator[Row]:
    for line in lines("reuters21578.tsv.xz"):
        _, _, _, _, topics, title, body = line.split("\t", 6)
        if topics:
            positive = not {"earn", "acq"}.isdisjoint(topics.split())
            yield positive, log_counts(WORD.findall(f"{title} {body}".lower()))


def newsgroups() -> Iterator[Row]:
    for line in lines("newsgroups20.tsv.xz"):
        _, group, text = line.split("\t", 2)
        yield group.startswith(("comp.", "sci.")), log_counts(text.split())


def url_features(url: str) -> dict[str, float]:
    url = URL_SCHEME.sub("", url.lower())
    host, _, path = url.partition("/")
    parts = host.split(".")
    names = ["h:" + ".".join(parts[-k:]) for k in range(1, len(parts) + 1)]
    names += ["p:" + token for token in URL_SEPARATOR.split(path) if token]
    names += ["c:" + url[k : k + 4] for k in range(len(url) - 3)]
    return dict.fromkeys(names, 1.0)


def urls() -> Iterator[Row]:
    for line in lines("urls.tsv.xz"):
        label, _, _, url = line.split("\t", 3)
        yield int(label) > 0, url_features(url)


def urls_both() -> Iterator[Row]:
    for line in lines("urls.tsv.xz"):
        label, source, _, url = line.split("\t", 3)
        if source.startswith(("ebbu2017", "iscx2016_")):  # collections with both good and bad addresses
            yield int(label) > 0, url_features(url)


def assistments(file_name: str) -> Iterator[Row]:
    for line in lines(file_name):
        user, answered, problem, skill, label = line.split("\t")
        stage = min(int(answered) // 20, 20)  # position in the student's record, in steps of 20 answers
        names = (
            f"user={user}",
            f"problem={problem}",
            f"skill={skill}",
            f"stage={stage}",
            f"user,skill={user},{skill}",
            f"skill,stage={skill},{stage}",
            f"user,problem={user},{problem}",
        )
        yield int(label) > 0, dict.fromkeys(names, 1.0)


def spending2015() -> Iterator[Row]:
    # One year of the 834 MB is held in memory, because the label needs the 80th percentile of the year.
    header = ["date", "body", "unit", "subunit", "category", "detail", "class", "caprev", "supplier", "amount"]
    year = [line for line in lines("uk_spending.csv.xz") if line.startswith("2015-")]
    columns, amount = slice(1, 9), 9
    threshold = float(np.quantile([float(cells[amount]) for cells in csv.reader(year)], 1.0 - SPENDING_TOP_SHARE))
    for cells in csv.reader(year):
        attributes = zip(header[columns], cells[columns], strict=True)
        yield float(cells[amount]) > threshold, {f"{column}={value}": 1.0 for column, value in attributes if value}


def libsvm(name: str) -> Iterator[Row]:
    with tarfile.open(data_folder() / "libsvm_small.tar.xz") as archive:
        file = archive.extractfile(f"data/{name}")
        assert file is not None  # a plain file, not a folder or link
        for line in filter(None, map(bytes.split, file)):  # w8a ends in an empty line
            label, *pairs = (cell.decode() for cell in line)
            cells = (pair.split(":") for pair in pairs)
            yield int(label) > 0, {index: float(value) for index, value in cells}


def w8a() -> Iterator[Row]:
    rows = list(libsvm("w8a"))
    Random(0).shuffle(rows)  # the file is sorted by label
    yield from rows


MAAS = "Maas et al., Learning word vectors for sentiment analysis, ACL 2011"
LEWIS = "Lewis, Reuters-21578 text categorization test collection, 1997 (research use)"
LANG = "Lang, NewsWeeder: learning to filter netnews, ICML 1995"
SAHINGOZ = "Sahingoz et al. 2019 (ebbu2017); Mamun et al. 2016 (iscx2016)"
LISTS = "lists of faizann24, JPCERT/CC and PhishTank"
FENG = "Feng, Heffernan, Koedinger, Addressing the assessment challenge, UMUAI 2009"
PATIKORN = "Patikorn, Heffernan, Baker, ASSISTments longitudinal data mining competition, 2017"
PLATT = "Platt, Fast training of SVMs using sequential minimal optimization, 1998"
URL_FEATURES = "host suffixes, path tokens, character 4-grams"
ASSIST_FEATURES = "student, problem, skill, stage of the record, and three of their crosses"

DATASETS = {
    "imdb": Dataset(imdb, 1, "unigrams, 1 + log tf", "50,000 film reviews, shuffled; positive = liked", MAAS),
    "imdb_bigrams": Dataset(imdb_bigrams, 1, "unigrams and bigrams, 1 + log tf", "as imdb", MAAS),
    "reuters": Dataset(
        reuters,
        1,
        "unigrams of title and body, 1 + log tf",
        "newswire with topics, time order; positive = earn or acq",
        LEWIS,
    ),
    "newsgroups": Dataset(
        newsgroups, 1, "unigrams, 1 + log tf", "20 newsgroups, shuffled; positive = comp.* or sci.*", LANG
    ),
    "urls": Dataset(urls, 1, URL_FEATURES, "addresses, shuffled; positive = bad", f"{SAHINGOZ}; {LISTS}"),
    "urls_both": Dataset(urls_both, 1, URL_FEATURES, "as urls, only collections with both labels", SAHINGOZ),
    "assist2009": Dataset(
        lambda: assistments("assist2009_pid.tsv.xz"),
        1,
        ASSIST_FEATURES,
        "answers, student by student; positive = right",
        FENG,
    ),
    "assist2017": Dataset(
        lambda: assistments("assist2017_pid.tsv.xz"),
        1,
        ASSIST_FEATURES,
        "answers, student by student; positive = right",
        PATIKORN,
    ),
    "spending2015": Dataset(
        spending2015,
        1,
        "each attribute's value, one-hot",
        "payments of UK public bodies in 2015, by date; positive = top 20 % by amount",
        "payment records published by UK public bodies",
    ),
    "w8a": Dataset(w8a, 2, "binary attributes", "LIBSVM collection, training part, shuffled", PLATT),
    "a9a": Dataset(lambda: libsvm("a9a"), 1, "binary attributes", "LIBSVM collection, training part", PLATT),
}


def load(name: str) -> Table:
    """Return the named data set from its cache; build the cache if there is none."""
    if name not in DATASETS:
        raise ValueError(f"data set must be one of {', '.join(DATASETS)}, got {name!r}")
    path = csr_cache.cache_folder() / f"{name}-v{DATASETS[name].version}.npz"
    if not path.exists():
        csr_cache.save(csr_cache.table_of(DATASETS[name].rows()), path)
    return csr_cache.load(path)


def main(names: list[str]) -> None:
    print(
        f"{'data set':14} {'rows':>9} {'features':>9} {'per row':>7} {'positive':>8}  features; source; citation",
        flush=True,
    )
    for name in names or DATASETS:
        table, about = load(name), DATASETS[name]
        rows, columns = table.X.shape
        print(
            f"{name:14} {rows:9,} {columns:9,} {table.X.nnz / rows:7.1f} {table.y.mean():8.3f}"
            f"  {about.features}; {about.source}; {about.citation}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
