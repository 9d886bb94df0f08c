"""Counting, searching and comparing on a Dask cluster of two local worker processes."""

import json
import os
import platform
import signal
import socket
import sys
import threading
import time
import warnings
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import dask.bag
import dask.dataframe
import joblib
import numpy as np
import pandas as pd
import pytest
from distributed import Client, Future, KilledWorker, LocalCluster
from hypothesis import given
from hypothesis import strategies as st

import commands
import concordant as cc
from concordant import distributed
from concordant import workers as pool
from concordant.bench.instances import mallows_instance
from concordant.bench.store import load
from concordant.bench.suites import Suite
from concordant.bench.tasks import Task, solve
from concordant.bench.tasks import run as run_task
from concordant.counting import cluster as there
from concordant.counting import files as streaming
from concordant.counting.batches import BatchCounter
from concordant.errors import ConcordantError, InputError, InputWarning, SettingError
from concordant.formats.common.pieces import Piece
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.running import Run
from concordant.solver.auto import AutoSettings, auto
from concordant.solver.islands import Sent, search_on_islands, seed_of
from concordant.stopping import MaxIterations
from short_tasks import die, die_once, wait_for
from strategies import ballots, exact_weight, make

ITEMS = [f"item {k}" for k in range(9)]


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as started:
        yield started


@pytest.fixture(scope="module")
def client(cluster):
    with Client(cluster, set_as_default=False) as connected:
        yield connected


