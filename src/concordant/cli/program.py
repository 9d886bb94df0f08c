"""The program around the commands: its help, its usage errors, and its exit codes."""

import io
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from concordant._version import __version__
from concordant.cli.commands import BAD_INPUT, COMMANDS, DONE, INTERRUPTED
from concordant.cli.options import convert_by, expanded, hints_of, spelled
from concordant.cli.streams import drop_output, mend_streams, say
from concordant.errors import ConcordantError, InputError, SettingError, in_shell

# Some releases of typer depend on click and some carry it inside; the base class of every
# usage error is reached in the same way from a public name.
_UsageError: Any = typer.BadParameter.__mro__[1]

_EXAMPLES = (
    "concordant aggregate votes.soc",
    "concordant aggregate votes.csv --time-limit 5 --json -o result.json",
    "concordant verify result.json votes.csv",
)


def start() -> None:
    """Run the command line with the arguments of the process, and exit."""
    mend_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name that the encoding of the terminal does not have is no reason to fail.
        sys.stdout.reconfigure(errors="backslashreplace")
    app(prog_name="concordant")


# -- what goes wrong -------------------------------------------------------------------------


@contextmanager
def _failures() -> Iterator[None]:
    """Turn what can befall any command into one line and an exit code."""
    try:
        yield
        sys.stdout.flush()
    except MemoryError as error:
        say(f"error: not enough memory. {error}".rstrip(" ."))
        raise typer.Exit(BAD_INPUT) from None
    except KeyboardInterrupt:
        say("interrupted before there was a result")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # The reader has seen enough (`| head`).
        drop_output()
        raise typer.Exit(DONE) from None
    except OSError as error:
        where = "standard output cannot be written" if error.filename is None else error.filename
        say(f"error: {where}: {error.strerror or error}")
        drop_output()
        raise typer.Exit(BAD_INPUT) from None


def _phrased(error: ConcordantError, parameters: list[Any]) -> str:
    """Return the text of an error, with the settings it names spelled as options."""
    if not isinstance(error, InputError | SettingError):
        return str(error)
    flags: dict[str, str] = {}
    for parameter in parameters:
        flag = max(parameter.opts, key=len)
        if flag.startswith("--"):
            flags |= {flag[2:].replace("-", "_"): flag, parameter.name: flag}
    text = error.phrased(in_shell(flags))
    setting = getattr(error, "setting", None)
    return spelled(text, setting, flags[setting]) if setting in flags else text


# -- help ------------------------------------------------------------------------------------


def _help(command: Any, page: Callable[[], None]) -> None:
    """Print a help page with its text filled, then its examples as they stand."""
    paragraphs = (command.help or "").split("\n\n")
    command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    examples, command.epilog = command.epilog, None
    try:
        page()
    finally:
        command.epilog = examples
    if examples:
        from concordant.cli.terminal import show_examples

        show_examples(examples.splitlines(), sys.stdout)


def _prepared(parameters: list[Any], hints: Mapping[str, Any]) -> list[Any]:
    """Let parameters read values in our way, and help show only the types that say something."""
    for parameter in parameters:
        is_flag = getattr(parameter, "is_flag", False)
        convert_by(parameter, bool if is_flag else hints[parameter.name])
        if is_flag:
            # It takes no value.
            parameter.metavar = ""
        elif parameter.param_type_name == "argument":
            # Its text says what it is.
            parameter.display_type_rich = lambda ctx: None
    return parameters


# -- commands --------------------------------------------------------------------------------


class _Command(TyperCommand):
    """A command whose help ends in examples, and whose errors name its own options."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _prepared(super().get_params(ctx), hints_of(self.callback))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        _help(self, lambda: TyperCommand.format_help(self, ctx, formatter))

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except ConcordantError as error:
            say(f"error: {_phrased(error, self.params)}")
            raise typer.Exit(BAD_INPUT) from None


class _Loaded(Mapping[str, Any]):
    """Commands by name, each made when it is asked for."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = modules

    def __getitem__(self, name: str) -> Any:
        module = import_module(self._modules[name])
        if hasattr(module, "COMMANDS"):
            return _group(name, module)
        one = typer.Typer(add_completion=False, rich_markup_mode="rich")
        one.command(name, cls=_Command, epilog="\n".join(module.EXAMPLES))(expanded(module.run))
        return typer.main.get_command(one)

    def __contains__(self, name: object) -> bool:
        return name in self._modules

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


class _Group(TyperGroup):
    """A group of commands, whose help ends in examples."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _prepared(super().get_params(ctx), {})

    def format_help(self, ctx: Any, formatter: Any) -> None:
        _help(self, lambda: TyperGroup.format_help(self, ctx, formatter))


def _group(name: str, module: Any) -> Any:
    """Make a group of the `COMMANDS` of a module; its docstring is the help page."""
    one = typer.Typer(cls=_Group, name=name, add_completion=False, rich_markup_mode="rich")
    one.callback(
        invoke_without_command=True, help=module.__doc__, epilog="\n".join(module.EXAMPLES)
    )(_show_help)
    group: Any = typer.main.get_group(one)
    group.commands = _Loaded(module.COMMANDS)
    return group


def _show_help(ctx: typer.Context) -> None:
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help(), nl=False)


class _Program(_Group):
    """The group of all commands: it turns what goes wrong into one line and an exit code."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        commands: Any = _Loaded(COMMANDS)
        self.commands = commands

    def main(
        self,
        args: Any = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except _UsageError as error:
            path = error.ctx.command_path if error.ctx else "concordant"
            say(f"error: {error.format_message().rstrip('.')} (see '{path} --help')")
            code = BAD_INPUT
        if not standalone_mode:
            return code
        sys.exit(code if isinstance(code, int) else DONE)

    def make_context(self, *given: Any, **options: Any) -> Any:
        # Help and the version are printed while the arguments are read.
        with _failures():
            return super().make_context(*given, **options)

    def invoke(self, ctx: Any) -> Any:
        with _failures():
            return super().invoke(ctx)


app = typer.Typer(
    cls=_Program,
    name="concordant",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"concordant {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True, epilog="\n".join(_EXAMPLES))
def _root(
    ctx: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Find the ranking that agrees best with many rankings, and how good it can be."""
    _show_help(ctx)
