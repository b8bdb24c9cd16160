"""One list of what the service answers: routes, the role that each needs, and the OpenAPI document come from it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

Handler = Callable[[Request], Awaitable[Response]]
Schema = dict[str, Any]

ROWS: Schema = {"type": "array", "items": {"type": "object"}}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}


@dataclass(frozen=True)
class Operation:
    """One request: `role` is read, write, admin, or empty for everybody."""

    method: str
    path: str
    handler: Handler
    summary: str
    role: str = "read"
    query: dict[str, Schema] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    bodies: dict[str, Schema] = field(default_factory=dict)  # by content type
    answers: Sequence[int] = (200,)
    content: str = "application/json"
    described: bool = True  # in the OpenAPI document

    @property
    def in_path(self) -> list[str]:
        """The names in the path."""
        return re.findall(r"{(\w+)}", self.path)

    def as_openapi(self) -> Schema:
        """Return the description of this operation."""
        parameters = [{"name": name, "in": "path", "required": True, "schema": TEXT} for name in self.in_path]
        parameters += [
            {"name": name, "in": "query", "required": name in self.required, "schema": schema}
            for name, schema in self.query.items()
        ]
        wrong = {"description": "The request cannot be done", "content": _CONTENT_OF_ERRORS}
        refused = [401, 403, *([404] if self.in_path else []), *([400] if self.query or self.bodies else [])]
        refused += [408, 411, 413, 415, 429, 503, 507, 409] if self.bodies else []
        described: Schema = {
            "summary": self.summary,
            "operationId": re.sub(r"\W+", "_", f"{self.method.lower()}_{self.path}").strip("_"),
            "parameters": parameters,
            "responses": {
                **{str(status): {"description": "Done", "content": {self.content: {}}} for status in self.answers},
                **{str(status): wrong for status in sorted(refused)},
            },
        }
        if self.bodies:
            described["requestBody"] = {
                "required": True,
                "content": {kind: {"schema": schema} for kind, schema in self.bodies.items()},
            }
        if self.role:
            described["security"] = [{"token": []}, {}]
        return described


_CONTENT_OF_ERRORS = {
    "application/json": {
        "schema": {
            "type": "object",
            "required": ["error"],
            "properties": {
                "error": {
                    "type": "object",
                    "required": ["status", "message"],
                    "properties": {"status": WHOLE, "message": TEXT, "code": TEXT, "parameter": TEXT},
                }
            },
        }
    }
}


def openapi(operations: Sequence[Operation], version: str) -> Schema:
    """Return the OpenAPI document of these operations."""
    paths: dict[str, Schema] = {}
    for each in (each for each in operations if each.described):
        paths.setdefault(each.path, {})[each.method.lower()] = each.as_openapi()
    return {
        "openapi": "3.1.0",
        "info": {"title": "wmsketch", "version": version, "summary": "Learn from streams in a fixed number of bytes"},
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }
