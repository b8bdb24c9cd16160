"""Sources by address: Kafka, Redis, PostgreSQL, SQLite, DuckDB, HTTP and object stores, each an optional extra.

`schemes.SCHEMES` lists them. A source reports its `extent` and opens at a position; its stream reports its position.
The readers need nothing else.
"""
