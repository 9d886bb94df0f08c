"""The program around the commands: its help pages, its usage errors and its exit codes."""

import io
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from concordant._files import reason
from concordant._version import __version__
from concordant.cli.commands import BAD_INPUT, COMMANDS, DONE, INTERRUPTED
from concordant.cli.options import SectionOption, parameters_of, spelled
from concordant.cli.streams import drop_output, open_closed_streams, say
from concordant.errors import ConcordantError, InputError, PluginWarning, SettingError, in_shell

_EXAMPLES = (
    "concordant aggregate votes.soc",
    "concordant aggregate votes.csv --time-limit 5 --json -o result.json",
    "concordant verify result.json votes.csv",
)


def start() -> None:
    """Run the command line with the arguments of the process, and exit."""
    from concordant._kernels.compiling import announce_nothing

    open_closed_streams()
    # Commands show it with their progress.
    announce_nothing()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name with characters that the terminal's encoding lacks must not fail.
        sys.stdout.reconfigure(errors="backslashreplace")
    app(prog_name="concordant")


# -- errors ----------------------------------------------------------------------------------


@contextmanager
def _failures() -> Iterator[None]:
    """Turn what can go wrong in any command into one line and an exit code."""
    try:
        yield
        sys.stdout.flush()
    except MemoryError as error:
        say(f"error: not enough memory. {error}".rstrip(" ."))
        raise click.exceptions.Exit(BAD_INPUT) from None
    except ModuleNotFoundError as error:
        # A dependency that was uninstalled.
        missing = (error.name or "concordant").partition(".")[0]
        if missing == "concordant":
            raise
        say(f"error: this needs the package {missing}. Install it: pip install {missing}")
        raise click.exceptions.Exit(BAD_INPUT) from None
    except KeyboardInterrupt:
        say("interrupted before there was a result")
        raise click.exceptions.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # The reader stopped early (`| head`).
        drop_output()
        raise click.exceptions.Exit(DONE) from None
    except OSError as error:
        where = "standard output cannot be written" if error.filename is None else error.filename
        say(f"error: {where}: {reason(error)}")
        drop_output()
        raise click.exceptions.Exit(BAD_INPUT) from None


@contextmanager
def _plugin_warnings() -> Iterator[None]:
    """Print warnings of plugins as one line each; others stay as they are."""
    with warnings.catch_warnings():
        others = warnings.showwarning

        def show(message: Any, *about: Any, **more: Any) -> None:
            if isinstance(message, PluginWarning):
                say(f"warning: {message}")
            else:
                others(message, *about, **more)

        warnings.showwarning = show
        yield


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


# -- commands --------------------------------------------------------------------------------


class _Command(click.Command):
    """A command with a help page in sections, and with errors that name its options."""

    examples: tuple[str, ...] = ()

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if isinstance(option, click.Option) and record is not None:
                section = option.section if isinstance(option, SectionOption) else "Options"
                sections.setdefault(section, []).append(record)
        for name, records in sections.items():
            with formatter.section(name if name == "Options" else f"{name} options"):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            for line in self.examples:
                # Not wrapped: to be copied.
                formatter.write(f"  {line}\n")

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ConcordantError as error:
            say(f"error: {_phrased(error, self.params)}")
            raise click.exceptions.Exit(BAD_INPUT) from None


class _Group(click.Group, _Command):
    """Commands that are modules, each imported when it is needed."""

    def __init__(self, name: str, modules: Mapping[str, str], **attributes: Any) -> None:
        super().__init__(name, invoke_without_command=True, callback=_show_help, **attributes)
        self._modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._modules:
            return None
        module: Any = import_module(self._modules[cmd_name])
        command: _Command
        if hasattr(module, "COMMANDS"):
            command = _Group(cmd_name, module.COMMANDS, help=module.__doc__)
        else:
            parameters, run = parameters_of(module.run)
            parameters.append(_import_option())
            command = _Command(cmd_name, params=parameters, callback=run, help=module.run.__doc__)
        # The first line, which click would shorten.
        command.short_help = (command.help or "").strip().partition("\n")[0]
        command.examples = module.EXAMPLES
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            # click suggests the commands that it has loaded, and none is.
            raise click.NoSuchCommand(error.command_name, None, self._modules, ctx) from None


@click.pass_context
def _show_help(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


class _Program(_Group):
    """The group of all commands: it turns what goes wrong into one line and an exit code."""

    def main(
        self,
        args: Any = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        try:
            code = super().main(args, prog_name, complete_var, False, **extra)
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx else "concordant"
            say(f"error: {error.format_message().rstrip('.')} (see '{path} --help')")
            code = BAD_INPUT
        if not standalone_mode:
            return code
        sys.exit(code if isinstance(code, int) else DONE)

    def make_context(self, *given: Any, **options: Any) -> click.Context:
        # Help and the version are printed while the arguments are read.
        with _failures():
            return super().make_context(*given, **options)

    def invoke(self, ctx: click.Context) -> Any:
        with _failures(), _plugin_warnings():
            return super().invoke(ctx)


def _import_option() -> click.Option:
    """Return the option of every command that loads methods and formats from outside."""

    def load(ctx: click.Context, param: click.Parameter, names: tuple[str, ...]) -> None:
        if not names or ctx.resilient_parsing:
            return
        from concordant.plugins import VARIABLE, load_module

        before = os.environ.get(VARIABLE)
        try:
            for name in names:
                load_module(name)
        except SettingError as error:
            raise click.BadParameter(error.message, ctx, param) from None
        # Processes that this one starts load them too.
        os.environ[VARIABLE] = os.pathsep.join(filter(None, (before, *names)))
        ctx.call_on_close(lambda: _restore(VARIABLE, before))

    return SectionOption(
        ["--import"],
        metavar="MODULE",
        multiple=True,
        expose_value=False,
        callback=load,
        help="Load a module or a .py file that registers methods or formats; may be repeated.",
    )


def _restore(variable: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(variable, None)
    else:
        os.environ[variable] = value


def _completion(flag: str, function: str, text: str) -> click.Option:
    """Return an option of the program that calls a function of `cli.completion`, and ends."""

    def call(ctx: click.Context, param: click.Parameter, shell: str | None) -> None:
        if shell is not None and not ctx.resilient_parsing:
            from concordant.cli import completion

            click.echo(getattr(completion, function)(ctx.command, shell))
            ctx.exit()

    return click.Option(
        [flag],
        metavar="[SHELL]",
        is_flag=False,
        flag_value="",
        expose_value=False,
        is_eager=True,
        callback=call,
        help=text,
    )


app = _Program(
    "concordant",
    COMMANDS,
    help="Find the ranking that agrees best with many rankings, and prove how good it is.",
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "show_default": True,
    },
)
app.examples = _EXAMPLES
click.version_option(__version__, message="%(prog)s %(version)s")(app)
app.params += [
    _completion("--install-completion", "install", "Install completion for a shell (yours)."),
    _completion("--show-completion", "script", "Print the completion script for a shell (yours)."),
]
