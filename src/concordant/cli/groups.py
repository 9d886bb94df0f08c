"""`concordant groups`: divide the voters of a file into groups, each with its consensus."""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from concordant.cli.options import File, Json, Option, Quiet, Seed
from concordant.cli.streams import Reading, announced, check_output, print_json
from concordant.errors import SettingError
from concordant.formatting import counted, number, percent, printable

EXAMPLES = (
    "concordant groups votes.soc -k 2",
    "concordant groups votes.soc -k 1..5",
    "concordant groups votes.soc -k auto --json",
    "concordant groups votes.soc -k 3 --plot voters.png",
)
_SHOWN_VOTERS, _SHOWN_ITEMS = 20, 10


def run(
    file: File,
    reading: Reading,
    k: Annotated[
        str,
        Option("-k", metavar="K", help="The number of groups, a range such as 1..5, or auto."),
    ] = "auto",
    seed: Seed = 0,
    restarts: Annotated[int, Option(metavar="N", min=1, help="Number of starts.")] = 20,
    as_json: Json = False,
    plot: Annotated[
        str | None,
        Option(metavar="OUT", help="Draw the voters as points in this file (.png, .svg, …)."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Divide the voters of FILE into groups that each agree on a ranking as far as possible.

    Prints the consensus of each group, how far the voters agree with their own and with the other
    consensuses, and the items on which the groups differ most. With a range of K, the largest
    number of groups that pays is taken: groups found in random halves of the voters must agree, and
    the cost must be 15 % less than with fewer groups.
    """
    from concordant.cli.progress import Reporter
    from concordant.grouping import groups
    from concordant.plot import check_plot, save_plot
    from concordant.plot import groups as draw

    wanted = read_k(k)
    if plot is not None:
        check_plot(Path(plot))
        check_output(Path(plot), file)
    with Reporter(quiet=quiet or as_json) as reporter, announced(reporter):
        data = reading.read(file)
        found = groups(data, wanted, seed=seed, restarts=restarts)  # type: ignore[arg-type]
    if plot is not None:
        save_plot(partial(draw, data, found), plot)  # type: ignore[arg-type]
    if as_json:
        print_json(found.to_dict())
        return
    for line in _lines(found):
        sys.stdout.write(f"{line}\n")


def read_k(text: str, setting: str = "k") -> Any:
    """Read a number, a range (2..5) or auto."""
    if text == "auto":
        return text
    low, dots, high = text.partition("..")
    try:
        return range(int(low), int(high) + 1) if dots else int(low)
    except ValueError:
        raise SettingError(
            f"{setting} must be a number, a range such as 2..5, or auto, not {text!r}",
            setting=setting,
        ) from None


def _lines(found: Any) -> list[str]:
    from concordant.grouping import count_words

    lines = [f"{count_words(found)}; cost {number(found.cost)}"]
    if len(found.counts) > 1:
        lines += ["", "groups  cost  saved  stability"]
        for each in found.counts:
            stability = "-" if each.stability is None else f"{each.stability:.2f}"
            lines.append(f"{each.k:>6}  {number(each.cost)}  {percent(each.saved)}  {stability}")
        lines.append(
            "stability: how far groups found in random halves of the voters agree, up to 1"
        )
    for g, each in enumerate(found.consensuses):
        proven = "proven for these voters" if each.status == "optimal" else "not proven"
        lines += [
            "",
            f"group {g + 1}: {counted(found.sizes[g], 'voter')}, "
            f"cost {number(each.cost)}, {proven}",
            "  " + " > ".join(printable(item) for item in each.ranking),
            "  agreement (Kendall's tau) with "
            + ", ".join(f"group {h + 1}: {tau:.2f}" for h, tau in enumerate(found.agreement[g])),
        ]
        if found.voters is not None:
            names = [printable(name) for name in found.voters[g] if name is not None]
            more = f" and {len(names) - _SHOWN_VOTERS:,} more" if len(names) > _SHOWN_VOTERS else ""
            lines.append(f"  voters: {', '.join(names[:_SHOWN_VOTERS])}{more}")
    if found.k > 1:
        lines += ["", "items that the groups place most differently (place in each group):"]
        for item, places in found.differences[:_SHOWN_ITEMS]:
            lines.append(f"  {printable(item)}: {', '.join(map(str, places))}")
    return lines
