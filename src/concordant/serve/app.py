"""The application: the page and the HTTP API."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, get_args

from fastapi import APIRouter, FastAPI, Form, Query, Request, UploadFile
from fastapi.responses import Response, StreamingResponse
from fastapi.routing import APIRoute
from fastapi.staticfiles import StaticFiles
from pydantic import Field

from concordant._version import __version__
from concordant.formats import FORMATS
from concordant.serve import models
from concordant.serve.access import Access, client_of
from concordant.serve.answers import POSTED, ApiError, add_error_answers, errors
from concordant.serve.document import SERVERS, add_document
from concordant.serve.examples import EXAMPLES
from concordant.serve.frames import SEVERAL, pack, whole
from concordant.serve.job import Job, Source
from concordant.serve.jobs import Jobs
from concordant.serve.limits import Limits, in_words
from concordant.serve.login import log_in, log_out
from concordant.serve.pool import OutOfTime, PoolBroken, TaskFailed, WorkerDied
from concordant.serve.security import REPORT_POLICY, Guard, Hosts
from concordant.serve.store import Expired, Store

_STATIC = Path(__file__).parent / "static"
_LONGEST_NAME = 255
_SUFFIX = re.compile(r"(?:\.[a-z0-9]{1,12}){1,2}$")


class Upload(models.ReadingForm):
    """A file of rankings."""

    file: UploadFile
    more: list[UploadFile] = Field(
        default=[],
        max_length=1_000,
        description="Further files. Each file then has one ranking, and its name is the voter.",
    )


class UploadJob(models.Search, Upload):
    """A file of rankings, and how to search."""


_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_PICTURES = {"png": "image/png", "svg": "image/svg+xml"}
_EVENT = {
    "type": "object",
    "properties": {
        "event": {"type": "string", "enum": ["progress", "end"]},
        "data": {"type": "string", "description": "A `Status` in JSON."},
    },
    "required": ["event", "data"],
}
_AsForm = Form(media_type="multipart/form-data")
_BODY = errors(*POSTED)
_JOB = errors(404, 410, 421, 422, 503)

api = APIRouter(prefix="/api")


def _operation_id(route: APIRoute) -> str:
    """Return the name of a route's function in camel case, such as `getJob`."""
    first, *others = route.name.split("_")
    return first + "".join(map(str.capitalize, others))


def _jobs(request: Request) -> Jobs:
    jobs: Jobs = request.app.state.jobs
    return jobs


async def _job(request: Request, name: str) -> Job:
    jobs = _jobs(request)
    try:
        job = await jobs.find(name)
    except Expired:
        raise ApiError(
            410,
            "this result is no longer kept: the server keeps a result for "
            f"{in_words(jobs.limits.keep_seconds)}, or less when it has no room. Submit the "
            "rankings again",
        ) from None
    if job is None:
        raise ApiError(404, "there is no such job: check its address, or submit the rankings again")
    return job


def _check_works(jobs: Jobs) -> None:
    if jobs.solvers.is_broken or jobs.helpers.is_broken:
        raise PoolBroken


def _source(given: models.Reading, content: bytes, name: str) -> Source:
    found = _SUFFIX.search(name.lower())
    keys = set(models.Reading.model_fields)
    reading = given.model_dump(include=keys, exclude_none=True)
    # An empty field of a form counts as left out.
    reading = {key: value for key, value in reading.items() if value != ""}
    return Source(content, found[0] if found else "", reading, _shown_name(name))


def _shown_name(name: str) -> str:
    r"""Return the name of a file without its folders and without invisible characters.

    Example:
        >>> _shown_name("C:\\votes\\may\n.soc"), _shown_name("../a/b.csv")
        ('may.soc', 'b.csv')
    """
    last = re.split(r"[/\\]", name)[-1]
    return whole("".join(letter for letter in last if letter.isprintable()))[:_LONGEST_NAME].strip()


