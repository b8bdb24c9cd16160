"""Addresses: their parts, what is shown of them, and missing drivers."""

from __future__ import annotations

import copy
import pickle
import sys
from pathlib import Path

import pytest

from tests.sources.conftest import TRAIN, Run, json_lines, sales
from wmsketch.readers import expand_paths
from wmsketch.readers.sources.address import Address
from wmsketch.readers.sources.schemes import SCHEMES, address_of


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("redis://:s3cret@db:6380/clicks?db=2", "redis://:***@db:6380/clicks?db=2"),
        ("postgresql://ann:s3%40cret@db/x?query=SELECT 1", "postgresql://ann:***@db/x?query=SELECT 1"),
        ("postgresql://ann@db/x?password=s3cret&query=SELECT 1", "postgresql://ann@db/x?password=***&query=SELECT 1"),
        ("kafka://a:1,b:2/t?sasl.password=s3cret", "kafka://a:1,b:2/t?sasl.password=***"),
        ("https://h/a.csv?X-Amz-Signature=s3cret&x=1", "https://h/a.csv?X-Amz-Signature=***&x=1"),
        ("https://h/a.csv?sig=s3cret", "https://h/a.csv?sig=***"),
        ("s3://key:s3cret@bucket/a.csv", "s3://key:***@bucket/a.csv"),
        ("redis://host/clicks?endless=yes", "redis://host/clicks"),
    ],
)
def test_secrets_are_not_shown(given: str, shown: str) -> None:
    address = Address(given)
    assert f"{address}" == str(address) == shown and repr(shown) == repr(str(address))
    for twin in (copy.deepcopy(address), pickle.loads(pickle.dumps(address))):
        assert twin.given == given and str(twin) == shown
    assert "cret" not in address.scrubbed(f"no access for {given}: s3cret s3@cret s3%40cret") or "s3@" not in given


def test_parts_of_an_address() -> None:
    address = Address("postgresql://ann:s3%40cret@db:5433/shop?sslmode=require&query=SELECT 'a?b&c=1%' ORDER BY 1")
    assert (address.user, address.password, address.host, address.port) == ("ann", "s3@cret", "db", 5433)
    assert address.query == "SELECT 'a?b&c=1%' ORDER BY 1" and address.parameters == {"sslmode": "require"}
    assert address.without_query == "postgresql://ann:s3%40cret@db:5433/shop?sslmode=require"
    assert Address("duckdb:SELECT 1").query == "SELECT 1"
    assert Address("kafka://a,b:2/t").servers == "a,b:2"


def test_files_stay_files(tmp_path: Path, run: Run) -> None:
    assert address_of("clicks.csv") is None and address_of("-") is None and address_of("C:\\clicks.csv") is None
    assert expand_paths(["redis://h/x*"]) == ["redis://h/x*"]
    (tmp_path / "s.jsonl").write_text("\n".join(json_lines(sales(50))))
    assert run("train", tmp_path / "*.jsonl", *TRAIN).exit_code == 0


def test_an_unknown_scheme_names_those_that_are_known(run: Run) -> None:
    result = run("train", "ftp://host/clicks.csv", *TRAIN)
    assert result.exit_code == 2 and "got ftp://" in result.stderr and "kafka" in result.stderr


@pytest.mark.parametrize(
    ("address", "module", "extra"),
    [
        ("kafka://127.0.0.1:1/t", "confluent_kafka", "kafka"),
        ("redis://127.0.0.1:1/t", "redis", "redis"),
        ("postgresql://127.0.0.1:1/t?query=SELECT 1", "adbc_driver_postgresql.dbapi", "postgres"),
        ("duckdb:SELECT 1", "duckdb", "duckdb"),
        ("s3://bucket/t.csv", "pyarrow.fs", "remote"),
    ],
)
def test_what_is_not_installed_is_said(
    run: Run, monkeypatch: pytest.MonkeyPatch, address: str, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    if extra == "postgres":
        monkeypatch.setitem(sys.modules, "adbc_driver_manager", None)
    result = run("train", address, *TRAIN)
    assert result.exit_code == 2 and f"pip install 'wmsketch[{extra}]'" in result.stderr


def test_every_scheme_has_a_source_and_stands_in_the_documents() -> None:
    text = Path(__file__).parents[2].joinpath("docs", "sources.md").read_text()
    for scheme, (module, name) in SCHEMES.items():
        assert f"`{scheme}:" in text, scheme
        __import__(f"wmsketch.readers.sources.{module}", fromlist=[name])
