"""The figures that the paper's tables report, as data to put beside our own results.

Source: Y. Zhou, J.-K. Hao, Z. Li and F. Glover, "Heuristic Search for Rank Aggregation with
Application to Label Ranking". Distances are the mean Kendall distance to the rankings of an
instance, times are seconds. Its table of label ranking is `concordant.learn.evaluation.PUBLISHED`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

SOURCE = (
    "Y. Zhou, J.-K. Hao, Z. Li and F. Glover, Heuristic Search for Rank Aggregation with "
    "Application to Label Ranking"
)
# The number of instances of each row of the tables of complete and of partial rankings.
INSTANCES = 20
# LADS with incremental evaluation over LADS without, in iterations within 100 s: "approximately 29
# to 34 for each instance" (Section VI-B).
EVALUATION_SPEED_UP = (29.0, 34.0)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the paper's tables of complete or partial rankings.

    Attributes:
        theta: The spread of the Mallows model.
        items: m, the number of items.
        averages: The average distance over 20 instances, by method.
        bests: The least distance of the 20 instances, which is the value of one instance and
            cannot be compared with an average.
        seconds: The average time.
    """

    theta: float
    items: int
    averages: dict[str, float]
    bests: dict[str, float]
    seconds: dict[str, float]


@dataclass(frozen=True, slots=True)
class Crossovers:
    """One row of the paper's table of crossovers: ten runs of HER with each, on one instance."""

    averages: dict[str, float]
    bests: dict[str, float]


# θ, m; averages of Borda, CSS, DK, B&B, GA, LADS and HER.
# The paper heads the first five averages f_best; they are averages, as its footnote says.
_COMPLETE = """
0.2 50  187.837 188.342 187.816 187.815 187.815 187.914 187.913
0.1 50  320.194 320.883 320.128 320.104 320.104 320.304 320.296
0.01 50  559.915 560.720 559.582 558.928 558.769 559.755 559.607
0.001 50  569.701 570.499 569.546 568.662 568.469 569.906 569.718
0.2 100  412.571 413.201 412.554 412.554 412.154 411.888 411.884
0.1 100  788.279 790.126 788.058 788.102 788.026 787.779 787.742
0.01 100  2155.301 2157.450 2154.294 2152.986 2152.247 2152.856 2152.623
0.001 100  2308.277 2310.266 2308.038 2304.983 2303.231 2305.656 2305.296
0.2 150  637.245 638.903 637.177 637.177 637.176 636.956 636.948
0.1 150  1260.964 1264.171 1260.645 1260.610 1260.583 1260.194 1260.146
0.01 150  4595.137 4599.431 4593.498 4590.917 4589.672 4585.319 4585.154
0.001 150  5206.998 5210.015 5208.340 5201.233 5196.731 5189.971 5189.620
0.2 200  862.707 865.154 862.650 862.685 862.648 862.704 862.693
0.1 200  1734.810 1739.429 1734.336 1734.395 1734.303 1734.219 1734.181
0.01 200  7699.995 7706.323 7697.136 7694.639 7692.271 7697.132 7697.138
0.001 200  9250.210 9253.655 9256.021 9241.557 9232.840 9237.531 9237.178
0.2 250  1087.719 1090.796 1087.623 1087.654 1087.622 1087.697 1087.684
0.1 250  2207.223 2213.130 2206.631 2206.665 2206.564 2206.800 2206.732
0.01 250  11311.189 11319.547 11307.085 11303.063 11300.249 11299.402 11299.597
0.001 250  14448.840 14451.179 14453.746 14435.551 14422.276 14430.421 14430.309
"""
# The same rows: bests of LADS and HER, and seconds of both.
_COMPLETE_BESTS = """
183.140 183.140 2.633 3.662
311.950 311.950 2.446 4.767
551.030 550.970 2.035 434.461
561.760 561.480 1.973 405.243
405.140 405.140 18.735 31.638
776.060 776.020 16.392 89.533
2126.610 2126.390 15.056 3166.568
2290.570 2290.190 15.254 4277.235
629.430 629.410 54.732 308.377
1245.810 1245.730 45.819 619.723
4533.030 4532.710 118.519 4610.010
5143.660 5143.140 116.381 4126.092
851.330 851.290 120.458 1672.241
1711.400 1711.320 103.823 2263.225
7624.120 7624.140 280.606 3000.011
9179.980 9180.140 211.585 4051.452
1075.790 1075.790 205.948 2917.056
2186.480 2186.260 187.542 3751.534
11180.290 11180.350 408.436 4170.573
14333.660 14333.840 422.379 4253.846
"""
# θ, m; averages of the extended Borda count, LADS and HER; bests of LADS and HER; seconds of both.
_PARTIAL = """
0.2 50  110.146 108.439 108.253 104.200 104.010 201.001 1474.880
0.1 50  161.129 155.746 155.283 146.350 145.710 259.866 2006.546
0.01 50  260.357 227.334 225.363 215.040 216.440 357.546 1477.692
0.001 50  271.714 229.024 227.225 219.400 216.920 380.800 1598.063
0.2 100  322.204 318.294 318.143 300.060 299.780 2072.679 1920.937
0.1 100  456.761 444.452 444.579 423.830 424.530 2818.127 2064.247
0.01 100  993.393 891.501 897.143 865.670 875.050 3517.686 1928.427
0.001 100  1087.184 918.750 923.105 901.220 899.790 3504.064 1902.893
0.2 150  633.113 629.422 626.871 606.310 603.630 3562.714 2143.940
0.1 150  847.017 833.089 829.185 805.570 802.890 3561.592 2367.000
0.01 150  2119.302 1993.287 1964.673 1950.840 1924.550 3561.519 2533.523
0.001 150  2439.313 2152.863 2099.691 2089.050 2051.680 3552.684 2911.502
0.2 200  1038.027 1051.096 1030.689 996.220 973.340 3569.241 2505.553
0.1 200  1322.746 1323.132 1300.955 1273.340 1251.500 3572.179 2784.889
0.01 200  3573.712 3463.497 3366.975 3381.430 3298.180 3568.342 3503.892
0.001 200  4330.083 3940.761 3765.796 3877.530 3704.640 3559.041 3365.421
0.2 250  1512.232 1574.204 1504.668 1524.780 1459.210 3576.292 3600.000
0.1 250  1887.351 1922.433 1862.538 1855.640 1796.670 3575.967 3600.000
0.01 250  5281.381 5209.651 5044.982 5074.930 4924.100 3534.476 3600.000
0.001 250  6735.437 6261.303 5963.002 6157.210 5870.410 3519.012 3600.000
"""
# Averages of order, order-based, position-based and CPSC; then their bests.
_CROSSOVERS = """
MM050n0.001_02  575.516 575.534 575.506 575.502 575.480 575.480 575.480 575.480
MM050n0.001_11  561.480 561.486 561.480 561.480 561.480 561.480 561.480 561.480
MM100n0.200_05  411.720 411.720 411.720 411.720 411.720 411.720 411.720 411.720
MM100n0.200_01  416.000 416.000 416.000 416.000 416.000 416.000 416.000 416.000
MM150n0.100_17  1266.100 1266.114 1266.100 1266.100 1266.090 1266.090 1266.090 1266.090
MM150n0.100_08  1249.598 1249.622 1249.598 1249.598 1249.580 1249.580 1249.580 1249.580
MM200n0.010_13  7704.978 7705.284 7704.938 7705.060 7704.840 7704.920 7704.800 7704.800
MM200n0.010_04  7668.052 7668.366 7668.056 7668.054 7667.850 7668.030 7667.850 7667.910
MM250n0.001_10  14442.674 14443.086 14442.964 14442.604 14442.240 14442.340 14442.540 14442.140
MM250n0.001_01  14353.888 14354.682 14353.912 14353.650 14353.330 14353.870 14353.490 14353.330
"""
CROSSOVER_METHODS = ("order", "order-based", "position-based", "cpsc")


