"""`concordant generate`: write random rankings to a file."""

import math
from pathlib import Path
from typing import Annotated, Literal

from concordant.cli.options import Argument, Option, Seed, format_option
from concordant.cli.streams import announced, check_output, write_rankings
from concordant.errors import SettingError

EXAMPLES = (
    "concordant generate mallows --items 50 --rankings 100 --theta 0.1 -o votes.soc",
    "concordant generate uniform --items 8 --rankings 20 --partial -o votes.toi",
    "concordant generate plackett-luce --items 9 --rankings 99 --theta 0.5 -o votes.csv",
)

Model = Literal["mallows", "plackett-luce", "uniform"]


def run(
    model: Annotated[
        Model,
        Argument(metavar="MODEL", help="The model: mallows, plackett-luce or uniform."),
    ],
    items: Annotated[int, Option(metavar="M", help="Number of items.")],
    rankings: Annotated[int, Option(metavar="N", help="Number of rankings.")],
    output: Annotated[
        Path,
        Option("--output", "-o", metavar="FILE", help="The file to write; - is standard output."),
    ],
    theta: Annotated[
        float | None,
        Option(
            metavar="T",
            help="How similar the rankings are, from 0 (not at all). Needed by mallows (the "
            "dispersion) and plackett-luce (an item is e^T times as likely as the next one).",
        ),
    ] = None,
    partial: Annotated[
        bool, Option("--partial", help="Drop some items of each ranking at random, and tie others.")
    ] = False,
    drop: Annotated[
        float | None,
        Option(
            metavar="P",
            help="With --partial: chance that an item is dropped.",
            show_default="2/3",
        ),
    ] = None,
    same_bucket: Annotated[
        float | None,
        Option(
            metavar="P",
            help="With --partial: chance that an item is tied with the one before.",
            show_default="5/6",
        ),
    ] = None,
    seed: Seed = 0,
    file_format: Annotated[
        str | None,
        format_option("--format", "The format of the file, if its name does not show it."),
    ] = None,
) -> None:
    """Draw random rankings and write them to a file.

    The same seed gives the same rankings.
    """
    if not partial and (drop is not None or same_bucket is not None):
        raise SettingError("--drop and --same-bucket need --partial")
    if model == "uniform" and theta is not None:
        raise SettingError("the uniform model has no --theta")
    if model != "uniform" and theta is None:
        raise SettingError(f"the {model} model needs --theta T")
    if seed < 0:
        raise SettingError(f"seed must be a whole number of at least 0, not {seed}", setting="seed")
    check_output(output)

    import numpy as np

    from concordant import generate as models
    from concordant.cli.progress import Reporter

    models.check_size(items, rankings)
    # One generator for both steps: two with the same seed would not be independent.
    rng = np.random.default_rng(seed)
    with Reporter() as reporter, announced(reporter):
        if model == "mallows":
            data = models.mallows(items, rankings, theta or 0.0, seed=rng)
        elif model == "plackett-luce":
            data = models.plackett_luce(rankings, weights=_strengths(items, theta), seed=rng)
        else:
            data = models.uniform(items, rankings, seed=rng)
        if partial:
            shares = {"drop": drop, "same_bucket": same_bucket}
            given = {name: value for name, value in shares.items() if value is not None}
            data = models.partial(data, seed=rng, **given)
    write_rankings(data, output, file_format, flag="--format")


def _strengths(items: int, theta: float | None) -> list[float]:
    """Return Plackett–Luce weights that fall by a factor of e^theta from item to item."""
    if theta is None or not (math.isfinite(theta) and theta >= 0):
        raise SettingError(
            f"theta must be a finite number of at least 0, not {theta}", setting="theta"
        )
    if theta * items > 700:
        raise SettingError(
            f"theta {theta} is too large for {items} items: at most {700 / items:.3g}",
            setting="theta",
        )
    return [math.exp(-theta * position) for position in range(items)]
