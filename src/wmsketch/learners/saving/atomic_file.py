"""Write files whole or not at all: a temporary file is written, flushed to disk and renamed over the old one."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # not on this system: nobody can tell whether a file is still being written
    fcntl = None  # type: ignore[assignment]

_PREFIX, _SUFFIX = ".wmsketch-", ".tmp"
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP)  # of file systems that cannot do it for folders


def write_atomically(path: Path, data: bytes) -> None:
    """Write the file completely, or leave the old one in place. The owner and mode of the old file are kept; where that
    fails, a warning says so.

    An OSError says whether the new file is in place.
    """
    path = Path(os.path.realpath(path))  # a link stays a link
    in_place, changed = False, ""
    try:
        _require_regular(path)
        _remove_left_over(path.parent)
        with _temporary_in(path.parent, private=path.exists()) as (temporary, file):
            changed = _like(path, file)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            temporary.replace(path)
            in_place = True
    except OSError as problem:
        if not in_place:  # a failure after this, in closing, loses nothing
            reason = problem.strerror or str(problem)
            raise OSError(problem.errno, f"the model was not saved: {reason}", str(path)) from problem
    if changed:
        warnings.warn(f"{path}: {changed}", stacklevel=4)
    try:
        _sync_folder(path.parent)
    except OSError as problem:
        reason = f"the model was saved, but a power cut may bring the old file back: {problem.strerror or problem}"
        raise OSError(problem.errno, reason, str(path)) from problem


def require_writable(path: Path) -> None:
    """Check that `write_atomically` could begin, and leave nothing behind; an OSError says why it could not."""
    path = Path(os.path.realpath(path))
    _require_regular(path)
    with _temporary_in(path.parent):
        pass


def _require_regular(path: Path) -> None:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "Is a directory", str(path))
    if path.exists() and not path.is_file():  # a device or a pipe, which a new file would replace
        raise OSError(errno.EINVAL, "Not a regular file", str(path))


@contextlib.contextmanager
def _temporary_in(folder: Path, private: bool = False) -> Iterator[tuple[Path, BinaryIO]]:
    """A temporary file, locked while it is written so that other processes leave it alone; removed at the end.

    A private one can be read by its owner only, until it has the mode of the file that it replaces.
    """
    mode = 0o600 if private else 0o666
    while True:
        path = folder / f"{_PREFIX}{secrets.token_hex(6)}{_SUFFIX}"
        with open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            try:
                if not _lock(file):
                    continue  # another process removed it before it was locked
                yield path, file
                return
            finally:
                path.unlink(missing_ok=True)


def _lock(file: BinaryIO) -> bool:
    """Lock our own file; False if another process has already removed it as left over."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: nothing counts as left over
        return True
    return os.fstat(file.fileno()).st_nlink > 0


def _remove_left_over(folder: Path) -> None:
    """Remove temporary files of processes that were killed while they wrote: nobody holds their locks."""
    if fcntl is None:
        return
    for path in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        with contextlib.suppress(OSError), path.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)


def _like(path: Path, file: BinaryIO) -> str:
    """Give the new file the owner and mode of the old one. Return, in words, what could not be kept."""
    if not path.exists():
        return ""
    old, new = path.stat(), os.fstat(file.fileno())
    changed = ""
    if hasattr(os, "fchown") and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        try:
            os.fchown(file.fileno(), old.st_uid, old.st_gid)
        except PermissionError:
            with contextlib.suppress(PermissionError):
                os.fchown(file.fileno(), -1, old.st_gid)
            new = os.fstat(file.fileno())
            changed = f"the owner was {old.st_uid}:{old.st_gid} and is {new.st_uid}:{new.st_gid} now"
    if hasattr(os, "fchmod"):
        os.fchmod(file.fileno(), old.st_mode & 0o7777)
    else:
        Path(file.name).chmod(old.st_mode & 0o7777)
    return changed


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where the system lets folders be opened."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    except OSError as problem:
        if problem.errno not in _NO_SYNC:
            raise
    finally:
        os.close(descriptor)
