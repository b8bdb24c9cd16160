"""OpenTelemetry logs and spans as rows: resource, scope and record attributes become columns by their dotted names."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wmsketch.serve.rows import BadBody, TooLarge
from wmsketch.serve.tasks.task import Row

_STATUS = {
    0: "unset",
    1: "ok",
    2: "error",
    "STATUS_CODE_UNSET": "unset",
    "STATUS_CODE_OK": "ok",
    "STATUS_CODE_ERROR": "error",
}
_KINDS = {1: "internal", 2: "server", 3: "client", 4: "producer", 5: "consumer"}
_KINDS_BY_NAME = {f"SPAN_KIND_{name.upper()}": name for name in _KINDS.values()}


def messages(body: bytes, signal: str, is_json: bool) -> Any:
    """Return the request as JSON has it, from protobuf or from JSON."""
    if is_json:
        try:
            document = json.loads(body.decode("utf-8"))
        except (ValueError, RecursionError) as problem:
            raise BadBody(f"expected OTLP as JSON: {type(problem).__name__}: {str(problem)[:200]}") from None
        if not isinstance(document, dict):
            raise BadBody("expected OTLP as JSON: an object")
        return document
    from google.protobuf.json_format import MessageToDict
    from google.protobuf.message import DecodeError
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    request = ExportTraceServiceRequest() if signal == "traces" else ExportLogsServiceRequest()
    try:
        request.ParseFromString(body)
    except DecodeError as problem:
        raise BadBody(f"expected OTLP as protobuf: {problem}") from None
    return MessageToDict(request)


def rows_of(document: Any, signal: str, most: int) -> list[Row]:
    """Return a row for each span or log record.

    >>> span = {"name": "GET /", "startTimeUnixNano": "1000000000", "endTimeUnixNano": "1250000000",
    ...         "attributes": [{"key": "http.route", "value": {"stringValue": "/"}}]}
    >>> resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "shop"}}]}
    >>> row, = rows_of({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]}, "traces", 10)
    >>> row["service.name"], row["http.route"], row["duration_ms"], row["status"], row["time"]
    ('shop', '/', 250.0, 'unset', 1.25)
    """
    rows: list[Row] = []
    try:
        for row in _rows(document, signal):
            if len(rows) == most:
                raise TooLarge(f"a body has at most {most:,} records")
            rows.append(row)
    except (TypeError, AttributeError, KeyError, ValueError, OverflowError) as problem:
        if isinstance(problem, TooLarge):
            raise
        raise BadBody(f"expected OTLP: {type(problem).__name__}: {problem}") from None
    return rows


def _rows(document: Any, signal: str) -> Iterator[Row]:
    resources, scopes, records = (
        ("resourceSpans", "scopeSpans", "spans") if signal == "traces" else ("resourceLogs", "scopeLogs", "logRecords")
    )
    for resource in _list(document, resources):
        of_resource = _attributes((resource.get("resource") or {}).get("attributes"))
        for scope in _list(resource, scopes):
            about = scope.get("scope") or {}
            of_scope = {**of_resource, **_attributes(about.get("attributes"))}
            if about.get("name"):
                of_scope["scope.name"] = str(about["name"])
            for record in _list(scope, records):
                own = _span(record) if signal == "traces" else _log(record)
                yield {**of_scope, **_attributes(record.get("attributes")), **own}


def _list(document: Any, name: str) -> Iterable[Any]:
    found = document.get(name) or []
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ValueError(f"{name} must be a list of objects")
    return found


def _span(span: Mapping[str, Any]) -> Row:
    start, end = int(span.get("startTimeUnixNano") or 0), int(span.get("endTimeUnixNano") or 0)
    kind = span.get("kind")
    row: Row = {"name": str(span.get("name", "")), "duration_ms": max(0, end - start) / 1e6}
    row["status"] = _STATUS.get((span.get("status") or {}).get("code", 0), "unset")
    if kind in _KINDS or kind in _KINDS_BY_NAME:
        row["kind"] = _KINDS.get(kind) or _KINDS_BY_NAME[str(kind)]
    row["time"] = end / 1e9
    return row


def _log(record: Mapping[str, Any]) -> Row:
    row: Row = {}
    if record.get("severityText"):
        row["severity"] = str(record["severityText"])
    if isinstance(record.get("severityNumber"), (int, str)):
        row["severity_number"] = record["severityNumber"]
    body = _value(record.get("body"))
    if isinstance(body, dict):
        row |= body
    elif body is not None:
        row["body"] = body
    row["time"] = int(record.get("timeUnixNano") or record.get("observedTimeUnixNano") or 0) / 1e9
    return row


def _attributes(found: Any) -> Row:
    values = {str(each["key"]): _value(each.get("value")) for each in found or []}
    return {name: value for name, value in values.items() if value is not None}


def _value(value: Any) -> Any:
    """Return an AnyValue as a plain value."""
    if not value:
        return None
    if "stringValue" in value:
        return str(value["stringValue"])
    if "boolValue" in value:
        return bool(value["boolValue"])
    if "intValue" in value:
        return int(value["intValue"])
    if "doubleValue" in value:
        number = float(value["doubleValue"])
        return number if math.isfinite(number) else None
    if "arrayValue" in value:
        return [_value(each) for each in value["arrayValue"].get("values") or []]
    if "kvlistValue" in value:
        return _attributes(value["kvlistValue"].get("values"))
    if "bytesValue" in value:
        return base64.b64decode(value["bytesValue"]).hex()
    return None
