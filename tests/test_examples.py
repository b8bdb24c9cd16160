"""The demo answers realistic questions and checks its own answers."""

from __future__ import annotations

import importlib
import re
import runpy
from pathlib import Path

import pytest

DEMO = Path(__file__).parent.parent / "examples" / "late_flights.py"


@pytest.fixture(autouse=True)
def _beside_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DEMO.parent)  # as for a script


def test_the_demo_checks_its_answers_on_some_flights(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = importlib.import_module("new_york_flights")
    monkeypatch.setattr(data, "flights", data.flights.sample(20_000, random_state=0))
    runpy.run_path(str(DEMO), run_name="__main__")
    shown = capsys.readouterr().out
    [(agree, of)] = re.findall(r"agrees with exact counts: (\d+) of (\d+)", shown)
    assert agree == of
    assert "the same probability, to the last bit: True" in shown
    assert "+0.000" not in shown
    assert len(shown.splitlines()) < 60


@pytest.mark.slow
def test_the_demo_predicts_december_as_well_as_batch(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(DEMO), run_name="__main__")
    shown = capsys.readouterr().out
    assert "agrees with exact counts: 20 of 20" in shown
    errors = {}
    for name in ("always 'on time'", "wmsketch", "in order of time", "scikit-learn, batch"):
        [line] = [line for line in shown.splitlines() if line.startswith(f"  {name}  ")]
        errors[name] = float(line.split(name)[1].split()[0])
    for ours in (errors["wmsketch"], errors["in order of time"]):
        assert ours < 1.03 * errors["scikit-learn, batch"]
        assert ours < 0.95 * errors["always 'on time'"]
