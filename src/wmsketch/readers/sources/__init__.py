"""Rows by address: Kafka, Redis, PostgreSQL, SQLite, DuckDB, HTTP and object stores, each an extra.

`schemes.SCHEMES` is the one list of them. A source says what there is (`extent`), opens it at a place, and the stream
says where it is; the readers above know nothing else about it.
"""