@pytest.fixture(scope="module")
def votes():
    """Ballots of up to five of nine items; items turn up late, and weights differ in scale."""
    rng = np.random.default_rng(5)
    orders, weights = [], []
    for k in range(60):
        known = ITEMS[: 3 + k // 10]
        order = [known[j] for j in rng.permutation(len(known))[: rng.integers(1, 6)]]
        orders.append([tuple(order[:2]), *order[2:]] if k % 7 == 0 else order)
        weights.append(int(rng.integers(1, 5)) if k < 30 else Fraction(int(rng.integers(1, 9)), 3))
    return orders, weights


def local(votes, **options):
    orders, weights = votes
    return Pairwise.from_rankings(Rankings.from_orders(orders, weights=weights, **options))


def bag_of(votes, parts):
    return dask.bag.from_sequence(list(zip(*votes, strict=True)), npartitions=parts)


def long_table(n_voters=40):
    rng = np.random.default_rng(1)
    rows = [
        (voter, ITEMS[item], place + 1)
        for voter in range(n_voters)
        for place, item in enumerate(rng.permutation(len(ITEMS))[: rng.integers(1, 6)])
    ]
    return pd.DataFrame(rows, columns=["voter", "item", "rank"])


# -- sums of sums ----------------------------------------------------------------------------


@given(ballots(max_rankings=8), st.integers(1, 4), st.booleans())
def test_sums_add_up_in_any_tree(drawn, size, backwards):
    """Whatever is known where: also items that turn up late, scales, and unranked as last."""
    items, orders, weights, unranked = drawn
    weights = [exact_weight(weight) for weight in weights]
    occurring = [item for item in items if any(item in group for each in orders for group in each)]
    parts = []
    for order, weight in zip(orders, weights, strict=True):
        part = BatchCounter()
        inside = [item for group in order for item in group]
        if inside:
            part.add(make((inside, [order], [weight], unranked)))
        parts.append(part)
    while len(parts) > 1:
        level = []
        for k in range(0, len(parts), size + 1):
            total = BatchCounter()
            for part in parts[k : k + size + 1][:: -1 if backwards else 1]:
                total.add(part)
            level.append(total)
        parts = level
    if not occurring:
        assert not parts[0].items
        return
    found = Pairwise(*parts[0].data()).restrict(occurring)
    kept = [k for k, order in enumerate(orders) if order]
    expected = Pairwise.from_rankings(
        make((occurring, [orders[k] for k in kept], [weights[k] for k in kept], unranked))
    )
    assert found == expected
    assert found.unranked == expected.unranked


# -- counting --------------------------------------------------------------------------------


@pytest.mark.parametrize("unranked", ["unknown", "last"])
def test_bag(client, votes, unranked):
    seen = []
    found = there.count(
        bag_of(votes, 12),
        client=client,
        unranked=unranked,
        on_progress=lambda *state: seen.append(state),
    )
    assert found == local(votes, unranked=unranked)
    assert found.unranked == unranked
    assert sorted(done for done, _, _ in seen) == list(range(1, 13))
    assert {name for _, _, name in seen} == {f"partition {k}" for k in range(1, 13)}


def test_a_bag_of_every_kind_of_ranking(client, votes):
    orders, weights = votes
    data = Rankings.from_orders(orders[:9], weights=weights[:9])
    elements = [data, Pairwise.from_rankings(data), [], ([], 2), orders[1], (orders[2], 0.5)]
    found = there.count(dask.bag.from_sequence(elements, npartitions=6), client=client)
    expected = Pairwise.from_rankings(
        Rankings.from_orders(
            [*orders[:9], *orders[:9], [], [], orders[1], orders[2]],
            weights=[*weights[:9], *weights[:9], 1, 2, 1, Fraction(1, 2)],
        )
    )
    assert found == expected


def test_given_items(client, votes):
    items = [*ITEMS[::-1], "nobody's"]
    found = there.count(bag_of(votes, 4), client=client, items=items, unranked="last")
    orders, weights = votes
    data = Rankings.from_orders(orders, weights=weights, items=items, unranked="last")
    assert found == Pairwise.from_rankings(data)
    with pytest.raises(InputError, match="item 0"):
        there.count(bag_of(votes, 4), client=client, items=ITEMS[1:])


def test_a_worker_dies_in_the_middle(client, votes, tmp_path):
    """Its task is run again elsewhere: the same matrix in the end."""
    marker, victim = tmp_path / "died", votes[0][31]

    def deadly(element):
        if element[0] == victim and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return element

    found = there.count(bag_of(votes, 12).map(deadly), client=client)
    assert marker.exists()
    assert found == local(votes)


def test_long_frame_whose_voters_span_partitions(client):
    table = long_table()
    expected = Pairwise.from_rankings(Rankings.from_frame(table))
    shuffled = table.sample(frac=1, random_state=3, ignore_index=True)
    frame = dask.dataframe.from_pandas(shuffled, npartitions=5)
    assert there.count(frame, client=client).restrict(expected.items) == expected
    # Sorted by the voter, nothing has to move.
    frame = dask.dataframe.from_pandas(table.set_index("voter"), npartitions=5)
    assert there.count(frame, client=client) == expected


def test_wide_frame(client):
    wide = long_table().pivot(index="voter", columns="item", values="rank")
    wide["weight"] = np.linspace(0.5, 3, len(wide)).round(2)
    expected = Pairwise.from_rankings(Rankings.from_frame(wide, unranked="last"))
    frame = dask.dataframe.from_pandas(wide, npartitions=4)
    assert there.count(frame, client=client, unranked="last") == expected


def test_the_index_of_a_frame_that_is_not_long_is_ignored(client):
    wide = pd.DataFrame({"a": [1, 2, 1, 2], "b": [2, 1, 2, 1]})
    wide.index = pd.Index([1, 2, 3, 4], name="precinct")
    ballots = pd.DataFrame({"rank1": list("abba"), "rank2": list("baab")}, index=wide.index)
    for table in (wide, ballots):
        expected = Pairwise.from_rankings(Rankings.from_frame(table))
        assert expected.items == ("a", "b")
        frame = dask.dataframe.from_pandas(table, npartitions=2)
        assert frame.known_divisions
        assert there.count(frame, client=client) == expected
        assert there.count(frame.clear_divisions(), client=client) == expected


def test_long_frame_whose_index_is_a_column(client):
    table = long_table()
    expected = Pairwise.from_rankings(Rankings.from_frame(table))
    # In no order: the rows of a voter are in several partitions.
    frame = dask.dataframe.from_pandas(
        table.sample(frac=1, random_state=3).set_index("voter"), npartitions=5, sort=False
    )
    assert not frame.known_divisions
    assert there.count(frame, client=client).restrict(expected.items) == expected
    renamed = table.rename(columns={"voter": "precinct"}).set_index("precinct")
    frame = dask.dataframe.from_pandas(renamed, npartitions=5)
    assert there.count(frame, client=client, voter="precinct") == expected
    # An index that has another role, and one that has none.
    by_item = dask.dataframe.from_pandas(table.set_index("item"), npartitions=5)
    assert there.count(by_item, client=client).restrict(expected.items) == expected
    plain = table.rename_axis("row")
    frame = dask.dataframe.from_pandas(plain, npartitions=5)
    assert there.count(frame, client=client).restrict(expected.items) == expected


@pytest.mark.parametrize("unranked", ["unknown", "last"])
def test_partitions_of_blank_ballots(client, unranked):
    none = [None] * 8
    ballots = pd.DataFrame(
        {
            "choice 1": [*none, "a", "b", "c", *none],
            "choice 2": [*none, "b", None, "a", *none],
            "count": range(1, 20),
        }
    )
    rows = [(k, None, None, 2) for k in range(8)]
    rows += [(8, "a", 1, 1), (8, "b", 2, 1), (9, "b", 1, 3)]
    rows += [(k, None, None, 2) for k in range(10, 18)]
    long = pd.DataFrame(rows, columns=["voter", "item", "rank", "weight"]).set_index("voter")
    for table, whole in ((ballots, ballots), (long, long.reset_index())):
        data = Rankings.from_frame(whole, unranked=unranked)
        frame = dask.dataframe.from_pandas(table, npartitions=6)
        found = there.count(frame, client=client, unranked=unranked)
        assert found == Pairwise.from_rankings(data)
    with pytest.raises(InputError, match="there is no item to rank"):
        there.count(dask.dataframe.from_pandas(ballots[:8], npartitions=2), client=client)
    given = there.count(dask.bag.from_sequence([[], []]), client=client, items="ab")
    assert (given.items, given.n_rankings) == (("a", "b"), 2)


def test_every_partition_is_reported_even_if_late(client, votes, monkeypatch):
    tell, told = Future.add_done_callback, []

    def late(future, function):
        # The root, which is asked last, has no number to tell.
        told.append(future)
        if len(told) > 12:
            return tell(future, function)
        return tell(future, lambda ended: threading.Timer(0.3, function, [ended]).start())

    monkeypatch.setattr(Future, "add_done_callback", late)
    seen = []
    found = there.count(
        bag_of(votes, 12), client=client, on_progress=lambda *state: seen.append(state)
    )
    assert found == local(votes)
    assert [done for done, _, _ in seen] == list(range(1, 13))


@pytest.mark.parametrize("how", [KeyboardInterrupt, InputError])
def test_what_has_not_begun_ends_with_the_count(client, tmp_path, how):
    """Also when a partition is at fault, and when it is stopped by hand."""
    begun, go_on, first = tmp_path / "begun", tmp_path / "go on", tmp_path / "first"
    begun.mkdir()

    class Slow:
        """A ranking that takes its time when it is counted."""

        def __init__(self, number):
            self.number = number

        def __iter__(self):
            (begun / str(self.number)).touch()
            try:
                # One of them ends, whichever it is; the others hold the workers until all is over.
                first.mkdir()
            except FileExistsError:
                while not go_on.exists():
                    time.sleep(0.01)
                return iter("ab")
            return iter("aa" if how is InputError else "ab")

    bag = dask.bag.from_sequence(map(Slow, range(40)), npartitions=40)

    def interrupt(done, total, name):
        if how is KeyboardInterrupt:
            raise KeyboardInterrupt

    with pytest.raises(how):
        there.count(bag, client=client, on_progress=interrupt)
    go_on.touch()
    # Each worker has one thread: what was still wanted would be run before these.
    client.gather(client.map(abs, range(8), pure=False, priority=-1))
    assert len(list(begun.iterdir())) < 20


def test_a_file_that_is_being_counted_ends_with_the_count(client, tmp_path, monkeypatch):
    """A cancelled task looks up between the pieces of its file."""
    path = tmp_path / "votes.csv"
    path.write_text("rank1,rank2\na,b\n")
    read = []

    def pieces(path, **how):
        for k in range(9):
            yield Piece(lambda k=k: read.append(k) or Rankings.from_orders([["a", "b"]]), 1)

    monkeypatch.setattr(there, "pieces_of", pieces)
    monkeypatch.setattr(there, "watch_task", lambda: lambda: len(read) > 3)
    assert not there._count_file(str(path), {}, False).counter.items
    assert len(read) == 4


def test_a_row_that_cannot_be_used_is_named(client):
    wide = pd.DataFrame({"a": [1, 1, 1, 1], "b": [2, 2, 2, -2]})
    frame = dask.dataframe.from_pandas(wide, npartitions=2)
    with pytest.raises(InputError, match=r"partition 2: row 2: .*-2"):
        there.count(frame, client=client)


# -- files -----------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path, votes):
    orders, weights = votes
    for k in range(6):
        part = slice(k * 10, k * 10 + 10)
        data = Rankings.from_orders(orders[part], weights=weights[part])
        cc.write(data, tmp_path / f"votes{k}.json")
    return tmp_path


def test_files(cluster, files, votes):
    found = there.count(files / "*.json", scheduler=cluster.scheduler_address)
    assert found == local(votes)


def test_a_corrupt_file_is_named_or_left_out(client, files, votes):
    (files / "votes3.json").write_text('{"rankings": [[')
    with pytest.raises(InputError, match=r"votes3\.json") as caught:
        there.count(str(files / "*.json"), client=client)
    assert caught.value.path == str(files / "votes3.json")
    with pytest.warns(InputWarning, match=r"votes3\.json: left out") as warned:
        found = there.count(str(files / "*.json"), client=client, skip_bad=True)
    assert len(warned) == 1
    orders, weights = votes
    assert found == local((orders[:30] + orders[40:], weights[:30] + weights[40:]))
    with pytest.raises(InputError, match="none of the 1 files can be read"):
        there.count([files / "votes3.json"], client=client, skip_bad=True)


def test_count_on_the_command_line(cluster, files):
    (files / "votes3.json").write_text("{")
    outputs = []
    for where in ((), ("--scheduler", cluster.scheduler_address)):
        output = files / f"pairs{len(where)}.npz"
        arguments = ("count", files / "*.json", "-o", output, "--skip-bad", *where)
        done = commands.run(*arguments, "--json")
        assert done.exit_code == 0, done.stderr
        assert "votes3.json" in done.stderr
        outputs.append((output.read_bytes(), done.stdout))
    assert outputs[0] == outputs[1]
    output = files / "none.npz"
    done = commands.run("count", files / "*.json", "-o", output, "--quiet", *where)
    assert commands.is_error(done, "votes3.json")
    assert not output.exists()


def facts_of(found):
    """What a count of files found, with its errors as text."""
    return found.pairs, found.n_files, {path: str(why) for path, why in found.skipped.items()}


@pytest.mark.parametrize("n_files", [5, 20])
def test_files_that_do_not_fit_to_each_other(client, tmp_path, n_files):
    """Each can be read, and one cannot be added to the others."""
    for k in range(n_files):
        orders = [["a", "b"], ["c"]] if k == 3 else [["a", "b"], ["b"]]
        pairs = Pairwise.from_rankings(Rankings.from_orders(orders, unranked="last"))
        pairs.save(tmp_path / f"pairs{k:02}.npz")
    paths = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match=r"pairs03\.npz: item 'c' is new"):
        there.count(paths, client=client)
    here = streaming.count_files(paths, skip_bad=True)
    found = there.count_files(paths, client=client, skip_bad=True)
    assert facts_of(found) == facts_of(here)
    assert list(found.skipped) == [str(paths[3])]


