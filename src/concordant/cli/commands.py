"""The commands, and their exit codes."""

# The commands in the order of the help page, each with its module. The module has a function `run`,
# whose parameters are the arguments and options, and `EXAMPLES`. A group of commands has a dict
# `COMMANDS` instead of `run`.
COMMANDS = {
    "aggregate": "concordant.cli.aggregate",
    "inspect": "concordant.cli.inspect",
    "verify": "concordant.cli.verify",
    "report": "concordant.cli.report",
    "compare": "concordant.cli.compare",
    "groups": "concordant.cli.groups",
    "lists": "concordant.cli.lists",
    "count": "concordant.cli.count",
    "convert": "concordant.cli.convert",
    "generate": "concordant.cli.generate",
    "methods": "concordant.cli.methods",
    "label-ranking": "concordant.cli.label_ranking",
    "bench": "concordant.cli.bench",
    "serve": "concordant.cli.serve",
    "compile": "concordant.cli.compile",
}

DONE, NOT_VERIFIED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
# Some tasks of a benchmark gave no result; the others are done.
INCOMPLETE = 1
