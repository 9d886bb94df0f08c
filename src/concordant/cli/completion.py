"""Completion in the shell: the script that a shell needs, and its installation."""

import os
import subprocess
from pathlib import Path
from shutil import which
from typing import Any

import click
from click.shell_completion import get_completion_class

# For each shell, the file for the script, the start-up file of the shell, and the line there that
# loads the script. fish finds the script by itself, and PowerShell says where its file is.
_PLACES = {
    "bash": (".bash_completions/concordant.sh", ".bashrc", "source '{}'"),
    "zsh": (".zfunc/_concordant", ".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
    "fish": (".config/fish/completions/concordant.fish", "", ""),
    "powershell": (".concordant-completion.ps1", "", ". '{}'"),
}


def script(program: Any, shell: str) -> str:
    """Return the script that completes commands in a shell; '' is the shell of the user."""
    kind: Any = get_completion_class(_known(shell))
    text: str = kind(program, {}, "concordant", "_CONCORDANT_COMPLETE").source()
    return text


def install(program: Any, shell: str) -> str:
    """Write the script where a shell loads it, and return what was done."""
    target, start_up, line = _PLACES[_known(shell)]
    path = Path.home() / target
    line = line.format(path)
    profile = Path.home() / start_up if start_up or not line else _profile()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script(program, shell), encoding="utf-8")
    before = profile.read_text(encoding="utf-8") if profile.is_file() else ""
    if line and line not in before.splitlines():
        profile.parent.mkdir(parents=True, exist_ok=True)
        profile.write_text(f"{before.rstrip()}\n{line}\n".lstrip(), encoding="utf-8")
    return f"completion is installed in {path}; it works in new terminals"


def _known(shell: str) -> str:
    shell = shell or Path(os.environ.get("SHELL", "powershell")).stem
    shell = "powershell" if shell == "pwsh" else shell
    if shell not in _PLACES:
        raise click.UsageError(f"no completion for {shell!r}: choose one of {', '.join(_PLACES)}")
    return shell


def _profile() -> Path:
    """Return the start-up file of PowerShell."""
    shell = which("pwsh") or which("powershell")
    if shell is None:
        raise click.UsageError("PowerShell was not found")
    found = subprocess.run(
        [shell, "-NoProfile", "-Command", "$PROFILE"], capture_output=True, text=True, check=True
    )
    return Path(found.stdout.strip())
