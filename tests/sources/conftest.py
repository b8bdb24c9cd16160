"""Rows, servers that hold them, and a command line that can be interrupted."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.sources.servers import KafkaBrokers, Missing, kafka_brokers, postgres_server, redis_server
from wmsketch.cli.main import main
from wmsketch.cli.parts.training import Training

TRAIN = ("--label", "sold", "--ignore", "id", "--budget", "4KiB", "--top", "0")
PLAIN = ("--shuffle", "0", "--passes", "1")  # a file as a stream
Run = Callable[..., Result]
Row = dict[str, Any]


def sales(n: int, seed: int = 1) -> list[Row]:
    """Sales succeed in Rome and fail in Paris; some kinds are missing."""
    draw = random.Random(seed)
    rows = []
    for number in range(n):
        sold = draw.random() < 0.5
        city = draw.choice(["Rome", "Oslo"] if sold else ["Paris", "Oslo"])
        kind = draw.choice("abc") if draw.random() < 0.9 else None
        rows.append({"id": number, "city": city, "price": round(draw.random(), 3), "kind": kind, "sold": int(sold)})
    return rows


def json_lines(rows: list[Row]) -> list[str]:
    """Rows as JSON Lines; missing values are left out."""
    return [json.dumps({name: value for name, value in row.items() if value is not None}) for row in rows]


@pytest.fixture
def run() -> Run:
    """Run a command in this process."""

    def invoke(*arguments: object) -> Result:
        return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="wmsketch")

    return invoke


class Killed(BaseException):
    """Simulates kill -9 right after a checkpoint."""


@contextmanager
def killed_after(saves: int) -> Iterator[list[int]]:
    """Interrupt training after this many checkpoints; the list counts them."""
    count = [0]
    save = Training.save

    def save_and_die(training: Training) -> bool:
        done = save(training)
        count[0] += 1
        if count[0] == saves:
            raise Killed
        return done

    patch = pytest.MonkeyPatch()
    patch.setattr(Training, "save", save_and_die)
    try:
        yield count
    except Killed:
        pass
    finally:
        patch.undo()


def every_resume_ends_the_same(run: Run, address: str, folder: Path, *options: str) -> None:
    """Train once; then interrupt after the first, a middle and the last checkpoint and resume to the same bytes."""
    whole, cut = folder / "whole.wms", folder / "cut.wms"
    arguments = ["train", address, *(options or TRAIN), "--checkpoint-every", 1, "--save"]
    with killed_after(0) as saves:
        result = run(*arguments, whole)
        assert result.exit_code == 0, result.output
    assert saves[0] > 2, "the rows must be more than a block"
    for number in sorted({1, saves[0] // 2, saves[0] - 1}):
        cut.unlink(missing_ok=True)
        with killed_after(number):
            run(*arguments, cut)
        assert cut.read_bytes() != whole.read_bytes() or number == saves[0] - 1
        again = options[options.index("--rejects") :][:2] if "--rejects" in options else ()
        resumed = run("train", address, "--resume", cut, "--top", "0", *again)
        assert resumed.exit_code == 0, resumed.output
        assert cut.read_bytes() == whole.read_bytes(), f"cut off after checkpoint {number}"


def refuses_any_note(run: Run, address: str, shown: str, folder: Path, places: list[Any], extents: list[Any]) -> None:
    """Check that any damaged position in a model file is an error in one line, without a traceback."""
    from wmsketch import AWMSketch

    model, path = AWMSketch("4KiB"), folder / "note.wms"
    model.learn_many([{"a": 1.0}, {"b": 1.0}], [True, False])
    for at, extent in [
        *((place, extents[0]) for place in places[1:]),
        *((places[0], extent) for extent in extents[1:]),
    ]:
        position = {"pass": 0, "file": 0, "file_rows": 1, "rows": 1, "mark": {"rows": 1, "at": at}}
        inputs = [{"name": shown, "bytes": None, "extent": extent}]
        training = {"inputs": inputs, "passes": 1, "holdout": None, "position": position}
        model.save(path, note={"reader": {"label": "sold"}, "training": training})
        result = run("train", address, "--resume", path)
        assert result.exit_code == 1 and "internal error" not in result.stderr, (at, extent, result.output)
        assert len(result.stderr.splitlines()) == 1


def same_model(one: Path, other: Path) -> bool:
    """Return whether two files contain the same model, ignoring their notes."""
    from wmsketch import load

    plain = []
    for path in (one, other):
        load(path).save(path.with_suffix(".plain"))
        plain.append(path.with_suffix(".plain").read_bytes())
    return plain[0] == plain[1]


def _serve(server: Any) -> Iterator[Any]:
    try:
        with server as port:
            yield port
    except Missing as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def redis_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    pytest.importorskip("redis", reason="the package redis is not installed (pip install 'wmsketch[redis]')")
    yield from _serve(redis_server(tmp_path_factory.mktemp("redis"), "s3cret"))


@pytest.fixture(scope="session")
def postgres_port() -> Iterator[int]:
    pytest.importorskip(
        "adbc_driver_postgresql", reason="its driver is not installed (pip install 'wmsketch[postgres]')"
    )
    yield from _serve(postgres_server())


@pytest.fixture(scope="session")
def kafka() -> Iterator[KafkaBrokers]:
    yield from _serve(kafka_brokers())
