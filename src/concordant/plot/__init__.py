"""Plots of data and results, on matplotlib axes or to a file. Needs the `plot` extra.

Every function draws on the axes `ax` and returns them. Without `ax` it makes a new figure, which
is not registered with `pyplot`; a notebook shows the axes that are returned as a picture. Save the
figure with `ax.figure.savefig("plot.png")`.

Example:
    >>> import concordant as cc
    >>> data = cc.Rankings.from_orders([["a", "b", "c"], ["b", "a", "c"], ["c", "a", "b"]])
    >>> ax = positions(data, cc.aggregate(data))
    >>> ax.get_title(loc="left").splitlines()[0]
    'Where the voters put each item'
"""

from concordant.plot.drawing import check_plot, embed, name_of, picture, save_plot, svg, svg_file
from concordant.plot.groups import groups
from concordant.plot.pairs import pairwise
from concordant.plot.predictions import partial_curve, reliability
from concordant.plot.runs import bootstrap, comparison, progress
from concordant.plot.voters import agreement, bump, compares_pairs, positions

__all__ = [
    "agreement",
    "bootstrap",
    "bump",
    "check_plot",
    "compares_pairs",
    "comparison",
    "embed",
    "groups",
    "name_of",
    "pairwise",
    "partial_curve",
    "picture",
    "positions",
    "progress",
    "reliability",
    "save_plot",
    "svg",
    "svg_file",
]
