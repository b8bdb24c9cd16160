"""The list of schemes for addresses."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from wmsketch.late import pattern
from wmsketch.readers.sources.address import Address

if TYPE_CHECKING:
    from wmsketch.readers.sources.source import Source

# Module and class of each scheme, imported on demand.
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
_NEARLY = pattern(r"([A-Za-z0-9]+)(?::/|//)")
_ADDRESS = pattern(r"([A-Za-z][A-Za-z0-9+.-]+)://.+|(duckdb):.+", re.S)


def address_of(path: str) -> Address | None:
    """Return the address for a path, None for a file; raise an error for an unknown scheme.

    >>> address_of("redis://localhost/clicks"), address_of("clicks.csv")
    ('redis://localhost/clicks', None)
    """
    if isinstance(path, Address):
        return path
    found = _ADDRESS.fullmatch(path)
    if found is None:
        nearly = _NEARLY.match(path)
        if nearly is not None and nearly[1].lower() in SCHEMES and not _is_file(path):  # it may have a password
            raise ValueError(f"an address must begin with {nearly[1].lower()}://, got {nearly[0]}")
        return None
    scheme = found[1] or found[2]
    if scheme in SCHEMES:
        return Address(path).require_clear()
    if _is_file(path):
        return None
    raise ValueError(f"an address must begin with {', '.join(SCHEMES)}, and ://, got {scheme}://")


def _is_file(path: str) -> bool:
    return len(path) < 4096 and Path(path).exists()


def without_secrets(text: str) -> str:
    """Return a word of a command line without its secrets.

    >>> without_secrets("redis://:s3cret@db/clicks"), without_secrets("--top")
    ('redis://:***@db/clicks', '--top')
    """
    found = _ADDRESS.fullmatch(text)
    return str(Address(text)) if found else text


def source_of(address: Address) -> Source:
    """Return the source of an address."""
    module, name = SCHEMES[address.scheme]
    source: Source = getattr(importlib.import_module(f"wmsketch.readers.sources.{module}"), name)(address)
    return source
