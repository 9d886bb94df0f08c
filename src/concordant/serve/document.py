"""What the OpenAPI document says beside the routes: address, tokens, limits, examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from concordant.serve.access import COOKIE, PUBLIC

if TYPE_CHECKING:
    from fastapi import FastAPI

    from concordant.serve.limits import Limits

# Relative to the address of the document, so it is right behind every proxy.
SERVERS = [{"url": ".", "description": "The server that this document comes from."}]
_EXAMPLES: dict[str, dict[str, Any]] = {
    "Text": {"text": "3: Ann > Bo > Cy\n2: Bo > Cy > Ann\n", "name": "votes.abif"},
    "Submission": {"text": "3: Ann > Bo > Cy\n2: Bo > Cy > Ann\n", "time_limit": 5, "seed": 0},
}
_ID = "Zk3v0XbT9mQe1sLr7uYw2aHd"
_UNAUTHORISED = {
    "description": "The token is missing or wrong.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


def add_document(app: FastAPI, limits: Limits, needs_token: bool) -> None:
    """Complete the OpenAPI document of an application; it is made when it is first asked for."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        is_new = app.openapi_schema is None
        document = plain()
        if is_new:
            _add_limits(document["components"]["schemas"], limits)
            _add_examples(document)
            if needs_token:
                _add_tokens(document)
        return document

    app.openapi = openapi  # type: ignore[method-assign]


def _add_limits(schemas: dict[str, Any], limits: Limits) -> None:
    """Add the limits of this server to the fields of a request."""
    for schema in schemas.values():
        fields = schema.get("properties", {})
        if schema.get("title") in ("Submission", "UploadJob"):
            fields["time_limit"]["anyOf"][0]["maximum"] = limits.seconds
            fields["bootstrap"]["maximum"] = limits.samples
        if schema.get("title") in ("Submission", "Text"):
            fields["text"]["maxLength"] = limits.json_bytes


def _add_examples(document: dict[str, Any]) -> None:
    for name, example in _EXAMPLES.items():
        document["components"]["schemas"][name]["examples"] = [example]
    for methods in document["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                if parameter["name"] == "job_id":
                    parameter["description"] = "The id of the job, from the answer to a submission."
                    parameter["schema"]["examples"] = [_ID]


def _add_tokens(document: dict[str, Any]) -> None:
    """Say how to send a token, and that a request without one is refused."""
    document["components"]["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer"},
        "cookie": {"type": "apiKey", "in": "cookie", "name": COOKIE},
    }
    for path, methods in document["paths"].items():
        for operation in methods.values():
            if path not in PUBLIC:
                operation["security"] = [{"token": []}, {"cookie": []}]
                operation["responses"].setdefault("401", _UNAUTHORISED)
                operation["responses"].setdefault(
                    "429", {**_UNAUTHORISED, "description": "Too many wrong tokens: wait."}
                )
