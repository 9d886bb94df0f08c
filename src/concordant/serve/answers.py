"""The error answers of the HTTP API: their statuses, their meanings, their JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from concordant.serve import models
from concordant.serve.frames import whole
from concordant.serve.jobs import Busy
from concordant.serve.pool import PoolBroken
from concordant.serve.store import StoreError


class ApiError(Exception):
    """A request is answered with an error: its status, its message and more headers."""

    def __init__(self, status: int, detail: str, line: int | None = None, **headers: str) -> None:
        super().__init__(detail)
        self.status = status
        self.problem = models.Problem(detail=detail, line=line)
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


# The errors of all requests that have a body.
POSTED = (400, 403, 408, 413, 421, 422, 429)


def errors(*codes: int) -> dict[int | str, dict[str, Any]]:
    """Return the meanings of some statuses for the OpenAPI document."""
    meanings = {
        400: "The body does not have the type that its header names.",
        401: "The token is missing or wrong.",
        403: "The request comes from the page of another site.",
        404: "There is no such job.",
        408: "The request took too long to arrive.",
        409: "The job has no result, or not yet.",
        410: "The job is no longer kept.",
        413: "The body is larger than the server accepts.",
        421: "The Host header names another server.",
        422: "A value is wrong; `detail` names it.",
        429: "Too many requests wait. `Retry-After` says when to try again.",
        503: "The process that worked on the request ended or took too long, or the store failed.",
    }
    return {code: {"model": models.Problem, "description": meanings[code]} for code in codes}


def add_error_answers(app: FastAPI, api: APIRouter) -> None:
    """Let an application answer errors as JSON; `api` has the routes that allow more than GET."""
    app.state.api = api
    app.add_exception_handler(ApiError, _answer_api_error)
    app.add_exception_handler(Busy, _answer_busy)
    app.add_exception_handler(PoolBroken, _answer_broken)
    app.add_exception_handler(StoreError, _answer_store_error)
    app.add_exception_handler(HTTPException, _answer_http_error)
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    app.add_exception_handler(Exception, _answer_unexpected)


def _problem(
    status: int, detail: str, line: int | None = None, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    # A message may repeat text of the request, and that may hold surrogates.
    return JSONResponse({"detail": whole(detail), "line": line}, status, headers=headers)


async def _answer_api_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)
    return _problem(error.status, error.problem.detail, error.problem.line, error.headers)


async def _answer_busy(request: Request, error: Exception) -> Response:
    assert isinstance(error, Busy)
    return _problem(429, error.message, headers={"retry-after": str(error.seconds)})


async def _answer_broken(request: Request, error: Exception) -> Response:
    assert isinstance(error, PoolBroken)
    return _problem(503, error.message, headers={"retry-after": "60"})


async def _answer_store_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, StoreError)
    return _problem(503, error.message, headers={"retry-after": "60"})


async def _answer_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code != 405:
        return _problem(error.status_code, str(error.detail), headers=error.headers)
    # The page answers for all addresses, and its files can only be read. The API allows more.
    routes = [
        each
        for each in (*request.app.state.api.routes, *request.app.routes)
        if isinstance(each, APIRoute)
    ]
    fitting = [each.methods or () for each in routes if each.path_regex.match(request.url.path)]
    allowed = ", ".join(sorted(set().union(*fitting))) or "GET, HEAD"
    detail = f"{request.method} is not allowed here: use {allowed}"
    return _problem(405, detail, headers={"allow": allowed})


async def _answer_invalid(request: Request, error: Exception) -> Response:
    """Name the wrong value and the reason, without the value itself, which may be long."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:])[:100]
    return _problem(422, f"{place}: {first['msg']}" if place else str(first["msg"]))


async def _answer_unexpected(request: Request, error: Exception) -> Response:
    return _problem(500, "something went wrong in the server")
