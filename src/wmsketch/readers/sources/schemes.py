"""The one list of schemes that addresses may have."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from wmsketch.readers.sources.address import Address

if TYPE_CHECKING:
    from wmsketch.readers.sources.source import Source

# The module beside this one and its class: imported when an address has the scheme.
SCHEMES = {
    "kafka": ("kafka", "KafkaSource"),
    "redis": ("redis_stream", "RedisSource"),
    "rediss": ("redis_stream", "RedisSource"),
    "postgresql": ("sql", "PostgresSource"),
    "postgres": ("sql", "PostgresSource"),
    "sqlite": ("sql", "SqliteSource"),
    "duckdb": ("sql", "DuckDbSource"),
    "http": ("http", "HttpSource"),
    "https": ("http", "HttpSource"),
    "s3": ("object_store", "ObjectSource"),
    "gs": ("object_store", "ObjectSource"),
}
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://.+|(duckdb):.+", re.S)


def address_of(path: str) -> Address | None:
    """The address that a path is, None for a file's; a scheme that nobody knows is an error.

    >>> address_of("redis://localhost/clicks"), address_of("clicks.csv")
    ('redis://localhost/clicks', None)
    """
    if isinstance(path, Address):
        return path
    found = _ADDRESS.fullmatch(path)
    if found is None:
        return None
    scheme = found[1] or found[2]
    if scheme in SCHEMES:
        return Address(path)
    if len(path) < 4096 and Path(path).exists():
        return None
    raise ValueError(f"an address must begin with {', '.join(SCHEMES)}, and ://, got {scheme}://")


def without_secrets(text: str) -> str:
    """A word of a command line as it may be shown.

    >>> without_secrets("redis://:s3cret@db/clicks"), without_secrets("--top")
    ('redis://:***@db/clicks', '--top')
    """
    found = _ADDRESS.fullmatch(text)
    return str(Address(text)) if found else text


def source_of(address: Address) -> Source:
    """The source of an address."""
    module, name = SCHEMES[address.scheme]
    source: Source = getattr(importlib.import_module(f"wmsketch.readers.sources.{module}"), name)(address)
    return source
