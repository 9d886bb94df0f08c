"""Reports of benchmarks: statistics, tables beside the published ones, figures, pages."""

from __future__ import annotations

import csv
import dataclasses
import html.parser
import io
import itertools
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from concordant.bench import published, report
from concordant.bench.page import Section, render_markdown, render_page
from concordant.bench.records import Manifest, Record
from concordant.bench.report import (
    build_sections,
    missing_parts,
    results_of,
    suite_figures,
    suite_tables,
    write_report,
)
from concordant.bench.results import Results
from concordant.bench.statistics import describe, fit_power
from concordant.errors import InputError
from concordant.layout import Column, Table
from concordant.paired import average_ranks, contest, signed_rank_p

NASTY = "<b>&|`*_$x$ \x1b[31m"


def manifest(suite: str, **settings: Any) -> Manifest:
    command = f"concordant bench run {suite} --store here"
    return Manifest(suite, "smoke", settings, {"concordant": "0"}, {"cores": 2}, command)


def record(instance: str, method: str, cost: int, bound: int = 0, **rest: Any) -> Record:
    """A record of an instance with 100 rankings."""
    run = rest.get("run", 0)
    rest.setdefault("trace", ((0.01, cost + 50, 0), (0.5, cost, bound)))
    rest.setdefault("elapsed", 1.0)
    status = "optimal" if cost == bound else "feasible"
    return Record(
        f"{instance}/{method}/{run}",
        instance,
        method,
        cost=cost,
        distance=cost / 100,
        lower_bound=bound,
        status=status,
        **rest,
    )


def mallows_records(
    rows: Sequence[published.Row] = published.COMPLETE,
    shift: float = 0.0,
    n: int = 4,
    methods: Sequence[str] = ("auto", "her", "borda"),
    **labels: Any,
) -> list[Record]:
    """Instances whose best costs are spread evenly around the published average of HER."""
    found = []
    for row in rows:
        for number in range(n):
            name = f"MM{row.items:03d}n{row.theta:.3f}_{number + 1:02d}"
            off = (number - (n - 1) / 2) * 100
            best = round(row.averages["her"] * 100 + off + shift * 100)
            kind = {"theta": row.theta, "items": row.items, "rankings": 100, **labels}
            for place, method in enumerate(methods):
                cost, bound = best + 10 * place, best if method == "auto" else 0
                found.append(record(name, method, cost, bound, labels=kind))
    return found


def results(suite: str, records: Sequence[Record], **settings: Any) -> Results:
    return results_of(manifest(suite, **settings), records)


def table(found: Results, name: str) -> Table:
    return next(each for each in suite_tables(found) if each.name == name)


def column(table: Table, name: str) -> list[Any]:
    place = [column.name for column in table.columns].index(name)
    return [row[place] for row in table.rows]


values = st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=25)