def test_files_that_do_not_fit_to_others_far_away(client, tmp_path):
    """Which is to blame goes by the order of the files, as on one machine."""
    for k in range(20):
        item = "c" if k in (9, 17) else "b"
        data = Rankings.from_orders([["a", item]], unranked="last")
        Pairwise.from_rankings(data).save(tmp_path / f"pairs{k:02}.npz")
        if k == 9:
            cc.write(data, tmp_path / "pairs09.json")
            (tmp_path / "pairs09.npz").unlink()
    paths = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match=r"pairs\d\d\."):
        there.count(paths, client=client)
    here = streaming.count_files(paths, skip_bad=True)
    assert {Path(path).name for path in here.skipped} == {"pairs09.json", "pairs17.npz"}
    assert facts_of(there.count_files(paths, client=client, skip_bad=True)) == facts_of(here)


def test_files_that_are_not_there(client, tmp_path):
    with pytest.raises(InputError, match="no file matches"):
        there.count(tmp_path / "*.csv", client=client)
    with pytest.raises(InputError, match=r"missing\.csv"):
        there.count([tmp_path / "missing.csv"], client=client)
    with pytest.raises(InputError, match="no file to count"):
        there.count([], client=client)
    with pytest.raises(InputError, match="a dict cannot be counted"):
        there.count({}, client=client)


