"""Download a file: continue a partial download, and use the file only when complete and unchanged."""

from __future__ import annotations

import hashlib
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

_CHUNK = 1 << 20
Progress = Callable[[int, int], None]  # bytes so far, total bytes


class DownloadError(ValueError):
    """The file could not be downloaded; the received part is kept for the next attempt."""


def fetch(url: str, path: Path, progress: Progress | None = None, timeout: float = 60.0) -> None:
    """Write `url` to `path`, which appears only when complete; a partial download is kept as `.part`."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            if answer.status != 206:
                have = 0  # the server restarts from the beginning
            total = have + int(answer.headers.get("Content-Length") or 0)
            with part.open("r+b" if have else "wb") as file:
                file.seek(have)
                while chunk := answer.read(_CHUNK):
                    file.write(chunk)
                    have += len(chunk)
                    if progress:
                        progress(have, total)
    except urllib.error.HTTPError as problem:
        if problem.code == 416:  # nothing left, or the file has changed: restart next time
            part.unlink()
        raise DownloadError(f"{url}: the server answered {problem.code} {problem.reason}") from problem
    except (OSError, ValueError) as problem:
        raise DownloadError(f"{url}: {problem} after {have:,} bytes; run it again to continue") from problem
    if have != total:
        raise DownloadError(f"{url}: {have:,} of {total:,} bytes received; run it again to continue")
    part.replace(path)


def digest_file(path: Path) -> Path:
    """Return the name of the file that has the SHA-256 of a download, as sha256sum writes it."""
    return path.with_name(path.name + ".sha256")


def checked_digest(path: Path) -> str:
    """Return the SHA-256 of a download; if `digest_file` is there, it must be the same."""
    with path.open("rb") as file:
        got = hashlib.file_digest(file, "sha256").hexdigest()
    known = digest_file(path)
    expected = known.read_text().split()[0] if known.exists() else got
    if expected != got:
        raise DownloadError(
            f"{path}: expected the SHA-256 {expected} of {known.name}, got {got}; delete the file to download it again"
        )
    return got
