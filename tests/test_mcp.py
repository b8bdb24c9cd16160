"""The MCP server, asked by the SDK's own client: answers, and what it refuses to read."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from wmsketch import AWMSketch

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")

ROWS = [("eu" if i % 7 == 0 else "us", 900 if i % 7 == 0 else 80, "yes" if i % 7 else "no") for i in range(700)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    served = tmp_path / "served"
    served.mkdir()
    text = "region,ms,ok\n" + "".join(f"{region},{ms},{ok}\n" for region, ms, ok in ROWS)
    (served / "requests.csv").write_text(text)
    (served / "before.txt").write_text("new york is big\n" * 50)
    (served / "after.txt").write_text("new york is small\n" * 50)
    (tmp_path / "secret.csv").write_text(text)
    (served / "link.csv").symlink_to(tmp_path / "secret.csv")
    model = AWMSketch("4KiB").learn_file(served / "requests.csv", label="ok", positive="no", features=["region"])
    model.save(served / "ok.wms")
    return served


def ask(folder: Path, conversation: Callable[[Any], Awaitable[Any]]) -> Any:
    from wmsketch.mcp.server import make_server

    async def talk() -> Any:
        async with mcp.Client(make_server(folder)) as client:
            return await conversation(client)

    return asyncio.run(talk())


def call(folder: Path, tool: str, **arguments: Any) -> Any:
    result = ask(folder, lambda client: client.call_tool(tool, arguments))
    text = "\n".join(part.text for part in result.content)
    assert not result.is_error, text
    return json.loads(text)


def refusal(folder: Path, tool: str, **arguments: Any) -> str:
    result = ask(folder, lambda client: client.call_tool(tool, arguments))
    assert result.is_error
    return "\n".join(part.text for part in result.content)


def test_every_tool_says_that_it_only_reads(folder: Path) -> None:
    tools = ask(folder, lambda client: client.list_tools()).tools
    assert {tool.name for tool in tools} == {"list_files", "explain", "diff", "pmi", "train", "predict"}
    assert all(tool.annotations.read_only_hint for tool in tools)


def test_explain_is_the_json_of_the_command_and_a_sentence(folder: Path) -> None:
    found = call(folder, "explain", file="requests.csv", outlier="ms>500", ignore=["ok"])
    assert found["answer"]["rows"][0]["attributes"] == {"region": "eu"}
    assert "every count is exact" in found["exactness"]


def test_diff_pmi_train_and_predict_answer(folder: Path) -> None:
    found = call(folder, "diff", first="before.txt", second="after.txt")
    assert "every count is exact" in found["exactness"]
    assert "every count is exact" in call(folder, "pmi", file="before.txt")["exactness"]
    trained = call(folder, "train", file="requests.csv", label="ok", positive="no", ignore=["ms"], budget="8KiB")
    assert trained["answer"]["examples"] == 700
    assert "700 rows" in trained["exactness"]
    predicted = call(folder, "predict", file="requests.csv", model="ok.wms")
    assert predicted["answer"]["predicted"] == 700
    assert predicted["answer"]["rows"][0]["label"] == "no"


@pytest.mark.parametrize("name", ["../secret.csv", "link.csv", "/etc/passwd", "kafka://host/topic", "-", "*.csv"])
def test_what_is_not_in_the_folder_is_refused(folder: Path, name: str) -> None:
    assert "outside" in (text := refusal(folder, "explain", file=name, outlier="ms>500")) or "no file" in text


def test_a_value_cannot_be_an_option(folder: Path) -> None:
    before = sorted(folder.parent.rglob("*"))
    text = refusal(folder, "train", file="requests.csv", label="--save=stolen.wms")
    assert "stolen.wms" in text
    assert sorted(folder.parent.rglob("*")) == before


def test_errors_are_those_of_the_command(folder: Path) -> None:
    assert "'speed'" in refusal(folder, "explain", file="requests.csv", outlier="speed>500")


def test_it_serves_over_standard_input_and_output(folder: Path) -> None:
    async def talk() -> Any:
        command = mcp.StdioServerParameters(command=sys.executable, args=["-m", "wmsketch.mcp", str(folder)])
        async with mcp.Client(command) as client:
            return await client.call_tool("list_files", {})

    names = "\n".join(part.text for part in asyncio.run(talk()).content)
    assert "requests.csv" in names
    assert "link.csv" not in names
    done = subprocess.run([sys.executable, "-m", "wmsketch.mcp", "nowhere"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "usage" in done.stderr
