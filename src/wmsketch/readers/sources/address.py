"""Addresses like redis://host/stream, which are shown and stored without their secrets."""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import unquote, unquote_plus

from wmsketch.readers.sources.address_parts import FROM_ELSEWHERE, HIDDEN, OWN, AddressParts, is_secret

if TYPE_CHECKING:
    from wmsketch.readers.sources.source import Source


class Address(str):
    """The address of rows. As text it hides its secrets, so that it may be shown and stored.

    >>> address = Address("postgresql://ann:s3cret@db:5432/shop?query=SELECT * FROM sales ORDER BY id")
    >>> print(address)
    postgresql://ann:***@db:5432/shop?query=SELECT * FROM sales ORDER BY id
    >>> address.scheme, address.host, address.port, address.path, address.query
    ('postgresql', 'db', 5432, '/shop', 'SELECT * FROM sales ORDER BY id')
    """

    given: str  # with the secrets
    parts: AddressParts
    extent: dict[str, Any] | None  # the part of an endless stream to read; None until decided

    def __new__(cls, given: str) -> Self:
        """Parse an address."""
        parts = AddressParts.of(given)
        address = super().__new__(cls, parts.shown(given))
        address.given = given
        address.parts = parts
        address.extent = None
        return address

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.given,), {"extent": self.extent}

    @property
    def scheme(self) -> str:
        return self.parts.scheme

    @property
    def user(self) -> str:
        return unquote(self.parts.user)

    @cached_property
    def password(self) -> str:
        """The password: in the address, or where ``password_env`` or ``password_file`` says."""
        given = {name.removeprefix("password"): value for name, value in self._written.items() if name in OWN}
        for ending in FROM_ELSEWHERE:
            if ending in given:
                return _secret_from(ending, given[ending])
        return unquote(self.parts.password or "")

    @property
    def servers(self) -> str:
        """Host and port, or several separated by commas."""
        return self.parts.servers

    @property
    def host(self) -> str:
        return self.servers.rpartition(":")[0] if self.port is not None else self.servers

    @property
    def port(self) -> int | None:
        port = re.search(r":(\d+)$", self.servers)
        return int(port[1]) if port else None

    @property
    def path(self) -> str:
        return unquote(self.parts.path)

    @cached_property
    def parameters(self) -> dict[str, str]:
        """The parameters, except the query and those about how to read.

        A secret parameter with a dot, a setting of Kafka, may come from elsewhere: ``sasl.password_env=NAME`` is the
        value of an environment variable, ``sasl.password_file=PATH`` the first line of a file.
        """
        found = {}
        for name, value in self._written.items():
            ending = next((end for end in FROM_ELSEWHERE if name.endswith(end)), "")
            if ending and "." in name and is_secret(name.removesuffix(ending)):
                found[name.removesuffix(ending)] = _secret_from(ending, value)
            elif name not in OWN:
                found[name] = value
        return found

    @property
    def endless(self) -> bool:
        """Whether to wait for later rows."""
        return self.says("endless")

    def says(self, name: str) -> bool:
        """Return the value of a parameter that is yes or no."""
        said = self._written.get(name, "no")
        if said not in ("yes", "no", "true", "false"):
            raise ValueError(f"{name} must be yes or no in an address, got {said!r}")
        return said in ("yes", "true")

    @cached_property
    def _written(self) -> dict[str, str]:
        return {unquote_plus(name): unquote_plus(value) for name, value in self.parts.parameters}

    @property
    def query(self) -> str:
        """The SQL after ``query=``, percent-decoded if it has no blanks.

        >>> Address("sqlite:///a.db?query=SELECT%20*%20FROM+t").query
        'SELECT * FROM t'
        """
        text = self.parts.query or ""
        return text if re.search(r"\s", text) else unquote_plus(text)

    @property
    def without_query(self) -> str:
        """The address with its secrets, for a driver."""
        return self.parts.uri(self.password)

    def require_clear(self) -> Self:
        """Return the address, or raise an error if its password cannot be told from the rest.

        >>> Address("redis://:s3/cret@db/clicks").require_clear()
        Traceback (most recent call last):
        ValueError: in an address, / ? and @ of a password are written %2F %3F %40, and @ of a path %40: redis://***@db/clicks
        """
        if self.parts.unclear:
            rule = "/ ? and @ of a password are written %2F %3F %40, and @ of a path %40"
            raise ValueError(f"in an address, {rule}: {self}")
        return self

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
        secrets = {*self.parts.secrets(), self.__dict__.get("password", "")}  # one from elsewhere is known once used
        secrets |= {value for name, value in self.__dict__.get("parameters", {}).items() if is_secret(name)}
        for secret in sorted(filter(None, secrets), key=len, reverse=True):
            said = said.replace(secret, HIDDEN)
        return said


def _secret_from(ending: str, where: str) -> str:
    """Return a secret of an environment variable (_env), or of the first line of a file (_file)."""
    if ending == "_env":
        if where not in os.environ:
            raise ValueError(f"the environment variable {where}, which an address names, is not set")
        return os.environ[where]
    with Path(where).open(encoding="utf-8") as file:
        return file.readline().rstrip("\r\n")


def file_name(name: str) -> str:
    """Return the part of a name that has the suffix: for an address, the path.

    >>> file_name(Address("https://host/day.csv.gz?token=1")), file_name("day.csv")
    ('/day.csv.gz', 'day.csv')
    """
    return name.path if isinstance(name, Address) else name
