"""The files in `deploy`: their commands are valid, and they keep the promises of docs/team.md."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import click
import pytest
import yaml

from concordant import cli

DEPLOY = Path(__file__).parent.parent / "deploy"


def parses(arguments: list[str]) -> None:
    """Check that the command line accepts some arguments, without running them."""
    program = cli.app
    command = program.get_command(click.Context(program), arguments[0])
    assert command is not None, arguments
    command.make_context(arguments[0], arguments[1:])


def docker_steps() -> list[tuple[str, str]]:
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    steps = [line.partition(" ") for line in text.splitlines() if re.match("[A-Z]+ ", line)]
    return [(name, rest.strip()) for name, _, rest in steps]


def service() -> configparser.SectionProxy:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(DEPLOY / "concordant.service")
    return parser["Service"]


class TestImage:
    def test_its_commands_are_valid(self) -> None:
        steps = docker_steps()
        [entry] = [json.loads(rest) for name, rest in steps if name == "ENTRYPOINT"]
        [options] = [
            json.loads(rest) for name, rest in steps if name == "CMD" and "--tokens" in rest
        ]
        shell = entry[2].replace('"$@"', shlex.join(options))
        parses(shlex.split(shell.partition("exec concordant ")[2]))
        compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
        shell = entry[2].replace('"$@"', shlex.join(compose["services"]["concordant"]["command"]))
        parses(shlex.split(shell.partition("exec concordant ")[2]))
        assert any(rest.endswith("bin/concordant compile") for name, rest in steps if name == "RUN")

    def test_it_has_a_user_without_rights_and_a_health_check(self) -> None:
        steps = docker_steps()
        names = [name for name, _ in steps]
        # The last stage runs as this user, and nothing follows that needs more.
        assert ("USER", "concordant") in steps
        assert "RUN" not in names[names.index("USER") :]
        assert any("/healthz" in rest for name, rest in steps if name == "HEALTHCHECK")
        run = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["concordant"]
        assert run["read_only"] is True
        assert run["cap_drop"] == ["ALL"]
        assert run["security_opt"] == ["no-new-privileges:true"]
        assert [port.startswith("127.0.0.1:") for port in run["ports"]] == [True]


class TestService:
    def test_its_commands_are_valid(self) -> None:
        found = service()
        for name in ("ExecStartPre", "ExecStart"):
            program, *arguments = shlex.split(found[name])
            assert program == "/opt/concordant/bin/concordant"
            parses(arguments)
        assert found["DynamicUser"] == "yes"
        assert found["ProtectSystem"] == "strict"

    @pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd")
    def test_systemd_accepts_it(self, tmp_path: Path) -> None:
        text = (DEPLOY / "concordant.service").read_text()
        unit = tmp_path / "concordant.service"
        # The program is not installed here.
        unit.write_text(text.replace("/opt/concordant/bin/concordant", "/bin/true"))
        command = ["systemd-analyze", "verify", "--man=no", str(unit)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert unit.name not in done.stderr, done.stderr


def test_the_location_of_nginx_is_the_documented_one() -> None:
    docs = (DEPLOY.parent / "docs" / "team.md").read_text()
    lines = (DEPLOY / "nginx.conf").read_text().splitlines()
    location = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    assert f"```nginx\n{location}\n```" in docs
