"""Run experiments and put them beside published figures.

A suite of experiments is run into a store, which is a folder; a run that was interrupted goes on
where it was. A report is made of one store or of several.
"""

# A group of commands: what `concordant.cli.commands` is for the whole program.
COMMANDS = {
    "run": "concordant.cli.bench.run",
    "report": "concordant.cli.bench.report",
    "suites": "concordant.cli.bench.suites",
}

EXAMPLES = (
    "concordant bench suites",
    "concordant bench run complete --scale small --jobs 2 --store results/complete",
    "concordant bench report results/complete -o report",
)