# -- the search ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hard():
    rng = np.random.default_rng(0)
    return Rankings.from_ranks([rng.permutation(60) + 1 for _ in range(12)])


@pytest.fixture(scope="module")
def islands_here(hard):
    """What three islands find, one after the other, in this process."""
    return [cc.aggregate(hard, seed=seed_of(4, k), max_iterations=1000, n_jobs=1) for k in range(3)]


def is_best_of(found, alone):
    best = min(alone, key=lambda result: result.cost)
    assert found.ranking == best.ranking
    assert found.lower_bound == max(result.lower_bound for result in alone)
    assert found.details["islands"] == len(alone)
    assert found.details["island_seed"] == best.seed
    assert found.iterations == sum(result.iterations for result in alone)
    return True


def test_islands_on_the_cluster(client, hard, islands_here):
    with joblib.parallel_config("dask", client=client):
        found = cc.aggregate(hard, seed=4, max_iterations=1000, n_jobs=3)
    assert is_best_of(found, islands_here)
    assert found.verify(hard)


def test_islands_continue_from_an_earlier_result(client, hard):
    counts = 2_000_000
    first = cc.aggregate(hard, max_iterations=counts, proof=False)
    assert first.elite is not None
    options = {"initial": first, "max_iterations": 1000, "proof": False}
    alone = [cc.aggregate(hard, seed=seed_of(4, k), n_jobs=1, **options) for k in range(2)]
    with joblib.parallel_config("dask", client=client):
        found = cc.aggregate(hard, seed=4, n_jobs=2, **options)
        without = cc.aggregate(hard, seed=4, n_jobs=2, **options | {"initial": first.ranking})
    assert is_best_of(found, alone)
    best = min(alone, key=lambda result: result.cost)
    # The orders from which the next run continues are there too.
    assert found.elite.orders.tolist() == best.elite.orders.tolist()
    assert found.elite.orders.tolist() != without.elite.orders.tolist()