class TestStatistics:
    @given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), max_size=30))
    def test_signed_rank_is_symmetric_and_a_probability(self, pairs: list[Any]) -> None:
        p = signed_rank_p(pairs)
        if not pairs:
            assert p is None
            return
        assert p is not None
        assert 0 < p <= 1
        assert signed_rank_p([(b, a) for a, b in pairs]) == pytest.approx(p)
        if all(a == b for a, b in pairs):
            assert p == 1

    def test_signed_rank_of_the_paper(self) -> None:
        """HER's averages against LADS's: the paper prints 1.3e-3, of the normal distribution."""
        pairs = [(row.averages["her"], row.averages["lads"]) for row in published.COMPLETE]
        assert contest(pairs)[:3] == (18, 0, 2)
        p = signed_rank_p(pairs)
        assert p is not None
        assert p < 1.3e-3

    @given(st.lists(st.integers(-9999, 9999).filter(bool), min_size=1, max_size=60, unique_by=abs))
    def test_signed_rank_agrees_with_scipy(self, differences: list[int]) -> None:
        expected = scipy.stats.wilcoxon(differences).pvalue
        assert signed_rank_p([(each, 0.0) for each in differences]) == pytest.approx(expected)

    def test_signed_rank_with_ties_counts_all_signs(self) -> None:
        sizes = [1.0, 1.0, 2.0, 3.0, 3.0, 3.0]
        sums = [
            abs(sum(s * r for s, r in zip(signs, scipy.stats.rankdata(sizes), strict=True)))
            for signs in itertools.product((-1, 1), repeat=6)
        ]
        here = [-1.0, 1.0, 2.0, -3.0, 3.0, 3.0]
        found = abs(
            sum(math.copysign(r, d) for r, d in zip(scipy.stats.rankdata(sizes), here, strict=True))
        )
        expected = sum(each >= found for each in sums) / 64
        assert signed_rank_p([(each, 0.0) for each in here]) == pytest.approx(expected)

    @given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=60))
    def test_signed_rank_ignores_rounding(self, pairs: list[Any]) -> None:
        """Costs and distances, which are costs divided by 100, give the same p."""
        costs = [(1_443_000 + a, 1_443_000 + b) for a, b in pairs]
        assert signed_rank_p(costs) == signed_rank_p([(a / 100, b / 100) for a, b in costs])

    @given(values)
    def test_wins_and_losses_change_places(self, values: list[float]) -> None:
        pairs = list(zip(values, values[::-1], strict=True))
        wins, ties, losses, _ = contest(pairs)
        assert (wins, ties) == (sum(a < b for a, b in pairs), sum(a == b for a, b in pairs))
        assert contest([(b, a) for a, b in pairs])[:3] == (losses, ties, wins)

    @given(st.integers(2, 6).flatmap(lambda k: st.lists(
        st.lists(st.integers(0, 5), min_size=k, max_size=k), min_size=1, max_size=8)))  # fmt: skip
    def test_ranks_sum_to_what_they_must(self, rows: list[list[int]]) -> None:
        k = len(rows[0])
        assert sum(average_ranks(rows)) == pytest.approx(k * (k + 1) / 2)

    def test_published_ranks_of_crossovers(self) -> None:
        """The paper prints these average ranks of averages, in the order of its columns."""
        rows = [list(row.averages.values()) for row in published.CROSSOVERS.values()]
        assert average_ranks(rows) == pytest.approx([2.1, 3.7, 2.3, 1.9])

    @given(st.floats(-3, 3), st.floats(0.01, 100))
    def test_power_law_is_found(self, exponent: float, factor: float) -> None:
        x = [1.0, 3.0, 10.0, 80.0]
        law = fit_power(x, [factor * each**exponent for each in x])
        assert law is not None
        assert law.exponent == pytest.approx(exponent, abs=1e-6)
        assert law.factor == pytest.approx(factor, rel=1e-6)
        assert law.error == pytest.approx(0, abs=1e-6)

    def test_one_size_is_not_a_curve(self) -> None:
        assert fit_power([5, 5, 0], [1, 2, 3]) is None
        assert describe([1.0]).error is None
        assert describe([1.0]).error_beside(20) is None


class TestPublished:
    def test_averages_of_the_columns_as_printed(self) -> None:
        """The paper prints these averages of its table of crossovers."""
        printed = {"order": 4865.001, "order-based": 4865.189, "position-based": 4865.027}
        for method, value in {**printed, "cpsc": 4864.977}.items():
            found = np.mean([row.averages[method] for row in published.CROSSOVERS.values()])
            assert found == pytest.approx(value, abs=6e-4)

    def test_tables_are_whole(self) -> None:
        kinds = {(row.theta, row.items) for row in published.COMPLETE}
        assert len(kinds) == len(published.COMPLETE) == 20
        assert kinds == {(row.theta, row.items) for row in published.PARTIAL}
        for row in (*published.COMPLETE, *published.PARTIAL):
            for method, best in row.bests.items():
                assert best < row.averages[method]

    def test_ga_is_below_her_in_twelve_rows(self) -> None:
        [section] = build_sections([("a", manifest("complete"), [])])
        [contest] = [each for each in section.tables if each.name == "published"]
        assert dict(zip(column(contest, "method"), column(contest, "HER above"), strict=True)) == {
            **dict.fromkeys(("css", "lads"), 0), "css": 0, "lads": 2, "ga": 12,
            "borda": sum(r.averages["borda"] < r.averages["her"] for r in published.COMPLETE),
            "dk": sum(r.averages["dk"] < r.averages["her"] for r in published.COMPLETE),
            "bnb": sum(r.averages["bnb"] < r.averages["her"] for r in published.COMPLETE),
        }  # fmt: skip


@pytest.fixture(scope="module")
def complete() -> Results:
    return results("complete", mallows_records())


