"""Options that several commands share, and how declared parameters become those of click.

A command declares its arguments and options as the parameters of its `run`, by the types of this
module. Options that always go together are the fields of a dataclass, which is one parameter.
"""

import inspect
import re
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import click
from click.shell_completion import CompletionItem

Unranked = Literal["unknown", "last"]

# The largest integer of numpy and numba.
_LARGEST = 2**63 - 1
_RANGE = "min", "max"


class Argument:
    """Declares a parameter of a command as an argument, with attributes of `click.Argument`."""

    def __init__(self, **attributes: Any) -> None:
        self.attributes = attributes


class Option(Argument):
    """Declares a parameter of a command as an option.

    Args:
        flags: The names of the option; by default that of the parameter.
        attributes: Those of `click.Option`, and `min` and `max`, the smallest and the largest
            value, and `section`, the part of the help page.
    """

    def __init__(self, *flags: str, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.flags = flags


def complete_format(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the formats whose names begin with what is typed, for the shell."""
    from concordant.formats import all_formats

    return [name for name in all_formats() if name.startswith(incomplete)]


def complete_method(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the methods whose names begin with what is typed, for the shell."""
    from concordant.algorithms.registry import all_methods

    found = [method for method in all_methods().values() if method.name.startswith(incomplete)]
    return [CompletionItem(method.name, help=method.summary) for method in found]


File = Annotated[
    Path, Argument(metavar="FILE", help="The file with the rankings; - is standard input.")
]
Result = Annotated[
    Path,
    Argument(metavar="RESULT", help="A result saved by 'aggregate -o' or 'aggregate --json'."),
]
Seed = Annotated[int, Option(metavar="N", help="Random seed.")]
Json = Annotated[bool, Option("--json", help="Print one JSON object.")]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Show no progress.")]
Threads = Annotated[
    int | None,
    Option("--jobs", metavar="N", help="Number of threads.", show_default="all cores"),
]
Samples = Annotated[
    int | None,
    Option(
        "--bootstrap",
        metavar="N",
        min=1,
        help="Resample the voters N times, and show how certain each place is.",
    ),
]
SamplesBy = Annotated[
    Literal["voter"] | None,
    Option(
        "--bootstrap-by",
        help="What is resampled: 'voter' takes all rankings of a voter's name together.",
        show_default="each ranking alone",
    ),
]
Scheduler = Annotated[
    str | None,
    Option(
        "--scheduler",
        metavar="URL",
        help="Run on the Dask cluster with this scheduler, such as tcp://10.0.0.1:8786.",
    ),
]

Ties = Annotated[
    bool,
    Option("--ties", help="Find the best answer with ties: tiers of items.", section="Ties"),
]
TiePenalty = Annotated[
    float | None,
    Option(
        metavar="P",
        help="What a vote that orders a pair charges an answer that ties it, from 0 to 1.",
        show_default="0.5",
        section="Ties",
    ),
]
VoteTiePenalty = Annotated[
    float | None,
    Option(
        metavar="Q",
        help="What a vote that ties a pair charges an answer that orders it, from 0 to 1.",
        show_default="P",
        section="Ties",
    ),
]

Before = Annotated[
    tuple[str, ...],
    Option(
        metavar="'A > B'",
        help="A must be before B; may be repeated, and may be a chain: 'A > B > C'.",
        section="Constraints",
    ),
]
First = Annotated[
    tuple[str, ...],
    Option(
        metavar="ITEM",
        help="This item must be before all others; may be repeated.",
        section="Constraints",
    ),
]
Last = Annotated[
    tuple[str, ...],
    Option(
        metavar="ITEM",
        help="This item must be behind all others; may be repeated.",
        section="Constraints",
    ),
]
GroupsInOrder = Annotated[
    str | None,
    Option(
        metavar="'A = B > C'",
        help="All items of a group must be before those of the next.",
        section="Constraints",
    ),
]


def format_option(flag: str, help: str) -> Option:  # noqa: A002 - the word of click
    """Return the option that names a format."""
    return Option(flag, metavar="F", shell_complete=complete_format, help=help, section="File")


def spelled(message: str, setting: str, flag: str) -> str:
    """Return a message in which a setting that Python names is named as an option.

    Example:
        >>> spelled("time_limit must not be negative", "time_limit", "--time-limit")
        '--time-limit must not be negative'
    """
    return re.sub(rf"(?<![\w-]){re.escape(setting)}(?![\w-])", flag, message)


# -- from declarations to click --------------------------------------------------------------


class SectionOption(click.Option):
    """An option with the part of the help page that lists it."""

    def __init__(self, *given: Any, section: str = "Options", **attributes: Any) -> None:
        super().__init__(*given, **attributes)
        self.section = section


def parameters_of(
    function: Callable[..., Any],
) -> tuple[list[click.Parameter], Callable[..., Any]]:
    """Return the parameters that a function declares, and the function that takes their values.

    A parameter that is a dataclass stands for its fields.
    """
    found: list[click.Parameter] = []
    groups: dict[str, Any] = {}
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        kind = hints[name]
        if not is_dataclass(kind):
            found.append(_parameter(name, kind, parameter.default))
            continue
        groups[name] = kind
        inner = get_type_hints(kind, include_extras=True)
        found += [_parameter(each.name, inner[each.name], each.default) for each in fields(kind)]

    def call(**given: Any) -> Any:
        for name, kind in groups.items():
            given[name] = kind(**{each.name: given.pop(each.name) for each in fields(kind)})
        return function(**given)

    return found, call


def _parameter(name: str, hint: Any, default: Any) -> click.Parameter:
    """Return a declared parameter (`Annotated[type, Option(…)]`) as a parameter of click."""
    kind, declared = get_args(hint)
    if NoneType in get_args(kind):
        kind = get_args(kind)[0]
    several = get_origin(kind) is tuple
    if several:
        kind = get_args(kind)[0]
    attributes = dict(declared.attributes)
    if default in (MISSING, inspect.Parameter.empty):
        attributes["required"] = True
    else:
        attributes["default"] = default
    kind = bool if kind is bool else _type_of(kind, *(attributes.pop(k, None) for k in _RANGE))
    if not isinstance(declared, Option):
        return click.Argument([name], type=kind, nargs=-1 if several else 1, **attributes)
    flags = declared.flags or (f"--{name.replace('_', '-')}",)
    return SectionOption(
        [name, *flags], type=kind, is_flag=kind is bool, multiple=several, **attributes
    )


def _type_of(kind: Any, least: float | None, most: float | None) -> click.ParamType[Any]:
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if kind is Path:
        return click.Path(path_type=Path)
    return _Number(kind, least, most) if kind in (int, float) else click.STRING


class _Number(click.ParamType[Any]):
    """Numbers in a range; whole ones have at most 64 bits."""

    name = "number"

    def __init__(self, kind: type[int] | type[float], least: float | None, most: float | None):
        self._kind = kind
        self._least = least
        self._most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        shown = repr(value if len(value) <= 40 else f"{value[:20]}…{value[-10:]}")
        if self._kind is int:
            digits = value.strip().lstrip("+-").replace("_", "")
            # Python refuses to read thousands of digits, with a message of its own.
            if digits.isdecimal() and len(digits.lstrip("0")) > 19:
                self.fail(f"{shown} is too large: at most {_LARGEST:,}", param, ctx)
        try:
            number = self._kind(value)
        except ValueError:
            what = "a whole number" if self._kind is int else "a number"
            self.fail(f"{shown} is not {what}", param, ctx)
        if self._least is not None and number < self._least:
            self.fail(f"{number} is too small: at least {self._least:,}", param, ctx)
        most = _LARGEST if self._kind is int and self._most is None else self._most
        if most is not None and abs(number) > most:
            self.fail(f"{shown} is too large: at most {most:,}", param, ctx)
        return number
