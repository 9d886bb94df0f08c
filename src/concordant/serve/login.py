"""Logging in and out: a browser exchanges a token for a cookie."""

from __future__ import annotations

import math
from typing import Annotated

from fastapi import Form, Request
from fastapi.responses import Response

from concordant.serve import models
from concordant.serve.access import COOKIE, SECONDS_OF_COOKIE, Access, client_of
from concordant.serve.answers import ApiError


async def log_in(request: Request, given: Annotated[models.Login, Form()]) -> Response:
    """Exchange a token for a cookie, which a browser sends with each request."""
    access: Access | None = request.app.state.access
    if access is None:
        raise ApiError(404, "this server has no tokens: everyone who reaches it may use it")
    client = client_of(request.scope)
    wait = access.wait(client)
    if wait > 0:
        raise ApiError(
            429,
            f"too many wrong tokens came from your address: try again in {math.ceil(wait)} s",
            retry_after=str(math.ceil(wait)),
        )
    cookie = access.cookie(given.token)
    if cookie is None:
        access.failed(client)
        raise ApiError(401, "the token is wrong", www_authenticate="Bearer")
    access.succeeded(client)
    answer = Response(status_code=204)
    answer.set_cookie(
        COOKIE,
        cookie,
        max_age=SECONDS_OF_COOKIE,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return answer


async def log_out() -> Response:
    """Delete the cookie of the browser."""
    answer = Response(status_code=204)
    answer.delete_cookie(COOKIE, httponly=True, samesite="lax")
    return answer
