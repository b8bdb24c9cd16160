"""The client, `wmsketch watch`, and the generator of `make live`."""

from __future__ import annotations

import json
import random
import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.serve.test_jobs import clicks
from tests.serve.test_windows import START, requests
from wmsketch.cli.main import main
from wmsketch.serve.client import Client, ServiceError

ROOT = Path(__file__).parents[2]


def test_the_client_sends_and_asks(serving):
    client = Client(str(serving().base_url))
    client.create("clicks", kind="learn", label="bought", budget="16KiB")
    assert client.send("clicks", clicks(), wait=True)["learned"] == 200
    assert client.top("clicks", 1)[0]["feature"].startswith("city=")
    assert client.predict("clicks", [{"city": "Rome"}], reasons=1)[0]["reasons"][0]["feature"] == "city=Rome"
    client.create("web", kind="explain", measure="ms", outlier="ms>=500", budget="8MiB")
    client.send("web", requests(2000, 1, broken=True), wait=True)
    assert client.compare("web")["rows"][0]["attributes"] == {"device": "tablet", "region": "eu"}
    with pytest.raises(ServiceError, match="there is no job"):
        client.top("none")


def rows_in_time() -> list[dict]:
    return [{**row, "ts": START + 60 * m} for m in range(12) for row in requests(300, m, broken=m >= 10)]


def test_watch_explains_a_file(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows_in_time())) + "\n{oops\n")
    options = ["watch", str(path), "--measure", "ms", "--time", "ts", "--ignore", "user"]
    found = CliRunner().invoke(main, [*options, "--outlier", "ms>=500"])
    assert found.exit_code == 0, found.output
    assert "device=tablet & region=eu" in found.output.splitlines()[1] and "1 rows refused" in found.output
    as_json = json.loads(CliRunner().invoke(main, [*options, "--outlier", "ms>=500", "--json"]).output)
    assert as_json["rows"][0]["attributes"] == {"device": "tablet", "region": "eu"}
    parts = CliRunner().invoke(main, [*options, "--last", "2min", "--before", "10min", "--json"])
    assert json.loads(parts.output)["total_a"] == 600
    wrong = CliRunner().invoke(main, [*options, "--last", "2min"])
    assert wrong.exit_code == 2 and "--before" in wrong.output


def test_the_generator_breaks_one_device_in_one_region():
    live = runpy.run_path(str(ROOT / "examples" / "live.py"))
    choice = random.Random(1)
    rows = [live["request"](choice, at, release=50.0) for at in range(100) for _ in range(100)]
    broken = [row for row in rows if all(row[name] == value for name, value in live["BROKEN"].items())]
    assert broken and min(row["time"] for row in broken) >= 50
    slow = [row for row in rows if row["slow"]]
    assert sum(row in broken for row in slow) > 0.6 * len(slow)
