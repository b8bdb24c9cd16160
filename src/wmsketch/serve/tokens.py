"""Who may do what: bearer tokens with roles, from a file."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from pathlib import Path

ROLES = ("read", "write", "admin")
_SHORTEST = 16


class Tokens:
    """Tokens and their roles. `admin` may do everything; `write` may send rows, and not read them.

    >>> tokens = Tokens([("write", "abcdefghijklmnop")])
    >>> tokens.allows("Bearer abcdefghijklmnop", "write"), tokens.allows("Bearer abcdefghijklmnop", "read")
    (True, False)
    >>> tokens.knows("Bearer other")
    False
    """

    def __init__(self, tokens: Iterable[tuple[str, str]]) -> None:
        self._roles: list[tuple[bytes, str]] = []  # a digest each: compared in constant time, whatever the length
        for role, token in tokens:
            if role not in ROLES:
                raise ValueError(f"the role of a token must be one of {', '.join(ROLES)}, got {role!r}")
            if len(token) < _SHORTEST:
                raise ValueError(f"a token must have at least {_SHORTEST} characters, got one of {len(token)}")
            self._roles.append((_digest(token), role))
        if not self._roles:
            raise ValueError("expected at least one token")

    @classmethod
    def read(cls, path: Path) -> Tokens:
        """Read a file of lines `role token`; lines that begin with # are comments."""
        pairs = []
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            words = line.split()
            if words and not words[0].startswith("#"):
                if len(words) != 2:
                    raise ValueError(f"{path}, line {number}: expected a role and a token")
                pairs.append((words[0], words[1]))
        try:
            return cls(pairs)
        except ValueError as problem:
            raise ValueError(f"{path}: {problem}") from problem

    def _roles_of(self, header: str) -> set[str]:
        scheme, _, token = header.partition(" ")
        given = _digest(token.strip()) if scheme.lower() == "bearer" else b""
        return {role for digest, role in self._roles if hmac.compare_digest(digest, given)}

    def knows(self, header: str) -> bool:
        """Return whether the header has a token of the file."""
        return bool(self._roles_of(header))

    def allows(self, header: str, role: str) -> bool:
        """Return whether the token in the header has the role, or is admin."""
        return bool(self._roles_of(header) & {role, "admin"})


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
