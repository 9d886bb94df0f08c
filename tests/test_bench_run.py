"""Running a benchmark: its store, its instances, its processes, its commands."""

import errno
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import concordant as cc
from commands import environment, is_error, process, run
from concordant.bench import instances, store, tasks, workers
from concordant.bench.records import Manifest, Record
from concordant.bench.report import results_of, suite_tables
from concordant.bench.runner import describe, estimate, plan_tasks, run_suite
from concordant.bench.suites import SCALES, SUITES, Plan, get, label_ranking
from concordant.bench.suites import scale as scale_suite
from concordant.errors import InputError, SettingError

MANIFEST = Manifest("complete", "smoke", {"seed": 0}, {"numpy": "2"}, {"cores": 2}, "a command")
RECORDS = [
    Record("a/borda/0", "a", "borda", labels={"θ": 0.1}, cost=3, trace=((0.1, 3.0, 2.0),)),
    Record("a/auto/0", "a", "auto", seed=7, cost=2.5, lower_bound=2, status="feasible"),
    Record("b/borda/0", "b", "borda", error="b.txt, line 3: nothing there"),
]


def without_times(folder):
    """Return the records of a store without times."""
    found = {}
    for record in store.load(folder)[1]:
        assert record.task not in found, "it was done twice"
        found[record.task] = replace(record, elapsed=None, trace=())
    return found