def _text_source(given: models.Text) -> Source:
    # JSON can hold surrogates. The reader of the file refuses them.
    return _source(given, given.text.encode(errors="surrogatepass"), given.name)


def _left_out_of(source: Source, rules: models.Rules) -> Source:
    """Return the same file, read without the items and voters that a request leaves out."""
    reading = dict(source.reading)
    for name, names in rules.left_out.items():
        reading[name] = [*reading.get(name, []), *names]
    return replace(source, reading=reading)


async def _file_source(given: Upload, limits: Limits) -> Source:
    blocks, left = [], limits.upload_bytes
    for file in (given.file, *given.more):
        blocks.append(await file.read(left + 1))
        left -= len(blocks[-1])
        if left < 0:
            size = f"{limits.upload_bytes / 1e6:g} MB"
            raise ApiError(413, f"too large: this server accepts at most {size}")
        if not blocks[-1]:
            raise ApiError(422, "file: the file is empty")
    name = given.file.filename or ""
    if not given.more:
        return _source(given, blocks[0], name)
    names = [_shown_name(file.filename or "") for file in (given.file, *given.more)]
    content = pack({"names": names}, *blocks)
    return replace(_source(given, content, f"{len(names)} files"), suffix=SEVERAL)


# -- recognising -------------------------------------------------------------------------------


async def _recognise(request: Request, source: Source) -> models.Recognised:
    jobs = _jobs(request)
    _check_works(jobs)
    try:
        answer, _ = await jobs.help("recognise", source, client_of(request.scope))
    except TaskFailed as error:
        problem = models.Problem(detail=error.message, line=error.line, hints=error.hints)
    except OutOfTime:
        problem = models.Problem(detail="reading it takes too long: use the command line")
    except WorkerDied:
        problem = models.Problem(detail="the process that read it ended before it was done")
    else:
        return models.Recognised(**{"readable": True, **answer["facts"]})
    return models.Recognised(readable=False, problems=[problem])


@api.post("/recognise", tags=["files"], responses=_BODY | errors(503))
async def recognise_text(request: Request, given: models.Text) -> models.Recognised:
    """Return the format, the items, the rankings and the problems of a text."""
    return await _recognise(request, _text_source(given))


@api.post("/recognise/upload", tags=["files"], responses=_BODY | errors(503))
async def recognise_file(request: Request, given: Annotated[Upload, _AsForm]) -> models.Recognised:
    """Return the format, the items, the rankings and the problems of a file."""
    return await _recognise(request, await _file_source(given, _jobs(request).limits))


@api.get("/examples", tags=["files"], responses=errors(421))
async def list_examples() -> list[models.Example]:
    """List the example files."""
    return [
        models.Example(
            id=example.id,
            title=example.title,
            description=example.description,
            name=example.name,
            is_sample=example.is_sample,
        )
        for example in EXAMPLES.values()
    ]


@api.get(
    "/examples/{example}",
    tags=["files"],
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}, **_JOB},
)
async def get_example(example: str) -> Response:
    """Return the text of an example file."""
    if example not in EXAMPLES:
        raise ApiError(404, f"there is no such example: choose one of {', '.join(EXAMPLES)}")
    return Response(EXAMPLES[example].content(), media_type="text/plain; charset=utf-8")


@api.get("/about", tags=["server"], responses=errors(421))
async def get_about(request: Request) -> models.About:
    """Return the limits of this server and the formats that it reads."""
    limits = _jobs(request).limits
    names = set(models.About.model_fields) - {"version", "formats", "reading", "login", "stores"}
    formats = [
        models.Format(name=each.name, summary=each.summary, suffixes=list(each.suffixes))
        for each in FORMATS.values()
    ]
    values: dict[str, Any] = {name: getattr(limits, name) for name in names}
    values["default_seconds"] = min(limits.default_seconds, limits.seconds)
    reading = models.reading_fields({each.name: each.summary for each in formats})
    login = request.app.state.access is not None
    return models.About(
        version=__version__,
        formats=formats,
        reading=reading,
        login=login,
        stores=_jobs(request).store is not None,
        **values,
    )