def test_many_problems_on_the_cluster(client):
    problems = {k: cc.generate.mallows(9, 5, theta=0.1, seed=k) for k in range(6)}
    problems["partial"] = Rankings.from_orders([["a", "b"], ["c"]])
    seen = []
    with joblib.parallel_config("dask", client=client):
        found = cc.aggregate_many(problems, n_jobs=2, on_result=lambda key, _: seen.append(key))
        needs = next(name for name, words in cc.methods().items() if "needs complete" in words)
        failed = cc.aggregate_many(problems, needs, n_jobs=2).failed
    alone = cc.aggregate_many(problems, n_jobs=1)
    assert list(found) == list(alone)
    assert [each.ranking for each in found.values()] == [each.ranking for each in alone.values()]
    assert set(seen) == set(problems)
    assert list(failed) == ["partial"]


def test_islands_in_local_processes(hard, islands_here):
    with joblib.parallel_config("loky"):
        found = cc.aggregate(hard, seed=4, max_iterations=1000, n_jobs=2)
    assert is_best_of(found, islands_here[:2])


def test_timed_islands_are_as_many_as_run_at_a_time(client, hard):
    with joblib.parallel_config("dask", client=client):
        found = cc.aggregate(hard, time_limit=1, n_jobs=16)
    assert 1 <= found.details["islands"] <= 2
    assert found.verify(hard)