class TestTables:
    def test_published_beside_ours(self, complete: Results) -> None:
        found = table(complete, "averages")
        rows = {(row.theta, row.items): row for row in published.COMPLETE}
        assert len(found.rows) == 20
        places = zip(column(found, "θ"), column(found, "m"), strict=True)
        for place, theirs, ours in zip(
            places, column(found, "her, published"), column(found, "her"), strict=True
        ):
            assert theirs == rows[place].averages["her"]
            # Our HER is 10 above the best, which is the published average.
            assert ours == pytest.approx(theirs + 0.1, abs=0.006)
        bests = {each for row in published.COMPLETE for each in row.bests.values()}
        assert not bests & {value for row in found.rows for value in row}

    def test_errors_of_differences(self, complete: Results) -> None:
        """Four costs 100 apart have a deviation of 1.29, and twenty more are assumed to."""
        found = table(complete, "differences")
        deviation = np.std([-1.5, -0.5, 0.5, 1.5], ddof=1)
        for error in column(found, "error of a difference"):
            assert error == pytest.approx(deviation * math.sqrt(1 / 4 + 1 / 20))

    @pytest.mark.parametrize(
        ("shift", "verdict"), [(-1.0, "yes"), (0.9, "within error"), (9.0, "no order could")]
    )
    def test_verdict_follows_the_difference(self, shift: float, verdict: str) -> None:
        rows = [row for row in published.COMPLETE if row.averages["her"] <= row.averages["ga"]]
        rows = [row for row in rows if row.averages["her"] <= row.averages["lads"]]
        found = table(results("complete", mallows_records(rows, shift)), "differences")
        assert set(column(found, "auto at or below")) == {verdict}
        counts = table(results("complete", mallows_records(rows, shift)), "verdicts")
        [her] = [row for row in counts.rows if row[:2] == ("auto", "her")]
        assert her[2:6] == (len(rows), *((len(rows), 0, 0) if shift < 0 else (0, 0, len(rows))))

    def test_gaps_are_to_the_best_bound(self, complete: Results) -> None:
        found = table(complete, "gaps")
        assert set(column(found, "optima proven")) == {"4 of 4"}
        assert set(column(found, "auto")) == {0.0}
        for bound, gap in zip(column(found, "lower bound"), column(found, "her"), strict=True):
            assert gap == pytest.approx(0.1 / (bound + 0.1), rel=0.05)

    def test_a_bound_of_another_method_proves_an_optimum(self) -> None:
        """Their distances are rounded, and differ in the last digit."""
        one, other = record("a", "x", 3 * 10**6 + 1, 10**6), record("a", "y", 10**6, 5)
        assert one.distance is not None
        one = dataclasses.replace(one, distance=one.distance * (1 + 1e-15))
        found = results("complete", [one, other])
        assert len(found.proven) == 1
        assert found.gap(other) == 0

    def test_columns_are_in_one_order(self) -> None:
        names = ("zeta", "her", "auto", "L10", "borda", "L5")
        for suite, first in (("x", ("borda", "her", "auto")), ("history-length", ("L5", "L10"))):
            for order in (names, names[::-1]):
                found = results(suite, [record("a", name, 5) for name in order])
                rest = tuple(name for name in order if name not in first)
                assert found.methods == (*first, *rest)

    def test_methods_are_paired_by_instance(self, complete: Results) -> None:
        found = table(complete, "methods")
        assert column(found, "method") == ["borda", "her", "auto"]
        assert column(found, "average rank") == [3, 2, 1]
        assert column(found, "losses") == [80, 80, None]
        assert column(found, "proven by itself") == ["0 of 80", "0 of 80", "80 of 80"]
        assert all(p < 1e-10 for p in column(found, "p")[:-1])

    def test_readings_stay_apart(self) -> None:
        methods = ("auto", "her", "extended-borda")
        records = [
            each
            for reading, rows in (("drop", published.PARTIAL[:3]), ("keep", published.PARTIAL[:5]))
            for each in mallows_records(rows, methods=methods, reading=reading)
        ]
        found = results("partial", records)
        averages = table(found, "averages")
        assert column(averages, "reading") == ["drop"] * 3 + ["keep"] * 5
        assert set(column(averages, "instances")) == {4}
        assert column(averages, "extended-borda, published")[0] == 110.146
        verdicts = table(found, "verdicts")
        assert {row[0]: row[3] for row in verdicts.rows} == {"drop": 3, "keep": 5}

    def test_runs_are_averaged_before_instances(self) -> None:
        """A case with three runs weighs as much as one with a single run."""
        first = [record("a", "auto", cost, run=run) for run, cost in enumerate((100, 200, 300))]
        sample = results("x", [*first, record("b", "auto", 400)]).sample("auto")
        assert sample is not None
        assert (sample.mean, sample.n) == (3.0, 2)

    def test_crossovers(self) -> None:
        names = list(published.CROSSOVERS)[:3]
        records = [
            record(name, method, 1000 + place + run, run=run)
            for name in names
            for place, method in enumerate(("cpsc", "order", "extra"))
            for run in range(2)
        ]
        found = results("crossovers", records)
        assert column(table(found, "values"), "cpsc, best") == [10.0] * 3
        assert column(table(found, "values"), "cpsc, average") == pytest.approx([10.005] * 3)
        assert "cannot be compared" in table(found, "values").notes[0]
        ranks = {row[0]: row for row in table(found, "ranks").rows}
        assert ranks["cpsc"][1] == 1
        assert ranks["order"][2:5] == (3, 0, 0)
        assert ranks["order-based"][1] is None
        assert ranks["order-based"][6] == 3.7
        files = results("crossovers", records, instances={"a": "1"})
        assert "can be compared" in table(files, "values").notes[0]
        assert len(missing_parts(found)) == len(missing_parts(files)) == 7
        mine = [record("mine", "cpsc", 5)]
        assert missing_parts(results("crossovers", mine, instances={"a": "1"})) == []
        assert missing_parts(results("complete", mine, instances={"a": "1"})) == []

    def test_files_of_other_kinds_are_compared_with_nothing_published(self) -> None:
        records = [record("mine", "borda", 7), record("mine", "auto", 5), record("more", "auto", 5)]
        found = results("complete", records, instances={"a": "1"}, tasks="3 tasks, abc")
        names = [each.name for each in suite_tables(found)]
        assert names == ["averages", "gaps", "methods", "pairs"]
        assert not any("published" in each.name for each in table(found, "averages").columns)
        # A method that was meant for one of the files only is not missing on the other.
        assert missing_parts(found) == []

    def test_evaluation(self) -> None:
        rates = {"full": 10.0, "incremental": 300.0, "pairwise": 5000.0}
        records = [
            record("a", name, 5, measures={"iterations_per_second": rate})
            for name, rate in rates.items()
        ]
        found = table(results("evaluation", records), "evaluation")
        assert column(found, "incremental / full") == [30]
        assert column(found, "pairwise / full") == [500]
        assert column(found, "incremental / full, published") == ["29 to 34"]

    def test_history(self) -> None:
        records = [
            record("a", f"L{length}", 1000, trace=((0.1, 2000, 0), (length / 10, 1000, 0)))
            for length in (10, 5)
        ]
        found = table(results("history-length", records), "history")
        assert column(found, "history length") == ["L5", "L10"]
        assert column(found, "s to within 1 %") == [0.5, 1.0]

    def test_a_bad_search_is_not_explained_by_its_instances(self) -> None:
        records = [dataclasses.replace(each, lower_bound=0) for each in mallows_records(shift=9.0)]
        found = table(results("complete", records), "differences")
        assert set(column(found, "auto at or below")) == {"no"}

    def test_fewer_instances_allow_larger_errors(self) -> None:
        """Of three instances, four errors may be chance; of twelve, three are not."""
        for n, shift, errors, inside in ((3, 2.5, 4.2, 20), (12, 3.9, 3.0, 0)):
            found = table(results("complete", mallows_records(shift=shift, n=n)), "verdicts")
            [her] = [row for row in found.rows if row[:2] == ("her", "her")]
            assert her[6] == inside
            assert her[8] == pytest.approx(errors, abs=0.1)
            # One row may be so far off by chance; the largest of twenty more often.
            alone = 2 * scipy.stats.t.sf(her[8], n - 1)
            assert her[9] > alone
            assert her[9] == pytest.approx(1 - (1 - alone) ** 20)
        alone = table(results("complete", mallows_records(n=1)), "verdicts")
        assert {row[6] for row in alone.rows} == {None}

    def test_methods_are_paired_with_those_the_paper_pairs_them_with(self) -> None:
        methods = ("auto", "her", "lads", "css", "borda")
        found = table(results("complete", mallows_records(methods=methods)), "pairs")
        assert [row[:6] for row in found.rows] == [
            ("her", "lads", 80, 80, 0, 0),
            ("her", "borda", 80, 80, 0, 0),
            ("her", "css", 80, 80, 0, 0),
            ("lads", "borda", 80, 80, 0, 0),
            ("lads", "css", 80, 80, 0, 0),
            ("css", "borda", 80, 80, 0, 0),
        ]
        # Among the published averages, CSS is behind Borda in every row.
        assert found.rows[-1][7:10] == (0, 0, 20)
        assert found.rows[0][6] < 1e-6
        both = [
            each
            for reading in ("drop", "keep")
            for each in mallows_records(
                published.PARTIAL, methods=("her", "extended-borda"), reading=reading
            )
        ]
        found = table(results("partial", both), "pairs")
        assert [row[:5] for row in found.rows] == [
            ("drop", "her", "extended-borda", 80, 80),
            ("keep", "her", "extended-borda", 80, 80),
        ]

    def test_label_ranking_ranks_by_most(self) -> None:
        records = [
            Record(f"{name}/{method}/{run}", name, method, run, measures={"tau": tau + run / 100})
            for name in ("iris", "glass", "unknown")
            for method, tau in (("lrf", 0.5), ("lrf11", 0.6), ("ranker", 0.4))
            for run in range(3)
        ]
        found = results("label-ranking", records)
        tau = table(found, "tau")
        assert column(tau, "lrf") == pytest.approx([0.51] * 3)
        assert column(table(found, "errors"), "lrf") == pytest.approx([0.01 / 3**0.5] * 3)
        published = table(found, "published")
        assert column(published, "ranker, ours") == pytest.approx([0.41] * 3)
        assert column(published, "lrf11") == [0.960, 0.894, None]
        assert column(published, "random forests by pairs") == [0.965, 0.901, None]
        ranks = {row[0]: row for row in table(found, "ranks").rows}
        assert ranks["lrf11"][1:6] == (3, 1.0, 3, 0, 0)
        assert ranks["lrf11, published"][1] == 9
        assert ranks["lrf11, published"][2] < ranks["lrf, published"][2]

    def test_methods_by_kind(self) -> None:
        records = [
            record(f"{kind}_1", method, cost, 100, labels={"kind": kind})
            for kind in ("alike", "noise")
            for method, cost in (("borda", 125), ("auto", 100))
            if (kind, method) != ("noise", "borda")
        ]
        found = table(results("methods", records), "kinds")
        assert [row[:3] for row in found.rows] == [("auto", 0, 0), ("borda", 0.2, None)]

    def test_designs(self) -> None:
        records = [
            record("a", design, 10**6 + cost, run=run, measures={"early_cost": 10**6 + 2 * cost})
            for design, costs in (("slow", (4, 6)), ("auto", (0, 2)))
            for run, cost in enumerate(costs)
        ]
        found = table(results("designs", records), "designs")
        assert found.rows[0][0] == "auto"
        assert found.rows[1][1:] == pytest.approx((10, 5, 1))

    def test_exactness(self) -> None:
        records = [
            record(f"k, {n}", "auto", 100, 100 - n, labels={"kind": "k"}, measures={"nodes": n})
            for n in (0, 1)
        ]
        found = table(results("exactness", records), "kinds")
        # The bound of each instance counts for itself.
        assert found.rows[0][:2] == ("k", "1 of 2")
        assert found.rows[0][2:4] == pytest.approx((0.005, 0.01))

    def test_best_known_values(self) -> None:
        records = [
            record("rankings", "auto", 102, 100, labels={"best": 100.0}),
            record("matrix", "auto", 7, 7, labels={"best": 50.0}, measures={"objective": 49}),
            record("better", "auto", 7, 7, labels={"best": 48.0}, measures={"objective": 49}),
            record("unknown", "auto", 7, 7),
        ]
        found = table(results("exactness", records), "instances")
        behind = column(found, "behind")
        assert behind[:3] == pytest.approx([0.02, 0.02, -1 / 48])
        assert behind[3] is None

    def test_growth(self) -> None:
        records = [
            Record(f"{n}/{m}", f"{n}", "count", labels={"rankings": n, "items": m},
                   measures={"seconds": 3e-6 * n * m**2, "memory": 8.0 * m**2})
            for n, m in ((10, 5), (100, 5), (1000, 5), (1000, 10), (1000, 20))
        ]  # fmt: skip
        found = table(results("scale", records), "exponents")
        fits = {(row[1], row[2]): row[5] for row in found.rows}
        assert fits == {
            ("seconds", "rankings"): pytest.approx(1),
            ("memory", "rankings"): pytest.approx(0, abs=1e-9),
            ("seconds", "items"): pytest.approx(2),
            ("memory", "items"): pytest.approx(2),
        }

    def test_any_suite_has_a_table(self) -> None:
        records = [record("a", "x", 5, labels={"size": 1, "kind": None}, measures={"heat": 2.5})]
        found = table(results("something new", records), "means")
        assert column(found, "heat") == [2.5]

    def test_missing_parts_are_named(self, complete: Results) -> None:
        assert missing_parts(complete) == []
        kept = [r for r in complete.records if (r.labels["theta"], r.labels["items"]) != (0.1, 50)]
        kept = [r for r in kept if r.task != "MM050n0.200_02/her/0"]
        told = missing_parts(results("complete", kept, tasks="240 tasks, abc"))
        assert told == [
            "13 of 240 tasks have no result yet",
            "θ = 0.1, m = 50: no results",
            "her at theta = 0.2, items = 50, rankings = 100: 3 of 4 runs",
        ]


