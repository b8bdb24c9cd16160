"""The only parser of addresses, and the only function that hides their secrets."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote, unquote, unquote_plus

from wmsketch.late import pattern

HIDDEN = "***"
OWN = ("endless", "commit", "password_env", "password_file", "external_access")  # parameters about how to read
SECRET = pattern(r"pass|pwd|secret|token|sig|credential|key|auth|jwt|sas$|session|code", re.I)
FROM_ELSEWHERE = ("_env", "_file")  # endings of parameters that say where a secret is
_SQL = ("postgresql", "postgres", "sqlite", "duckdb")
_WEB = ("http", "https")
_PATH_PARAMETER = pattern(r";([^=;/]+)=([^;/]*)")
_QUERY = pattern(r"[?&]query=", re.S)
_SERVER = pattern(r"(?:\[[^\[\]]*\]|[^\[\]:@]*)(?::\d*)?")


class AddressParts(NamedTuple):
    """What an address consists of, as it is written: nothing is decoded."""

    scheme: str
    user: str = ""
    password: str | None = None
    servers: str = ""
    path: str = ""
    parameters: tuple[tuple[str, str], ...] = ()
    query: str | None = None  # of an SQL database: everything after ``query=``
    whole: bool = True  # whether there is a place, as in scheme://place
    unclear: bool = False  # the password has characters that end the place, or seems to have some

    @classmethod
    def of(cls, given: str) -> AddressParts:
        """Parse an address. It never fails: what cannot be parsed is `unclear`.

        >>> AddressParts.of("redis://ann:s3cret@db:6379/clicks?db=2")[:5]
        ('redis', 'ann', 's3cret', 'db:6379', '/clicks')
        >>> AddressParts.of("http://host/a.csv?query=1&token=2").parameters
        (('query', '1'), ('token', '2'))
        """
        scheme, mark, rest = given.partition("://")
        if not mark:
            scheme, _, query = given.partition(":")
            return cls(scheme, query=query, whole=False)
        sql = None
        if scheme in _SQL and (found := _QUERY.search(rest)):
            rest, sql = rest[: found.start()], rest[found.end() :]
        place = re.match(r"[^/?]*", rest)[0]  # type: ignore[index]
        behind = rest[len(place) :]
        if scheme in _WEB and "@" not in behind:
            behind = behind.partition("#")[0]  # which no server is sent, but which may have a token
        path, _, written = behind.partition("?")
        who, at, servers = place.rpartition("@")
        user, colon, password = who.partition(":")
        parameters = tuple((name, value) for name, _, value in (part.partition("=") for part in written.split("&")))
        known = cls(scheme, user, password if colon else None, servers, path, tuple(p for p in parameters if p[0]), sql)
        clear = all(_SERVER.fullmatch(server) for server in servers.split(","))
        clear = clear and not (at and colon and "@" in path) and not (servers.startswith(":") and "@" in rest)
        return known._replace(unclear=not clear)

    def shown(self, given: str) -> str:
        """Return the address without its secrets and without the parameters about how to read.

        A doubtful case hides more: all that could be part of a password.

        >>> text = "redis://:s3/cret@db/clicks"
        >>> AddressParts.of(text).shown(text)
        'redis://***@db/clicks'
        """
        if not self.whole:
            return given
        if self.unclear or self._doubtful():
            behind = given.partition("://")[2]
            behind = _QUERY.split(behind)[0] if self.scheme in _SQL else behind
            return AddressParts.of(f"{self.scheme}://{behind.rpartition('@')[2]}")._written(f"{HIDDEN}@")
        return self._written(self.user + (f":{HIDDEN}" if self.password is not None else ""))

    def _doubtful(self) -> bool:
        """Whether host and port could be a user and the begin of a password."""
        if self.password is not None or ":" not in self.servers:
            return False
        return "@" in self.path or any("@" in name for name, _ in self.parameters[:1])

    def _written(self, who: str) -> str:
        at = "@" if who and not who.endswith("@") else ""
        shown = [(name, HIDDEN if is_secret(name) else value) for name, value in self.parameters if name not in OWN]
        places = [pair for pair in self.parameters if pair[0] in ("password_env", "password_file")]
        parameters = [f"{name}={value}" if value else name for name, value in (*shown, *places)]
        if self.query is not None:
            parameters.append(f"query={self.query}")
        mark = "?" if parameters else ""
        path = _PATH_PARAMETER.sub(_hidden, self.path) if self.scheme in _WEB else self.path
        return f"{self.scheme}://{who}{at}{self.servers}{path}{mark}{'&'.join(parameters)}"

    def uri(self, password: str) -> str:
        """Return the address with its password, for a driver, without the query and what is only for the reader."""
        who = self.user + (f":{quote(password, safe='')}@" if password else "@" if self.user else "")
        parameters = "&".join(
            f"{name}={value}" if value else name for name, value in self.parameters if name not in OWN
        )
        return f"{self.scheme}://{who}{self.servers}{self.path}{'?' if parameters else ''}{parameters}"

    def secrets(self) -> list[str]:
        """Return the secrets as they are written and decoded."""
        written = [self.password or "", *(value for name, value in self.parameters if is_secret(name))]
        return [each for value in written for each in (value, unquote(value), unquote_plus(value)) if each]


def _hidden(parameter: re.Match[str]) -> str:
    return f";{parameter[1]}={HIDDEN}" if is_secret(parameter[1]) else parameter[0]


def is_secret(name: str) -> bool:
    """Return whether the value of a parameter is secret, by its name.

    >>> is_secret("sasl.password"), is_secret("password_env"), is_secret("region")
    (True, False, False)
    """
    name = unquote_plus(name)
    return SECRET.search(name) is not None and not name.endswith(FROM_ELSEWHERE)
