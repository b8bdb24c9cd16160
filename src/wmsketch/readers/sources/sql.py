"""Queries of PostgreSQL and SQLite (through ADBC) and of DuckDB, as Arrow."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

from wmsketch.readers.open_stream import ByteStream
from wmsketch.readers.sources.address import Address
from wmsketch.readers.sources.source import Place, Source
from wmsketch.readers.sources.tables import ROWS_PER_BATCH, TableStream, begins_with_select, has_order


class SqlSource(Source):
    """The rows of a query. With an ORDER BY it can be read again; its rows are compared with those already learned."""

    format = "arrow"
    extra = ""  # what to install

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self.query = address.query
        if not self.query:
            raise ValueError(f"an address of {address.scheme}:// must end with ?query=SELECT ..., got {address}")
        self.can_seek = has_order(self.query)
        self.why_not = "" if self.can_seek else "its query has no ORDER BY, so rows may come in another order"

    def open(self, place: Place | None = None, encoding: str | None = None) -> ByteStream:
        """Run the query; the reader of the rows checks the position."""
        if encoding:
            raise ValueError(f"encoding cannot be used with {self.address.scheme}://")
        self.need("pyarrow", self.extra)
        with self.naming(*self._errors()):
            connection, reader = self._run()
        return TableStream(self.address, self._named(reader), connection.close)

    def existing_file(self) -> str:
        """Return the file of a database; raise an error if it does not exist, because a driver would create it."""
        file = self.address.path.removeprefix("/")
        if not Path(file).is_file():
            raise self.bad(f"there is no file {file}")
        return file

    def _named(self, reader: Any) -> Generator[Any, None, None]:
        from pyarrow import ArrowException

        with self.naming(*self._errors(), ArrowException), reader:
            for batch in reader:
                yield self._typed(batch)

    def _typed(self, batch: Any) -> Any:
        return batch

    def _errors(self) -> tuple[type[Exception], ...]:
        raise NotImplementedError

    def _run(self) -> tuple[Any, Any]:
        """Return a connection to close at the end, and a reader of record batches."""
        raise NotImplementedError


class AdbcSource(SqlSource):
    """A database with an ADBC driver."""

    driver = ""

    def _uri(self) -> str:
        return self.address.without_query

    def _errors(self) -> tuple[type[Exception], ...]:
        return (self.need("adbc_driver_manager", self.extra).Error,)

    def _run(self) -> tuple[Any, Any]:
        connection = self.need(self.driver, self.extra).connect(self._uri())
        try:
            cursor = connection.cursor()
            cursor.execute(self.query)
            return _Both(cursor, connection), cursor.fetch_record_batch()
        except BaseException:
            connection.close()
            raise


class _Both:
    """A cursor and its connection, closed in this order."""

    def __init__(self, *parts: Any) -> None:
        self._parts = parts

    def close(self) -> None:
        for part in self._parts:
            part.close()


class PostgresSource(AdbcSource):
    """postgresql://user@host/database?query=SELECT ... ORDER BY ..."""

    driver = "adbc_driver_postgresql.dbapi"
    extra = "postgres"

    def _typed(self, batch: Any) -> Any:
        """Convert NUMERIC, which the driver returns as text, to numbers."""
        import pyarrow

        for at, field in enumerate(batch.schema):
            if (field.metadata or {}).get(b"ADBC:postgresql:typname") == b"numeric":
                batch = batch.set_column(at, field.name, batch.column(at).cast(pyarrow.float64()))
        return batch


class SqliteSource(AdbcSource):
    """sqlite:///file.db?query=SELECT ... ORDER BY ..., a relative path; four slashes for an absolute one.

    Nothing is written: the file is opened read-only, and ATTACH, which would create another one, is no SELECT.
    """

    driver = "adbc_driver_sqlite.dbapi"
    extra = "sqlite"

    def _uri(self) -> str:
        if not begins_with_select(self.query):
            raise self.bad("expected one SELECT, which returns rows")
        return Path(self.existing_file()).absolute().as_uri() + "?mode=ro"


class DuckDbSource(SqlSource):
    """duckdb:SELECT ... FROM 'day-*.parquet' ORDER BY ..., or duckdb:///file.db?query=SELECT ...

    Nothing is written: one SELECT is run, and a database file is opened read-only. A query of a database file reads no
    other files, unless the address says ``external_access=yes``.
    """

    extra = "duckdb"

    def _errors(self) -> tuple[type[Exception], ...]:
        return (self.need("duckdb", self.extra).Error,)

    def _run(self) -> tuple[Any, Any]:
        duckdb = self.need("duckdb", self.extra)
        is_file = self.address.parts.whole
        reads_files = not is_file or self.address.says("external_access")
        config = {"enable_external_access": reads_files, "autoinstall_known_extensions": False}
        file = self.existing_file() if is_file else ":memory:"
        connection = duckdb.connect(file, read_only=is_file, config=config)
        try:
            statements = connection.extract_statements(self.query)
            if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
                raise self.bad("expected one SELECT, which returns rows")
            return connection, connection.sql(statements[0]).to_arrow_reader(ROWS_PER_BATCH)
        except BaseException:
            connection.close()
            raise
