"""Run experiments and compare them with published figures.

'bench run' stores the results of a suite of experiments in a folder, the store. An interrupted
run can be continued. 'bench report' makes a report of one store or several.
"""

# The commands of this group, as in `concordant.cli.commands`.
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