class TestLayout:
    @given(st.text(max_size=20), st.floats(allow_nan=False, allow_infinity=False))
    def test_all_forms_hold_the_same_cells(self, text: str, number: float) -> None:
        columns = (Column("a"), Column("b", "value"), Column("c", "code"))
        found = Table("t", "T", columns, ((text, number, "x"), (None, None, None)))
        lines = found.to_markdown().split("\n")
        assert len(lines) == 4
        assert all(len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 4 for line in lines)
        try:
            text.encode()
        except UnicodeEncodeError:
            return
        rows = list(csv.reader(io.StringIO(found.to_csv(), newline="")))
        if "\r" not in text and "\n" not in text:
            assert float(rows[1][1]) == number
        section = Section("t", "s", manifest("complete"), 1, (found,), (), ())
        outline = Outline()
        outline.feed(render_page([section]))
        assert outline.tags.count("td") == 6
        assert set(outline.tags) <= PAGE

    def test_formulas_are_not_run(self) -> None:
        found = Table("t", "T", (Column("a"),), (("=1+1",),))
        assert found.to_csv() == "a\n'=1+1\n"

    def test_rows_have_all_columns(self) -> None:
        with pytest.raises(ValueError, match="1 values for 2"):
            Table("t", "T", (Column("a"), Column("b")), ((1,),))