# -- jobs --------------------------------------------------------------------------------------


async def _submit(
    request: Request, source: Source, given: models.Search, rules: models.Rules | None = None
) -> models.Status:
    jobs = _jobs(request)
    limits = jobs.limits
    seconds = given.time_limit or min(limits.default_seconds, limits.seconds)
    if seconds > limits.seconds:
        raise ApiError(422, f"time_limit: at most {limits.seconds:g} seconds on this server")
    if given.bootstrap > limits.samples:
        raise ApiError(422, f"bootstrap: at most {limits.samples:,} samples on this server")
    ties = given.tie_settings
    if ties and not given.ties:
        raise ApiError(422, f"{next(iter(ties))}: this is for answers with ties: set ties to true")
    if rules is not None:
        source, ties = _left_out_of(source, rules), ties | rules.constraints
    _check_works(jobs)
    job = jobs.submit(
        source, seconds, given.seed, given.bootstrap, client_of(request.scope), ties=ties or None
    )
    await jobs.accept(job)
    return _status(jobs, job)


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
        "waiting": jobs.count("queued") if job.state == "queued" else 0,
        "time_limit": job.time_limit,
        "bootstrap": job.bootstrap,
        "ties": "ties" in (job.ties or {}),
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
        "kept_until": _kept_until(jobs, job),
        "stored": job.is_stored,
    }


def _kept_until(jobs: Jobs, job: Job) -> datetime | None:
    ended = job.ended_at
    if ended is None:
        return None
    return datetime.fromtimestamp(round(ended + jobs.limits.keep_seconds), UTC)


def _plots(job: Job) -> list[models.Plot]:
    if not job.is_over or job.result is None or job.facts is None:
        return []
    if job.facts["n_rankings"] is None:
        return ["pairwise"]
    return [each for each in get_args(models.Plot) if each != "bootstrap" or job.is_resampled]


@api.post("/jobs", status_code=202, tags=["jobs"], responses=_BODY | errors(503))
async def submit_job(request: Request, given: models.Submission) -> models.Status:
    """Submit rankings as text. The answer holds the id and the state of the job."""
    return await _submit(request, _text_source(given), given, given)


@api.post("/jobs/upload", status_code=202, tags=["jobs"], responses=_BODY | errors(503))
async def submit_file(request: Request, given: Annotated[UploadJob, _AsForm]) -> models.Status:
    """Submit a file of rankings. The answer holds the id and the state of the job."""
    return await _submit(request, await _file_source(given, _jobs(request).limits), given)


@api.post(
    "/jobs/{job_id}/again", status_code=202, tags=["jobs"], responses=_JOB | _BODY | errors(503)
)
async def submit_again(request: Request, job_id: str, given: models.Change) -> models.Status:
    """Submit the rankings of a job again with changes: without some items, for example."""
    jobs, job = _jobs(request), await _job(request, job_id)
    source = _left_out_of(job.source, given)
    if given.unranked is not None:
        source = replace(source, reading={**source.reading, "unranked": given.unranked})
    settings = dict(job.ties or {})
    if given.ties is not None:
        settings = {name: settings[name] for name in settings if name in models.CONSTRAINTS}
        settings |= {"ties": True} if given.ties else {}
    # What the job has left out stays out, and its rules stay.
    for name, names in given.constraints.items():
        settings[name] = [*settings.get(name, []), *names]
    _check_works(jobs)
    client = client_of(request.scope)
    again = jobs.submit(
        source, job.time_limit, job.seed, job.bootstrap, client, ties=settings or None
    )
    await jobs.accept(again)
    return _status(jobs, again)


@api.get("/jobs/{job_id}", tags=["jobs"], responses=_JOB)
async def get_job(request: Request, job_id: str) -> models.FullStatus:
    """Return the state of a job and the course of its search."""
    job = await _job(request, job_id)
    return models.FullStatus(**_status_facts(_jobs(request), job), points=job.points)


