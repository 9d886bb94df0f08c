"""`concordant lists`: which items lists rank high by more than chance, and how far they agree."""

import sys
from typing import Annotated, Any, Literal

from concordant.cli.options import File, Json, Option, Quiet
from concordant.cli.streams import Reading, announced, print_json
from concordant.errors import InputError, SettingError
from concordant.formatting import counted, percent, printable

EXAMPLES = (
    "concordant lists genes.toi --universe 20000",
    "concordant lists genes.toi --absent unknown",
    "concordant lists rankings.soc --distance 5 --window 10 --json",
)


def run(
    file: File,
    reading: Reading,
    universe: Annotated[
        int | None,
        Option(
            metavar="N",
            min=1,
            help="The number of items that could have been in the lists.",
            show_default="those that are",
        ),
    ] = None,
    absent: Annotated[
        Literal["last", "unknown"],
        Option(
            help="What it means that a list does not have an item: it is behind all others, or the "
            "list could not have had it."
        ),
    ] = "last",
    level: Annotated[
        float,
        Option(metavar="P", min=0, max=1, help="Mark items whose adjusted p-value is at most P."),
    ] = 0.05,
    distance: Annotated[
        int | None,
        Option(
            metavar="D",
            min=0,
            help="Two lists agree on an item if its places differ by at most D.",
            show_default="a tenth of the items, at most 10",
        ),
    ] = None,
    window: Annotated[
        int, Option(metavar="N", min=2, help="The number of places that are tested together.")
    ] = 10,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show which items the lists in FILE rank higher than chance would, and how far they agree.

    The p-values are those of robust rank aggregation (Kolde and others 2012). The cut-off is the
    number of first places on which some two lists agree (Hall and Schimek 2012).
    """
    from concordant.cli.progress import Reporter
    from concordant.lists import list_cutoff, list_significance
    from concordant.rankings import Rankings

    with Reporter(quiet=quiet or as_json) as reporter, announced(reporter):
        data = reading.read(file)
        if not isinstance(data, Rankings):
            raise SettingError("lists needs rankings, and FILE holds counts")
        found = list_significance(data, universe=universe, unranked=absent)
        cutoff, why = None, ""
        try:
            cutoff = list_cutoff(data, distance=distance, window=window)
        except (InputError, SettingError) as error:
            if distance is not None:
                raise
            why = error.message if isinstance(error, InputError) else str(error)
    if as_json:
        facts: dict[str, Any] = found.to_dict()
        print_json(facts | {"cutoff": None if cutoff is None else cutoff.to_dict()})
        return
    rows = zip(found.items, found.rho, found.p_values, found.adjusted, strict=True)
    sys.stdout.write("      rho    p-value   adjusted  item\n")
    for item, rho, p, adjusted in rows:
        mark = "*" if adjusted <= level else " "
        sys.stdout.write(f"{rho:9.3g}  {p:9.3g}  {adjusted:9.3g}{mark} {printable(item)}\n")
    lists = counted(found.n_lists, "list")
    sys.stdout.write(
        f"\ninput      {lists} of {counted(found.universe, 'item')}\n"
        "p-value    how likely chance ranks an item as high in some of the lists\n"
        f"adjusted   corrected for testing all items (Holm); * is at most {percent(level)}\n"
    )
    if cutoff is None:
        sys.stdout.write(f"cut-off    none: {why}\n")
        return
    sys.stdout.write(
        f"cut-off    {cutoff.k:,}: some two lists agree on that many first places, up to a "
        f"difference of {cutoff.distance:,}\n"
    )
