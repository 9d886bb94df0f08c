"""The commands that there are, and the exit codes that they may end with."""

# The name of each command, in the order of the help page, and the module that it is made of:
# a function `run`, whose parameters are its arguments and options, and its `EXAMPLES`; or, for a
# group of commands, `COMMANDS` like these in place of `run`.
COMMANDS = {
    "aggregate": "concordant.cli.aggregate",
    "verify": "concordant.cli.verify",
    "report": "concordant.cli.report",
    "compare": "concordant.cli.compare",
    "count": "concordant.cli.count",
    "convert": "concordant.cli.convert",
    "generate": "concordant.cli.generate",
    "methods": "concordant.cli.methods",
    "label-ranking": "concordant.cli.label_ranking",
    "bench": "concordant.cli.bench",
    "serve": "concordant.cli.serve",
}

DONE, NOT_VERIFIED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
# All that could be done is done, but some tasks gave no result.
INCOMPLETE = 1