@api.get(
    "/jobs/{job_id}/events",
    tags=["jobs"],
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events, at least two per second while the job runs. Each "
            "is named `progress`, the last one `end`. The data of each is a `Status`.",
            "content": {"text/event-stream": {"schema": _EVENT}},
        },
        **_JOB,
    },
)
async def follow_job(request: Request, job_id: str) -> StreamingResponse:
    """Follow a job live. When all its followers have left, it is cancelled after a while."""
    jobs = _jobs(request)
    job = await _job(request, job_id)

    async def stream() -> AsyncIterator[str]:
        async with aclosing(jobs.follow(job)) as changes:
            async for _ in changes:
                name = "end" if job.is_over else "progress"
                yield f"event: {name}\ndata: {_status(jobs, job).model_dump_json()}\n\n"

    return StreamingResponse(
        stream(), media_type="text/event-stream", headers={"x-accel-buffering": "no"}
    )


@api.post("/jobs/{job_id}/cancel", status_code=202, tags=["jobs"], responses=_JOB | errors(403))
async def cancel_job(request: Request, job_id: str) -> models.Status:
    """Stop a job. The result of a search that has begun is the best ranking found so far."""
    jobs = _jobs(request)
    job = await _job(request, job_id)
    await jobs.cancel(job)
    return _status(jobs, job)


@api.delete("/jobs/{job_id}", status_code=204, tags=["jobs"], responses=_JOB | errors(403))
async def delete_job(request: Request, job_id: str) -> Response:
    """Stop a job and delete it with its file and its result."""
    await _jobs(request).delete(await _job(request, job_id))
    return Response(status_code=204)


async def _finished(request: Request, job_id: str) -> tuple[Job, bytes, bytes]:
    job = await _job(request, job_id)
    if not job.is_over:
        raise ApiError(409, "the job is not done yet: follow its events, or cancel it")
    if job.result is None or job.record is None:
        what = "failed" if job.state == "failed" else "was cancelled without a result"
        why = f": {job.message}" if job.message else ""
        raise ApiError(409, f"the job {what}{why}", job.line)
    return job, job.result, job.record


@api.get(
    "/jobs/{job_id}/result",
    tags=["results"],
    response_model=models.Result,
    responses=_JOB | errors(409),
)
async def get_result(request: Request, job_id: str) -> Response:
    """Return the result, a file that `concordant verify` and `Consensus.load` read."""
    _, content, _ = await _finished(request, job_id)
    return Response(content, media_type="application/json")


async def _output(request: Request, task: str, job: Job, record: bytes, **more: str) -> bytes:
    try:
        _, (content,) = await _jobs(request).help(
            task, job.source, client_of(request.scope), record, **more
        )
    except TaskFailed as error:
        raise ApiError(503 if error.kind != "input" else 409, error.message) from None
    except OutOfTime:
        raise ApiError(503, "it took too long: use the command line") from None
    except WorkerDied:
        raise ApiError(503, "the process ended before it was done: try again") from None
    return content


def _file_route(path: str, *kinds: str) -> Callable[[Any], Any]:
    """Return the decorator of a route that returns a file of a result."""
    binary, plain = {"type": "string", "format": "binary"}, {"type": "object"}
    schema = {kind: plain if kind == "application/json" else binary for kind in kinds}
    return api.get(
        f"/jobs/{{job_id}}/{path}",
        tags=["results"],
        response_class=Response,
        responses={
            200: {"content": {kind: {"schema": schema[kind]} for kind in kinds}},
            **_JOB,
            **errors(409, 429),
        },
    )


def _saved_as(name: str, content: bytes, kind: str, **headers: str) -> Response:
    """Return a file to save under a name."""
    disposition = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=disposition | headers)


_Line = Annotated[str, Query(max_length=200)]


