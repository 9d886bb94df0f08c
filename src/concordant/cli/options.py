"""Options that several commands share, and how what is typed becomes a value.

A command takes them as parameters of its `run`, by the types of this module; options that always
go together are the fields of a dataclass, and `run` takes that as one parameter.
"""

import inspect
import re
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, partial, update_wrapper
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

Unranked = Literal["unknown", "last"]

# What numpy and numba can count.
_LARGEST = 2**63 - 1


def complete_format(incomplete: str) -> list[str]:
    """Return the formats that begin so, for the shell."""
    from concordant.formats import FORMATS

    return [name for name in FORMATS if name.startswith(incomplete)]


def complete_method(incomplete: str) -> list[tuple[str, str]]:
    """Return the methods that begin so, with what they do, for the shell."""
    from concordant.algorithms.registry import METHODS

    return [(m.name, m.summary) for m in METHODS.values() if m.name.startswith(incomplete)]


File = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="The rankings; - reads them from standard input."),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Start of the random numbers.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Show no progress, only what comes out.")
]
Samples = Annotated[
    int | None,
    typer.Option(
        "--bootstrap",
        metavar="N",
        min=1,
        help="Draw the voters again N times, and say how firm each place is.",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="URL",
        help="Run on the Dask cluster of this scheduler, such as tcp://10.0.0.1:8786.",
        show_default=False,
    ),
]


def format_option(flag: str, help: str) -> Any:  # noqa: A002 - the word of typer
    """Return the option that names a format."""
    return typer.Option(
        flag,
        metavar="F",
        autocompletion=complete_format,
        help=help,
        rich_help_panel="File",
    )


def spelled(message: str, setting: str, flag: str) -> str:
    """Return a message in which a setting that Python names is named as an option.

    Example:
        >>> spelled("time_limit must not be negative", "time_limit", "--time-limit")
        '--time-limit must not be negative'
    """
    return re.sub(rf"(?<![\w-]){re.escape(setting)}(?![\w-])", flag, message)


# -- from text to values ---------------------------------------------------------------------


@cache
def hints_of(function: Callable[..., Any] | None) -> dict[str, Any]:
    """Return what each parameter of a function is to be: its type, where it is given."""
    found = {}
    for name, hint in get_type_hints(function).items():
        kinds = [kind for kind in get_args(hint) if kind is not NoneType]
        optional = NoneType in get_args(hint)
        found[name] = kinds[0] if optional else hint
    return found


def convert_by(parameter: Any, kind: Any) -> None:
    """Let a parameter turn what is typed into a value of this kind.

    typer would do the same by means of pydantic, which takes longer to load than most files to
    aggregate; and its numbers have no end.
    """
    if "process_value" in vars(parameter):
        return
    parameter.process_value = partial(_process, parameter, parameter.process_value, kind)


def _process(parameter: Any, otherwise: Callable[..., Any], kind: Any, ctx: Any, value: Any) -> Any:
    several = get_origin(kind) is list
    if value is None and parameter.required:
        return otherwise(ctx, value)
    try:
        if several:
            value = [_value(get_args(kind)[0], each) for each in value or ()]
        else:
            value = _value(kind, value)
            _check_range(value, getattr(parameter, "min", None), getattr(parameter, "max", None))
    except ValueError as error:
        raise typer.BadParameter(str(error), ctx=ctx, param=parameter) from None
    return value if parameter.callback is None else parameter.callback(ctx, parameter, value)


def _value(kind: Any, text: Any) -> Any:
    """Return a text as a value of one of the kinds that options have; others are defaults."""
    if not isinstance(text, str):
        return text
    if get_origin(kind) is Literal:
        if text in get_args(kind):
            return text
        raise ValueError(f"{text!r} is not one of {', '.join(map(repr, get_args(kind)))}")
    if kind is int:
        return _whole(text)
    if kind is float:
        try:
            return float(text)
        except ValueError:
            raise ValueError(f"{_cut(text)} is not a number") from None
    return kind(text)


def _whole(text: str) -> int:
    """Return a whole number of at most 64 bits."""
    digits = text.strip().lstrip("+-").replace("_", "")
    if not digits.isdecimal():
        raise ValueError(f"{_cut(text)} is not a whole number")
    # Python refuses to read thousands of digits, and says so in words of its own.
    if len(digits.lstrip("0")) > 19 or abs(value := int(text)) > _LARGEST:
        raise ValueError(f"{_cut(text)} is too large: at most {_LARGEST:,}")
    return value


def _check_range(value: Any, least: float | None, most: float | None) -> None:
    if value is not None and least is not None and value < least:
        raise ValueError(f"{value} is too small: at least {least:,}")
    if value is not None and most is not None and value > most:
        raise ValueError(f"{value} is too large: at most {most:,}")


def _cut(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:20]}…{text[-10:]}")


# -- options that go together ----------------------------------------------------------------


def expanded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes the fields of its dataclasses as parameters of their own."""
    signature = inspect.signature(function, eval_str=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if not is_dataclass(parameter.annotation):
            parameters.append(parameter.replace(kind=parameter.KEYWORD_ONLY))
            continue
        groups[name] = kind = parameter.annotation
        hints = get_type_hints(kind, include_extras=True)
        for field in fields(kind):
            default = parameter.empty if field.default is MISSING else field.default
            parameters.append(
                inspect.Parameter(
                    field.name,
                    parameter.KEYWORD_ONLY,
                    default=default,
                    annotation=hints[field.name],
                )
            )

    def call(**given: Any) -> Any:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        return function(**given)

    update_wrapper(call, function)
    del call.__dict__["__wrapped__"]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    vars(call)["__signature__"] = inspect.Signature(parameters)
    return call
