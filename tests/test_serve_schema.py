"""The HTTP API follows its OpenAPI document, and no request makes it fail."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any
from urllib.parse import quote, urljoin

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from concordant.formats import FORMATS
from concordant.serve import models
from concordant.serve.access import Access
from concordant.serve.app import create_app
from concordant.serve.limits import Limits
from serving import PATIENT, VOTES, serving

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
schema = schemathesis.openapi.from_dict(create_app().openapi())


def test_operations_have_stable_names() -> None:
    paths = create_app().openapi()["paths"]
    found = {
        f"{method.upper()} {path}": operation["operationId"]
        for path, methods in paths.items()
        for method, operation in methods.items()
    }
    assert found == {
        "POST /api/recognise": "recogniseText",
        "POST /api/recognise/upload": "recogniseFile",
        "GET /api/examples": "listExamples",
        "GET /api/examples/{example}": "getExample",
        "GET /api/about": "getAbout",
        "POST /api/jobs": "submitJob",
        "POST /api/jobs/upload": "submitFile",
        "GET /api/jobs/{job_id}": "getJob",
        "DELETE /api/jobs/{job_id}": "deleteJob",
        "GET /api/jobs/{job_id}/events": "followJob",
        "POST /api/jobs/{job_id}/cancel": "cancelJob",
        "GET /api/jobs/{job_id}/result": "getResult",
        "GET /api/jobs/{job_id}/report": "getReport",
        "GET /api/jobs/{job_id}/plots/{plot}.{kind}": "getPlot",
        "GET /api/jobs/{job_id}/proof": "getProof",
        "GET /api/jobs/{job_id}/ranking.xlsx": "getSpreadsheet",
        "GET /api/jobs/{job_id}/rankings": "getRankings",
        "POST /api/jobs/{job_id}/again": "submitAgain",
        "GET /healthz": "getHealth",
        "POST /login": "logIn",
        "POST /logout": "logOut",
    }


def test_choices_are_listed() -> None:
    document = create_app().openapi()
    schemas = document["components"]["schemas"]
    for name in ("Text", "Submission", "Upload", "UploadJob"):
        assert schemas[name]["properties"]["format"]["anyOf"][0]["enum"] == list(FORMATS), name
    parameters = document["paths"]["/api/jobs/{job_id}/plots/{plot}.{kind}"]["get"]["parameters"]
    plots = ["positions", "pairwise", "agreement", "bump", "bootstrap"]
    assert [each["schema"]["enum"] for each in parameters if each["name"] == "plot"] == [plots]


def test_the_document_has_limits_examples_and_the_way_to_send_a_token() -> None:
    limits = Limits(seconds=7, samples=9, json_bytes=1_234)
    document = create_app(limits, access=Access(["correct-horse-battery"])).openapi()
    assert document["servers"][0]["url"] == "."
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    operations = {
        operation["operationId"]: operation
        for methods in document["paths"].values()
        for operation in methods.values()
    }
    for name, operation in operations.items():
        is_open = name in ("getHealth", "logIn")
        assert ("security" in operation, "401" in operation["responses"]) in (
            *((not is_open, not is_open),),
            (False, name == "logIn"),
        ), name
        assert operation["summary"], name
        assert operation["description"], name
    for name in ("Submission", "UploadJob"):
        fields = document["components"]["schemas"][name]["properties"]
        assert fields["time_limit"]["anyOf"][0]["maximum"] == 7
        assert fields["bootstrap"]["maximum"] == 9
    text = document["components"]["schemas"]["Submission"]
    assert text["properties"]["text"]["maxLength"] == 1_234
    models.Submission(**text["examples"][0])
    assert "securitySchemes" not in create_app().openapi()["components"]


class Client:
    """A client for any OpenAPI document: it knows an operation by its id and nothing else."""

    def __init__(self, address: str, http: httpx.Client) -> None:
        document = http.get(address).json()
        self._http = http
        self._base = urljoin(address, document["servers"][0]["url"])
        self._operations = {
            operation["operationId"]: (method, path, operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        }

    def call(self, name: str, body: Any = None, **values: str) -> httpx.Response:
        method, path, operation = self._operations[name]
        names = [each["name"] for each in operation.get("parameters", ()) if each["in"] == "path"]
        for key in names:
            path = path.replace(f"{{{key}}}", quote(values[key], safe=""))
        given = {} if body is None else {"json": body}
        if "multipart/form-data" in operation.get("requestBody", {}).get("content", {}):
            given = {"files": body}
        answer = self._http.request(method, urljoin(self._base, path.lstrip("/")), **given)
        assert str(answer.status_code) in operation["responses"], answer.text
        return answer


def test_a_client_made_from_the_document_works(served: Served) -> None:
    with httpx.Client(timeout=60) as http:
        client = Client(f"{served.address}openapi.json", http)
        assert client.call("getHealth").json()["status"] == "ok"
        assert client.call("recogniseText", {"text": VOTES}).json()["n_items"] == 3
        for name, body in (
            ("submitJob", {"text": VOTES, "time_limit": 0.5}),
            ("submitFile", {"file": ("votes.abif", VOTES.encode())}),
        ):
            job = client.call(name, body).json()["id"]
            client.call("followJob", job_id=job)
            status = client.call("getJob", job_id=job).json()
            assert status["state"] == "done"
            assert client.call("getResult", job_id=job).json()["ranking"] == ["a", "b", "c"]
            assert client.call("deleteJob", job_id=job).status_code == 204
            assert client.call("getResult", job_id=job).status_code == 404


@dataclass
class Served:
    address: str
    job: str


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    # Searches are short, so that random requests do not fill the queue.
    limits = Limits(
        seconds=0.5, default_seconds=0.5, queue=1_000, client_queue=1_000, samples=5, **PATIENT
    )
    with serving(limits) as address:
        body = {"text": "3:a>b>c\n2:b>c>a\n", "bootstrap": 5}
        job = httpx.post(f"{address}api/jobs", json=body, timeout=60).json()["id"]
        httpx.get(f"{address}api/jobs/{job}/events", timeout=300)
        assert httpx.get(f"{address}api/jobs/{job}").json()["state"] == "done"
        yield Served(address, job)


numbers = count()

# Names that an attacker could put into a file: control characters, single surrogates, right-to-left
# marks, markup, and very long names.
HOSTILE = ["", " ", "\ud800", "<script>", "\0", "\u202e", "x" * 20_000, "=1+1", "$x^2$"]
names = st.one_of(
    st.text(st.characters(categories=["Cc", "Cs", "Cf", "Lo", "Zl", "Zp"]), max_size=5),
    st.sampled_from(HOSTILE),
    st.integers(),
    st.booleans(),
    st.none(),
)


def file_of(items: list[Any], unranked: str, rankings: list[tuple[int, list[int]]]) -> str:
    """Return a file of rankings in JSON. A ranking is a weight and the numbers of its items."""
    facts = {
        "format": "concordant-rankings",
        "version": 1,
        "unranked": unranked,
        "n_rankings": sum(weight for weight, _ in rankings),
        "items": items,
        "rankings": [
            {"weight": weight, "buckets": [[item] for item in order]} for weight, order in rankings
        ],
    }
    return json.dumps(facts)


@st.composite
def hostile_files(draw: st.DrawFn) -> str:
    """Draw valid files of rankings in JSON with unusual names."""
    items = draw(st.lists(names, min_size=1, max_size=9, unique_by=lambda name: (repr(name),)))
    order = draw(st.permutations(range(len(items))))
    weights = draw(st.lists(st.integers(1, 9), min_size=1, max_size=3))
    unranked = draw(st.sampled_from(["unknown", "last"]))
    rankings = [(weight, order[: draw(st.integers(1, len(order)))]) for weight in weights]
    return file_of(items, unranked, rankings)


# Each job is solved and gets a report and five pictures, which takes a while. So one file holds all
# hostile names, each also alone in first place, and only a few random files follow.
ALL_NAMES = [*HOSTILE, 0, -(10**30), True, None]
EACH_FIRST = [(1, [first]) for first in range(len(ALL_NAMES))]
ONE_ORDER = (2, list(range(len(ALL_NAMES))))


@given(text=hostile_files(), bootstrap=st.sampled_from([0, 5]))
@example(text=file_of(ALL_NAMES, "last", [ONE_ORDER, *EACH_FIRST]), bootstrap=5)
@example(text=file_of(ALL_NAMES[:1], "unknown", [(1, [0])]), bootstrap=0)
@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_ranking_makes_it_fail(served: Served, text: str, bootstrap: int) -> None:
    body = {"text": text, "name": "votes.json"}
    with httpx.Client(base_url=served.address, timeout=60) as client:

        def ask(path: str, method: str = "GET", **given: Any) -> httpx.Response:
            path = f"/{path}"
            answer = client.request(method, path, **given)
            template = path if method == "POST" else path.replace(job, "{job_id}")
            template = re.sub(r"plots/\w+\.\w+", "plots/{plot}.{kind}", template)
            schema[template][method].validate_response(answer)
            assert answer.status_code < 500, answer.text
            return answer

        job = ""
        ask("api/recognise", "POST", json=body)
        job = ask("api/jobs", "POST", json={**body, "bootstrap": bootstrap}).json()["id"]
        events = client.get(f"api/jobs/{job}/events").text
        assert events.rpartition("event: ")[2].startswith("end")
        status = ask(f"api/jobs/{job}").json()
        assert status["state"] == "done", status["problem"]
        ask(f"api/jobs/{job}/result")
        ask(f"api/jobs/{job}/report")
        for part in ("rankings", "ranking.xlsx", "proof"):
            ask(f"api/jobs/{job}/{part}")
        for number, name in enumerate(status["plots"]):
            ask(f"api/jobs/{job}/plots/{name}.{('svg', 'png')[number % 2]}")


@schema.parametrize()
@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)
def test_no_request_makes_it_fail(case: schemathesis.Case, served: Served) -> None:
    # Every other request names an existing job.
    parameters = case.path_parameters or {}
    if "job_id" in parameters and case.method != "DELETE" and next(numbers) % 2:
        parameters["job_id"] = served.job
    case.call_and_validate(base_url=served.address.rstrip("/"), checks=CHECKS, timeout=60)
