"""Requests about jobs: list, create, delete, rows in, answers out."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from wmsketch.errors import ParameterError
from wmsketch.serve.http.answers import answer
from wmsketch.serve.http.operations import FLAG, ROWS, TEXT, WHOLE, Operation
from wmsketch.serve.http.requests import Bodies, flag, json_of, whole
from wmsketch.serve.http.row_bodies import decoder
from wmsketch.serve.http.submit import submitted
from wmsketch.serve.job import Job
from wmsketch.serve.rows import BadBody, rows_of_json
from wmsketch.serve.service import Service

_MOST_PREDICTED = 10_000
_OBJECT = {"type": "object"}


def job_record(job: Job) -> dict[str, Any]:
    """Return what there is to say about a job."""
    counts = job.counts
    return {
        "name": job.spec.name,
        "kind": job.spec.kind,
        "budget_bytes": job.task.budget_bytes,
        "queue_bytes": job.policy.queue_bytes,
        "queued_bytes": job.queued_bytes,
        "rows": counts.rows,
        "rows_learned": counts.rows_learned,
        "rows_refused": counts.rows_refused,
        "rows_per_second": counts.rows_per_second,
        "last_problem": counts.last_problem,
        "problem": job.problem or job.source_problem,
        **job.task.summary(),
    }


class JobRequests:
    """Handlers over one service."""

    def __init__(self, service: Service, bodies: Bodies) -> None:
        self._service, self._bodies = service, bodies

    def _job(self, request: Request) -> Job:
        return self._service.job(request.path_params["name"])

    def _task(self, request: Request, method: str) -> Any:
        job = self._job(request)
        if not hasattr(job.task, method):
            raise ParameterError("name", f"must be a job that can {method}; this one is of the kind {job.spec.kind}")
        return job.task

    async def all(self, request: Request) -> Response:
        jobs = await run_in_threadpool(lambda: [job_record(job) for job in list(self._service.jobs.values())])
        service = self._service
        return answer({"jobs": jobs, "memory_bytes": service.memory, "reserved_bytes": service.reserved_bytes})

    async def create(self, request: Request) -> Response:
        document = json_of(await self._bodies.read(request))
        if not isinstance(document, dict):
            raise BadBody("expected an object with name, kind and settings")
        job = await run_in_threadpool(self._service.create, document.get("name"), document)
        return answer(job_record(job), 201)

    async def show(self, request: Request) -> Response:
        job = self._job(request)
        return answer({**await run_in_threadpool(job_record, job), "settings": dict(job.spec.settings)})

    async def delete(self, request: Request) -> Response:
        await run_in_threadpool(self._service.delete, request.path_params["name"])
        return answer({"deleted": request.path_params["name"]})

    async def rows(self, request: Request) -> Response:
        job = self._job(request)
        decode = decoder(request, self._bodies)
        body = await self._bodies.read(request)
        done = await submitted(job, lambda: decode(body), len(body), request, wait=flag(request, "wait"))
        return answer(done)

    async def top(self, request: Request) -> Response:
        task, k = self._task(request, "top"), whole(request, "k", 20, 1, 1000)
        history = self._job(request).history
        return answer(
            {"rows": await run_in_threadpool(task.top, k), "history": history.weights(), "since": history.since}
        )

    async def feature(self, request: Request) -> Response:
        task, feature = self._task(request, "feature"), request.query_params.get("feature", "")
        if not feature or len(feature) > 1000:
            raise ParameterError("feature", "must be a name of 1 to 1000 characters")
        return answer(await run_in_threadpool(task.feature, feature))

    async def predict(self, request: Request) -> Response:
        task, reasons = self._task(request, "predict"), whole(request, "reasons", 0, 0, 100)
        unpack = self._bodies.unpacked(request)
        body = await self._bodies.read(request)

        def predicted() -> Response:
            rows = rows_of_json(json_of(unpack(body)), _MOST_PREDICTED)
            return answer({"predictions": task.predict(rows, reasons)})

        return await run_in_threadpool(predicted)

    async def model(self, request: Request) -> Response:
        job = self._job(request)
        data = await run_in_threadpool(job.task.model.to_bytes)
        name = f'attachment; filename="{job.spec.name}.wms"'
        return Response(data, headers={"content-disposition": name}, media_type="application/octet-stream")

    def operations(self) -> list[Operation]:
        """Return what these handlers answer."""
        k, lines = {"k": {**WHOLE, "minimum": 1, "maximum": 1000}}, {"type": "string"}
        rows: dict[str, Any] = {"application/x-ndjson": lines, "application/json": {"anyOf": [_OBJECT, ROWS]}}
        rows["application/vnd.apache.arrow.stream"] = {"type": "string", "format": "binary"}
        job, reasons = "/jobs/{name}", {"reasons": {**WHOLE, "minimum": 0, "maximum": 100}}
        predicted: dict[str, Any] = {"application/json": {"anyOf": [_OBJECT, ROWS]}}
        created: dict[str, Any] = {
            "application/json": {**_OBJECT, "required": ["name", "kind"], "properties": {"name": TEXT, "kind": TEXT}}
        }
        return [
            Operation("POST", f"{job}/rows", self.rows, "Learn rows", "write", {"wait": FLAG}, bodies=rows),
            Operation("POST", f"{job}/predict", self.predict, "Predict rows", query=reasons, bodies=predicted),
            Operation("GET", "/jobs", self.all, "All jobs, with their bytes and figures"),
            Operation("POST", "/jobs", self.create, "Start a job", "admin", bodies=created, answers=(201,)),
            Operation("GET", job, self.show, "One job, with its settings"),
            Operation("DELETE", job, self.delete, "Stop a job and remove its state", "admin", answers=(200,)),
            Operation("GET", f"{job}/top", self.top, "The heaviest features, or pairs", query={**k}),
            Operation(
                "GET", f"{job}/feature", self.feature, "One feature", query={"feature": TEXT}, required=("feature",)
            ),
            Operation("GET", f"{job}/model", self.model, "The model file", content="application/octet-stream"),
        ]
