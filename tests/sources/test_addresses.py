"""Addresses: their parts, what is shown of them, and missing drivers."""

from __future__ import annotations

import copy
import pickle
import sys
from pathlib import Path
from urllib.parse import quote

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
        ("https://host/a.csv#access_token=s3cret", "https://host/a.csv"),
        ("https://host/a.csv?day=1#s3cret", "https://host/a.csv?day=1"),
        ("https://host/a;jsessionid=s3cret;v=1/b.csv", "https://host/a;jsessionid=***;v=1/b.csv"),
    ],
)
def test_secrets_are_not_shown(given: str, shown: str) -> None:
    address = Address(given)
    assert f"{address}" == str(address) == shown and repr(shown) == repr(str(address))
    for twin in (copy.deepcopy(address), pickle.loads(pickle.dumps(address))):
        assert twin.given == given and str(twin) == shown
    assert "cret" not in address.scrubbed(f"no access for {given}: s3cret s3@cret s3%40cret") or "s3@" not in given


SCHEMES_WITH_PASSWORDS = ("redis", "rediss", "kafka", "postgresql", "http", "https", "s3")


@pytest.mark.parametrize("scheme", SCHEMES_WITH_PASSWORDS)
@pytest.mark.parametrize(
    "password", ["s3/cret", "s3?cret", "s3@cret", "s3/cr@et", "1/cret", "1?cret", "s3#cret", "s3:cret", "a=1&cret"]
)
@pytest.mark.parametrize("user", ["", "ann"])
@pytest.mark.parametrize("end", ["/x", "/x?db=1", ":6379/x"])
def test_an_odd_password_is_not_shown(scheme: str, password: str, user: str, end: str) -> None:
    address = Address(f"{scheme}://{user}:{password}@db{end}")
    assert "cret" not in str(address) and str(address).partition("?")[0].endswith("@db" + end.partition("?")[0])
    if address.parts.unclear:
        with pytest.raises(ValueError, match="are written %2F %3F %40") as problem:
            address_of(address.given)
        assert "cret" not in str(problem.value)
    elif address.host == "db":
        assert address.password == password
    encoded = Address(f"{scheme}://{user}:{quote(password, safe='')}@db{end}").require_clear()
    assert (encoded.user, encoded.password, encoded.host) == (user, password, "db") and "cret" not in str(encoded)
    assert "cret" not in encoded.scrubbed(f"{encoded.given} {password} {quote(password, safe='')}")


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("http://host/a.csv?query=abc&token=s3cret", "http://host/a.csv?query=abc&token=***"),
        ("http://host/a.csv?pass%77ord=s3cret&day=1", "http://host/a.csv?pass%77ord=***&day=1"),
        ("http://host:8080/a.csv?email=a@b.org", "http://host:8080/a.csv?email=a@b.org"),
        ("https://host/users/@ann/a.csv", "https://host/users/@ann/a.csv"),
        ("sqlite:///a@b.db?query=SELECT 'x@y'", "sqlite:///a@b.db?query=SELECT 'x@y'"),
        ("postgresql://ann@db/x?query=SELECT '://:@'", "postgresql://ann@db/x?query=SELECT '://:@'"),
        ("redis://[::1]:6379/x", "redis://[::1]:6379/x"),
        ("redis://db/x?password_env=PW", "redis://db/x?password_env=PW"),
    ],
)
def test_what_is_no_secret_is_shown(given: str, shown: str) -> None:
    assert str(address_of(given)) == shown


def test_a_password_may_come_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pw").write_text("s3/cret\nmore\n")
    monkeypatch.setenv("SECRET_OF_TEST", "s3@cret")
    assert Address("redis://db/x?password_env=SECRET_OF_TEST").password == "s3@cret"
    address = Address(f"postgresql://ann@db/x?password_file={tmp_path}/pw&sslmode=require&query=SELECT 1")
    assert address.password == "s3/cret" and address.parameters == {"sslmode": "require"}
    assert address.without_query == "postgresql://ann:s3%2Fcret@db/x?sslmode=require"
    assert "cret" not in str(address) and address.scrubbed("bad password s3/cret") == "bad password ***"
    kafka = Address("kafka://db/t?sasl.password_env=SECRET_OF_TEST&sasl.mechanisms=PLAIN")
    assert kafka.parameters == {"sasl.password": "s3@cret", "sasl.mechanisms": "PLAIN"}
    with pytest.raises(ValueError, match="NONE_SUCH, which an address names, is not set"):
        _ = Address("redis://db/x?password_env=NONE_SUCH").password


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


@pytest.mark.parametrize("address", ["http:/ann:s3cret@host/a", "Redis:/:s3cret@h/x", "https//ann:s3cret@host/a.csv"])
def test_what_is_nearly_an_address_shows_no_password(run: Run, address: str) -> None:
    result = run("train", address, *TRAIN)
    assert result.exit_code == 2 and "an address must begin with" in result.stderr and "cret" not in result.output


@pytest.mark.parametrize(
    ("address", "module", "extra"),
    [
        ("kafka://127.0.0.1:1/t", "confluent_kafka", "kafka"),
        ("redis://127.0.0.1:1/t", "redis", "redis"),
        ("postgresql://127.0.0.1:1/t?query=SELECT 1", "adbc_driver_postgresql.dbapi", "postgres"),
        ("duckdb:SELECT 1", "duckdb", "duckdb"),
        ("duckdb:SELECT 1", "pyarrow", "duckdb"),
        ("sqlite:///a.db?query=SELECT 1", "pyarrow", "sqlite"),
        ("postgresql://127.0.0.1:1/t?query=SELECT 1", "pyarrow", "postgres"),
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
