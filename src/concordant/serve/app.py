"""The application: the page, the HTTP API, and how errors are told."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Form, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi.staticfiles import StaticFiles
from pydantic import Field
from starlette.exceptions import HTTPException

from concordant._version import __version__

# Here and not where it is used: loading takes most of a second, in which nobody is answered.
from concordant.formats import FORMATS
from concordant.serve import models
from concordant.serve.examples import EXAMPLES
from concordant.serve.frames import whole
from concordant.serve.jobs import Busy, Job, Jobs, Source
from concordant.serve.limits import Limits
from concordant.serve.pool import OutOfTime, PoolBroken, TaskFailed, WorkerDied
from concordant.serve.security import REPORT_POLICY, Guard, Hosts

_STATIC = Path(__file__).parent / "static"
_LONGEST_NAME = 255
_SUFFIX = re.compile(r"(?:\.[a-z0-9]{1,12}){1,2}$")
_WITH_VOTERS = ["positions", "pairwise", "agreement", "bump"]
_PLOT_NAME = "positions|pairwise|agreement|bump|bootstrap"


class ApiError(Exception):
    """A request that is answered with an error: its status, what is wrong, and more headers."""

    def __init__(self, status: int, detail: str, line: int | None = None, **headers: str) -> None:
        super().__init__(detail)
        self.status = status
        self.problem = models.Problem(detail=detail, line=line)
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def _errors(*codes: int) -> dict[int | str, dict[str, Any]]:
    meanings = {
        400: "The body is not what its type says.",
        403: "The request comes from the page of another site.",
        404: "There is no such job, or it was forgotten.",
        408: "The request took too long to arrive.",
        409: "The job has no result, or not yet.",
        413: "The body is larger than the server takes.",
        421: "The Host header names another server.",
        422: "A value that cannot be; `detail` says which.",
        429: "There is too much to do. `Retry-After` says when to try again.",
        503: "The process that worked on it ended, or took too long.",
    }
    return {code: {"model": models.Problem, "description": meanings[code]} for code in codes}


class Upload(models.Reading):
    """A file of rankings."""

    file: UploadFile


class UploadJob(Upload):
    """A file of rankings, and how long to search."""

    time_limit: float | None = Field(default=None, gt=0, description="Seconds to search.")
    seed: int = Field(default=0, ge=0, le=2**63 - 1)
    bootstrap: int = Field(default=0, ge=0)


_EVENT = {
    "type": "object",
    "properties": {
        "event": {"type": "string", "enum": ["progress", "end"]},
        "data": {"type": "string", "description": "A `Status` in JSON."},
    },
    "required": ["event", "data"],
}
_AsForm = Form(media_type="multipart/form-data")
_BODY = _errors(400, 403, 408, 413, 421, 422, 429)
_JOB = _errors(404, 421, 422)

api = APIRouter(prefix="/api")


def _jobs(request: Request) -> Jobs:
    jobs: Jobs = request.app.state.jobs
    return jobs


def _job(request: Request, name: str) -> Job:
    job = _jobs(request).get(name)
    if job is None:
        raise ApiError(404, "there is no such job: jobs are forgotten after a while")
    return job


def _check_works(jobs: Jobs) -> None:
    if jobs.solvers.is_broken or jobs.helpers.is_broken:
        raise PoolBroken


def _source(given: models.Reading, content: bytes, name: str) -> Source:
    found = _SUFFIX.search(name.lower())
    keys = set(models.Reading.model_fields)
    reading = given.model_dump(include=keys, exclude_none=True)
    # A form has no better way to leave a field out than to leave it empty.
    reading = {key: value for key, value in reading.items() if value != ""}
    return Source(content, found[0] if found else "", reading, _shown_name(name))


def _shown_name(name: str) -> str:
    r"""Return what a file is called, without folders and what cannot be seen.

    Example:
        >>> _shown_name("C:\\votes\\may\n.soc"), _shown_name("../a/b.csv")
        ('may.soc', 'b.csv')
    """
    last = re.split(r"[/\\]", name)[-1]
    return whole("".join(letter for letter in last if letter.isprintable()))[:_LONGEST_NAME].strip()


def _text_source(given: models.Text) -> Source:
    # Half a character, which JSON can spell, is refused where the file is read.
    return _source(given, given.text.encode(errors="surrogatepass"), given.name)


async def _file_source(given: Upload, limits: Limits) -> Source:
    content = await given.file.read(limits.upload_bytes + 1)
    if len(content) > limits.upload_bytes:
        size = f"{limits.upload_bytes / 1e6:g} MB"
        raise ApiError(413, f"too large: this server takes at most {size}")
    if not content:
        raise ApiError(422, "file: the file is empty")
    return _source(given, content, given.file.filename or "")


# -- recognising -------------------------------------------------------------------------------


async def _recognise(jobs: Jobs, source: Source) -> models.Recognised:
    _check_works(jobs)
    try:
        answer, _ = await jobs.help("look", source)
    except TaskFailed as error:
        problem = models.Problem(detail=error.message, line=error.line, hints=error.hints)
        return models.Recognised(readable=False, problems=[problem])
    except OutOfTime:
        problem = models.Problem(detail="reading it takes too long: try the command line")
        return models.Recognised(readable=False, problems=[problem])
    except WorkerDied:
        problem = models.Problem(detail="the process that read it ended before it was done")
        return models.Recognised(readable=False, problems=[problem])
    return models.Recognised(readable=True, **answer["facts"])


@api.post("/recognise", tags=["files"], responses=_BODY | _errors(503))
async def recognise(request: Request, given: models.Text) -> models.Recognised:
    """Tell what a text holds: its format, its items and voters, its problems with their line."""
    return await _recognise(_jobs(request), _text_source(given))


@api.post("/recognise/upload", tags=["files"], responses=_BODY | _errors(503))
async def recognise_upload(
    request: Request, given: Annotated[Upload, _AsForm]
) -> models.Recognised:
    """Tell what a file holds: its format, its items and voters, its problems with their line."""
    jobs = _jobs(request)
    return await _recognise(jobs, await _file_source(given, jobs.limits))


@api.get("/examples", tags=["files"], responses=_errors(421))
async def examples() -> list[models.Example]:
    """List files to try."""
    return [
        models.Example(
            id=example.id,
            title=example.title,
            description=example.description,
            name=example.name,
        )
        for example in EXAMPLES.values()
    ]


@api.get(
    "/examples/{example}",
    tags=["files"],
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}, **_JOB},
)
async def example_text(example: str) -> Response:
    """Return the text of a file to try."""
    if example not in EXAMPLES:
        raise ApiError(404, f"there is no such example; there are {', '.join(EXAMPLES)}")
    return Response(EXAMPLES[example].content(), media_type="text/plain; charset=utf-8")


@api.get("/about", tags=["server"], responses=_errors(421))
async def about(request: Request) -> models.About:
    """Say what this server takes: its limits and the formats it reads."""
    limits = _jobs(request).limits
    names = set(models.About.model_fields) - {"version", "formats", "reading"}
    formats = [
        models.Format(name=each.name, summary=each.summary, suffixes=list(each.suffixes))
        for each in FORMATS.values()
    ]
    values: dict[str, Any] = {name: getattr(limits, name) for name in names}
    values["default_seconds"] = min(limits.default_seconds, limits.seconds)
    reading = models.reading_fields({each.name: each.summary for each in formats})
    return models.About(version=__version__, formats=formats, reading=reading, **values)


# -- jobs --------------------------------------------------------------------------------------


def _submit(jobs: Jobs, source: Source, given: models.Submission | UploadJob) -> models.Status:
    limits = jobs.limits
    seconds = given.time_limit or min(limits.default_seconds, limits.seconds)
    if seconds > limits.seconds:
        raise ApiError(422, f"time_limit: at most {limits.seconds:g} seconds on this server")
    if given.bootstrap > limits.samples:
        raise ApiError(422, f"bootstrap: at most {limits.samples:,} samples on this server")
    _check_works(jobs)
    return _status(jobs, jobs.submit(source, seconds, given.seed, given.bootstrap))


def _status(jobs: Jobs, job: Job) -> models.Status:
    return models.Status(**_status_facts(jobs, job))


def _status_facts(jobs: Jobs, job: Job) -> dict[str, Any]:
    source = None if job.facts is None else models.Recognised(readable=True, **job.facts)
    problem = None
    if job.message is not None:
        problem = models.Problem(detail=job.message, line=job.line, hints=job.hints)
    return {
        "id": job.id,
        "state": job.state,
        "phase": "starting" if job.state == "queued" and not jobs.solvers.ready else job.phase,
        "ahead": jobs.ahead_of(job),
        "time_limit": job.time_limit,
        "bootstrap": job.bootstrap,
        "progress": models.Progress(
            elapsed=job.elapsed,
            cost=job.cost,
            lower_bound=job.lower_bound,
            gap=job.gap,
            share=job.share,
        ),
        "source": source,
        "cancelling": job.cancelled and not job.is_over,
        "has_result": job.is_over and job.result is not None,
        "problem": problem,
        "plots": _plots(job),
    }


def _plots(job: Job) -> list[str]:
    if not job.is_over or job.result is None or job.facts is None:
        return []
    if job.facts["n_rankings"] is None:
        return ["pairwise"]
    return [*_WITH_VOTERS, "bootstrap"] if job.is_resampled else _WITH_VOTERS


@api.post("/jobs", status_code=202, tags=["jobs"], responses=_BODY | _errors(503))
async def submit(request: Request, given: models.Submission) -> models.Status:
    """Hand in rankings as text; the answer says where the job stands, and its id."""
    return _submit(_jobs(request), _text_source(given), given)


@api.post("/jobs/upload", status_code=202, tags=["jobs"], responses=_BODY | _errors(503))
async def submit_upload(request: Request, given: Annotated[UploadJob, _AsForm]) -> models.Status:
    """Hand in a file of rankings; the answer says where the job stands, and its id."""
    jobs = _jobs(request)
    return _submit(jobs, await _file_source(given, jobs.limits), given)


@api.get("/jobs/{job_id}", tags=["jobs"], responses=_JOB)
async def status(request: Request, job_id: str) -> models.FullStatus:
    """Say where a job stands."""
    job = _job(request, job_id)
    return models.FullStatus(**_status_facts(_jobs(request), job), points=job.points)


@api.get(
    "/jobs/{job_id}/events",
    tags=["jobs"],
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events, at least two a second. Each is called `progress`, "
            "the last one `end`, and its data is a `Status`.",
            "content": {"text/event-stream": {"schema": _EVENT}},
        },
        **_JOB,
    },
)
async def events(request: Request, job_id: str) -> StreamingResponse:
    """Follow a job live."""
    jobs = _jobs(request)
    job = _job(request, job_id)

    async def stream() -> AsyncIterator[str]:
        async for _ in jobs.follow(job):
            name = "end" if job.is_over else "progress"
            yield f"event: {name}\ndata: {_status(jobs, job).model_dump_json()}\n\n"

    return StreamingResponse(
        stream(), media_type="text/event-stream", headers={"x-accel-buffering": "no"}
    )


@api.post("/jobs/{job_id}/cancel", status_code=202, tags=["jobs"], responses=_JOB | _errors(403))
async def cancel(request: Request, job_id: str) -> models.Status:
    """Stop a job. A search that has begun ends with the best ranking it has found."""
    jobs = _jobs(request)
    job = _job(request, job_id)
    await jobs.cancel(job)
    return _status(jobs, job)


@api.delete("/jobs/{job_id}", status_code=204, tags=["jobs"], responses=_JOB | _errors(403))
async def forget(request: Request, job_id: str) -> Response:
    """Stop a job and forget it, its file and its result."""
    await _jobs(request).forget(_job(request, job_id))
    return Response(status_code=204)


def _finished(request: Request, job_id: str) -> tuple[Job, bytes, bytes]:
    job = _job(request, job_id)
    if not job.is_over:
        raise ApiError(409, "the job is not done yet: follow its events, or cancel it")
    if job.result is None or job.record is None:
        why = f": {job.message}" if job.message else ""
        raise ApiError(409, f"the job was {job.state} without a result{why}", job.line)
    return job, job.result, job.record


@api.get(
    "/jobs/{job_id}/result",
    tags=["results"],
    response_model=models.Result,
    responses=_JOB | _errors(409),
)
async def result(request: Request, job_id: str) -> Response:
    """Return the result; `concordant verify` and `Consensus.load` read it."""
    _, content, _ = _finished(request, job_id)
    return Response(content, media_type="application/json")


async def _made(request: Request, task: str, job: Job, record: bytes, **more: str) -> bytes:
    try:
        _, (content,) = await _jobs(request).help(task, job.source, record, **more)
    except TaskFailed as error:
        raise ApiError(503 if error.kind != "input" else 409, error.message) from None
    except OutOfTime:
        raise ApiError(503, "it took too long: use the command line") from None
    except WorkerDied:
        raise ApiError(503, "the process ended before it was done: try again") from None
    return content


@api.get(
    "/jobs/{job_id}/report",
    tags=["results"],
    response_class=Response,
    responses={
        200: {"content": {"text/html": {"schema": {"type": "string"}}}},
        **_JOB,
        **_errors(409, 429, 503),
    },
)
async def report(request: Request, job_id: str) -> Response:
    """Return the report, one page that needs nothing else, as a file to save."""
    job, _, record = _finished(request, job_id)
    content = await _made(request, "report", job, record)
    headers = {
        "content-disposition": 'attachment; filename="concordant-report.html"',
        "content-security-policy": REPORT_POLICY,
    }
    return Response(content, media_type="text/html; charset=utf-8", headers=headers)


@api.get(
    "/jobs/{job_id}/plots/{plot}.png",
    tags=["results"],
    response_class=Response,
    responses={
        200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}},
        **_JOB,
        **_errors(409, 429, 503),
    },
)
async def plot(request: Request, job_id: str, plot: str) -> Response:
    """Return a picture of the result; the status of a job lists which there are."""
    job, _, record = _finished(request, job_id)
    if plot not in _plots(job):
        raise ApiError(404, f"there is no such picture; there are {', '.join(_plots(job))}")
    content = await _made(request, "draw", job, record, picture=plot)
    return Response(
        content, media_type="image/png", headers={"cache-control": "private, max-age=600"}
    )


# -- the whole ---------------------------------------------------------------------------------


async def health(request: Request, response: Response) -> models.Health:
    """Say whether the server works; 503 when it cannot search."""
    jobs = _jobs(request)
    broken = jobs.solvers.is_broken or jobs.helpers.is_broken
    ready = jobs.solvers.ready and jobs.helpers.ready
    if broken:
        response.status_code = 503
    return models.Health(
        status="broken" if broken else "ok" if ready else "starting",
        version=__version__,
        solvers=jobs.solvers.ready,
        helpers=jobs.helpers.ready,
        queued=jobs.count("queued"),
        running=jobs.count("running"),
        submitted=jobs.submitted,
        **jobs.ended,
    )


def create_app(limits: Limits | None = None, hosts: Hosts | None = None) -> FastAPI:
    """Return the application, for uvicorn or any other ASGI server.

    Args:
        limits: How much it takes on.
        hosts: The names it answers to; those of this machine by default.
    """
    limits = limits or Limits()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        jobs = Jobs(limits)
        app.state.jobs = jobs
        jobs.start()
        try:
            yield
        finally:
            await jobs.close()

    app = FastAPI(
        title="Concordant",
        summary="The ranking that agrees best with many rankings, and a proof of how good it is.",
        version=__version__,
        lifespan=lifespan,
        # The pages that FastAPI has for these load scripts from other servers.
        docs_url=None,
        redoc_url=None,
    )
    app.include_router(api)
    app.get("/healthz", tags=["server"], responses={503: {"model": models.Health}, **_errors(421)})(
        health
    )
    app.mount("/", StaticFiles(directory=_STATIC, html=True))
    app.add_exception_handler(ApiError, _tell_api_error)
    app.add_exception_handler(Busy, _tell_busy)
    app.add_exception_handler(PoolBroken, _tell_broken)
    app.add_exception_handler(HTTPException, _tell_http)
    app.add_exception_handler(RequestValidationError, _tell_invalid)
    app.add_exception_handler(Exception, _tell_unforeseen)
    app.add_middleware(Guard, hosts=hosts or Hosts("127.0.0.1"), limits=limits)
    return app


def _told(
    status: int, detail: str, line: int | None = None, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    # What is repeated from a request may hold half a character.
    return JSONResponse({"detail": whole(detail), "line": line}, status, headers=headers)


async def _tell_api_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)
    return _told(error.status, error.problem.detail, error.problem.line, error.headers)


async def _tell_busy(request: Request, error: Exception) -> Response:
    assert isinstance(error, Busy)
    return _told(429, error.message, headers={"retry-after": str(error.seconds)})


async def _tell_broken(request: Request, error: Exception) -> Response:
    assert isinstance(error, PoolBroken)
    return _told(503, error.message, headers={"retry-after": "60"})


async def _tell_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _told(error.status_code, str(error.detail), headers=error.headers)


async def _tell_invalid(request: Request, error: Exception) -> Response:
    """Say which value is wrong and why, without repeating it: it may be long."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:])[:100]
    return _told(422, f"{place}: {first['msg']}" if place else str(first["msg"]))


async def _tell_unforeseen(request: Request, error: Exception) -> Response:
    return _told(500, "something went wrong in the server")