@_file_route("report", "text/html")
async def get_report(
    request: Request, job_id: str, title: _Line = "", date: _Line = ""
) -> Response:
    """Return the report as a file to save, one HTML page that loads no other file."""
    job, _, record = await _finished(request, job_id)
    content = await _output(request, "report", job, record, title=whole(title), date=whole(date))
    return _saved_as(
        "concordant-report.html",
        content,
        "text/html; charset=utf-8",
        **{"content-security-policy": REPORT_POLICY},
    )


@_file_route("proof", "application/json")
async def get_proof(request: Request, job_id: str) -> Response:
    """Return the file that proves the bound; `concordant verify --proof` checks it."""
    job, _, record = await _finished(request, job_id)
    content = await _output(request, "proof", job, record)
    return _saved_as("concordant-proof.json", content, "application/json")


@_file_route("rankings", "application/json")
async def get_rankings(request: Request, job_id: str) -> Response:
    """Return the rankings as they were counted, without what was left out, as one file."""
    job, _, record = await _finished(request, job_id)
    content = await _output(request, "rankings", job, record)
    return _saved_as("concordant-rankings.json", content, "application/json")


@_file_route("ranking.xlsx", _XLSX)
async def get_spreadsheet(request: Request, job_id: str) -> Response:
    """Return the ranking as a spreadsheet."""
    job, _, record = await _finished(request, job_id)
    content = await _output(request, "table", job, record)
    return _saved_as("concordant-ranking.xlsx", content, _XLSX)


@_file_route("plots/{plot}.{kind}", *_PICTURES.values())
async def get_plot(
    request: Request, job_id: str, plot: models.Plot, kind: models.Picture
) -> Response:
    """Return a picture of the result. The status of a job lists its pictures."""
    job, _, record = await _finished(request, job_id)
    if plot not in _plots(job):
        raise ApiError(
            404, f"this job has no picture {plot!r}: choose one of {', '.join(_plots(job))}"
        )
    content = await _output(request, "draw", job, record, picture=plot, kind=kind)
    # An SVG has its colours in style attributes, like the report.
    headers = {"cache-control": "private, max-age=600", "content-security-policy": REPORT_POLICY}
    return Response(content, media_type=_PICTURES[kind], headers=headers)


# -- the application ---------------------------------------------------------------------------


async def get_health(request: Request, response: Response) -> models.Health:
    """Return whether the server works, with the status 503 when it cannot search."""
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
        store="none" if jobs.store is None else "failing" if jobs.store.fault else "ok",
        **jobs.ended,
    )


def create_app(
    limits: Limits | None = None,
    hosts: Hosts | None = None,
    access: Access | None = None,
    store: Store | None = None,
) -> FastAPI:
    """Return the application, for uvicorn or any other ASGI server.

    Args:
        limits: How much the server accepts.
        hosts: The host names that it answers to; by default those of this machine.
        access: The tokens of those who may use it; without them, all who can reach it may.
        store: Where jobs outlive the server; by default they are only in memory. The application
            closes it.
    """
    limits = limits or Limits()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        jobs = Jobs(limits, store)
        app.state.jobs = jobs
        await jobs.resume()
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
        generate_unique_id_function=_operation_id,
        servers=SERVERS,
        # The pages of FastAPI for these load scripts from other servers.
        docs_url=None,
        redoc_url=None,
    )
    app.include_router(api)
    app.get("/healthz", tags=["server"], responses={503: {"model": models.Health}, **errors(421)})(
        get_health
    )
    app.state.access = access
    app.post("/login", tags=["access"], status_code=204, responses=errors(401, 404, *POSTED))(
        log_in
    )
    app.post("/logout", tags=["access"], status_code=204, responses=errors(403, 421))(log_out)
    app.mount("/", StaticFiles(directory=_STATIC, html=True))
    add_error_answers(app, api)
    add_document(app, limits, needs_token=access is not None)
    app.add_middleware(Guard, hosts=hosts or Hosts("127.0.0.1"), limits=limits, access=access)
    return app
