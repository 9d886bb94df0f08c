"""The command line: `concordant aggregate`, `compare`, `verify`, `convert` and so on.

A command is a module, and a line of `commands`. It is imported when it is needed, and its own
imports are inside its `run`, so that help and completion are fast. This module imports almost
nothing, so that it can handle Ctrl-C from the first moment.
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
        # While modules were being imported, or a second time.
        _say("interrupted before there was a result")
        sys.exit(INTERRUPTED)
    except MemoryError:
        _say("error: not enough memory")
        sys.exit(BAD_INPUT)
    finally:
        import signal

        # Python records an interrupt that passes through exec, as when a dataclass is made, and
        # would exit by that signal instead of the exit code. Another exec clears the record.
        exec("")
        # From here on, Ctrl-C ends the program at once, without a traceback from Python's cleanup.
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _interrupt_again(unraisable: "Any") -> None:
    """Repeat an interrupt that came where Python cannot raise an exception."""
    if unraisable.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(unraisable)
        return
    import _thread
    import time

    main, hook = _thread.get_ident(), sys._getframe().f_code

    def interrupt() -> None:
        # Not while the main thread is still in this function: the interrupt would be lost again.
        while True:
            time.sleep(0.02)
            frame = sys._current_frames().get(main)
            while frame is not None and frame.f_code is not hook:
                frame = frame.f_back
            if frame is None:
                break
        _thread.interrupt_main()

    # A bare thread: `threading.Thread.start` waits for it, which may take longer than the pause.
    _thread.start_new_thread(interrupt, ())


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
