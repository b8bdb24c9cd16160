"""http:// and s3://: files on servers, read like local files."""

from __future__ import annotations

import base64
import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest

from tests.sources.conftest import TRAIN, Run, every_resume_ends_the_same, json_lines, sales
from wmsketch import load


class Handler(BaseHTTPRequestHandler):
    """Serves files of a dict like an object store: whole, in ranges, listed; some need a password or are truncated."""

    files: dict[str, bytes]
    heard: ClassVar[list[tuple[str, str, str | None]]] = []  # host, path and password of each request
    protocol_version = "HTTP/1.1"

    def _answer(self, status: int, body: bytes, length: int | None = None, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def do_GET(self) -> None:
        path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        if "list-type" in query:
            self._list(path, query["prefix"][0] if "prefix" in query else "")
            return
        data = self.files.get(path)
        self.heard.append((self.headers["Host"], path, self.headers.get("Authorization")))
        if path.startswith("/moved"):
            self._answer(302, b"", Location=query["to"][0])
            return
        secret = "Basic " + base64.b64encode(b"ann:s3cret").decode()
        if path.startswith("/private") and self.headers.get("Authorization") != secret:
            self._answer(401, b"")
        elif data is None:
            self._answer(404, b"")
        elif path.startswith("/cut") and self.command == "GET":
            self._answer(200, data[: len(data) // 2], len(data))
            self.close_connection = True
        elif range_ := self.headers.get("Range"):
            first, last = range_.removeprefix("bytes=").split("-")
            part = data[int(first) : int(last) + 1]
            self._answer(206, part, Content_Range=f"bytes {first}-{int(first) + len(part) - 1}/{len(data)}")
        else:
            self._answer(200, data, Last_Modified="Mon, 16 Nov 2026 00:00:00 GMT")

    do_HEAD = do_GET

    def _list(self, bucket: str, prefix: str) -> None:
        keys = [name.removeprefix(f"{bucket}/") for name in self.files if name.startswith(f"{bucket}/{prefix}")]
        each = "".join(
            f"<Contents><Key>{key}</Key><LastModified>2026-11-16T00:00:00.000Z</LastModified>"
            f"<Size>{len(self.files[f'{bucket}/{key}'])}</Size></Contents>"
            for key in keys
        )
        head = "<Name>b</Name><IsTruncated>false</IsTruncated>"
        self._answer(200, f"<ListBucketResult>{head}{each}</ListBucketResult>".encode(), Content_Type="application/xml")

    def log_message(self, format: str, *arguments: object) -> None:
        """Do not log."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    table = pyarrow.Table.from_pylist(sales(3000))
    parquet, csv = pyarrow.BufferOutputStream(), pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, parquet)
    pyarrow.csv.write_csv(table, csv)
    files = {
        "sales.parquet": parquet.getvalue().to_pybytes(),
        "sales.csv": csv.getvalue().to_pybytes(),
        "sales.csv.gz": gzip.compress(csv.getvalue().to_pybytes()),
        "sales.jsonl": "\n".join(json_lines(sales(3000))).encode(),
    }
    Handler.files = {f"/{folder}/{name}": data for folder in ("data", "private", "cut") for name, data in files.items()}
    web = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{web.server_address[1]}"
    web.shutdown()
    web.server_close()


@pytest.mark.parametrize("name", ["sales.parquet", "sales.csv", "sales.csv.gz", "sales.jsonl", "sales.csv?token=1"])
def test_files_of_a_web_server(server: str, run: Run, tmp_path: Path, name: str) -> None:
    result = run("train", f"http://{server}/data/{name}", *TRAIN, "--save", tmp_path / "m.wms")
    assert result.exit_code == 0, result.output
    model = load(tmp_path / "m.wms")
    assert model.n_seen_ == 3000 and model.weight("city=Rome") > 0 > model.weight("city=Paris")


def test_every_resume_ends_the_same(server: str, run: Run, tmp_path: Path) -> None:
    every_resume_ends_the_same(run, f"http://{server}/data/sales.parquet", tmp_path)


def test_another_file_is_not_gone_on_with(server: str, run: Run, tmp_path: Path) -> None:
    address, save = f"http://{server}/data/new.csv", tmp_path / "m.wms"
    Handler.files["/data/new.csv"] = Handler.files["/data/sales.csv"]
    assert run("train", address, *TRAIN, "--save", save).exit_code == 0
    Handler.files["/data/new.csv"] += b"7,Rome,0.5,a,1\n"
    result = run("train", address, "--resume", save)
    assert result.exit_code == 1 and "bytes, it had" in result.stderr


def test_rows_before_a_cut_are_learned_and_saved(server: str, run: Run, tmp_path: Path) -> None:
    for name in ("sales.csv", "sales.jsonl"):
        save = tmp_path / f"{name}.wms"
        result = run("train", f"http://{server}/cut/{name}", *TRAIN, "--save", save)
        assert result.exit_code == 1 and "bytes before the end of the file" in result.stderr, result.output
        assert "rows before the error is saved" in result.stderr and 1000 < load(save).n_seen_ < 2000


def test_an_answer_that_is_cut_off_is_an_error(server: str, run: Run) -> None:
    for name in ("sales.csv", "sales.parquet"):
        result = run("train", f"http://{server}/cut/{name}", *TRAIN)
        assert result.exit_code == 1 and "bytes before the end of the file" in result.stderr, result.output


def test_a_password_opens_and_is_not_shown(server: str, run: Run, tmp_path: Path) -> None:
    address = f"http://ann:s3cret@{server}/private/sales.csv"
    shown = [
        run("train", address, *TRAIN, "--save", tmp_path / "m.wms"),
        run("train", address + "-not", *TRAIN),
        run("train", address.replace("s3cret", "s3cret-not"), *TRAIN),
        run("train", f"http://{server}/data/none.csv?token=s3cret", *TRAIN),
    ]
    assert [result.exit_code for result in shown] == [0, 1, 1, 1]
    assert "the server answered 401" in shown[2].stderr and "the server answered 404" in shown[3].stderr
    assert not any("s3cret" in result.output for result in shown)
    assert b"s3cret" not in (tmp_path / "m.wms").read_bytes()


def test_a_password_stays_with_its_server(server: str, run: Run) -> None:
    port = server.partition(":")[2]
    who = "Basic " + base64.b64encode(b"ann:s3cret").decode()
    for to, kept in ((f"http://{server}/private/sales.csv", True), (f"http://localhost:{port}/data/sales.csv", False)):
        Handler.heard.clear()
        result = run("train", f"http://ann:s3cret@{server}/moved?to={to}", *TRAIN, "--format", "csv")
        assert result.exit_code == 0, result.output
        there = [password for _, path, password in Handler.heard if not path.startswith("/moved")]
        assert len(there) >= 2 and set(there) == {who if kept else None}
        assert {password for _, path, password in Handler.heard if path.startswith("/moved")} == {who}


@pytest.mark.parametrize("to", ["ftp://127.0.0.1:9/a.csv", "file:///etc/passwd", "data:,x"])
def test_a_redirect_leads_only_to_the_web(server: str, run: Run, to: str) -> None:
    result = run("train", f"http://{server}/moved?to={to}", *TRAIN, "--format", "csv")
    assert result.exit_code == 1 and "redirect" in result.stderr.lower(), result.output


@pytest.mark.parametrize("to", ["http://127.0.0.1:99999999/a.csv", "http://127.0.0.1:x/", "http://[::1/a.csv"])
def test_a_redirect_to_no_address_is_an_error_of_the_server(server: str, run: Run, to: str) -> None:
    result = run("train", f"http://ann:s3cret@{server}/moved?to={to}", *TRAIN, "--format", "csv")
    assert result.exit_code == 1 and f"{server}/moved" in result.stderr and "s3cret" not in result.output, result.output
    assert "an address cannot be used" in result.stderr


def test_a_server_that_is_not_there_is_an_error(run: Run) -> None:
    result = run("train", "http://127.0.0.1:1/a.csv", *TRAIN)
    assert result.exit_code == 1 and "http://127.0.0.1:1/a.csv: " in result.stderr


def test_objects_and_patterns(server: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("ACCESS_KEY_ID", "key"), ("SECRET_ACCESS_KEY", "s3cret"), ("EC2_METADATA_DISABLED", "true")):
        monkeypatch.setenv(f"AWS_{name}", value)
    where = f"?endpoint_override={server}&scheme=http&region=eu"
    for name, rows in (("sales.csv", 3000), ("sales.parquet", 3000), ("sales.csv.gz", 3000), ("sales.cs*", 6000)):
        result = run("train", f"s3://data/{name}{where}", *TRAIN, "--save", tmp_path / "m.wms")
        assert result.exit_code == 0, result.output
        assert load(tmp_path / "m.wms").n_seen_ == rows
    for name, words in (("none.csv", "there is no such object"), ("none*.csv", "no object matches")):
        result = run("train", f"s3://data/{name}{where}", *TRAIN)
        assert result.exit_code == 1 and words in result.stderr, result.output
