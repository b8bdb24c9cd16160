"""A service in a process of its own, and a page of it in Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.serve.conftest import Process, process, serving  # noqa: F401  (fixtures)

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no chromium on this machine (Debian: apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that fails the test if its scripts fail or break the content security policy."""
    problems: list[str] = []
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    opened.on("pageerror", lambda problem: problems.append(str(problem)))
    opened.on("console", lambda line: problems.append(line.text) if "Content Security Policy" in line.text else None)
    opened.on("dialog", lambda dialog: (problems.append("a dialog opened"), dialog.dismiss()))
    yield opened
    opened.close()
    assert problems == []


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Process]:
    running = Process(tmp_path)
    yield running
    if running.process.poll() is None:
        running.kill()
