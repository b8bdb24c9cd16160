"""The Open Inference Protocol, version 2: learners as models, columns as inputs, reasons as an extra output."""

from __future__ import annotations

import json
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from wmsketch import __version__
from wmsketch.errors import ParameterError
from wmsketch.records import plain
from wmsketch.serve.http.answers import answer
from wmsketch.serve.http.operations import Operation
from wmsketch.serve.http.requests import Bodies, json_of
from wmsketch.serve.rows import BadBody, TooLarge
from wmsketch.serve.service import Service
from wmsketch.serve.tasks.learn import LearnTask, label_text
from wmsketch.serve.tasks.task import Row

_MOST_ROWS = 10_000


def _outputs(task: LearnTask) -> dict[Any, str]:
    """Return the outputs of a learner and their types."""
    if task.numeric:
        return {"label": "FP64", "reasons": "BYTES"}
    return {"label": "BYTES", "probability": "FP64", "reasons": "BYTES"}


def _value(output: Any, predicted: dict[str, Any]) -> Any:
    """Return one output of a predicted row."""
    label = predicted["label"]
    if output == "reasons":
        return json.dumps(plain(predicted["reasons"]))
    if "probabilities" not in predicted:
        return label
    return label_text(label) if output == "label" else predicted["probabilities"][label_text(label)]


def rows_of_inputs(document: Any) -> list[Row]:
    """Return rows from inputs: a column each, named as its tensor, with one value for each row.

    >>> rows_of_inputs({"inputs": [{"name": "city", "shape": [2], "datatype": "BYTES", "data": ["Rome", "Oslo"]}]})
    [{'city': 'Rome'}, {'city': 'Oslo'}]
    """
    inputs = document.get("inputs") if isinstance(document, dict) else None
    if not isinstance(inputs, list) or not inputs or not all(isinstance(each, dict) for each in inputs):
        raise BadBody("expected inputs: a list of tensors")
    columns: dict[str, list[Any]] = {}
    for each in inputs:
        name, data, shape = each.get("name"), each.get("data"), each.get("shape")
        if not isinstance(name, str) or not isinstance(data, list):
            raise BadBody("expected name and data in each input")
        while len(data) and isinstance(data[0], list):  # nested data: a shape like [n, 1]
            data = [value for inner in data for value in (inner if isinstance(inner, list) else [inner])]
        if isinstance(shape, list) and shape and shape[0] != len(data):
            raise BadBody(
                f"expected {shape[0]} values in the input {name!r}, found {len(data)}: a tensor is one column"
            )
        columns[name] = data
    n = len(next(iter(columns.values())))
    if any(len(data) != n for data in columns.values()):
        raise BadBody("expected as many values in each input")
    if n > _MOST_ROWS:
        raise TooLarge(f"a request has at most {_MOST_ROWS:,} rows")
    return [{name: data[i] for name, data in columns.items() if data[i] is not None} for i in range(n)]


class InferenceRequests:
    """Handlers over one service."""

    def __init__(self, service: Service, bodies: Bodies) -> None:
        self._service, self._bodies = service, bodies

    def _task(self, request: Request) -> LearnTask:
        job = self._service.job(request.path_params["name"])
        if not isinstance(job.task, LearnTask):
            raise ParameterError("name", f"must be a learner; this job is of the kind {job.spec.kind}")
        return job.task

    async def server(self, request: Request) -> Response:
        return answer({"name": "wmsketch", "version": __version__, "extensions": []})

    async def live(self, request: Request) -> Response:
        return answer({"live": True})

    async def ready(self, request: Request) -> Response:
        return answer({"ready": self._service.ready}, 200 if self._service.ready else 503)

    async def model_ready(self, request: Request) -> Response:
        self._task(request)
        return answer({"name": request.path_params["name"], "ready": True})

    async def model(self, request: Request) -> Response:
        kinds = _outputs(self._task(request))
        outputs = [{"name": name, "datatype": kind, "shape": [-1]} for name, kind in kinds.items()]
        document = {"name": request.path_params["name"], "versions": ["1"], "platform": "wmsketch"}
        return answer({**document, "inputs": [{"name": "*", "datatype": "BYTES", "shape": [-1]}], "outputs": outputs})

    async def infer(self, request: Request) -> Response:
        task = self._task(request)
        unpack = self._bodies.unpacked(request)
        body = await self._bodies.read(request)
        outputs, given = await run_in_threadpool(lambda: self._infer(task, json_of(unpack(body))))
        return answer({"model_name": request.path_params["name"], "model_version": "1", **given, "outputs": outputs})

    def _infer(self, task: LearnTask, document: Any) -> tuple[list[dict[str, Any]], dict[str, str]]:
        rows = rows_of_inputs(document)
        kinds = _outputs(task)
        asked = document.get("outputs") or [{"name": name} for name in kinds if name != "reasons"]
        if not isinstance(asked, list) or not all(isinstance(each, dict) for each in asked):
            raise BadBody("expected outputs: a list of objects with a name")
        names = [each.get("name") for each in asked]
        if unknown := [name for name in names if name not in kinds]:
            raise BadBody(f"expected outputs among {', '.join(kinds)}, found {str(unknown[0])[:80]!r}")
        found = task.predict(rows, 10 if "reasons" in names else 0)
        outputs = [
            {
                "name": name,
                "datatype": kinds[name],
                "shape": [len(rows)],
                "data": [_value(name, each) for each in found],
            }
            for name in names
        ]
        given = document.get("id")
        return outputs, {"id": given} if isinstance(given, str) else {}

    def operations(self) -> list[Operation]:
        """Return what these handlers answer."""
        model = "/v2/models/{name}"
        bodies = {"application/json": {"type": "object", "required": ["inputs"]}}
        return [
            Operation("GET", "/v2", self.server, "The inference server"),
            Operation("GET", "/v2/health/live", self.live, "Whether the process runs", ""),
            Operation("GET", "/v2/health/ready", self.ready, "Whether models answer", "", answers=(200, 503)),
            Operation("GET", model, self.model, "A learner as a model"),
            Operation("GET", f"{model}/ready", self.model_ready, "Whether a model answers"),
            Operation("POST", f"{model}/infer", self.infer, "Predict by the Open Inference Protocol", bodies=bodies),
        ]
