"""`concordant inspect`: show what a file would be read as, before it is."""

import io
import sys
from typing import Any

from click.exceptions import Exit

from concordant.cli.commands import BAD_INPUT
from concordant.cli.options import File, Json
from concordant.cli.streams import FLAGS, Reading, print_json, say
from concordant.errors import InputError, in_shell

EXAMPLES = (
    "concordant inspect votes.csv",
    "concordant inspect scores.csv --values scores",
    "concordant inspect votes.xlsx --sheet Votes --json",
)


def run(file: File, reading: Reading, as_json: Json = False) -> None:
    """Show what FILE would be read as: its layout, the role of each column, what is unclear.

    Above each column stands its role. Then come notes (what was passed over), warnings, and
    questions with the options that settle them. Exits with 2 if a question is open.
    """
    from concordant.reading.inspecting import inspect

    source: Any = file
    if str(file) == "-":
        source = io.BytesIO(sys.stdin.buffer.read())
        source.name = "standard input"
    seen = inspect(source, reading.format, **reading.given)
    if as_json:
        print_json(seen.to_dict())
    else:
        for line in seen.lines():
            sys.stdout.write(f"{line}\n")
        for finding in seen.findings:
            text = InputError(finding.message, hints=finding.hints).phrased(in_shell(FLAGS))
            sys.stdout.write(f"{finding.kind}: {text}\n")
    if seen.questions:
        if as_json:
            say(f"error: {seen.questions[0].message}")
        raise Exit(BAD_INPUT)
