"""The downloader with a local test server: ranges, broken connections, unexpected files."""

import bz2
import hashlib
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from wmsketch.evaluation import paper_data
from wmsketch.evaluation.fetch import DownloadError, fetch
from wmsketch.evaluation.paper_data import PaperData, download
from wmsketch.evaluation.streams import Library

TEXT = "".join(f"{1 if row % 3 else -1} {row % 7 + 1}:3 {row % 5 + 10}:4\n" for row in range(5000))


class Server(ThreadingHTTPServer):
    """Serves one file; may disconnect after some bytes, or ignore ranges."""

    content = bz2.compress(TEXT.encode())
    break_after: int | None = None
    ranges = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str | None] = []

    @property
    def home(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        self.server.asked.append(asked)
        if "absent" in self.path:
            self.send_error(404)
            return
        start = int(re.findall(r"\d+", asked)[0]) if asked and self.server.ranges else 0
        body = self.server.content[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: self.server.break_after])

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        yield serving
        serving.shutdown()
        thread.join()


def test_a_broken_download_goes_on_where_it_stopped(server: Server, tmp_path: Path) -> None:
    path, seen = tmp_path / "file.bz2", []
    server.break_after = 100
    with pytest.raises(DownloadError, match="run it again"):
        fetch(server.home + "file.bz2", path)
    assert not path.exists() and (tmp_path / "file.bz2.part").stat().st_size == 100
    server.break_after = None
    fetch(server.home + "file.bz2", path, lambda done, total: seen.append((done, total)))
    assert path.read_bytes() == server.content and server.asked == [None, "bytes=100-"]
    assert seen[-1] == (len(server.content), len(server.content))
    fetch(server.home + "file.bz2", path)
    assert len(server.asked) == 2  # existing files are not fetched again


def test_a_server_without_ranges_starts_over(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file.part").write_bytes(b"x" * 100)
    server.ranges = False
    fetch(server.home + "file", tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == server.content


def test_a_missing_file_is_told(server: Server, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match="absent: the server answered 404"):
        fetch(server.home + "absent", tmp_path / "absent")


def test_a_data_set_is_fetched_checked_and_loaded(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(paper_data.PAPER_DATA, "rcv1", PaperData("rcv1_test.binary.bz2", 5000, 14))
    download(["rcv1"], tmp_path, home=server.home)
    library = Library(tmp_path)
    assert library.find("rcv1") == "rcv1-v1"
    stream = library.load("rcv1-v1")
    assert stream.X.shape == (5000, 15) and stream.y[:4].tolist() == [False, True, True, False]
    assert stream.X[1].toarray()[0, [2, 11]] == pytest.approx([0.6, 0.8])  # rows have length one
    assert np.sqrt(np.asarray(stream.X.multiply(stream.X).sum(axis=1))) == pytest.approx(np.ones((5000, 1)))


def test_a_second_download_has_the_digest_of_the_first(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(paper_data.PAPER_DATA, "rcv1", PaperData("rcv1_test.binary.bz2", 5000, 14))
    download(["rcv1"], tmp_path / "one", home=server.home)
    digest = (tmp_path / "one" / "rcv1_test.binary.bz2.sha256").read_text()
    assert digest == f"{hashlib.sha256(server.content).hexdigest()}  rcv1_test.binary.bz2\n"
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "rcv1_test.binary.bz2.sha256").write_text(digest)
    server.content = bz2.compress(TEXT.replace("1:3", "1:2").encode())  # of the same rows and features
    with pytest.raises(
        DownloadError, match=r"expected the SHA-256 \w{64} of rcv1_test\.binary\.bz2\.sha256, got \w{64}"
    ):
        download(["rcv1"], tmp_path / "two", home=server.home)
    assert not (tmp_path / "two" / "rcv1-v1.npz").exists()


def test_a_file_of_another_size_is_refused(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(paper_data.PAPER_DATA, "rcv1", PaperData("rcv1_test.binary.bz2", 5001, 14))
    with pytest.raises(ValueError, match=r"expected 5,001 rows and ids up to 14, got 5,000 and 14"):
        download(["rcv1"], tmp_path, home=server.home)
    assert not (tmp_path / "rcv1-v1.npz").exists()


def test_a_file_that_is_not_libsvm_is_refused(server: Server, tmp_path: Path) -> None:
    server.content = b"<html>moved</html>"
    with pytest.raises(ValueError, match=r"rcv1_test\.binary\.bz2"):
        download(["rcv1"], tmp_path, home=server.home)


def test_an_unknown_name_is_told_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="download must be one of rcv1, url, kdda, got 'mnist'"):
        download(["mnist"], tmp_path)
