"""What was acknowledged survives: restarts, kills, a log that is cut short, senders that send twice."""

from __future__ import annotations

import pytest

from tests.serve.conftest import CLICKS
from tests.serve.test_jobs import clicks, lines
from wmsketch.serve.service import Service


def test_a_restart_ends_in_the_same_bytes(serving, tmp_path):
    client = serving({**CLICKS, "id": "request"})
    client.post("/jobs/clicks/rows?wait=true", content=lines(clicks()))
    client.post("/jobs/clicks/rows?wait=true", json={"request": "r1", "city": "Rome"})
    before = client.get("/jobs/clicks/model").content
    client.stop()
    again = serving()
    assert again.get("/jobs/clicks/model").content == before
    assert again.get("/jobs/clicks").json()["rows"] == 201
    done = again.post("/jobs/clicks/rows?wait=true", json={"request": "r1", "bought": True}).json()
    assert done["learned"] == 1


def test_jobs_of_files_start_and_say_what_is_wrong(serving, tmp_path):
    (tmp_path / "clicks.toml").write_text('kind = "learn"\nlabel = "bought"\nbudget = "8KiB"\n')
    client = serving()
    assert client.get("/jobs/clicks").json()["budget_bytes"] == 8192
    client.post("/jobs/clicks/rows?wait=true", content=lines(clicks(10)))
    client.stop()
    (tmp_path / "clicks.toml").write_text('kind = "learn"\nlabel = "bought"\nbudget = "9KiB"\n')
    with pytest.raises(ValueError, match="settings of the job clicks have changed"):
        Service(tmp_path).start()


def test_a_key_of_the_sender_makes_sending_twice_harmless(serving):
    client = serving(CLICKS)
    for _ in range(3):
        done = client.post("/jobs/clicks/rows", content=lines(clicks(20)), headers={"idempotency-key": "a1"})
        assert done.json()["accepted"] == 20
    client.stop()
    again = serving()
    done = again.post("/jobs/clicks/rows?wait=1", content=lines(clicks(20)), headers={"idempotency-key": "a1"})
    assert done.json() == {"accepted": 20, "duplicate": True}
    assert again.get("/jobs/clicks").json()["rows_learned"] == 20


@pytest.mark.parametrize("kind", [{"kind": "learn", "label": "y", "id": "r"}, {"kind": "explain", "measure": "ms"}])
def test_rows_that_nobody_thought_of_do_not_stop_a_job_or_its_next_start(serving, kind):
    client = serving({"name": "job", "budget": "4MiB", **kind})
    deep: dict = {}
    for _ in range(300):
        deep = {"d": deep, "list": [deep] if len(str(deep)) < 99 else []}
    strange = [{"ms": 1, "y": None, "r": "\ud800", "": {}, "a\x00b": [[], {}], "n": 10**400, **deep}]
    strange += [{"ms": 10**400, "y": 10**400}, {"ms": True, "y": []}, {"ms": {}, "y": {}, "r": {}}, {}]
    for row in strange:
        assert client.post("/jobs/job/rows?wait=1", content=lines([row])).status_code in (200, 400)
    good = [{"ms": 5, "y": i % 2 == 0, "city": "Rome"} for i in range(20)]
    assert client.post("/jobs/job/rows?wait=1", content=lines(good)).json()["learned"] == 20
    before = client.get("/jobs/job/model").content
    client.stop()
    assert serving().get("/jobs/job/model").content == before


def test_a_record_that_is_cut_short_was_not_acknowledged(serving, process, tmp_path):
    running = process()
    running.client.post("/jobs", json=CLICKS)
    for _ in range(3):
        running.client.post("/jobs/clicks/rows?wait=1", content=lines(clicks(20)))
    running.kill()
    segment = next((tmp_path / "clicks.state").glob("log-*.wal"))
    segment.write_bytes(segment.read_bytes()[:-7])
    assert serving().get("/jobs/clicks").json()["rows_learned"] == 40


def test_a_graceful_stop_leaves_a_checkpoint_and_no_log(process, tmp_path):
    running = process()
    running.client.post("/jobs", json=CLICKS)
    running.client.post("/jobs/clicks/rows", content=lines(clicks(20)))
    assert running.stop() == 0
    assert (tmp_path / "clicks.state" / "model.wms").exists()
    assert list((tmp_path / "clicks.state").glob("log-*.wal")) == []
