"""`concordant aggregate --by KEY`: solve many problems and write all rankings."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.exceptions import Exit

from concordant.cli.commands import INCOMPLETE, INTERRUPTED
from concordant.cli.streams import FLAGS, Reading, announced, check_output, say, warnings_said
from concordant.errors import ConcordantError, InputError, SettingError, in_shell
from concordant.formatting import counted


@dataclass(frozen=True)
class Many:
    """How to solve many problems: the options of the command."""

    by: str
    method: str
    time_limit: float | None
    seed: int
    n_jobs: int | None
    depth: int | None
    tag: str
    quiet: bool

    def run(
        self,
        files: Sequence[Path],
        reading: Reading,
        settings: dict[str, Any],
        output: Path | None,
        as_json: bool,
        others: Mapping[str, Any],
    ) -> None:
        """Read, solve and write.

        Args:
            files: The files.
            reading: How to read them.
            settings: The settings of the method.
            output: Where to write the rankings; standard output by default.
            as_json: Whether standard output has JSON lines, else CSV.
            others: Options that do not go with --by, with their values.
        """
        from concordant.algorithms.registry import get
        from concordant.cli.progress import Reporter
        from concordant.many import aggregate_many, output_format
        from concordant.problems import read_many

        for name, value in others.items():
            if value not in (None, (), False):
                raise SettingError(f"{name} does not go with --by: leave it out", setting=name)
        get(self.method).make_settings(dict(settings))
        if output is not None:
            output_format(output)
            for file in files:
                check_output(output, file)
        with Reporter(quiet=self.quiet) as reporter, announced(reporter):
            with warnings_said():
                path: Any = files[0] if len(files) == 1 else list(files)
                problems = read_many(path, self.by, format=reading.format, **reading.given)
            for key, error in problems.failed.items():
                reporter.note(f"{self.by} {key} is left out: {_phrased(error)}")
            failed = set(problems.failed)
            results = aggregate_many(
                problems,
                self.method,
                time_limit=self.time_limit,
                seed=self.seed,
                n_jobs=self.n_jobs,
                on_progress=lambda done, total: reporter.state(f"{done:,} of {total:,} problems"),
                **settings,
            )
            for key, error in results.failed.items():
                if key not in failed:
                    reporter.note(f"{self.by} {key} is left out: {_phrased(error)}")
        if output is not None:
            results.save(output, depth=self.depth, tag=self.tag)
            proven = sum(result.status == "optimal" for result in results.values())
            say(f"{output}: {counted(len(results), 'problem')}, {proven:,} proven optimal")
        else:
            sys.stdout.writelines(results.lines("jsonl" if as_json else "csv", depth=self.depth))
        if results.interrupted:
            raise Exit(INTERRUPTED)
        if results.failed:
            raise Exit(INCOMPLETE)


def _phrased(error: ConcordantError) -> str:
    return error.phrased(in_shell(FLAGS)) if isinstance(error, InputError) else str(error)