def _lines(text: str) -> list[str]:
    return text.strip().split("\n")


def _rows(lines: Iterable[str], methods: tuple[str, ...]) -> tuple[Row, ...]:
    found = []
    for line in lines:
        theta, items, *values = map(float, line.split())
        averages = dict(zip(methods, values, strict=False))
        lads_best, her_best, lads_seconds, her_seconds = values[len(methods) :]
        bests = {"lads": lads_best, "her": her_best}
        seconds = {"lads": lads_seconds, "her": her_seconds}
        found.append(Row(theta, int(items), averages, bests, seconds))
    return tuple(found)


COMPLETE = _rows(
    map(" ".join, zip(_lines(_COMPLETE), _lines(_COMPLETE_BESTS), strict=True)),
    ("borda", "css", "dk", "bnb", "ga", "lads", "her"),
)
PARTIAL = _rows(_lines(_PARTIAL), ("extended-borda", "lads", "her"))
CROSSOVERS = {
    name: Crossovers(
        dict(zip(CROSSOVER_METHODS, values[:4], strict=True)),
        dict(zip(CROSSOVER_METHODS, values[4:], strict=True)),
    )
    for name, *fields in map(str.split, _lines(_CROSSOVERS))
    for values in [tuple(map(float, fields))]
}


def find_row(table: tuple[Row, ...], theta: object, items: object) -> Row | None:
    """Return the row of a combination of θ and m; None if the paper has none.

    Example:
        >>> find_row(COMPLETE, 0.2, 50).averages["her"]
        187.913
        >>> find_row(COMPLETE, 0.3, 50) is None
        True
    """
    return next((row for row in table if (row.theta, row.items) == (theta, items)), None)
