"""Take the pictures of docs/live.md from the page of `make live`, in Chromium: docs/figures/live_*.png.

python tools/live_pictures.py    # needs the extra live, and chromium
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "docs" / "figures"
SIZE = {"width": 1080, "height": 900}


def take(page: Any, address: str) -> None:
    """Draw a box around the slow requests; then predict a row of the learner."""
    page.goto(f"{address}/#/requests")
    page.locator("tbody tr[data-attributes]").first.wait_for()
    area = page.locator("canvas").bounding_box()
    right, bottom = area["x"] + area["width"], area["y"] + area["height"]
    page.mouse.move(right - 0.17 * area["width"], area["y"] + 3)
    page.mouse.down()
    page.mouse.move(right - 0.02 * area["width"], bottom - 0.66 * area["height"], steps=4)
    page.mouse.up()
    page.locator(".legend", has_text="in the box").wait_for()
    page.screenshot(path=FIGURES / "live_requests.png")
    page.goto(f"{address}/#/slow-requests")
    page.locator("table.weights").wait_for()
    page.wait_for_timeout(20_000)  # until there are lines of how weights moved
    page.get_by_label("A row as JSON").fill('{"device": "tablet", "region": "eu-west", "version": "2.4"}')
    page.get_by_role("button", name="Predict").click()
    page.locator(".verdict").wait_for()
    page.screenshot(path=FIGURES / "live_learner.png", full_page=True)


def main() -> None:
    """Start the example, take the pictures, end it."""
    command = [sys.executable, ROOT / "examples" / "live.py", "--port", "8763"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as live, sync_playwright() as playwright:
        try:
            address = live.stdout.readline().split()[1]
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            take(browser.new_page(viewport=SIZE), address)
            browser.close()
        finally:
            live.send_signal(2)  # as Ctrl-C does


if __name__ == "__main__":
    main()
