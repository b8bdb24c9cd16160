"""The page: files of this package, and nothing else."""

from __future__ import annotations

from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

from wmsketch.serve.http.answers import refusal
from wmsketch.serve.http.operations import Operation

_KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}


def _load() -> dict[str, tuple[bytes, str]]:
    """Return the files by name: a request can ask for these names only."""
    found = {}
    for file in files("wmsketch.serve").joinpath("page").iterdir():
        suffix = "." + file.name.rpartition(".")[2]
        if suffix in _KINDS:
            found[file.name] = file.read_bytes(), f"{_KINDS[suffix]}; charset=utf-8"
    return found


def page_operations() -> list[Operation]:
    """Return the requests for the page; it holds no data, so everybody may have it."""
    loaded = _load()

    def answered(name: str) -> Response:
        if name not in loaded:
            return refusal(404, "there is no such file")
        body, kind = loaded[name]
        return Response(body, headers={"cache-control": "no-cache"}, media_type=kind)

    async def index(request: Request) -> Response:
        return answered("index.html")

    async def static(request: Request) -> Response:
        return answered(request.path_params["file"])

    return [
        Operation("GET", "/", index, "The page", "", described=False),
        Operation("GET", "/static/{file}", static, "A file of the page", "", described=False),
    ]