def test_an_interrupt_keeps_the_best_and_ends_the_islands(client, hard):
    start = cc.aggregate(hard, "borda").cost

    def interrupt(progress):
        if progress.cost is not None and progress.cost < start:
            signal.raise_signal(signal.SIGINT)

    with joblib.parallel_config("dask", client=client):
        found = cc.aggregate(hard, "auto", stop=never, n_jobs=2, on_progress=interrupt, proof=False)
    assert found.interrupted
    assert found.cost < start
    # Each worker has one thread, which is free only when its island has ended.
    assert client.gather(client.map(abs, range(-4, 0), pure=False)) == [4, 3, 2, 1]


def never(progress):
    return False


def test_threads_of_this_process_are_not_workers(hard):
    for backend in ("threading", "sequential"):
        with joblib.parallel_config(backend):
            found = cc.aggregate(hard, max_iterations=2000, n_jobs=2)
        assert "islands" not in found.details


def test_a_rule_that_cannot_travel_is_refused(client, hard):
    lock = threading.Lock()
    with (
        joblib.parallel_config("dask", client=client),
        pytest.raises(SettingError, match="cannot be sent"),
    ):
        cc.aggregate(hard, stop=lambda progress: lock.locked(), n_jobs=2)


def test_an_island_that_begins_late_has_some_time_left(monkeypatch):
    sent = Sent(platform.node(), time.time() - 3, 1.0)
    assert 4 <= sent.elapsed(None) < 60
    assert sent.elapsed(5.0) == 1.0 + 0.75 * 4
    # The clock of another machine is not used.
    assert Sent("elsewhere", time.time() - 3, 1.0).elapsed(5.0) == 1.0


def test_a_task_that_ends_its_workers_is_lost_alone(hard):
    class Deadly:
        def cancelled(self):
            return False

        def result(self):
            raise KilledWorker("task", None, 3)

    class Empty(Deadly):
        def cancelled(self):
            return True

    lost = pool.dask_result(7, Deadly())
    assert lost.number == 7
    assert isinstance(lost.lost, pool.LostError)
    with pytest.raises(ConcordantError, match="is gone"):
        pool.dask_result(7, Empty())

    def run(function, shared, calls):
        yield lost
        yield pool.Result(1, function(shared, *calls[1]))

    run_ = Run(Pairwise.from_rankings(hard), rule=MaxIterations(500), seed=4)
    run_.improve(np.arange(60))
    search_on_islands(run_, pool.WorkerPool(2, 2, run), auto, AutoSettings(proof=False))
    assert run_.details["islands"] == 1
    assert run_.details["island_seed"] == seed_of(4, 1)


