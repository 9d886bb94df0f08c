"""The command line: `concordant aggregate`, `compare`, `verify`, `convert` and so on.

A command is a module, and a line of `commands`. It is loaded when it is asked for, and what it
needs is imported inside its `run`: help and completion answer at once. This module itself imports
next to nothing, so that there is hardly a moment at which Ctrl-C meets no one who knows what to do.
"""

import sys

from concordant.cli.commands import BAD_INPUT, INTERRUPTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main() -> None:
    """Run the command line; the entry point of the installed program."""
    sys.unraisablehook = _interrupt_again
    try:
        from concordant.cli.program import start

        start()
    except KeyboardInterrupt:
        # While modules were being loaded, or for the second time.
        _say("interrupted before there was a result")
        sys.exit(INTERRUPTED)
    except MemoryError:
        _say("error: not enough memory")
        sys.exit(BAD_INPUT)
    finally:
        import signal

        # Python notes an interrupt that passes through exec, as in the making of a dataclass,
        # and would end by that signal, whatever the exit code; the next exec is a clean slate.
        exec("")
        # All is said. Ctrl-C from here on ends the program without a word, and not with a
        # traceback from whatever Python cleans up.
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _interrupt_again(unraisable: "Any") -> None:
    """Bring an interrupt that hit where nothing can be raised to where something can."""
    if unraisable.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(unraisable)
        return
    import _thread
    import threading

    # From another thread and a moment later: here, it would be lost a second time.
    threading.Timer(0.02, _thread.interrupt_main).start()


def _say(text: str) -> None:
    if sys.stderr is not None:
        try:
            sys.stderr.write(f"concordant: {text}\n")
            sys.stderr.flush()
        except OSError:
            pass


def __getattr__(name: str) -> "Any":
    # The program as an object, for tests and for tools that document it.
    if name == "app":
        from concordant.cli.program import app

        return app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
