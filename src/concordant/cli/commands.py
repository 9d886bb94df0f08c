"""The commands that there are, and the exit codes that they may end with."""

# The name of each command, in the order of the help page, and the module that it is made of:
# a function `run`, whose parameters are its arguments and options, and its `EXAMPLES`.
COMMANDS = {
    "aggregate": "concordant.cli.aggregate",
    "verify": "concordant.cli.verify",
    "compare": "concordant.cli.compare",
    "convert": "concordant.cli.convert",
    "generate": "concordant.cli.generate",
    "methods": "concordant.cli.methods",
    "label-ranking": "concordant.cli.label_ranking",
}

DONE, NOT_VERIFIED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
