"""A planted incident: first within two windows of its start, with a range that holds the truth, over HTTP."""

from __future__ import annotations

from math import log
from statistics import NormalDist
from typing import Any

import pytest

from tests.serve.test_protocols import SPANS, export_spans
from tests.serve.test_windows import MINUTE, START, requests

RELEASE, ROWS = 10, 1000  # the minute of the release, and requests a minute
WEB = {"name": "web", "kind": "explain", "measure": "ms", "outlier": "ms>=500", "time": "time", "ignore": ["user"]}


def true_ratio() -> float:
    """The share of tablets in eu among slow requests over that among the others, by the chances of the generator."""

    def slow(factor: float) -> float:
        return 1 - NormalDist(4, 0.5).cdf(log(500 / factor))

    broken = 0.9 * slow(40) + 0.1 * slow(1)
    all_slow = broken / 16 + slow(1) * 15 / 16
    return (broken / all_slow) / ((1 - broken) / (1 - all_slow))


def minutes(until: int) -> list[tuple[float, list[dict]]]:
    return [(START + m * MINUTE, requests(ROWS, m, broken=m >= RELEASE)) for m in range(until)]


def check(client: Any, job: str, windows: int) -> None:
    """Compare the slow rows since the release with the others of that time, and with the windows before."""
    bins = client.get(f"/jobs/{job}/heatmap").json()
    begin, slow, most = START + RELEASE * MINUTE, bins["first_outlier"], len(bins["bins"])
    now = {"begin": begin, "end": begin + windows * MINUTE, "low": slow, "high": most}
    others = {"b_begin": begin, "b_end": now["end"], "b_low": 0, "b_high": slow}
    found = client.get(f"/jobs/{job}/compare", params={**now, **others}).json()
    first = found["rows"][0]
    assert first["attributes"] == {"device": "tablet", "region": "eu"} and first["exact"]
    assert first["ratio_low"] <= true_ratio() <= first["ratio_high"]
    before = {"b_begin": START, "b_end": begin, "b_low": 0, "b_high": most}
    found = client.get(f"/jobs/{job}/compare", params={**now, **before}).json()
    assert found["rows"][0]["attributes"] == {"device": "tablet", "region": "eu"}
    share = found["rows"][0]["count_b"] / found["total_b"]
    assert share == pytest.approx(1 / 16, rel=0.1)


@pytest.mark.parametrize("windows", [1, 2])
def test_the_incident_is_first_after_one_and_two_windows(serving, windows):
    client = serving({**WEB, "budget": "16MiB"})
    for at, rows in minutes(RELEASE + windows):
        timed = [{**row, "time": at + 60 * i / len(rows)} for i, row in enumerate(rows)]
        assert client.post("/jobs/web/rows?wait=1", json=timed).json()["learned"] == ROWS
    check(client, "web", windows)


def test_the_same_from_traces(serving):
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    from opentelemetry.exporter.otlp.proto.http import Compression

    client = serving({**SPANS, "time": "time", "budget": "16MiB"})
    for at, rows in minutes(RELEASE + 2):
        export_spans(str(client.base_url), rows, Compression.Gzip, at)
    client.post("/jobs/spans/rows?wait=1", content=b"")
    check(client, "spans", 2)
