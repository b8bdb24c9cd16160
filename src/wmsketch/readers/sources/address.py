"""Addresses like redis://host/stream, which are shown and stored without their secrets."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qsl, unquote, unquote_plus

if TYPE_CHECKING:
    from wmsketch.readers.sources.source import Source

HIDDEN = "***"
_PARTS = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<place>[^/?]*)(?P<path>[^?]*)(?:\?(?P<parameters>.*))?", re.S)
_QUERY = re.compile(r"[?&]query=(.*)$", re.S)
_SECRET = re.compile(r"pass|pwd|secret|token|signature|^sig$|credential|api.?key", re.I)
_OWN = ("endless",)  # parameters about how to read


class Address(str):
    """The address of rows. As text it hides its secrets, so that it may be shown and stored.

    >>> address = Address("postgresql://ann:s3cret@db:5432/shop?query=SELECT * FROM sales ORDER BY id")
    >>> print(address)
    postgresql://ann:***@db:5432/shop?query=SELECT * FROM sales ORDER BY id
    >>> address.scheme, address.host, address.port, address.path, address.query
    ('postgresql', 'db', 5432, '/shop', 'SELECT * FROM sales ORDER BY id')
    """

    given: str  # with the secrets
    extent: dict[str, Any] | None  # the part of an endless stream to read; None until decided

    def __new__(cls, given: str) -> Self:
        """Parse an address."""
        address = super().__new__(cls, _shown(given))
        address.given = given
        address.extent = None
        return address

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.given,), {"extent": self.extent}

    @cached_property
    def _parts(self) -> dict[str, str]:
        found = _PARTS.fullmatch(_QUERY.sub("", self.given))
        return {name: part or "" for name, part in found.groupdict().items()} if found else {}

    @property
    def scheme(self) -> str:
        return self.given.partition(":")[0]

    @property
    def user(self) -> str:
        return unquote(self._parts["place"].rpartition("@")[0].partition(":")[0])

    @property
    def password(self) -> str:
        return unquote(self._parts["place"].rpartition("@")[0].partition(":")[2])

    @property
    def servers(self) -> str:
        """Host and port, or several separated by commas."""
        return self._parts["place"].rpartition("@")[2]

    @property
    def host(self) -> str:
        return self.servers.rpartition(":")[0] if self.port is not None else self.servers

    @property
    def port(self) -> int | None:
        port = re.search(r":(\d+)$", self.servers)
        return int(port[1]) if port else None

    @property
    def path(self) -> str:
        return unquote(self._parts.get("path", ""))

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters, except the query and those about how to read."""
        return {name: value for name, value in self._all_parameters.items() if name not in _OWN}

    @property
    def endless(self) -> bool:
        """Whether to wait for later rows."""
        said = self._all_parameters.get("endless", "no")
        if said not in ("yes", "no", "true", "false"):
            raise ValueError(f"endless must be yes or no in an address, got {said!r}")
        return said in ("yes", "true")

    @cached_property
    def _all_parameters(self) -> dict[str, str]:
        return dict(parse_qsl(self._parts.get("parameters", ""), keep_blank_values=True))

    @property
    def query(self) -> str:
        """The SQL after ``query=``, percent-decoded if it has no blanks.

        >>> Address("sqlite:///a.db?query=SELECT%20*%20FROM+t").query
        'SELECT * FROM t'
        """
        found = _QUERY.search(self.given)
        text = found[1] if found else "" if self._parts else self.given.partition(":")[2]
        return text if re.search(r"\s", text) else unquote_plus(text)

    @property
    def without_query(self) -> str:
        """The address with its secrets, for a driver."""
        return _QUERY.sub("", self.given)

    @cached_property
    def source(self) -> Source:
        """The source of the address."""
        from wmsketch.readers.sources.schemes import source_of

        return source_of(self)

    def scrubbed(self, text: object) -> str:
        """Return a text, such as the message of a driver, without the secrets of this address.

        >>> Address("redis://:s3cret@db/clicks").scrubbed("no access to db with s3cret")
        'no access to db with ***'
        """
        said = str(text).replace(self.given, str(self))
        for secret in self._secrets():
            said = said.replace(secret, HIDDEN)
        return said

    def _secrets(self) -> list[str]:
        if not self._parts:
            return []
        raw = self._parts["place"].rpartition("@")[0].partition(":")[2]
        parameters = [value for name, value in self._all_parameters.items() if _SECRET.search(name)]
        return sorted({secret for secret in (raw, self.password, *parameters) if secret}, key=len, reverse=True)


def _shown(given: str) -> str:
    head, mark, query = given.partition("?query=") if "?query=" in given else given.partition("&query=")
    found = _PARTS.fullmatch(head)
    if found is None:
        return given
    who, at, servers = found["place"].rpartition("@")
    user, colon, _ = who.partition(":")
    shown = [
        name + equals + (HIDDEN if _SECRET.search(name) else value)
        for name, equals, value in (part.partition("=") for part in (found["parameters"] or "").split("&"))
        if name and name not in _OWN
    ]
    parameters = "?" + "&".join(shown) if shown else ""
    if mark:
        mark = "&query=" if shown else "?query="
    place = user + (colon and f":{HIDDEN}") + at + servers
    return f"{found['scheme']}://{place}{found['path']}{parameters}{mark}{query}"


def file_name(name: str) -> str:
    """Return the part of a name that has the suffix: for an address, the path.

    >>> file_name(Address("https://host/day.csv.gz?token=1")), file_name("day.csv")
    ('/day.csv.gz', 'day.csv')
    """
    return name.path if isinstance(name, Address) else name
