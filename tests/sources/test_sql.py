"""postgresql://, sqlite:// and duckdb:: the rows of a query, which must be the same when read again."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from tests.sources.conftest import PLAIN, TRAIN, Run, every_resume_ends_the_same, killed_after, sales, same_model
from tests.sources.kill_at_random import fill_postgres
from wmsketch import AWMSketch, load

N_ROWS = 3500
QUERY = "SELECT * FROM sales ORDER BY id"


class Database:
    """A table of sales in a database, and how to change it."""

    def __init__(self, address: str, execute: Any) -> None:
        self.address = address
        self.execute = execute


@pytest.fixture(params=["sqlite", "duckdb", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    monkeypatch.chdir(tmp_path)
    made: Database = globals()[f"_{request.param}"](request, tmp_path)
    return made


def _sqlite(request: pytest.FixtureRequest, folder: Path) -> Database:
    pytest.importorskip("adbc_driver_sqlite", reason="no driver is installed (pip install 'wmsketch[sqlite]')")
    connection = sqlite3.connect(folder / "shop.db")
    connection.execute("CREATE TABLE sales (id INTEGER PRIMARY KEY, city TEXT, price REAL, kind TEXT, sold INTEGER)")
    connection.executemany("INSERT INTO sales VALUES (:id, :city, :price, :kind, :sold)", sales(N_ROWS))
    connection.commit()

    def execute(statement: str) -> None:
        connection.execute(statement)
        connection.commit()

    request.addfinalizer(connection.close)
    return Database("sqlite:///shop.db", execute)


def _duckdb(request: pytest.FixtureRequest, folder: Path) -> Database:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed (pip install 'wmsketch[duckdb]')")

    def execute(statement: str) -> None:
        with duckdb.connect(str(folder / "shop.duckdb")) as connection:
            connection.execute(statement)

    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(sales(N_ROWS)), folder / "sales.parquet")
    execute("CREATE TABLE sales AS FROM 'sales.parquet'")
    return Database("duckdb:///shop.duckdb", execute)


def _postgres(request: pytest.FixtureRequest, folder: Path) -> Database:
    port = request.getfixturevalue("postgres_port")
    from adbc_driver_postgresql import dbapi

    address = f"postgresql://ann:s3cret@127.0.0.1:{port}/shop"

    def execute(statement: str) -> None:
        with dbapi.connect(address) as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            connection.commit()

    execute("DROP TABLE IF EXISTS sales")
    fill_postgres(address, N_ROWS)
    return Database(address, execute)


def test_rows_are_those_of_a_file(database: Database, run: Run, tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(sales(N_ROWS)), tmp_path / "sales.parquet")
    run("train", tmp_path / "sales.parquet", *TRAIN, *PLAIN, "--save", tmp_path / "file.wms")
    address = f"{database.address}?query={QUERY}"
    result = run("train", address, *TRAIN, "--save", tmp_path / "query.wms")
    assert result.exit_code == 0, result.output
    assert same_model(tmp_path / "file.wms", tmp_path / "query.wms")
    encoded = f"{database.address}?query={QUERY.replace(' ', '%20')}"
    assert AWMSketch("4KiB").fit(encoded, label="sold").n_seen_ == N_ROWS


@pytest.mark.parametrize("options", ["", "--shuffle 1500", "--holdout 1500"])
def test_every_resume_ends_the_same(database: Database, run: Run, tmp_path: Path, options: str) -> None:
    every_resume_ends_the_same(run, f"{database.address}?query={QUERY}", tmp_path, *TRAIN, *options.split())


def test_rows_that_have_changed_are_an_error(database: Database, run: Run, tmp_path: Path) -> None:
    address, save = f"{database.address}?query={QUERY}", tmp_path / "m.wms"
    with killed_after(1):
        run("train", address, *TRAIN, "--checkpoint-every", 1, "--save", save)
    learned = load(save).n_seen_
    assert 0 < learned < N_ROWS
    database.execute("UPDATE sales SET price = 7 WHERE id = 11")
    before = save.read_bytes()
    result = run("train", address, "--resume", save)
    assert result.exit_code == 1 and f"expected the {learned:,} rows that were learned" in result.stderr
    assert save.read_bytes() == before
    database.execute("DELETE FROM sales WHERE id > 100")
    result = run("train", address, "--resume", save)
    assert result.exit_code == 1 and "there are only 101 now" in result.stderr


def test_without_an_order_nothing_is_read_again(database: Database, run: Run, tmp_path: Path) -> None:
    address, save = f"{database.address}?query=SELECT * FROM sales", tmp_path / "m.wms"
    assert run("train", address, *TRAIN, "--save", save).exit_code == 0
    before = save.read_bytes()
    result = run("train", address, "--resume", save)
    assert result.exit_code == 1 and "no ORDER BY" in result.stderr
    for more in (["--passes", "2"], ["--holdout", "0.1"]):
        result = run("train", address, *TRAIN, *more)
        assert result.exit_code == 2 and "no ORDER BY" in result.stderr
    assert save.read_bytes() == before


def test_every_command_reads_a_query(database: Database, run: Run, tmp_path: Path) -> None:
    address = f"{database.address}?query={QUERY}"
    assert run("train", address, *TRAIN, "--save", tmp_path / "m.wms").exit_code == 0
    predicted = run("predict", address, "--model", tmp_path / "m.wms")
    assert predicted.exit_code == 0 and len(predicted.stdout.splitlines()) == N_ROWS
    explained = run("explain", address, "--label", "sold", "--ignore", "id")
    assert explained.exit_code == 0 and "city=Rome" in explained.stdout
    halves = [f"{database.address}?query=SELECT * FROM sales WHERE sold = {sold}" for sold in (0, 1)]
    compared = run("diff", *halves, "--items", "city")
    assert compared.exit_code == 0 and "city=Paris" in compared.stdout and "s3cret" not in compared.output
    pairs = run("pmi", address, "--items", "city", "--window", "1")
    assert pairs.exit_code == 0 and "3,500 items" in pairs.stdout
    contest = run("compare", address, *TRAIN[:4], "--methods", "awm", "--budgets", "2KiB", "--seeds", "1")
    assert contest.exit_code == 0 and "3,500 examples" in contest.stdout
    lines = run("diff", *halves, "--lines")
    assert lines.exit_code == 1 and "the columns of a table" in lines.stderr


def test_what_a_database_refuses_is_one_line_without_secrets(database: Database, run: Run) -> None:
    result = run("train", f"{database.address}?query=SELECT nonsense FROM nowhere", *TRAIN)
    assert result.exit_code == 1 and "nowhere" in result.stderr and "s3cret" not in result.output
    assert len(result.stderr.splitlines()) == 1
    result = run("train", database.address, *TRAIN)
    assert result.exit_code == 2 and "?query=" in result.stderr and "s3cret" not in result.output


def test_numeric_columns_of_postgres_are_numbers(
    postgres_port: int, request: pytest.FixtureRequest, tmp_path: Path, run: Run
) -> None:
    database = _postgres(request, tmp_path)
    query = "SELECT city, CAST(price AS numeric(8,3)) AS price, kind, sold FROM sales ORDER BY id"
    run("train", f"{database.address}?query={query}", "--label", "sold", "--save", tmp_path / "m.wms")
    assert load(tmp_path / "m.wms").schema_.kinds()["price"] == "number"


def test_a_wrong_password_is_not_told(postgres_port: int, run: Run) -> None:
    result = run("train", f"postgresql://ann:s3cret-not@127.0.0.1:{postgres_port}/shop?query={QUERY}", *TRAIN)
    assert result.exit_code == 1 and "password authentication failed" in result.stderr
    assert "s3cret" not in result.output


def test_duckdb_queries_files(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    table = pyarrow.Table.from_pylist(sales(3000))
    for day in range(3):
        pyarrow.parquet.write_table(table.slice(day * 1000, 1000), tmp_path / f"day-{day}.parquet")
    (tmp_path / "cities.csv").write_text("city,country\nRome,IT\nOslo,NO\nParis,FR\n")
    query = "SELECT s.*, country FROM 'day-*.parquet' s JOIN 'cities.csv' c USING (city) ORDER BY id"
    result = run("train", f"duckdb:{query}", *TRAIN, "--save", tmp_path / "m.wms")
    assert result.exit_code == 0, result.output
    model = load(tmp_path / "m.wms")
    assert model.n_seen_ == 3000 and model.weight("country=IT") > 0
    assert run("train", "duckdb:CREATE TABLE t (a int)", *TRAIN).exit_code == 1


def test_a_database_that_is_not_there_is_not_made(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for scheme, module in (("sqlite", "adbc_driver_sqlite"), ("duckdb", "duckdb")):
        pytest.importorskip(module)
        result = run("train", f"{scheme}:///none.db?query=SELECT 1 ORDER BY 1", *TRAIN)
        assert result.exit_code == 1 and "there is no file none.db" in result.stderr
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize(
    "query",
    [
        "COPY (SELECT 1 AS a) TO 'out.csv'",
        "ATTACH 'out.csv' AS other",
        "CREATE TABLE x AS SELECT 1",
        "SELECT 1; COPY (SELECT 1) TO 'out.csv'",
        "EXPORT DATABASE 'out.csv'",
    ],
)
@pytest.mark.parametrize(
    "place", ["duckdb:", "duckdb:///shop.duckdb?query=", "duckdb:///shop.duckdb?external_access=yes&query="]
)
def test_a_query_of_duckdb_writes_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, query: str, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    _duckdb(request, tmp_path)
    before = sorted(tmp_path.iterdir()), (tmp_path / "shop.duckdb").read_bytes()
    result = run("train", f"{place}{query}", *TRAIN)
    assert result.exit_code == 1 and "expected one SELECT" in result.stderr, result.output
    assert before == (sorted(tmp_path.iterdir()), (tmp_path / "shop.duckdb").read_bytes())


def test_a_database_file_reads_no_other_file_unless_asked(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    _duckdb(request, tmp_path)
    query = "query=SELECT * FROM 'sales.parquet' ORDER BY id"
    refused = run("train", f"duckdb:///shop.duckdb?{query}", *TRAIN)
    assert refused.exit_code == 1, refused.output
    assert run("train", f"duckdb:///shop.duckdb?external_access=yes&{query}", *TRAIN).exit_code == 0


def test_sqlite_is_opened_read_only(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    _sqlite(request, tmp_path)
    before = (tmp_path / "shop.db").read_bytes()
    files = set(tmp_path.iterdir())
    for query, why in (
        ("WITH a AS (SELECT 1) DELETE FROM sales RETURNING *", "readonly"),
        ("DELETE FROM sales RETURNING *", "expected one SELECT"),
        ("ATTACH 'new.db' AS n", "expected one SELECT"),
        ("VACUUM INTO 'new.db'", "expected one SELECT"),
    ):
        result = run("train", f"sqlite:///shop.db?query={query}", *TRAIN)
        assert result.exit_code == 1 and why in result.stderr, result.output
    assert set(tmp_path.iterdir()) == files
    assert (tmp_path / "shop.db").read_bytes() == before