@pytest.fixture
def filled(tmp_path):
    folder = tmp_path / "results"
    with store.Store.open(folder, MANIFEST) as opened:
        for record in RECORDS:
            opened.append(record)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder of three small instances."""
    found = tmp_path_factory.mktemp("instances")
    for number in range(1, 4):
        data = cc.generate.mallows(12, 20, 0.05, seed=number)
        cc.write(data, found / f"MM012n0.050_{number:02d}.soc")
    return found


class TestStore:
    def test_holds_what_it_was_given(self, filled):
        assert store.load(filled) == (MANIFEST, RECORDS)
        with store.Store.open(filled, replace(MANIFEST, command="another")) as opened:
            assert opened.records == RECORDS

    def test_an_incomplete_last_line_is_cut_off(self, filled):
        file = filled / store.RESULTS
        content = file.read_bytes()
        whole = content[:-1].rfind(b"\n") + 1
        for end in range(whole, len(content)):
            file.write_bytes(content[:end])
            assert store.load(filled)[1] == RECORDS[:2]
            assert file.stat().st_size == end, "reading changes nothing"
            with store.Store.open(filled, MANIFEST) as opened:
                opened.append(RECORDS[2])
            assert file.read_bytes() == content

    def test_a_last_line_without_content_is_cut_off(self, filled):
        with (filled / store.RESULTS).open("ab") as file:
            file.write(bytes(50) + b"\n")
        with store.Store.open(filled, MANIFEST) as opened:
            assert opened.records == RECORDS
            opened.append(replace(RECORDS[0], task="c/borda/0"))
        assert len(store.load(filled)[1]) == 4

    def test_a_damaged_line_in_the_middle_is_named(self, filled):
        file = filled / store.RESULTS
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        file.write_text(lines[0] + "nonsense\n" + lines[2], encoding="utf-8")
        with pytest.raises(InputError, match=r"results.jsonl, line 2: not a result"):
            store.load(filled)

    def test_a_second_run_is_refused(self, filled):
        with (
            store.Store.open(filled, MANIFEST),
            pytest.raises(InputError, match="another run is writing"),
        ):
            store.Store.open(filled, MANIFEST)
        store.Store.open(filled, MANIFEST).close()

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"suite": "partial"}, "suite complete, not partial"),
            ({"scale": "full"}, "scale smoke, not full"),
            ({"settings": {"seed": 1}}, r"seed 0, not 1, .* Continue this run \(a command\)"),
            ({"settings": {"seed": 1, "tasks": "9"}}, "with seed 0, not 1, so results"),
            ({"settings": {"seed": 0, "tasks": "9"}}, r"other tasks \(none, not 9\)"),
            ({"settings": {"seed": 1}, "machine": {"cores": 3}}, "seed 0, not 1; cores 2, not 3"),
            ({"settings": {"seed": 0, "time_limit": 2.0}}, "time_limit none, not 2.0"),
            ({"versions": {"numpy": "3"}}, "version of numpy 2, not 3"),
            ({"machine": {"cores": 64}}, "cores 2, not 64"),
        ],
    )
    def test_another_run_is_refused(self, filled, change, words):
        with pytest.raises(InputError, match=words):
            store.Store.open(filled, replace(MANIFEST, **change))
        assert store.load(filled) == (MANIFEST, RECORDS)

    def test_another_layout_is_refused(self, filled):
        file = filled / store.MANIFEST
        facts = json.loads(file.read_text())
        file.write_text(json.dumps(facts | {"version": 0}))
        with pytest.raises(InputError, match="written by an older version of concordant"):
            store.load(filled)
        file.write_text(json.dumps({k: v for k, v in facts.items() if k != "machine"}))
        with pytest.raises(InputError, match="lacks 'machine'"):
            store.load(filled)
        file.write_text("[1")
        with pytest.raises(InputError, match="not a manifest"):
            store.load(filled)

    def test_a_folder_that_is_not_a_store(self, tmp_path):
        with pytest.raises(InputError, match="not a store of results"):
            store.load(tmp_path)
        (tmp_path / "thesis.tex").touch()
        with pytest.raises(InputError, match=r"holds other files \(thesis.tex\)"):
            store.Store.open(tmp_path, MANIFEST)
        with pytest.raises(InputError, match="cannot be created"):
            store.Store.open(tmp_path / "thesis.tex" / "x", MANIFEST)

    def test_a_full_disk_loses_nothing(self, filled, monkeypatch):
        before = (filled / store.RESULTS).read_bytes()
        record = replace(RECORDS[0], task="c/borda/0")
        write = os.write

        def fills_up(number, content):
            if len(content) < 10:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return write(number, content[: len(content) // 2])

        with store.Store.open(filled, MANIFEST) as opened:
            with monkeypatch.context() as patch:
                patch.setattr(os, "write", fills_up)
                with pytest.raises(InputError, match=r"No space left.*All 3 results so far are"):
                    opened.append(record)
            assert (filled / store.RESULTS).read_bytes() == before
            opened.append(record)
        assert store.load(filled)[1] == [*RECORDS, record]


class TestInstances:
    def test_names_and_labels(self):
        instance = instances.mallows_instance(50, 0.2, 7, seed=0)
        assert instance.name == "MM050n0.200_07"
        assert instance.labels == {"theta": 0.2, "items": 50, "rankings": 100}
        assert [each.name for each in instances.named_instances(0)] == list(instances.NAMED)

    def test_are_the_same_at_every_scale(self):
        by_scale = [
            {task.instance.name: task.instance for task in get("complete").tasks(Plan(scale))}
            for scale in SCALES
        ]
        assert [len(each) for each in by_scale] == [20, 200, 400]
        for smaller, larger in pairwise(by_scale):
            assert smaller.items() <= larger.items()

    def test_draws_depend_on_seed_and_name_alone(self):
        def first(*arguments, seed=0):
            return instances.mallows_instance(*arguments, seed=seed).load()

        assert first(12, 0.1, 1) == first(12, 0.1, 1)
        others = [first(12, 0.1, 2), first(12, 0.1, 1, seed=1), first(12, 0.01, 1)]
        assert all(other != first(12, 0.1, 1) for other in others)

    def test_item_numbers_carry_no_information(self):
        # With a center of 1, 2, 3 … the positions would correlate with the numbers.
        correlations = []
        for number in range(1, 31):
            data = instances.mallows_instance(50, 0.2, number, seed=0).load()
            order = [int(item) for item in cc.aggregate(data, "borda").ranking]
            correlations.append(np.corrcoef(order, range(50))[0, 1])
        assert abs(np.mean(correlations)) < 0.1
        assert max(np.abs(correlations)) < 0.6

    def test_both_readings_of_partial(self):
        found = [task.instance for task in get("partial").tasks(Plan("smoke"))][::5][:2]
        shares = [each.load().lengths.sum() / (50 * 100) for each in found]
        assert [each.labels["reading"] for each in found] == ["drop", "keep"]
        assert shares == pytest.approx([1 / 3, 2 / 3], abs=0.05)

    def test_files_with_theta_from_name_or_header(self, folder, tmp_path):
        assert [each.name for each in instances.instances_of(folder)] == [
            f"MM012n0.050_{number:02d}" for number in (1, 2, 3)
        ]
        (tmp_path / "mine.txt").write_text("3 2 0.25\n1 2 3\n2 1 3\n")
        (tmp_path / "votes.soc").write_text("1: 1,2\n")
        (tmp_path / ".hidden").write_text("nothing")
        found = {each.name: each for each in instances.instances_of(tmp_path)}
        assert found["mine"].labels == {"theta": 0.25, "items": 3, "rankings": 2}
        assert found["mine"].load().n_items == 3
        assert set(found) == {"mine", "votes"}

    def test_files_whose_format_is_to_be_named(self, tmp_path):
        (tmp_path / "races.txt").write_text("3 2\n1 2 3\n2 3 1\n")
        [unclear] = plan_tasks(get("history-length"), Plan("smoke", folder=tmp_path))
        assert "--format ranks or --format orders" in unclear.instance.fault
        first, second = (
            plan_tasks(get("history-length"), Plan("smoke", folder=tmp_path, format=name))
            for name in ("ranks", "orders")
        )
        assert first[0].instance.load() != second[0].instance.load()
        assert pickle.loads(pickle.dumps(first)) == first
        for name, given in (("history-length", None), ("label-ranking", tmp_path)):
            with pytest.raises(SettingError, match="format"):
                plan_tasks(get(name), Plan("smoke", folder=given, format="ranks"))
        with pytest.raises(SettingError, match="there is no format 'rank'"):
            plan_tasks(get("complete"), Plan("smoke", folder=tmp_path, format="rank"))

    def test_no_folder_and_no_file(self, tmp_path):
        with pytest.raises(InputError, match="no file in this folder"):
            instances.instances_of(tmp_path)
        with pytest.raises(InputError, match="No such file"):
            instances.instances_of(tmp_path / "nowhere")


class TestSuites:
    def test_other_data_under_the_same_name_are_other_tasks(self):
        [task, *_] = get("complete").tasks(Plan("smoke"))
        arguments = {**task.instance.arguments, "theta": 0.3}
        other = replace(task, instance=replace(task.instance, arguments=arguments))
        plan = Plan("smoke")
        first, second = (describe("complete", plan, [each], 1) for each in (task, other))
        assert first.difference(second).startswith("other tasks (1 tasks")

    def test_crossovers_differ_in_smoke(self):
        chosen = [
            task
            for task in get("crossovers").tasks(Plan("smoke"))
            if task.instance.name == "MM050n0.001_02"
        ]
        records = [tasks.run(task) for task in chosen]
        assert all(record.generations >= 5 for record in records)
        assert len({record.iterations for record in records}) == 4

    def test_crossovers_are_as_many_runs_as_published_and_state_their_limits(self):
        found = plan_tasks(get("crossovers"), Plan("small"))
        assert {task.instance.name for task in found} == set(instances.NAMED)
        assert {task.run for task in found} == set(range(10))
        assert len(found) == 10 * 10 * 4
        assert estimate(found, 2) <= 25 * 60
        store = [task.record(cost=5, distance=5.0) for task in found]
        [values, *_] = suite_tables(results_of(replace(MANIFEST, suite="crossovers"), store))
        assert values.title == "Distance by crossover, up to 10 runs each"
        assert values.notes[1] == (
            "Time limit of a run: 3 s with 50 items, 3.5 s with 100 items, 5 s with 150 items, "
            "11 s with 200 items, 15 s with 250 items. The population has 10 members."
        )

    def test_label_ranking_is_planned_without_its_extra(self, tmp_path, monkeypatch):
        for name in ("sklearn", "concordant.learn", "concordant.learn.evaluation"):
            monkeypatch.setitem(sys.modules, name, None)
        assert len(plan_tasks(get("label-ranking"), Plan("small"))) == 4 * 6 * 3
        with pytest.raises(SettingError, match=r"concordant\.learn"):
            run_suite("label-ranking", tmp_path / "store", Plan("smoke"))
        assert not (tmp_path / "store").exists()

    @pytest.mark.parametrize("name", label_ranking.SETS)
    def test_sizes_of_label_ranking_data_are_as_listed(self, name):
        loader, labels, sizes = label_ranking.SETS[name]
        assert label_ranking.sizes(label_ranking.draw(loader, labels)) == sizes

    @pytest.mark.parametrize("step", scale_suite._STEPS)
    def test_steps_of_scale_are_measured(self, step, tmp_path, monkeypatch):
        # Outside of tests each step has its own process, because peak memory never falls.
        monkeypatch.setattr(scale_suite, "_run_in_process", scale_suite.run_step)
        found = tasks.run(scale_suite._task(50, 200, step, seed=1, seconds=1.0))
        assert found.error is None
        assert found.measures["memory"] > 1e6
        assert found.elapsed == found.measures["seconds"] > 0

    def test_scale_takes_no_folder(self, tmp_path):
        with pytest.raises(SettingError, match="leave instances out"):
            plan_tasks(get("scale"), Plan("smoke", folder=tmp_path))

    def test_a_file_that_cannot_be_read_has_a_digest(self, tmp_path, monkeypatch):
        (tmp_path / "a.soc").write_text("1: 1,2\n")

        def refuse(self):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "read_bytes", refuse)
        assert instances.digests_of(tmp_path) == {"a.soc": "unreadable"}

    @pytest.mark.parametrize("name", SUITES)
    @pytest.mark.parametrize("scale", SCALES)
    def test_tasks_are_data(self, name, scale):
        found = plan_tasks(get(name), Plan(scale, time_limit=3.0))
        assert len({task.name for task in found}) == len(found)
        assert pickle.loads(pickle.dumps(found)) == found
        assert estimate(found, 2) > 0
        again = describe(name, Plan(scale), plan_tasks(get(name), Plan(scale, time_limit=3.0)), 1)
        assert again.difference(describe(name, Plan(scale), found, 1)) is None
        other = describe(name, Plan(scale), plan_tasks(get(name), Plan(scale, seed=1)), 1)
        assert other.difference(again) is not None

    @pytest.mark.parametrize("name", SUITES)
    def test_smoke_is_repeatable(self, name):
        # One or two tasks of one instance are enough. The last label ranker takes far longer than
        # the first, and scikit-learn's checks fit each of them twice.
        found = plan_tasks(get(name), Plan("smoke"))
        chosen = [task for task in found if task.instance == found[0].instance]
        slow = {"label-ranking": chosen[:1], "evaluation": chosen[-1:], "scale": chosen[-1:]}
        for task in slow.get(name, chosen[-2:]):
            assert "time_limit" not in task.settings
            first = tasks.run(task)
            assert first.error is None
            assert Record.from_dict(json.loads(json.dumps(first.to_dict()))) == first
            if first.cost is first.iterations is first.measures.get("tau") is None:
                continue  # It has measured values only, which are never the same.
            second = tasks.run(task)
            assert first.iterations == second.iterations
            assert (first.cost, first.lower_bound) == (second.cost, second.lower_bound)
            assert first.measures.get("tau") == second.measures.get("tau")

    def test_smoke_and_small_fit_their_time(self):
        for name in SUITES:
            for scale, most in (("smoke", 120), ("small", 1800)):
                assert estimate(plan_tasks(get(name), Plan(scale)), 2) <= most

    def test_settings_are_checked(self, tmp_path):
        with pytest.raises(SettingError, match="no suite 'x'; choose from: complete"):
            run_suite("x", tmp_path, Plan("smoke"))
        with pytest.raises(SettingError, match="scale must be one of smoke, small, full"):
            plan_tasks(get("complete"), Plan("tiny"))
        with pytest.raises(SettingError, match="time_limit must be a positive number"):
            plan_tasks(get("complete"), Plan("smoke", time_limit=0))

    def test_traces_are_thinned(self):
        trace = [(0.01 * k, float(1000 - k), 0.0) for k in range(500)]
        thinned = tasks.thin(trace, 20)
        assert 10 <= len(thinned) <= 22
        assert (thinned[0], thinned[-1]) == (trace[0], trace[-1])
        assert set(thinned) <= {(round(t, 4), c, b) for t, c, b in trace}


def _sum(task):
    return {"cost": sum(task.settings["numbers"])}


def _die(task):
    """Kill this process, always or at the first try only."""
    mark = Path(task.settings["mark"])
    if task.settings["always"] or not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"cost": 1}


def _stumble(task):
    raise ZeroDivisionError("by nothing")


class TestWorkers:
    def test_a_process_that_dies_loses_its_task_alone(self, tmp_path):
        nothing = instances.Instance("a", dict)
        given = [
            tasks.Task(nothing, "die once", _die, {"mark": tmp_path / "1", "always": False}),
            tasks.Task(nothing, "die", _die, {"mark": tmp_path / "2", "always": True}),
            tasks.Task(nothing, "stumble", _stumble),
            *(tasks.Task(nothing, "sum", _sum, {"numbers": [k, 1]}, run=k) for k in range(5)),
        ]
        begun, found = [], {}
        workers.run_tasks(
            given,
            2,
            lambda task, record: found.setdefault(task.name, record),
            lambda task: begun.append(task.name),
        )
        assert [found[f"a/sum/{k}"].cost for k in range(5)] == [1, 2, 3, 4, 5]
        assert found["a/die once/0"].cost == 1
        assert "was killed by signal 9, 2 times" in found["a/die/0"].error
        assert found["a/stumble/0"].error == "ZeroDivisionError: by nothing"
        assert (begun.count("a/die once/0"), begun.count("a/die/0"), len(begun)) == (2, 2, 10)

    def test_what_the_caller_raises_ends_it(self):
        given = [
            tasks.Task(instances.Instance("a", dict), "sum", _sum, {"numbers": [k]}, run=k)
            for k in range(50)
        ]
        seen = []

        def enough(task, record):
            seen.append(task)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            workers.run_tasks(given, 1, enough)
        assert len(seen) == 1


def begin(folder, into):
    """Start a run in a process group of its own, as a terminal does."""
    arguments = ["bench", "run", "history-length", "--instances", folder, "--store", into, "-q"]
    return subprocess.Popen(
        [sys.executable, "-m", "concordant", *map(str, [*arguments, "--jobs", "2"])],
        env=environment(),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def lines(into):
    file = into / store.RESULTS
    return file.read_bytes().count(b"\n") if file.exists() else 0


def wait_for(running, into, count):
    """Wait until the store has `count` results, or the run is over."""
    while running.poll() is None and lines(into) < count:
        time.sleep(0.002)


class TestResuming:
    def test_a_run_that_is_stopped_again_and_again_ends_as_one_left_alone(self, folder, tmp_path):
        alone, stopped = tmp_path / "alone", tmp_path / "stopped"
        done = begin(folder, alone)
        _, said = done.communicate()
        assert (done.returncode, lines(alone)) == (0, 12), said

        interrupted = begin(folder, stopped)
        wait_for(interrupted, stopped, 1)
        # As Ctrl-C does: the processes that run the tasks get the signal too.
        os.killpg(interrupted.pid, signal.SIGINT)
        _, said = interrupted.communicate()
        assert interrupted.returncode in (0, 130)
        if interrupted.returncode == 130:
            assert said.count("\n") == 1
            assert "the results so far are in" in said

        codes = []
        for count in (4, 8):
            killed = begin(folder, stopped)
            wait_for(killed, stopped, count)
            killed.kill()
            killed.communicate()
            codes.append(killed.returncode)
            before = (stopped / store.RESULTS).read_bytes()
            with (stopped / store.RESULTS).open("ab") as file:
                file.write(b'{"task":"MM012n0.05')
        assert -signal.SIGKILL in codes
        last = begin(folder, stopped)
        output, _ = last.communicate()
        assert last.returncode == 0
        assert output.startswith("12 tasks of history-length done, ")
        # Complete lines are unchanged: no task ran twice.
        assert (stopped / store.RESULTS).read_bytes().startswith(before)
        assert without_times(stopped) == without_times(alone)
        assert store.load(stopped)[0].difference(store.load(alone)[0]) is None


class TestCommand:
    def test_suites_are_listed(self):
        shown = run("bench", "suites").stdout
        assert all(name in shown and get(name).summary.split()[-1] in shown for name in SUITES)
        assert "report" in run("bench").stdout
        assert "--store" in run("bench", "run", "--help").stdout

    def test_wrong_use(self, tmp_path, filled):
        assert is_error(run("bench", "run", "x", "--store", tmp_path), "'x'", "complete, partial")
        near = run("bench", "run", "Complte", "--store", tmp_path)
        assert is_error(near, "Did you mean 'complete'?")
        assert is_error(run("bench", "run", "complete"), "--store")
        assert is_error(run("bench", "walk"), "walk")
        assert is_error(
            run("bench", "run", "complete", "--store", filled), "was made with", "--store"
        )
        assert is_error(
            run("bench", "run", "complete", "--store", tmp_path / "s", "--instances", tmp_path),
            "no file",
        )

    def test_a_broken_instance_is_named_and_the_others_run(self, folder, tmp_path):
        mixed, into = tmp_path / "mixed", tmp_path / "into"
        mixed.mkdir()
        good = next(iter(folder.iterdir()))
        (mixed / good.name).write_bytes(good.read_bytes())
        (mixed / "broken.soc").write_text("1: 1,2,1\n")
        arguments = ["bench", "run", "history-length", "--instances", mixed, "--store", into]
        done = process(*arguments)
        assert done.returncode == 1
        assert b"broken.soc, line 1" in done.stderr
        found = store.load(into)[1]
        assert len(found) == 5
        [broken] = [record for record in found if record.error is not None]
        assert (broken.instance, broken.method) == ("broken", "read")
        assert "broken.soc, line 1" in broken.error
        again = run(*arguments, "--quiet")
        assert again.exit_code == 1
        assert again.stdout.startswith("5 tasks of history-length done, 5 of them in earlier runs")
        assert "1 task gave no result: broken/read/0;" in again.stderr
        (mixed / "broken.soc").write_text("1: 1,2\n")
        assert is_error(run(*arguments), "instances whose files differ now (broken.soc)")
