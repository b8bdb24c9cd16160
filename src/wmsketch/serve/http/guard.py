"""Around every request: the token, the headers for browsers, one line of log without secrets, and no traceback."""

from __future__ import annotations

import json
import re
import sys
import time
import traceback
from collections.abc import Sequence
from typing import Any

from wmsketch.serve.http.operations import Operation
from wmsketch.serve.tokens import Tokens

_HEADERS = [
    (b"content-security-policy", b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
     b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
]  # fmt: skip


class Guard:
    """ASGI middleware."""

    def __init__(self, app: Any, operations: Sequence[Operation], tokens: Tokens | None, log: Any) -> None:
        self._app, self._tokens, self._log = app, tokens, log
        self._roles = [
            (
                each.method,
                re.compile(re.sub(r"{\w+}", "[^/]+", re.escape(each.path).replace(r"\{", "{").replace(r"\}", "}"))),
                each.role,
            )
            for each in operations
        ]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def send_guarded(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", []), *_HEADERS]}
            await send(message)

        try:
            refused = self._refused(scope)
            if refused is not None:
                await _answer(send_guarded, *refused)
            else:
                await self._app(scope, receive, send_guarded)
        except Exception:
            traceback.print_exc(file=sys.stderr)
            if status == 0:
                await _answer(send_guarded, 500, "an error of the service; its log has more")
        finally:
            if self._log is not None:
                milliseconds = 1000 * (time.perf_counter() - began)
                client = (scope.get("client") or ("-",))[0]
                path = scope["path"].encode("unicode_escape").decode()[:200]  # never the query, never a header
                self._log(f"{client} {scope['method']} {path} {status} {milliseconds:.1f} ms")

    def _refused(self, scope: Any) -> tuple[int, str] | None:
        """Return status and reason if the token does not allow the request."""
        if self._tokens is None:
            return None
        role = self._role_of(scope["method"], scope["path"])
        if role == "":
            return None
        header = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
        if not self._tokens.knows(header):
            return 401, "a token is needed: Authorization: Bearer TOKEN"
        if not self._tokens.allows(header, role):
            return 403, f"this token may not do that: it needs the role {role}"
        return None

    def _role_of(self, method: str, path: str) -> str:
        """Return the role for a request; for what is not known, admin."""
        method = "GET" if method == "HEAD" else method
        return next((role for of, shape, role in self._roles if of == method and shape.fullmatch(path)), "admin")


async def _answer(send: Any, status: int, message: str) -> None:
    body = json.dumps({"error": {"status": status, "message": message}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
