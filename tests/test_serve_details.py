"""What the server adds to a result: voters, pairs, rules, what if, files to take away."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import polars as pl
import pytest

import concordant as cc
from commands import run
from concordant.serve.examples import EXAMPLES
from concordant.serve.limits import Limits
from serving import PATIENT, serving

HIRING = EXAMPLES["hiring"].content().decode()


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with (
        serving(Limits(solvers=1, helpers=1, **PATIENT)) as address,
        httpx.Client(base_url=address, timeout=300) as found,
    ):
        yield found


def ended(client: httpx.Client, answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 202, answer.text
    name = answer.json()["id"]
    with client.stream("GET", f"api/jobs/{name}/events") as events:
        for _ in events.iter_lines():
            pass
    found: dict[str, Any] = client.get(f"api/jobs/{name}").json()
    return found


def result_of(client: httpx.Client, answer: httpx.Response) -> dict[str, Any]:
    job = ended(client, answer)
    assert job["has_result"], job["problem"]
    found: dict[str, Any] = client.get(f"api/jobs/{job['id']}/result").json()
    return {**found, "id": job["id"]}


@pytest.fixture(scope="module")
def hiring(client: httpx.Client) -> dict[str, Any]:
    return result_of(client, client.post("api/jobs", json={"text": HIRING, "name": "hiring.csv"}))


def test_what_stands_beside_a_result(hiring: dict[str, Any]) -> None:
    said = hiring["words"]
    assert said["headline"] == "Iris wins."
    assert said["voters"] == "Eva disagrees most: on 4 of 15 pairs."
    assert said["needed"] == ["One more voter could change who wins, or make it a tie for first."]
    assert said["resampled"].startswith("Iris is first in ")
    assert [rule["name"] for rule in hiring["rules"]][2:] == ["Borda", "Schulze"]
    assert hiring["pairs"][0][1] == hiring["neighbours"][0]["for"]
    assert hiring["places"] == [1, 2, 3, 4, 5, 6]
    voters = hiring["voters"]["shown"]
    assert sum(voter["against"] for voter in voters) == hiring["cost"]
    abe = next(voter for voter in voters if voter["name"] == "Abe")
    assert (abe["against"], abe["places"]) == (0, [1, 2, 3, 4, 5, 6])


def test_what_if(client: httpx.Client, hiring: dict[str, Any]) -> None:
    again = f"api/jobs/{hiring['id']}/again"
    changed = result_of(client, client.post(again, json={"without_items": ["Noor"]}))
    data = cc.read(io.BytesIO(HIRING.encode()), "csv")
    others = [item for item in data.items if item != "Noor"]
    assert changed["cost"] == cc.aggregate(data.subset(items=others)).cost
    assert changed["left_out"] == {"without_items": ["Noor"], "without_voters": []}
    # What is changed once more keeps the first change.
    more = {"without_voters": ["Eva"], "first": ["Pia"], "before": [["Otto", "Iris"]]}
    changed = result_of(client, client.post(f"api/jobs/{changed['id']}/again", json=more))
    assert changed["ranking"][0] == "Pia"
    assert changed["ranking"].index("Otto") < changed["ranking"].index("Iris")
    assert changed["n_rankings"] == 6
    assert changed["words"]["headline"] == "Pia is first under your rules."
    assert changed["words"]["constraints"].startswith("cost ")
    assert changed["words"]["resampled"] is None
    tied = result_of(client, client.post(again, json={"ties": True, "last": ["Iris"]}))
    assert tied["tiers"][-1] == ["Iris"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"without_items": ["Zoe"]}, "there is no item 'Zoe' among the 6"),
        ({"without_voters": ["Zoe"]}, "there is no voter 'Zoe' among the 7"),
        ({"first": ["Zoe"]}, "first names 'Zoe', which is not an item"),
        ({"first": ["Iris"], "last": ["Iris"]}, "the constraints contradict each other"),
    ],
)
def test_what_cannot_be_changed(
    client: httpx.Client, hiring: dict[str, Any], change: dict[str, Any], problem: str
) -> None:
    job = ended(client, client.post(f"api/jobs/{hiring['id']}/again", json=change))
    assert job["state"] == "failed"
    assert problem in job["problem"]["detail"]


def test_constraints_in_a_submission(client: httpx.Client) -> None:
    body = {"text": "3:a>b>c\n", "groups_in_order": [["c"], ["a", "b"]]}
    assert result_of(client, client.post("api/jobs", json=body))["ranking"] == ["c", "a", "b"]
    answer = client.post("api/jobs", json={"text": "1:a>b\n", "before": [["a"]]})
    assert answer.status_code == 422


def test_the_proof_is_accepted(
    client: httpx.Client, hiring: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "hiring.csv").write_text(HIRING)
    changes = {"without_voters": ["Eva"], "first": ["Leo"]}
    changed = result_of(client, client.post(f"api/jobs/{hiring['id']}/again", json=changes))
    for job, file in ((hiring["id"], "hiring.csv"), (changed["id"], "rankings.json")):
        for part in ("result", "proof", "rankings"):
            content = client.get(f"api/jobs/{job}/{part}").content
            (tmp_path / f"{part}.json").write_bytes(content)
        proof = tmp_path / "proof.json"
        done = run("verify", tmp_path / "result.json", tmp_path / file, "--proof", proof)
        assert "proven by" in done.stdout, done.stderr
    report = client.get(f"api/jobs/{changed['id']}/report").text
    assert "concordant-rankings.json --proof concordant-proof.json" in report
    assert "SHA-256 of the proof" in report


def test_a_report_with_a_title_and_a_date(client: httpx.Client, hiring: dict[str, Any]) -> None:
    given = {"title": "<script>Best 2026", "date": "3 May 2026"}
    report = client.get(f"api/jobs/{hiring['id']}/report", params=given).text
    assert "<h1>&lt;script&gt;Best 2026</h1>" in report
    assert "3 May 2026" in report
    long = client.get(f"api/jobs/{hiring['id']}/report", params={"title": "x" * 201})
    assert long.status_code == 422


def test_files_of_the_ranking(client: httpx.Client) -> None:
    names = ["=1+1", "日本語", "a\x07<&>b"]
    rows = [names, [names[1], names[2], names[0]], [names[2], names[0], names[1]]]
    text = "".join(f"1:{'>'.join(f'[{name}]' for name in row)}\n" for row in rows)
    job = result_of(client, client.post("api/jobs", json={"text": text, "format": "abif"}))
    table = client.get(f"api/jobs/{job['id']}/ranking.xlsx").content
    found = pl.read_excel(table)
    assert found["place"].to_list() == job["places"] == [1, 1, 1]
    assert "=1+1" in found["item"].to_list()
    picture = client.get(f"api/jobs/{job['id']}/plots/pairwise.svg")
    assert picture.headers["content-type"] == "image/svg+xml"
    # The letters are text, for the fonts of the reader.
    assert "日本語" in picture.text
    assert client.get(f"api/jobs/{job['id']}/plots/pairwise.gif").status_code == 422


def test_several_files(client: httpx.Client) -> None:
    files = [
        ("file", ("ann.txt", b"Tea\nMilk\n")),
        ("more", ("bo.txt", b"Milk\nTea\n")),
        ("more", ("../cy.csv", b"1st,2nd\nTea,Milk\n")),
    ]
    seen = client.post("api/recognise/upload", files=files).json()
    assert (seen["format"], seen["n_rankings"]) == ("folder", 3)
    assert [sample["voter"] for sample in seen["sample"]] == ["ann", "bo", "cy"]
    result = result_of(client, client.post("api/jobs/upload", files=files))
    assert result["words"]["voters"] == "bo disagrees most: on the only pair."
    assert client.get(f"api/jobs/{result['id']}/report").status_code == 200
    two = [*files, ("more", ("both.abif", b"1:Tea>Milk\n1:Milk>Tea\n"))]
    seen = client.post("api/recognise/upload", files=two).json()
    assert not seen["readable"]
    assert "each file of a folder must have one" in seen["problems"][0]["detail"]
    empty = [*files, ("more", ("none.txt", b""))]
    assert client.post("api/jobs/upload", files=empty).status_code == 422


def test_samples_are_read_without_a_question(client: httpx.Client) -> None:
    listed = client.get("api/examples").json()
    samples = [example for example in listed if example["is_sample"]]
    assert len(samples) == 8
    for sample in samples:
        text = client.get(f"api/examples/{sample['id']}").text
        body = {"text": text, "name": sample["name"]}
        seen = client.post("api/recognise", json=body).json()
        assert seen["readable"], sample["id"]
        assert sorted(seen["items"]) == ["Coffee", "Milk", "Tea"]
        assert not any(finding["kind"] == "question" for finding in seen["findings"])