@pytest.mark.parametrize("repeats", [1, 2])
def test_a_comparison_keeps_all_but_the_run_that_is_lost(hard, monkeypatch, repeats):
    def run(function, shared, calls):
        for number, call in enumerate(calls):
            if call[0] == "kwiksort" and call[1] == 0:
                yield pool.Result(number, lost=pool.LostError("the workers died"))
            else:
                yield pool.Result(number, function(shared, *call))

    monkeypatch.setattr("concordant.comparison.active_pool", lambda n: pool.WorkerPool(2, 2, run))
    steps = []
    found = cc.compare(
        hard,
        ["borda", "kwiksort", "copeland"],
        repeats=repeats,
        time_limit=0.2,
        on_progress=lambda *step: steps.append(step),
    )
    runs = {row.method: row.runs for row in found.rows}
    assert runs == {
        "borda": repeats,
        "copeland": repeats,
        **({"kwiksort": repeats - 1} if repeats > 1 else {}),
    }
    assert found.skipped == {"kwiksort": f"lost 1 of {repeats} runs: the workers died"}
    assert not found.interrupted
    assert [done for done, _, _ in steps] == list(range(len(steps)))
    assert len(steps) == 3 * repeats + 1


def test_a_comparison_of_which_every_run_is_lost_is_an_error(hard, monkeypatch):
    def run(function, shared, calls):
        for number in range(len(calls)):
            yield pool.Result(number, lost=pool.LostError("the workers died"))

    monkeypatch.setattr("concordant.comparison.active_pool", lambda n: pool.WorkerPool(2, 2, run))
    with pytest.raises(pool.LostError, match="the workers died"):
        cc.compare(hard, ["kwiksort"])


class TestProcessesThatDie:
    def test_a_task_is_run_again(self, tmp_path):
        with joblib.parallel_config("loky"):
            workers = pool.active_pool(2)
            calls = [(str(tmp_path), k, k == 1) for k in range(6)]
            events = [event for event in workers.run(die_once, None, calls) if event]
        assert sorted((each.number, each.value) for each in events) == [(k, k) for k in range(6)]
        assert (tmp_path / "1").exists()

    def test_one_that_always_ends_its_process_is_lost_alone(self, tmp_path):
        with joblib.parallel_config("loky"):
            workers = pool.active_pool(2)
            events = [event for event in workers.run(die, None, [(k,) for k in range(6)]) if event]
        assert sorted(each.number for each in events) == list(range(6))
        assert [each.number for each in events if each.lost] == [4]
        assert {each.number: each.value for each in events if not each.lost} == {
            k: k for k in range(6) if k != 4
        }


