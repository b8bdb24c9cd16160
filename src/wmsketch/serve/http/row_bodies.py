"""Bodies with rows: JSON lines, JSON, or an Arrow stream, plain or gzip."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request

from wmsketch.serve.http.requests import Bodies, Limits, json_of
from wmsketch.serve.rows import BadBody, Decoded, rows_of_json, rows_of_lines
from wmsketch.serve.tasks.task import Row

_LINES = ("", "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
          "text/plain", "application/x-www-form-urlencoded", "application/octet-stream")  # fmt: skip
_ARROW = "application/vnd.apache.arrow.stream"


def decoder(request: Request, bodies: Bodies) -> Callable[[bytes], Decoded]:
    """Return what reads the body of this request; curl's default content type counts as JSON lines."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    unpack, limits = bodies.unpacked(request), bodies.limits
    if kind in _LINES:
        return lambda body: _lines(unpack(body), limits)
    if kind == "application/json":
        return lambda body: Decoded(_json_rows(unpack(body), limits.rows, limits.row_bytes))
    if kind == _ARROW:
        return lambda body: Decoded(rows_of_arrow(unpack(body), limits.rows))
    raise BadBody(f"content-type must be application/x-ndjson, application/json or {_ARROW}, found {kind!r}")


def _lines(body: bytes, limits: Limits) -> Decoded:
    return Decoded(rows_of_lines(body, limits.rows, limits.row_bytes), body)


def _json_rows(body: bytes, most: int, longest: int) -> list[Row]:
    """Fluent Bit and Vector send JSON lines as application/json too."""
    try:
        return rows_of_json(json_of(body), most)
    except BadBody as problem:
        if b"\n" not in body.strip():
            raise
        try:
            return rows_of_lines(body, most, longest)
        except BadBody:
            raise problem from None


def rows_of_arrow(body: bytes, most: int) -> list[Row]:
    """Return the rows of an Arrow IPC stream."""
    try:
        import pyarrow as pa
        import pyarrow.ipc
    except ImportError:
        raise BadBody("Arrow bodies need the extra arrow on the server: pip install 'wmsketch[arrow]'") from None
    rows: list[Row] = []
    try:
        with pyarrow.ipc.open_stream(body) as stream:
            for batch in stream:
                if len(rows) + batch.num_rows > most:
                    raise BadBody(f"a body has at most {most:,} rows")
                batch.validate(full=True)
                rows += batch.to_pylist()
    except (pa.ArrowException, OSError, ValueError) as problem:
        raise BadBody(f"expected an Arrow stream: {problem}") from None
    return [{name: _plain(value) for name, value in row.items()} for row in rows]


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)
