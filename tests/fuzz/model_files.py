"""Damaged model files: loading gives a model that works, or a ValueError that names the file.

    python -m tests.fuzz.model_files [SECONDS]

Starts with the golden files, one of each kind, and damages bytes, lengths, arrays and the JSON document. The checksum
is always corrected, because it would reject nearly all of them. Guided by coverage if atheris is installed.
"""

from __future__ import annotations

import hashlib
import json
import random
import signal
import struct
import sys
import tempfile
import time
from pathlib import Path
from types import FunctionType
from typing import Any

import wmsketch
from wmsketch.learners.models.introspection import learn_block, margins_of_block
from wmsketch.learners.saving import model_document, model_file
from wmsketch.learners.saving.model_file import load_model, model_bytes

GOLDEN = sorted(Path(__file__).parents[1].joinpath("golden").glob("*.wms"))
START = b'{"__metadata__":{"wmsketch":"{\\"checksum\\":\\"'
DIGITS = slice(8 + len(START), 8 + len(START) + 64)
STRANGE: list[Any] = [None, True, -1, 0, 1, 2, 2**31, 2**32, 2**63, 2**64, 1e308, 1e-320, 0.5, "", "wm", [], {}, [[]]]
WORDS = (b"\0" * 4, b"\xff" * 4, b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\xff\xff\x7f\x7f", b"\0\0\0\x80", b"\1\0\0\0")


def sealed(data: bytes) -> bytes:
    """The file with a matching checksum."""
    if len(data) < DIGITS.stop:
        return data
    blank = data[: DIGITS.start] + b"0" * 64 + data[DIGITS.stop :]
    return data[: DIGITS.start] + hashlib.sha256(blank).hexdigest().encode() + data[DIGITS.stop :]


def check(data: bytes, path: Path) -> bool:
    """Load the file and return whether it was accepted. An accepted model must answer, learn, save and load again."""
    path.write_bytes(data)
    try:
        model = load_model(path)
    except ValueError as problem:
        assert str(problem).startswith(str(path)), problem
        return False
    path.write_bytes(model_bytes(model))
    assert model_bytes(load_model(path)) == model_bytes(model)
    if not model._started:
        return True
    if model._learner().keeps_keys:
        model.top(5)
    block = wmsketch._core.LibsvmParser().feed(b"1 0:1 7:0.5\n-1 1:2 9:1\n", True)
    try:
        margins_of_block(model, block)
        learn_block(model, block)
    except ValueError:  # a dense model of few features
        return True
    return True


def damaged(data: bytes, rng: random.Random) -> bytes:
    """A file with one or several kinds of damage."""
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        data = rng.choice((_damage_bytes, _damage_bytes, _damage_document, _damage_document, _damage_header))(data, rng)
    return sealed(data)


def _damage_bytes(data: bytes, rng: random.Random) -> bytes:
    header_end = 8 + int.from_bytes(data[:8], "little")
    first = header_end if rng.random() < 0.7 and header_end < len(data) else 0
    at = rng.randrange(first, max(first + 1, len(data)))
    piece = rng.choice(WORDS) if rng.random() < 0.5 else bytes([rng.randrange(256)])
    how = rng.randrange(6)
    if how == 0:
        return data[:at]
    if how == 1:
        return data[:at] + data[at + rng.randrange(1, 40) :]
    if how == 2:
        return data[:at] + piece * rng.randrange(1, 9) + data[at:]
    if how == 3:
        other = rng.choice(GOLDEN).read_bytes()
        return data[:at] + other[rng.randrange(len(other)) :]
    if how == 4:
        length = rng.choice((0, 1, header_end - 9, header_end - 7, len(data), 2**31, 2**63, 2**64 - 1))
        return struct.pack("<Q", length % 2**64) + data[8:]
    at -= at % len(piece)
    return data[:at] + piece + data[at + len(piece) :]


def _parts(data: bytes) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    return header, json.loads(header["__metadata__"]["wmsketch"]), data[end:]


def _damage_document(data: bytes, rng: random.Random) -> bytes:
    try:
        header, document, arrays = _parts(data)
        _change(document, rng)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return _damage_bytes(data, rng)
    document = {"checksum": "0" * 64, **document}
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return _joined({"__metadata__": {"wmsketch": text}, **_tensors(header)}, arrays)


def _damage_header(data: bytes, rng: random.Random) -> bytes:
    try:
        header, _, arrays = _parts(data)
        tensors = _tensors(header)
        _change(tensors, rng)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return _damage_bytes(data, rng)
    return _joined({"__metadata__": header["__metadata__"], **tensors}, arrays)


def _tensors(header: dict[str, Any]) -> dict[str, Any]:
    return {name: entry for name, entry in header.items() if name != "__metadata__"}


def _joined(header: dict[str, Any], arrays: bytes) -> bytes:
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + arrays


def _change(place: Any, rng: random.Random) -> None:
    """Change one value somewhere inside."""
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = rng.choice(keys)
        if isinstance(place[key], (dict, list)) and place[key] and rng.random() < 0.8:
            place = place[key]
            continue
        how = rng.randrange(5)
        if how == 0:
            del place[key]
        elif how == 1 and isinstance(place, dict):
            place[rng.choice((str(key) + "x", *map(str, keys)))] = place[key]
        elif how == 2 and isinstance(place[key], (int, float)):
            place[key] = rng.choice((place[key] + 1, place[key] - 1, -place[key], place[key] * 2, place[key] / 2))
        else:
            place[key] = rng.choice(STRANGE)
        return


def main() -> None:
    """Run for the given seconds."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.wms")
        try:
            import atheris
        except ImportError:
            signal.signal(signal.SIGTERM, signal.default_int_handler)  # a run that is stopped says how far it came
            _run(path, seconds)
            return
        corpus = Path(folder, "corpus")
        corpus.mkdir()
        for golden in GOLDEN:
            (corpus / golden.name).write_bytes(golden.read_bytes())

        def mutate(data: bytes, _: int, seed: int) -> bytes:
            rng = random.Random(seed)
            seeded = data if len(data) > DIGITS.stop else rng.choice(GOLDEN).read_bytes()
            return damaged(seeded, rng)

        for module in (model_document, model_file):
            for function in vars(module).values():
                if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                    atheris.instrument_func(function)
        limits = [f"-max_total_time={seconds:.0f}", "-max_len=100000", "-rss_limit_mb=2048", "-print_final_stats=1"]
        atheris.Setup([sys.argv[0], *limits, str(corpus)], lambda data: check(data, path), custom_mutator=mutate)
        atheris.Fuzz()


def _run(path: Path, seconds: float) -> None:
    """Without coverage: accumulate damage, restarting from a golden file now and then."""
    rng, data = random.Random(), GOLDEN[0].read_bytes()
    end = time.monotonic() + seconds
    n_files = n_accepted = 0
    while time.monotonic() < end:
        if rng.random() < 0.3 or len(data) < DIGITS.stop:
            data = rng.choice(GOLDEN).read_bytes()
        data = damaged(data, rng)
        try:
            n_accepted += check(data, path)
        except KeyboardInterrupt:
            break
        except BaseException:
            Path("model-file-crash").write_bytes(data)
            raise
        n_files += 1
    print(f"{n_files} files, {n_accepted} of them accepted")


if __name__ == "__main__":
    main()