# The elements of a page without figures, and those of its figures.
PAGE = {
    *("html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "p", "nav"),
    *("ul", "li", "a", "main", "section", "dl", "dt", "dd", "code", "details", "summary", "div"),
    *("table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption"),
    *("svg", "g", "defs", "path", "use", "text", "tspan", "clippath", "rect"),
}


class Outline(html.parser.HTMLParser):
    """Collects the tags, ids and links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("src", "href", "xlink:href", "srcset"):
                self.links.append(value or "")


@pytest.fixture(scope="module")
def stores() -> dict[str, tuple[Manifest, list[Record]]]:
    """Three stores: one with an error and names that would break a page, two empty."""
    kept = [row for row in published.COMPLETE if row.items < 150]
    records = mallows_records(kept, n=2)
    records += [record(NASTY, NASTY, 10**5, labels={"theta": 0.2, "items": 50, "rankings": 100})]
    records += [Record("x/y/0", "x", "y", error=NASTY)]
    return {
        "one": (manifest("complete", note=NASTY), records),
        "two": (manifest("crossovers"), []),
        "three": (manifest("complete"), []),
    }


@pytest.fixture(scope="module")
def sections(stores: dict[str, tuple[Manifest, list[Record]]]) -> list[Section]:
    return build_sections((name, *each) for name, each in stores.items())


class TestReport:
    def test_files(
        self,
        tmp_path: Path,
        stores: dict[str, tuple[Manifest, list[Record]]],
        sections: list[Section],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(report, "load", lambda path: stores[str(path)])
        monkeypatch.setattr(report, "build_sections", lambda loaded: [list(loaded), sections][1])
        found = write_report(list(stores), tmp_path / "a" / "b")
        assert all(path.is_file() for path in found)
        names = {str(path.relative_to(tmp_path / "a" / "b")) for path in found}
        assert {"report.md", "report.html", "complete-one-averages.csv"} <= names
        assert {"figures/complete-one-gaps.svg", "figures/complete-one-gaps.png"} <= names
        text = (tmp_path / "a" / "b" / "report.md").read_text(encoding="utf-8")
        for picture in re.findall(r"\]\((figures/.*?)\)", text):
            assert picture in names

    def test_a_bad_store_writes_nothing(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="not a store"):
            write_report([tmp_path / "none"], tmp_path / "out")
        assert not (tmp_path / "out").exists()

    def test_a_file_is_not_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "out").write_text("")
        with pytest.raises(InputError, match="cannot be created"):
            write_report([], tmp_path / "out")

    def test_two_stores_of_a_suite_have_two_keys(self, sections: list[Section]) -> None:
        keys = [section.key for section in sections]
        assert keys == ["complete-one", "crossovers", "complete-three"]
        again = [("complete", manifest("complete"), [])] * 3
        keys = [section.key for section in build_sections(again)]
        assert keys == ["complete", "complete-2", "complete-3"]

    def test_the_page_is_self_contained_and_escapes_text(self, sections: list[Section]) -> None:
        page = render_page(sections)
        outline = Outline()
        outline.feed(page)
        assert len(set(outline.ids)) == len(outline.ids)
        assert all(link.startswith("#") for link in outline.links)
        assert {link[1:] for link in outline.links} <= set(outline.ids)
        assert set(outline.tags) <= PAGE
        assert "url(http" not in page
        assert "\x1b" not in page
        assert html.escape("<b>&|`*_$x$ \\x1b[31m") in page
        assert outline.tags.count("svg") == sum(len(each.figures) for each in sections)

    def test_markdown_escapes(self, sections: list[Section]) -> None:
        text = render_markdown(sections)
        assert not re.search(r"<b>", re.sub(r"``? .*? ``?|`[^`]*`", "", text))
        assert "Missing so far" in text
        assert "There are no results yet." in text
        assert "Tasks without a result" in text

    def test_how_it_was_made_is_shown(self, sections: list[Section]) -> None:
        for text in (render_page(sections), render_markdown(sections)):
            assert "concordant bench run complete --store here" in text
            assert "cores 2" in text
            assert "concordant 0" in text


SAMPLES: dict[str, list[Record]] = {
    "partial": [
        each
        for reading in ("drop", "keep")
        for each in mallows_records(published.PARTIAL[:8], n=2, reading=reading)
    ],
    "crossovers": [record("MM050n0.001_02", name, 57548) for name in ("cpsc", "order")],
    "history-length": [record("a", f"L{k}", 1000 + k) for k in (5, 10)],
    "evaluation": [
        record("a", name, 9, measures={"iterations_per_second": rate})
        for name, rate in (("full", 9.0), ("incremental", 300.0))
    ],
    "scale": [
        Record(f"{n}", f"{n}", NASTY, labels={"rankings": n, "items": 5}, elapsed=n / 1e6)
        for n in (10, 100)
    ],
}


class TestFigures:
    @pytest.mark.parametrize("suite", list(SAMPLES))
    def test_drawn_the_same_twice(self, suite: str) -> None:
        found = suite_figures(results(suite, SAMPLES[suite]))
        assert found
        for figure in found:
            ET.fromstring(figure.svg)
            assert figure.png.startswith(b"\x89PNG")
            assert "<dc:date>" not in figure.svg
            assert "<image" not in figure.svg
        if suite in ("evaluation", "history-length"):
            again = suite_figures(results(suite, SAMPLES[suite]))
            assert found == again

    def test_the_settings_of_matplotlib_stay(self) -> None:
        import matplotlib as mpl

        before = dict(mpl.rcParams)
        suite_figures(results("history-length", SAMPLES["history-length"]))
        assert dict(mpl.rcParams) == before

    def test_nothing_to_draw(self) -> None:
        assert suite_figures(results("complete", [])) == []
        assert suite_figures(results("something new", SAMPLES["scale"])) == []
