"""What senders and readers speak: OTLP, the Open Inference Protocol; tokens."""

from __future__ import annotations

import gzip

import pytest

from tests.serve.conftest import CLICKS
from tests.serve.test_jobs import clicks, lines
from tests.serve.test_windows import requests
from wmsketch.serve.tokens import Tokens

SPANS = {
    "name": "spans",
    "kind": "explain",
    "otlp": "traces",
    "measure": "duration_ms",
    "outlier": "duration_ms>=500",
    "ignore": ["time", "status"],
    "budget": "8MiB",
}


def export_spans(address: str, rows: list[dict], compression, at: float = 1_700_000_000.0) -> None:
    """Send spans that end within a minute of a time, with the exporter of the Python SDK."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult

    class Collect(SpanExporter):
        def __init__(self) -> None:
            self.spans = []

        def export(self, spans):
            self.spans += spans
            return SpanExportResult.SUCCESS

    provider, collect = TracerProvider(resource=Resource.create({"service.name": "shop"})), Collect()
    provider.add_span_processor(SimpleSpanProcessor(collect))
    tracer = provider.get_tracer("test")
    for i, row in enumerate(rows):
        end = int(1e9 * at) + 60_000_000_000 * i // len(rows)
        attributes = {"region": row["region"], "device": row["device"]}
        span = tracer.start_span("GET /", start_time=end - int(1e6 * row["ms"]), attributes=attributes)
        span.end(end)
    exporter = OTLPSpanExporter(endpoint=f"{address}/v1/traces", compression=compression)
    assert exporter.export(collect.spans) is SpanExportResult.SUCCESS
    exporter.shutdown()


def test_the_planted_incident_from_the_spans_of_the_python_sdk(serving):
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    from opentelemetry.exporter.otlp.proto.http import Compression

    client = serving(SPANS)
    address = str(client.base_url)
    export_spans(address, requests(400, 1, broken=True), Compression.Gzip)
    export_spans(address, requests(400, 2, broken=True), Compression.NoCompression)
    client.post("/jobs/spans/rows?wait=1", content=b"")
    found = client.get("/jobs/spans/compare").json()
    assert found["total_a"] + found["total_b"] == 800
    assert found["rows"][0]["attributes"] == {"device": "tablet", "region": "eu"}
    rows = client.get("/jobs/spans/search", params={"text": "service.name"}).json()["rows"]
    assert rows[0]["attributes"] == {"service.name": "shop"}


def test_log_records_as_json(serving):
    client = serving({"name": "logs", "kind": "diff", "otlp": "logs", "budget": "8MiB", "ignore": ["time"]})
    record = {"severityText": "ERROR", "body": {"stringValue": "disk full"}, "timeUnixNano": "0"}
    record["attributes"] = [
        {"key": "host.name", "value": {"stringValue": "a"}},
        {"key": "n", "value": {"intValue": "3"}},
    ]
    document = {"resourceLogs": [{"resource": {}, "scopeLogs": [{"logRecords": [record] * 5}]}]}
    assert client.post("/v1/logs", json=document).json() == {}
    client.post("/jobs/logs/rows?wait=1", content=b"")
    found = client.get("/jobs/logs/search", params={"text": "="}).json()["rows"]
    names = {(*row["attributes"].items(),)[0] for row in found}
    assert {("severity", "ERROR"), ("body", "disk full"), ("host.name", "a"), ("n", "3")} <= names


@pytest.mark.parametrize(
    "body", [b"\xff\xff", b"{", b"[]", b'{"resourceSpans": 3}', b'{"resourceSpans": [{"scopeSpans": [3]}]}']
)
@pytest.mark.parametrize("kind", ["application/json", "application/x-protobuf"])
def test_bodies_that_are_no_otlp(serving, body, kind):
    client = serving(SPANS)
    assert client.post("/v1/traces", content=body, headers={"content-type": kind}).status_code == 400
    packed = {"content": gzip.compress(body), "headers": {"content-type": kind, "content-encoding": "gzip"}}
    assert client.post("/v1/traces", **packed).status_code == 400


def test_the_open_inference_protocol(serving):
    client = serving(CLICKS)
    client.post("/jobs/clicks/rows?wait=1", content=lines(clicks()))
    assert client.get("/v2/health/live").json()["live"] and client.get("/v2/models/clicks/ready").json()["ready"]
    assert client.get("/v2/models/clicks").json()["platform"] == "wmsketch"
    inputs = [{"name": "city", "shape": [2], "datatype": "BYTES", "data": ["Rome", "Oslo"]}]
    inputs += [{"name": "price", "shape": [2, 1], "datatype": "FP64", "data": [[3.0], [4.0]]}]
    outputs = [{"name": "label"}, {"name": "probability"}, {"name": "reasons"}]
    found = client.post("/v2/models/clicks/infer", json={"id": "7", "inputs": inputs, "outputs": outputs}).json()
    assert found["id"] == "7" and found["outputs"][0]["data"] == ["true", "false"]
    assert all(p > 0.9 for p in found["outputs"][1]["data"]) and "city=Rome" in found["outputs"][2]["data"][0]
    plain = client.post("/jobs/clicks/predict", json=[{"city": "Rome", "price": 3.0}]).json()["predictions"][0]
    assert plain["probabilities"]["true"] == found["outputs"][1]["data"][0]
    for bad in ({}, {"inputs": []}, {"inputs": [{"name": "a"}]}, {"inputs": inputs, "outputs": [{"name": "x"}]}):
        assert client.post("/v2/models/clicks/infer", json=bad).status_code == 400


READ, WRITE, ADMIN = "read-token-0123456789", "write-token-0123456789", "admin-token-0123456789"


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_tokens_and_roles(serving):
    tokens = Tokens([("read", READ), ("write", WRITE), ("admin", ADMIN)])
    written: list[str] = []
    client = serving(tokens=tokens, log=written.append)
    assert client.post("/jobs", json=CLICKS).status_code == 401
    assert client.post("/jobs", json=CLICKS, headers=bearer(WRITE)).status_code == 403
    assert client.post("/jobs", json=CLICKS, headers=bearer(ADMIN)).status_code == 201
    rows, top = "/jobs/clicks/rows", "/jobs/clicks/top"
    for token, sent, read in (
        (READ, 403, 200),
        (WRITE, 200, 403),
        (ADMIN, 200, 200),
        (READ + "x", 401, 401),
        ("x", 401, 401),
    ):
        assert client.post(rows, content=b"{}", headers=bearer(token)).status_code == sent
        assert client.get(top, headers=bearer(token)).status_code == read
    for path in (
        "/metrics",
        "/jobs",
        "/events",
        "/jobs/clicks/model",
        "/v2/models/clicks",
        "/nothing",
        "/jobs/",
    ):
        assert client.get(path).status_code == 401
    for path in ("/healthz", "/readyz", "/", "/static/main.js", "/openapi.json"):
        assert client.get(path).status_code == 200
    client.get(f"/jobs?token={READ}", headers=bearer(READ))
    assert written and not any(token in line for line in written for token in (READ, WRITE, ADMIN))


def test_the_page_allows_no_foreign_code(serving):
    client = serving()
    policy = client.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert "http" not in client.get("/").text.replace("https", "http").split("<body>")[1]
    for path in ("/static/../service.py", "/static/..%2fservice.py", "/static/nothing.js"):
        assert client.get(path).status_code == 404


def test_listening_elsewhere_needs_tokens():
    from click.testing import CliRunner

    from wmsketch.cli.main import main

    found = CliRunner().invoke(main, ["serve", "--host", "0.0.0.0"])
    assert found.exit_code == 2 and "--tokens" in found.output
