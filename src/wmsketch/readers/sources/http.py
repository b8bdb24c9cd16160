"""Files at http:// and https:// addresses, with the standard library."""

from __future__ import annotations

import base64
import shutil
import tempfile
from http.client import HTTPException
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from wmsketch.readers.open_stream import ByteStream
from wmsketch.readers.sources.source import Place, Source, SourceFile

_PATIENCE = 60.0  # seconds without a byte


class HttpSource(Source):
    """A file of a web server, read like a local file; its size is known if the server states it."""

    def size(self) -> int | None:
        """Return the size that the server states."""
        try:
            with self._ask("HEAD") as answer:
                return _length(answer)
        except HTTPError as problem:
            if problem.code in (403, 405, 501):  # some servers, and signed addresses, do not allow HEAD
                return None
            raise self._told(problem) from None
        except (OSError, HTTPException) as problem:
            raise self.bad(str(getattr(problem, "reason", problem))) from None

    def open(self, place: Place | None = None, encoding: str | None = None) -> ByteStream:
        """Open the file at its beginning."""
        try:
            answer = self._ask("GET")
        except HTTPError as problem:
            raise self._told(problem) from None
        except (OSError, HTTPException) as problem:
            raise self.bad(str(getattr(problem, "reason", problem))) from None
        size = _length(answer)
        whole: Any = _WholeAnswer(answer, size, self)
        return HttpStream(whole, self.address, size, encoding=encoding)

    def _ask(self, method: str) -> Any:
        address = self.address
        url = address.parts._replace(user="").uri(password="")
        request = Request(url, headers={"User-Agent": "wmsketch", "Accept-Encoding": "identity"}, method=method)
        if address.user or address.password:
            who = base64.b64encode(f"{address.user}:{address.password}".encode()).decode()
            request.add_unredirected_header("Authorization", f"Basic {who}")
        try:
            return build_opener(_Redirects).open(request, timeout=_PATIENCE)
        except (ValueError, OverflowError) as problem:  # of this address, or of one that the server redirects to
            raise URLError(f"an address cannot be used: {problem}") from None

    def _told(self, problem: HTTPError) -> Exception:
        return self.bad(f"the server answered {problem.code} {problem.reason}")


class _Redirects(HTTPRedirectHandler):
    """Follows redirects to http and https. A password stays with the scheme, host and port that it was given for."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Request | None:
        """Return the request for the new address."""
        there = urlsplit(newurl)
        if there.scheme not in ("http", "https") or not there.hostname:
            raise URLError(f"the server redirects to {there.scheme}://, expected http:// or https://")
        request = super().redirect_request(req, fp, code, msg, headers, newurl)
        if request is not None:
            who = req.get_header("Authorization")
            if who is not None and _origin(req.full_url) == _origin(newurl):
                request.add_unredirected_header("Authorization", who)
            request.method = req.get_method()
        return request


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or {"http": 80, "https": 443}.get(parts.scheme)


class HttpStream(ByteStream):
    """A stream of a web server; formats that need seeking get a copy in a temporary file."""

    _copy: IO[bytes] | None = None

    def random_access(self) -> Any:
        """Return a temporary copy, which is deleted on close."""
        self._copy = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the stream
        shutil.copyfileobj(self, self._copy)
        self._copy.seek(0)
        return self._copy

    def close(self) -> None:
        """Close the connection."""
        if self._copy is not None:
            self._copy.close()
        super().close()


class _WholeAnswer(SourceFile):
    """The response of a server; one that is shorter than its length is an error."""

    def __init__(self, answer: Any, size: int | None, source: Source) -> None:
        super().__init__(answer, source)
        self._left = size

    def read(self, size: int) -> bytes:
        with self._source.naming(HTTPException):
            data: bytes = self.file.read1(size)
        if self._left is not None:
            self._left -= len(data)
            if not data and self._left > 0:
                raise self._source.bad(f"the connection ended {self._left:,} bytes before the end of the file")
        return data


def _length(answer: Any) -> int | None:
    length = answer.headers.get("Content-Length")
    return int(length) if length is not None and length.isdigit() else None
