"""Queries of PostgreSQL and SQLite (through ADBC) and of DuckDB, as Arrow."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

from wmsketch.readers.open_stream import ByteStream
from wmsketch.readers.sources.address import Address
from wmsketch.readers.sources.source import Place, Source
from wmsketch.readers.sources.tables import ROWS_PER_BATCH, TableStream, has_order


class SqlSource(Source):
    """The rows of a query. With an ORDER BY it can be read again; its rows are compared with those already learned."""

    format = "arrow"

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
        self.need("pyarrow", "arrow")
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
    extra = ""

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
    """sqlite:///file.db?query=SELECT ... ORDER BY ..., a relative path; four slashes for an absolute one."""

    driver = "adbc_driver_sqlite.dbapi"
    extra = "sqlite"

    def _uri(self) -> str:
        return self.existing_file()


class DuckDbSource(SqlSource):
    """duckdb:SELECT ... FROM 'day-*.parquet' ORDER BY ..., or duckdb:///file.db?query=SELECT ..."""

    def _errors(self) -> tuple[type[Exception], ...]:
        return (self.need("duckdb", "duckdb").Error,)

    def _run(self) -> tuple[Any, Any]:
        file = self.existing_file() if self.address.given.startswith("duckdb://") else ":memory:"
        connection = self.need("duckdb", "duckdb").connect(file, read_only=file != ":memory:")
        try:
            rows = connection.sql(self.query)
            if rows is None:
                raise self.bad("expected a query that returns rows")
            return connection, rows.to_arrow_reader(ROWS_PER_BATCH)
        except BaseException:
            connection.close()
            raise