def test_ending_early_gives_no_warning():
    """joblib warns that it cancels tasks; here that is what the caller asked for."""
    with joblib.parallel_config("loky"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        events = pool.active_pool(2).run(wait_for, None, [(0,), (60,)])
        assert next(event for event in events if event).value == 0
        events.close()
    assert not [str(each.message) for each in caught if "cancelled" in str(each.message)]


# -- comparing -------------------------------------------------------------------------------


def test_compare_on_the_command_line(cluster, tmp_path):
    arguments = (commands.CAFES, "--methods", "borda,copeland,exact", "--json")
    done = commands.run("compare", *arguments, "--scheduler", cluster.scheduler_address)
    assert done.exit_code == 0, done.stderr
    here = commands.run("compare", *arguments)
    facts = ("method", "cost", "gap", "status")
    table, other = (
        sorted([row[fact] for fact in facts] for row in json.loads(each.stdout)["rows"])
        for each in (done, here)
    )
    assert table == other


def test_compare_loses_nothing_with_a_worker(client, hard, tmp_path, monkeypatch):
    """Whichever task a worker was busy with when it died is run again."""
    marker = tmp_path / "died"

    def run_or_die(data, method, seed, time_limit, *settings):
        if (method, seed) == ("kwiksort", 1) and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return cc.aggregate(data, method, seed=seed, time_limit=time_limit, n_jobs=1)

    monkeypatch.setattr("concordant.comparison._run_there", run_or_die)
    with joblib.parallel_config("dask", client=client):
        found = cc.compare(hard, ["borda", "kwiksort"], repeats=2, time_limit=1, n_jobs=-1)
    assert marker.exists()
    assert {row.method: row.runs for row in found.rows} == {"borda": 2, "kwiksort": 2}
    assert not found.skipped


def test_bench_on_the_command_line(cluster, client, tmp_path, monkeypatch):
    """Also with a worker that dies: its task is run again, and the others stay."""
    small = mallows_instance(8, 0.1, 1, seed=0)
    tasks = [Task(small, name, solve, seed=seed, run=seed) for name in METHODS for seed in (0, 1)]
    suite = Suite("tiny", "four methods on one instance", lambda plan: tasks)
    monkeypatch.setattr("concordant.bench.runner.get", lambda name: suite)
    marker = tmp_path / "died"

    def solve_or_die(task):
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return solve(task)

    tasks[5] = replace(tasks[5], work=solve_or_die)
    store = tmp_path / "store"
    arguments = ("bench", "run", "tiny", "--store", store, "--quiet")
    done = commands.run(*arguments, "--scheduler", cluster.scheduler_address)
    assert done.exit_code == 0, done.stderr
    assert marker.exists()
    assert done.stdout.startswith("8 tasks of tiny done")
    found = {record.task: record.cost for record in load(store)[1]}
    assert found == {task.name: run_task(task).cost for task in tasks}


METHODS = ("borda", "copeland", "kwiksort", "insertion")


# -- what is not there -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("tcp://127.0.0.1:1", "nothing answers at"),
        ("tcp://no.such.host.invalid:8786", "nothing answers at"),
        ("127.0.0.1", "must be an address"),
        ("tcp://127.0.0.1:99999", "must be an address"),
    ],
)
def test_no_scheduler(address, words):
    started = time.perf_counter()
    assert commands.is_error(
        commands.run("compare", commands.CAFES, "--scheduler", address), "--scheduler", words
    )
    assert time.perf_counter() - started < 60


def test_something_else_answers(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def greet():
            for _ in range(2):
                connection, _ = server.accept()
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                connection.close()

        threading.Thread(target=greet, daemon=True).start()
        with pytest.raises(SettingError, match="not a Dask scheduler"):
            there.connect(f"tcp://127.0.0.1:{port}")


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SettingError, match="extra 'dask'"):
        there.count("votes.csv")


def test_one_cluster_only(client):
    with pytest.raises(SettingError, match="not both"):
        there.count("votes.csv", client=client, scheduler="tcp://127.0.0.1:1")


def test_nothing_is_imported_early():
    code = "import sys, concordant.distributed, concordant.workers; "
    code += "sys.exit(any(name in sys.modules for name in ('dask', 'distributed', 'joblib')))"
    assert commands.subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_memory_is_reused_on_workers_that_would_give_it_back(monkeypatch):
    called = []

    class Libc:
        def mallopt(self, setting, size):
            called.append((setting, size))

        def malloc_trim(self, pad):
            called.append("trim")

    monkeypatch.setattr(there.ctypes, "CDLL", lambda name: Libc())
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    with there._reusing_memory():
        assert called == []
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")

    @there._reusing_memory()
    def count():
        assert dict(called) == there._KEPT_FOR_REUSE
        called.clear()
        raise InputError("a bad file")

    with pytest.raises(InputError):
        count()
    # As it was, also after an error.
    assert dict(called[:2]) == there._RETURNED_AT_ONCE
    assert called[2:] == ["trim"]
    called.clear()
    monkeypatch.setattr(there.ctypes, "CDLL", lambda name: object())
    with there._reusing_memory():
        assert called == []


def test_the_public_module_has_the_functions() -> None:
    names = ("cluster", "connect", "count")
    assert sorted(distributed.__all__) == sorted(names)
    assert all(getattr(distributed, name) is getattr(there, name) for name in names)
