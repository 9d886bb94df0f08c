"""What is published: metadata, the README as a package index shows it, workflows and citation."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

import concordant
from concordant import cli
from concordant.algorithms.registry import METHODS
from test_site import LINK

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
REPOSITORY = "https://github.com/concordant-ranking/concordant"
SITE = "https://concordant-ranking.github.io/concordant/"
RAW = "https://raw.githubusercontent.com/concordant-ranking/concordant/"
INDEX = "https://pypi.org/"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def from_clone(path: str) -> Path:
    """Return a file that a clone has and an sdist has not."""
    found = ROOT / path
    if not found.exists() and (ROOT / "PKG-INFO").exists():
        pytest.skip("the sdist does not have it")
    return found


def addresses() -> Iterator[tuple[str, str]]:
    """Return the addresses of the project that its files name."""
    kinds = ("*.md", "*.toml", "*.yml", "*.yaml", "*.cff", "*.bib")
    folders = [ROOT / each for each in ("docs", ".github", "conda", "deploy", "paper")]
    paths = [path for kind in kinds for path in ROOT.glob(kind)]
    paths += [path for folder in folders for kind in kinds for path in folder.rglob(kind)]
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for address in re.findall(r"https://[^\s)>\"'`}]*concordant[^\s)>\"'`}]*", text):
            yield str(path.relative_to(ROOT)), address


def readme_of_the_index() -> str:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    hook = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    for each in hook["substitutions"]:
        text = re.sub(each["pattern"], each["replacement"], text)
    return text.replace("$HFPR_VERSION", concordant.__version__)


class TestMetadata:
    def test_addresses_are_those_of_one_repository(self) -> None:
        for name, address in PROJECT["project"]["urls"].items():
            assert address.startswith((REPOSITORY, SITE)), name
        for path, address in addresses():
            there = (REPOSITORY, SITE, RAW, f"{INDEX}project/", f"{INDEX}packages/")
            assert address.startswith(there), (path, address)

    def test_addresses_of_files_and_pages_lead_somewhere(self) -> None:
        """Links within a clone and within the site have tests of their own."""
        for path, address in addresses():
            if found := re.match(rf"{REPOSITORY}/(?:blob|raw|tree)/main/([^#]*)", address):
                assert (ROOT / found[1]).exists(), (path, address)
            elif address.startswith(SITE):
                page = address.removeprefix(SITE).partition("#")[0].removesuffix(".html")
                page += "index" if page.endswith("/") or not page else ""
                assert (ROOT / "docs" / f"{page}.md").exists(), (path, address)

    def test_authors_have_one_name(self) -> None:
        """It stands for people until the owner names them: see "A release" in CONTRIBUTING.md."""
        [author] = PROJECT["project"]["authors"]
        for name in ("LICENSE", "CITATION.cff", "docs/citing.md", "CONTRIBUTING.md"):
            assert author["name"] in (ROOT / name).read_text(encoding="utf-8"), name
        assert author["name"] in from_clone("paper/paper.md").read_text(encoding="utf-8")

    def test_pythons(self) -> None:
        named = {
            each.rpartition(" ")[2]
            for each in PROJECT["project"]["classifiers"]
            if re.search(r":: 3\.\d+$", each)
        }
        assert min(named, key=lambda each: int(each[2:])) == "3.11"
        assert PROJECT["project"]["requires-python"] == ">=3.11"
        jobs = workflow(from_clone(".github/workflows/tests.yml"))["jobs"]
        assert set(jobs["linux"]["strategy"]["matrix"]["python"]) == named

    def test_every_dependency_has_a_lower_bound(self) -> None:
        project = PROJECT["project"]
        for group in (project["dependencies"], *project["optional-dependencies"].values()):
            for each in group:
                assert ">=" in each or each.startswith("concordant["), each

    def test_citation(self) -> None:
        citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
        assert citation["version"] == concordant.__version__
        assert citation["repository-code"] == REPOSITORY
        assert citation["url"] == SITE
        page = (ROOT / "docs" / "citing.md").read_text(encoding="utf-8")
        for value in (citation["version"], citation["date-released"], REPOSITORY):
            assert f"{{{value}}}" in page
        assert citation["references"][0]["doi"] in page

    def test_the_recipe_for_conda_has_the_same_dependencies(self) -> None:
        text = from_clone("conda/recipe.yaml").read_text(encoding="utf-8")
        recipe = yaml.safe_load(text)
        assert recipe["context"]["version"] == concordant.__version__
        listed = {each.replace(" ", "") for each in recipe["requirements"]["run"]}
        assert set(PROJECT["project"]["dependencies"]) <= listed
        assert recipe["about"]["repository"] == REPOSITORY
        assert recipe["about"]["license"] == PROJECT["project"]["license"]
        assert all((ROOT / path).exists() for path in recipe["about"]["license_file"])


class TestPaper:
    def test_references_exist_and_are_used(self) -> None:
        text = from_clone("paper/paper.md").read_text(encoding="utf-8")
        listed = re.findall(
            r"^@\w+\{([\w-]+),", (ROOT / "paper/paper.bib").read_text(), re.MULTILINE
        )
        assert sorted(listed) == sorted(set(re.findall(r"@([\w-]+)", text)))

    def test_its_figures_are_those_of_the_readme(self) -> None:
        table = re.findall(r"^\| (\S+) (?:`(\w+)`|.*?) \|(.*)\|$", *self.paper())
        readme = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
        assert len(table) == 8
        for package, function, cells in table:
            name = package.rstrip(",")
            [row] = [each for each in readme if f"`{function}`" in each and name in each][:1] or [
                each for each in readme if each.startswith("|") and name in each
            ]
            for number in re.findall(r"\d+\.\d+", cells):
                assert number in row, (name, number)

    @staticmethod
    def paper() -> tuple[str, int]:
        text = from_clone("paper/paper.md").read_text(encoding="utf-8")
        return "\n".join(text.split("|--:|\n")[1].splitlines()[:8]), re.MULTILINE


class TestReadme:
    def test_its_numbers(self) -> None:
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        assert "**More than thirty methods.**" in text
        assert 30 < len(METHODS) < 40
        assert "has eight small studies" in text
        assert len(list((ROOT / "docs" / "gallery").glob("*.py"))) == 8 + 1

    def test_no_link_is_relative(self) -> None:
        for link in LINK.findall(readme_of_the_index()):
            assert link.startswith("https://"), link

    def test_pictures_are_loaded_from_the_version(self) -> None:
        text = readme_of_the_index()
        pictures = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", text)
        assert pictures
        for picture in pictures:
            start, _, path = picture.partition(f"/v{concordant.__version__}/")
            assert f"{start}/" == RAW
            assert (ROOT / path).exists()
        files = re.findall(rf"{REPOSITORY}/blob/v[\d.]+/([^)#]*)", text)
        assert files
        assert all((ROOT / path).exists() for path in files)


def workflow(path: Path) -> Any:
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    # In YAML 1.1, the key `on` is a truth value.
    return {("on" if key is True else key): value for key, value in found.items()}


def commands(path: Path) -> list[str]:
    return [
        line.strip()
        for job in workflow(path)["jobs"].values()
        for step in job["steps"]
        for line in step.get("run", "").splitlines()
    ]


def targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


class TestWorkflows:
    def test_there_are_some(self) -> None:
        from_clone(".github/workflows/tests.yml")
        assert {path.stem for path in WORKFLOWS} == {"tests", "docs", "release", "benchmarks"}

    @pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
    def test_what_they_call_exists(self, path: Path) -> None:
        found = commands(path)
        for command in found:
            if command.startswith("make "):
                assert command.split()[1] in targets(), command
            for ignored in re.findall(r"--ignore-glob=(\S+)", command):
                assert list((ROOT / "tests").glob(ignored)), ignored
        assert any(command.startswith("make ") for command in found)

    @pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
    def test_they_have_few_rights_and_an_end(self, path: Path) -> None:
        found = workflow(path)
        assert found["permissions"] == {"contents": "read"}
        for name, job in found["jobs"].items():
            assert job["timeout-minutes"] <= 60, name
            for step in job["steps"]:
                if step.get("uses", "").startswith("actions/checkout"):
                    assert step["with"]["persist-credentials"] is False

    def test_no_token_is_used_to_publish(self) -> None:
        path = from_clone(".github/workflows/release.yml")
        publish = workflow(path)["jobs"]["index"]
        assert publish["permissions"] == {"id-token": "write"}
        assert "secrets." not in path.read_text(encoding="utf-8")

    def test_forms_of_issues(self) -> None:
        from_clone(".github/ISSUE_TEMPLATE/config.yml")
        for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"):
            form = yaml.safe_load(path.read_text(encoding="utf-8"))
            if path.name != "config.yml":
                assert {"name", "description", "body"} <= set(form), path.name


class TestMakefile:
    def test_suites_are_all_suites(self) -> None:
        from concordant.bench.suites import SUITES

        [listed] = re.findall(r"^SUITES := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert set(listed.split()) == set(SUITES)

    def test_its_commands_parse(self) -> None:
        text = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
        for name in set(re.findall(r"\$\(BIN\)/concordant (\w+)", text)):
            assert cli.app.get_command(click.Context(cli.app), name) is not None, name

    @pytest.mark.skipif(sys.platform == "win32", reason="its bash needs a Linux of its own")
    def test_the_scripts_of_ci_are_valid(self) -> None:
        for name in ("run", "package"):
            path = from_clone(f".ci/{name}")
            subprocess.run(["bash", "-n", str(path)], check=True)
            for used in re.findall(r"tests/test_\w+\.py", path.read_text(encoding="utf-8")):
                assert (ROOT / used).exists(), used
