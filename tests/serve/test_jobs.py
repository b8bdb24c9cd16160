"""Jobs over HTTP: rows in, answers out, budgets, limits."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time

import pytest

from tests.serve.conftest import CLICKS
from wmsketch import AWMRegressor, AWMSketch
from wmsketch.serve.http.requests import Limits
from wmsketch.serve.job import Policy


def clicks(n: int = 200) -> list[dict]:
    return [{"city": ("Rome", "Oslo")[i % 2], "price": i % 7, "bought": i % 2 == 0} for i in range(n)]


def lines(rows: list[dict]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def test_rows_are_learned_and_answered(serving):
    client = serving(CLICKS)
    done = client.post("/jobs/clicks/rows?wait=true", content=lines(clicks()))
    assert done.json() == {"accepted": 200, "learned": 200, "waiting": 0, "refused": 0, "problem": None}
    assert {row["feature"] for row in client.get("/jobs/clicks/top?k=2").json()["rows"]} == {"city=Rome", "city=Oslo"}
    assert client.get("/jobs/clicks/feature", params={"feature": "city=Rome"}).json()["weight"] > 0
    found = client.post("/jobs/clicks/predict?reasons=3", json=[{"city": "Rome"}, {"city": "Oslo"}]).json()
    assert [each["label"] for each in found["predictions"]] == [True, False]
    assert found["predictions"][0]["reasons"][0]["feature"] == "city=Rome"
    job = client.get("/jobs/clicks").json()
    assert job["error_rate"] < job["base_error_rate"] == 0.5
    assert job["nbytes"] <= 16 << 10


def test_the_service_learns_the_same_bytes_as_the_library(serving):
    client, rows = serving(CLICKS), clicks()
    client.post("/jobs/clicks/rows?wait=true", content=lines(rows))
    model = AWMSketch("16KiB")
    model.learn_many([{k: v for k, v in row.items() if k != "bought"} for row in rows], [r["bought"] for r in rows])
    assert client.get("/jobs/clicks/model").content == model.to_bytes()


def test_a_job_of_numbers_predicts_numbers_with_their_error_beside_the_mean(serving):
    client = serving({"name": "prices", "kind": "learn", "method": "regression", "label": "price", "budget": "16KiB"})
    rows = [{"rooms": i % 5, "city": ("Rome", "Oslo")[i % 2], "price": 1000 + 250 * (i % 5)} for i in range(1000)]
    client.post("/jobs/prices/rows?wait=true", content=lines(rows))
    model = AWMRegressor("16KiB")
    model.learn_many([{k: v for k, v in row.items() if k != "price"} for row in rows], [r["price"] for r in rows])
    assert client.get("/jobs/prices/model").content == model.to_bytes()
    found = client.post("/jobs/prices/predict?reasons=1", json={"rooms": 4, "city": "Rome"}).json()["predictions"][0]
    assert found["label"] == pytest.approx(2000, abs=50) and found["reasons"][0]["feature"] == "rooms"
    job = client.get("/jobs/prices").json()
    assert job["mae"] < job["base_mae"] / 4 and job["r2"] > 0.9 and "error_rate" not in job
    refused = client.post("/jobs/prices/rows?wait=true", json=[{"rooms": 1, "price": "high"}, rows[0]]).json()
    assert (refused["learned"], refused["refused"]) == (1, 1) and "finite number, got 'high'" in refused["problem"]
    inputs = [{"name": "rooms", "shape": [2], "datatype": "INT64", "data": [0, 4]}]
    outputs = client.post("/v2/models/prices/infer", json={"inputs": inputs}).json()["outputs"]
    assert [(each["name"], each["datatype"]) for each in outputs] == [("label", "FP64")]
    assert outputs[0]["data"][0] < outputs[0]["data"][1]


def test_a_row_that_cannot_be_predicted_is_named(serving):
    client = serving(CLICKS)
    client.post("/jobs/clicks/rows?wait=true", content=lines(clicks()))
    refused = client.post("/jobs/clicks/predict", json=[{"city": "Rome"}, {"price": 10**400}])
    assert refused.status_code == 400
    assert refused.json()["error"]["message"].startswith("row 1: the value of column price must be a number")


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (gzip.compress(lines(clicks(50))), {"content-encoding": "gzip"}),
        (json.dumps(clicks(50)).encode(), {"content-type": "application/json"}),
        (json.dumps({"rows": clicks(50)}).encode(), {"content-type": "application/json"}),
        (lines(clicks(50)), {"content-type": "application/x-ndjson"}),
    ],
)
def test_bodies_that_senders_send(serving, body, headers):
    done = serving(CLICKS).post("/jobs/clicks/rows?wait=true", content=body, headers=headers)
    assert done.json()["learned"] == 50


def test_an_arrow_body(serving):
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_pylist(clicks(50))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    headers = {"content-type": "application/vnd.apache.arrow.stream"}
    client = serving(CLICKS)
    body = sink.getvalue().to_pybytes()
    assert client.post("/jobs/clicks/rows?wait=true", content=body, headers=headers).json()["learned"] == 50
    assert client.post("/jobs/clicks/rows", content=body[:-40] + b"x" * 40, headers=headers).status_code in (200, 400)
    assert client.post("/jobs/clicks/rows", content=b"no arrow", headers=headers).status_code == 400


def test_a_bad_line_is_named_and_nothing_of_its_body_is_learned(serving):
    client = serving(CLICKS)
    refused = client.post("/jobs/clicks/rows", content=lines(clicks(3)) + b"\n{oops")
    assert refused.status_code == 400 and "line 4" in refused.json()["error"]["message"]
    assert client.get("/jobs/clicks").json()["rows"] == 0


def test_a_bad_row_costs_one_row(serving):
    client = serving(CLICKS)
    rows = [*clicks(10), {"city": "Rome"}, {"city": "Rome", "bought": "perhaps"}, *clicks(10)]
    done = client.post("/jobs/clicks/rows?wait=true", content=lines(rows)).json()
    assert (done["accepted"], done["learned"], done["refused"]) == (22, 20, 2)
    assert "bought" in done["problem"]


def test_labels_may_come_later(serving):
    client = serving({**CLICKS, "id": "request"})
    for i, row in enumerate(clicks(100)):
        client.post("/jobs/clicks/rows", json={"request": i, "city": row["city"]})
    assert client.get("/jobs/clicks").json()["waiting"] == 100
    labels = [{"request": i, "bought": row["bought"]} for i, row in enumerate(clicks(100))]
    done = client.post("/jobs/clicks/rows?wait=true", json=[*labels, {"request": "unknown", "bought": True}]).json()
    assert (done["learned"], done["refused"]) == (100, 1) and "unknown" in done["problem"]
    job = client.get("/jobs/clicks").json()
    assert job["waiting"] == 0 and job["unmatched"] == 1 and job["expired"] == 0


def test_rows_that_wait_stay_within_their_bytes(serving):
    client = serving({**CLICKS, "id": "request", "waiting_budget": "8KiB"})
    client.post("/jobs/clicks/rows?wait=true", json=[{"request": i, "city": "Rome" * 10} for i in range(500)])
    job = client.get("/jobs/clicks").json()
    assert job["nbytes"] <= 8 << 10 and job["waiting"] + job["expired"] == 500 and job["expired"] > 400


def test_pairs(serving):
    client = serving({"name": "baskets", "kind": "pmi", "items": "basket", "budget": "1MiB"})
    rows = [{"basket": ["tea", "milk"]}, {"basket": ["jam", "bread"]}] * 50
    client.post("/jobs/baskets/rows?wait=true", json=[*rows, {"basket": 3}])
    assert client.get("/jobs/baskets/top?k=1").json()["rows"][0]["count"] == 50
    assert client.get("/jobs/baskets").json()["rows_refused"] == 1


def test_memory_is_summed_and_limited(serving):
    client = serving(CLICKS, memory=10 << 20)
    again = client.post("/jobs", json={**CLICKS, "name": "more", "budget": "1MiB"})
    assert again.status_code == 201
    refused = client.post("/jobs", json={**CLICKS, "name": "much", "budget": "2MiB"})
    assert refused.status_code == 507 and "are free" in refused.json()["error"]["message"]
    assert client.get("/jobs").json()["reserved_bytes"] <= 10 << 20
    client.delete("/jobs/more")
    assert client.post("/jobs", json={**CLICKS, "name": "much", "budget": "1MiB"}).status_code == 201


@pytest.mark.parametrize(
    ("job", "status", "says"),
    [
        ({**CLICKS, "name": "../etc"}, 400, "letters"),
        ({**CLICKS, "kind": "guess"}, 400, "kind"),
        ({**CLICKS, "budget": "5B"}, 400, "budget"),
        ({**CLICKS, "colour": "red"}, 400, "colour"),
        ({**CLICKS, "l2": -1}, 400, "l2"),
        ({"name": "clicks", "kind": "learn"}, 400, "label"),
        (["clicks"], 400, "object"),
    ],
)
def test_a_job_that_cannot_be_is_refused_by_name(serving, job, status, says):
    client = serving()
    refused = client.post("/jobs", json=job)
    assert refused.status_code == status and says in refused.json()["error"]["message"]
    assert client.get("/jobs").json()["jobs"] == []


def test_twice_the_same_job_and_unknown_jobs(serving):
    client = serving(CLICKS)
    assert client.post("/jobs", json=CLICKS).status_code == 409
    for path in ("/jobs/none", "/jobs/none/top", "/jobs/none/model", "/jobs/..%2fclicks"):
        assert client.get(path).status_code == 404
    assert client.post("/jobs/none/rows", content=b"{}").status_code == 404


def test_limits_of_bodies_and_rows(serving):
    limits = Limits(body_bytes=5000, unpacked_bytes=20_000, rows=100, row_bytes=300)
    client = serving(CLICKS, limits=limits)
    rows = "/jobs/clicks/rows"
    assert client.post(rows, content=b"x" * 6000).status_code == 413
    bomb = gzip.compress(b" " * 1_000_000)
    assert client.post(rows, content=bomb, headers={"content-encoding": "gzip"}).status_code == 413
    assert client.post(rows, content=b"{}\n" * 101).status_code == 413
    assert client.post(rows, content=lines([{"city": "R" * 400}])).status_code == 413
    assert client.post(rows, content=b"\x1f\x8bno", headers={"content-encoding": "gzip"}).status_code == 400
    deep = {"content": b"[" * 4000, "headers": {"content-type": "application/json"}}
    assert client.post(rows, **deep).status_code == 400
    assert client.post(rows, content=b'{"a": NaN}').status_code == 400


def test_a_slow_sender_is_told_and_does_not_stop_others(serving):
    client = serving(CLICKS, limits=Limits(seconds=0.5))
    address = client.base_url
    with socket.create_connection((address.host, address.port)) as slow:
        slow.sendall(b"POST /jobs/clicks/rows HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
        assert client.post("/jobs/clicks/rows?wait=true", content=lines(clicks(10))).json()["learned"] == 10
        slow.settimeout(30)
        assert b" 408 " in slow.recv(200)


def test_a_full_queue_says_when_to_come_back(serving):
    client = serving(CLICKS, policy=Policy(queue_bytes=1000))
    job = client.service.job("clicks")  # hold its thread: rows pile up
    held, release = threading.Event(), threading.Event()
    learn = job.task.learn

    def slow(rows, at):
        held.set()
        release.wait(30)
        return learn(rows, at)

    job.task.learn = slow
    body = lines(clicks(15))
    assert 500 < len(body) < 1000
    client.post("/jobs/clicks/rows", content=body)
    held.wait(30)
    threads = [threading.Thread(target=client.post, args=("/jobs/clicks/rows",), kwargs={"content": body})]
    threads[0].start()
    while not job.queued_bytes:
        time.sleep(0.01)
    busy = client.post("/jobs/clicks/rows", content=body)
    assert busy.status_code == 429 and 1 <= int(busy.headers["retry-after"]) <= 10
    release.set()
    threads[0].join()
    job.stop()
    assert job.counts.rows_learned == 30 and job.counts.turned_away == 1


def test_health_metrics_and_openapi(serving):
    client = serving(CLICKS)
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json()["jobs"] == 1
    client.post("/jobs/clicks/rows?wait=1", content=lines(clicks(20)))
    assert 'wmsketch_job_rows_learned_total{job="clicks",kind="learn"} 20' in client.get("/metrics").text
    described = client.get("/openapi.json").json()
    assert "/jobs/{name}/rows" in described["paths"]
