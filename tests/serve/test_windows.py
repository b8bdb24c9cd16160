"""Explain and diff jobs: windows, any part against any other, and a planted incident."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from wmsketch.apps import Part, Windows
from wmsketch.serve.tasks.windows import DiffTask, ExplainTask

REGIONS, DEVICES, VERSIONS = ("eu", "us", "ap", "sa"), ("phone", "tablet", "desktop", "tv"), ("1.0", "1.1", "2.0")
MINUTE = 60.0
START = 28_000_000 * MINUTE


def requests(n: int, seed: int, broken: bool) -> list[dict]:
    """Requests of a shop; when it is broken, nearly all of tablets in eu are slow."""
    choice = random.Random(seed)
    rows = []
    for i in range(n):
        row = {"region": choice.choice(REGIONS), "device": choice.choice(DEVICES), "version": choice.choice(VERSIONS)}
        row |= {"user": f"u{seed}-{i}", "path": f"/p{choice.randrange(20)}", "ms": choice.lognormvariate(4, 0.5)}
        if broken and row["region"] == "eu" and row["device"] == "tablet" and choice.random() < 0.9:
            row["ms"] *= 40
        rows.append(row)
    return rows


def exact_shares(rows: list[dict], attributes: dict[str, str]) -> tuple[int, int]:
    return sum(all(str(row[k]) == v for k, v in attributes.items()) for row in rows), len(rows)


def test_a_planted_incident_is_first_within_two_windows():
    task = ExplainTask({"measure": "ms", "outlier": "ms>=500", "budget": "16MiB", "ignore": ["user"]})
    for minute in range(12):
        task.learn(requests(1000, minute, broken=minute >= 10), START + minute * MINUTE)
    slow = [row for minute in range(2, 12) for row in requests(1000, minute, minute >= 10) if row["ms"] >= 500]
    first = task.compare({})["rows"][0]
    assert first["attributes"] == {"device": "tablet", "region": "eu"} and first["exact"]
    n, of = exact_shares(slow, first["attributes"])
    assert (first["count_a"], task.compare({})["total_a"]) == (n, of)


def test_the_ratio_holds_the_truth_in_window_comparison():
    """The rate of slow requests of tablets in eu among all slow ones before and after is known by construction."""
    task = DiffTask({"budget": "16MiB", "ignore": ["user", "ms"]})
    truth = 2.0  # tablets in eu send twice as many requests after the release
    for minute in range(20):
        rows = requests(2000, minute, broken=False)
        more = [row for row in rows if row["region"] == "eu" and row["device"] == "tablet"] if minute >= 10 else []
        task.learn(rows + more, START + minute * MINUTE)
    end = START + 20 * MINUTE
    answer = task.compare({"a": Part(end - 10 * MINUTE, end), "b": Part(end - 20 * MINUTE, end - 10 * MINUTE)})
    row = answer["rows"][0]
    assert row["attributes"] == {"device": "tablet", "region": "eu"}
    share = 1 / 16
    ratio = truth * share / (1 + share) / share
    assert row["ratio_low"] <= ratio <= row["ratio_high"]


@pytest.mark.parametrize("order", ["shuffled", "grouped"])
def test_counts_of_any_windows_are_those_of_the_rows(order):
    windows = Windows(measure="ms", edges=(100.0, 500.0), windows=((10, 60.0), (24, 3600.0)), budget="8MiB")
    kept: list[tuple[float, dict]] = []
    for minute in range(15):
        rows = requests(300, minute, broken=minute % 3 == 0)
        rows = sorted(rows, key=lambda row: row["device"]) if order == "grouped" else rows
        windows.learn_many(rows, START + minute * MINUTE)
        kept += [(START + minute * MINUTE, row) for row in rows]
    end = START + 15 * MINUTE
    for begin, until, low, high in ((5, 15, 0, 3), (8, 11, 2, 3), (14, 15, 0, 1), (6, 15, 1, 2)):
        part = Part(START + begin * MINUTE, START + until * MINUTE, (low, high))
        edges = (0, 100, 500, 1e9)
        inside = [row for at, row in kept if part.begin <= at < part.end and edges[low] <= row["ms"] < edges[high]]
        answer = windows.compare(part, Part(end - 10 * MINUTE, end), k=500)
        assert answer.total_a == len(inside)
        truth = Counter((row["device"], row["region"]) for row in inside)
        for row in answer.rows:
            if set(row.attributes) == {"device", "region"} and row.exact:
                assert row.count_a == truth[row.attributes["device"], row.attributes["region"]]


def test_a_full_table_says_how_much_it_may_lack():
    windows = Windows(windows=((10, 60.0),), budget="400KiB", order=1)
    kept = []
    for minute in range(6):
        rows = [{"user": f"u{(i * i + minute) % 4000}", "device": DEVICES[i % 4]} for i in range(3000)]
        rows += [{"user": "heavy", "device": "phone"}] * (200 if minute > 3 else 5)
        windows.learn_many(rows, START + minute * MINUTE)
        kept += [(START + minute * MINUTE, row) for row in rows]
    assert windows.nbytes <= 400 << 10 and windows.held[2] > 0
    end = START + 6 * MINUTE
    answer = windows.compare(Part(end - 2 * MINUTE, end), Part(START, end - 2 * MINUTE), k=500)
    late = [row for at, row in kept if at >= end - 2 * MINUTE]
    for row in answer.rows:
        n, _ = exact_shares(late, row.attributes)
        assert row.count_a == n if row.exact else row.count_a <= n
        before, of = exact_shares([each for at, each in kept if at < end - 2 * MINUTE], row.attributes)
        if before:
            assert row.ratio_low <= (n / len(late)) / (before / of) <= row.ratio_high
    assert all(row.exact for row in answer.rows if "device" in row.attributes)  # a wide column does not spoil others


def test_a_row_of_many_columns_is_counted_in_time():
    windows = Windows(windows=((10, 60.0),), budget="4MiB")
    windows.learn_many([{f"c{i}": "x" for i in range(5000)}] * 3, START)
    assert windows.examples == 3 and windows.nbytes <= 4 << 20


def test_late_early_and_unmeasured_rows_are_counted_not_guessed():
    task = ExplainTask({"measure": "ms", "time": "ts", "windows": [[5, "1min"]], "budget": "1MiB"})
    now = START + 3600
    rows = [{"ms": 3, "ts": now}, {"ms": 3, "ts": now * 1000}, {"ms": 3, "ts": "2001-11-25T22:13:20Z"}]
    rows += [{"ms": 3, "ts": now + 900}, {"ts": now}, {"ms": "slow", "ts": now}, {"ms": "7", "ts": now - 60}]
    outcome = task.learn(rows, now)
    assert (outcome.learned, outcome.refused) == (3, 4)
    assert (task.model.late, task.model.early, task.model.skipped) == (1, 1, 2)


def test_saving_and_merging_are_exact():
    settings = {
        "measure": "ms",
        "edges": (100.0, 500.0),
        "windows": ((30, 60.0),),
        "budget": "4MiB",
        "ignore": ("user",),
    }
    whole, first, second = (Windows(**settings) for _ in range(3))
    for minute in range(10):
        rows, at = requests(200, minute, broken=minute > 7), START + minute * MINUTE
        whole.learn_many(rows, at)
        (first if minute % 2 else second).learn_many(rows, at)
    again = Windows.from_bytes(whole.to_bytes())
    assert again.to_bytes() == whole.to_bytes()
    for each in (whole, again):
        each.learn_many(requests(200, 99, broken=False), START + 11 * MINUTE)
    assert again.to_bytes() == whole.to_bytes()
    first.learn_many(requests(200, 99, broken=False), START + 11 * MINUTE)
    merged = first.merge(second)
    part, rest = Part(START, START + 12 * MINUTE, (2, 3)), Part(START, START + 12 * MINUTE, (0, 2))

    def answers(windows):
        return {str(row.attributes): (row.count_a, row.count_b) for row in windows.compare(part, rest, k=500).rows}

    assert answers(merged) == answers(whole) and merged.examples == whole.examples


def test_a_filter_counts_among_the_rows_that_have_it():
    windows = Windows(measure="ms", edges=(500.0,), windows=((30, 60.0),), budget="4MiB")
    rows = requests(5000, 1, broken=True)
    windows.learn_many(rows, START)
    inside = [row for row in rows if row["region"] == "eu"]
    slow = [row for row in inside if row["ms"] >= 500]
    answer = windows.compare(Part(START, START + 60, (1, 2)), Part(START, START + 60, (0, 1)), where={"region": "eu"})
    assert answer.total_a == len(slow) and answer.total_a + answer.total_b == len(inside)
    first = answer.rows[0]
    assert first.attributes == {"device": "tablet"}
    assert first.count_a == sum(row["device"] == "tablet" for row in slow)


def test_the_same_over_http(serving):
    client = serving({"name": "web", "kind": "explain", "measure": "ms", "outlier": "ms>=500", "budget": "8MiB"})
    client.post("/jobs/web/rows?wait=true", json=requests(3000, 1, broken=True))
    assert client.get("/jobs/web/compare").json()["rows"][0]["attributes"] == {"device": "tablet", "region": "eu"}
    heat = client.get("/jobs/web/heatmap").json()
    assert sum(map(sum, heat["counts"])) == 3000 and heat["bins"][heat["first_outlier"]].startswith("500")
    end = heat["newest"]
    box = {"begin": end - 60, "end": end, "low": heat["first_outlier"], "high": len(heat["bins"])}
    found = client.get("/jobs/web/compare", params={**box, "where": "region=eu"}).json()
    assert found["rows"][0]["attributes"] == {"device": "tablet"}
    assert client.get("/jobs/web/search", params={"text": "tab"}).json()["rows"][0]["attributes"] == {
        "device": "tablet"
    }
    for bad in ({"begin": 3}, {"begin": 5, "end": 4}, {"where": "none"}, {"where": "device=watch"}, {"last": "10min"}):
        assert client.get("/jobs/web/compare", params=bad).status_code == 400
    assert client.get("/jobs/web/compare", params={"last": "10min", "ago": "24h"}).status_code == 200
    before = client.get("/jobs/web/model").content
    client.stop()
    assert serving().get("/jobs/web/model").content == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"outlier": "ms>p99"},
        {"outlier": "ms<5"},
        {"outlier": "other>=5"},
        {"edges": [3, 1]},
        {"windows": [[0, "1min"]]},
        {"windows": "sixty"},
        {"windows": [[60, "soon"]]},
        {"budget": "10KiB"},
        {"order": 3},
    ],
)
def test_settings_that_cannot_be_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ExplainTask({"measure": "ms", **wrong})
