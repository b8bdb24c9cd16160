"""What a person sees: the page in a real browser."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from tests.serve.conftest import CLICKS, Process
from tests.serve.test_jobs import clicks
from tests.serve.test_windows import requests

WEB = {"name": "web", "kind": "explain", "measure": "ms", "outlier": "ms>=500", "budget": "8MiB", "ignore": ["user"]}


def first_attribute(page: Any) -> Any:
    return page.locator("tbody tr[data-attributes]").first


def test_a_learner_shows_its_features_error_and_reasons(page: Any, service: Process) -> None:
    service.client.post("/jobs", json=CLICKS)
    page.goto(f"{service.address}/#/clicks")
    page.get_by_text("No rows yet.").wait_for()
    service.client.post("/jobs/clicks/rows?wait=1", json=clicks(400))
    page.locator("td.feature", has_text="city=Rome").wait_for()
    assert "online error" in page.locator(".tiles").inner_text() and "50 %" in page.locator(".tiles").inner_text()
    page.get_by_label("A row as JSON").fill('{"city": "Rome", "price": 3}')
    page.get_by_role("button", name="Predict").click()
    verdict = page.locator(".verdict")
    verdict.wait_for()
    assert verdict.inner_text().startswith("true")
    page.get_by_label("Search a feature").fill("city=Oslo")
    page.get_by_text("city=Oslo: weight -").wait_for()
    assert "feature=city%3DOslo" in page.url


def test_two_hundred_features_and_a_script_in_a_name(page: Any, service: Process) -> None:
    service.client.post("/jobs", json={**CLICKS, "budget": "64KiB"})
    script = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    rows = [{"city": script if i % 3 == 0 else f"city{i % 900}", "bought": i % 3 == 0} for i in range(3000)]
    service.client.post("/jobs/clicks/rows?wait=1", json=rows)
    page.goto(f"{service.address}/#/clicks")
    page.get_by_text(script).first.wait_for()
    assert page.locator("table.weights tbody tr").count() == 200
    assert page.locator("img").count() == 0


def test_a_box_on_the_heat_map_ranks_what_is_different(page: Any, service: Process) -> None:
    service.client.post("/jobs", json=WEB)
    service.client.post("/jobs/web/rows?wait=1", json=requests(3000, 1, broken=True))
    page.goto(f"{service.address}/#/web")
    first_attribute(page).wait_for()
    assert first_attribute(page).get_attribute("data-attributes") == "device=tablet & region=eu"
    area = page.locator("canvas").bounding_box()
    page.mouse.move(area["x"] + area["width"] * 0.97, area["y"] + 3)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] - 2, area["y"] + area["height"] * 0.33, steps=4)
    page.mouse.up()
    page.locator(".legend", has_text="in the box").wait_for()
    assert first_attribute(page).get_attribute("data-attributes") == "device=tablet & region=eu"
    page.get_by_role("button", name="region=eu", exact=True).first.click()
    page.locator(".chip", has_text="region=eu").wait_for()
    page.locator("tbody tr[data-attributes='device=tablet']").wait_for()
    link = page.url
    assert "begin=" in link and "where=region%3Deu" in link
    page.goto("about:blank")
    page.goto(link)  # another person opens the link
    page.locator(".chip", has_text="region=eu").wait_for()
    page.locator(".legend", has_text="in the box").wait_for()


def test_hours_are_shown_and_a_link_brings_another_person_there(page: Any, service: Process) -> None:
    service.client.post("/jobs", json={**WEB, "windows": [[10, "1min"], [24, "1h"], [7, "1d"]], "time": "ts"})
    now = time.time()
    rows = [{**row, "ts": now - 3600 * (i % 5)} for i, row in enumerate(requests(1500, 1, broken=True))]
    service.client.post("/jobs/web/rows?wait=1", json=rows)
    page.goto(f"{service.address}/#/web")
    page.get_by_text("ms by time, 1 minute each").wait_for()
    page.get_by_role("button", name="1 day", exact=True).click()
    page.get_by_text("ms by time, 1 hour each").wait_for()
    assert "ring=1" in page.url
    page.reload()
    page.get_by_text("ms by time, 1 hour each").wait_for()
    heat = service.client.get("/jobs/web/heatmap?ring=1").json()
    assert len(heat["counts"]) == 24 and sum(map(sum, heat["counts"])) == 1500
    assert service.client.get("/jobs/web/heatmap?ring=3").status_code == 400


def test_the_focus_stays_and_screen_readers_hear_the_answer_once(page: Any, service: Process) -> None:
    service.client.post("/jobs", json=WEB)
    service.client.post("/jobs/web/rows?wait=1", json=requests(2000, 1, broken=True))
    page.goto(f"{service.address}/#/web")
    first_attribute(page).wait_for()
    spoken = page.locator(".spoken")
    assert "device=tablet & region=eu is" in spoken.inner_text() and "500 or more" in spoken.inner_text()
    assert page.locator("[aria-live=polite]").count() == 0  # a table that changes every second is not read out
    first_attribute(page).get_by_role("button").first.focus()
    old = first_attribute(page).element_handle()
    service.client.post("/jobs/web/rows?wait=1", json=requests(500, 2, broken=True))
    page.wait_for_function("row => !row.isConnected", arg=old)
    assert page.evaluate("document.activeElement.textContent") == "device=tablet"


def test_features_by_change_and_a_row_to_begin_with(page: Any, service: Process) -> None:
    service.client.post("/jobs", json=CLICKS)
    service.client.post("/jobs/clicks/rows?wait=1", json=[{**row, "shop": "old"} for row in clicks(200)])
    page.goto(f"{service.address}/#/clicks")
    page.locator("td.feature", has_text="city=Rome").wait_for()
    assert json.loads(page.get_by_label("A row as JSON").input_value())["city"] in ("Rome", "Oslo")
    time.sleep(2.1)  # the next point of the history
    late = [{"city": "Bern", "bought": True}] * 300
    service.client.post("/jobs/clicks/rows?wait=1", json=late)
    page.get_by_role("button", name="By change").click()
    page.locator("table.weights tbody tr", has_text="city=Bern").wait_for()
    assert page.locator("table.weights tbody td.feature").first.inner_text() == "city=Bern"
    assert page.get_by_text("change since").count() == 1 and "order=change" in page.url


def test_the_keyboard_draws_a_box_too(page: Any, service: Process) -> None:
    service.client.post("/jobs", json=WEB)
    service.client.post("/jobs/web/rows?wait=1", json=requests(3000, 1, broken=True))
    page.goto(f"{service.address}/#/web")
    first_attribute(page).wait_for()
    page.locator("canvas").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+ArrowUp")
    page.locator(".legend", has_text="in the box").wait_for()
    page.keyboard.press("Escape")
    page.locator(".legend", has_text="all below").wait_for()


def test_the_page_connects_again_after_a_restart(page: Any, service: Process, tmp_path: Path) -> None:
    service.client.post("/jobs", json=CLICKS)
    service.client.post("/jobs/clicks/rows?wait=1", json=clicks(100))
    page.goto(f"{service.address}/#/clicks")
    page.locator(".connection.on").wait_for()
    service.kill()
    page.get_by_text("reconnecting").wait_for()
    again = Process(tmp_path, "--port", service.address.rpartition(":")[2])
    try:
        page.locator(".connection.on").wait_for()
        page.get_by_text("100 rows").first.wait_for()
        again.client.post("/jobs/clicks/rows?wait=1", json=clicks(50))
        page.get_by_text("150 rows").first.wait_for()
    finally:
        again.kill()


def test_phone_width_and_dark_mode(browser: Any, service: Process) -> None:
    service.client.post("/jobs", json=WEB)
    service.client.post("/jobs/web/rows?wait=1", json=requests(2000, 1, broken=True))
    page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
    page.goto(f"{service.address}/#/web")
    first_attribute(page).wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.get_by_label("Switch between light and dark").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.close()


def test_a_service_with_tokens_asks_for_one(browser: Any, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("admin admin-token-0123456789\n")
    running = Process(tmp_path / "jobs", "--tokens", str(tokens))
    page = browser.new_page()
    try:
        headers = {"authorization": "Bearer admin-token-0123456789"}
        assert running.client.post("/jobs", json=CLICKS, headers=headers).status_code == 201
        page.goto(running.address)
        page.get_by_label("Token").fill("admin-token-0123456789")
        page.get_by_role("button", name="Use this token").click()
        page.locator("nav .name", has_text="clicks").wait_for()
    finally:
        page.close()
        running.kill()
