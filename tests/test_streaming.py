"""Files counted in pieces: as if read whole, file by file, whatever breaks on the way."""

import gzip
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import concordant as cc
from commands import environment, run
from concordant.counting import files as streaming
from concordant.counting.files import count_files, scan
from concordant.errors import InputError
from concordant.formats.common import csv_blocks, decoder, parquet_slices
from concordant.formats.common.pieces import Piece, _Seen
from concordant.formats.common.source import Source
from concordant.pairwise import Pairwise

# All different: equal ones are written once.
BALLOTS = [["a", "b", "c"], *[list(each) for k in (1, 2, 3) for each in permutations("bdeac", k)]]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut even small files into many pieces."""
    monkeypatch.setattr(csv_blocks, "BLOCK", 50)
    monkeypatch.setattr(parquet_slices, "VALUES", 60)


def whole(path: Path, **how) -> Pairwise:
    return Pairwise.from_rankings(cc.read(path, **how))


def n_pieces(path: Path) -> int:
    return sum(1 for _ in scan(path))


@pytest.mark.filterwarnings("ignore:.*the number of voters")
@pytest.mark.parametrize("unranked", ["unknown", "last"])
@pytest.mark.parametrize("layout", ["long", "wide", "ballots"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz", ".parquet"])
def test_pieces_count_as_the_whole(tmp_path: Path, suffix: str, layout: str, unranked: str) -> None:
    weights = [1 + k % 3 / 2 for k in range(len(BALLOTS))]
    data = cc.Rankings.from_orders(BALLOTS, weights=weights)
    path = tmp_path / f"votes{suffix}"
    cc.write(data, path, layout=layout)
    expected = whole(path, unranked=unranked)
    assert n_pieces(path) > 3
    for n_jobs in (1, 3) if suffix != ".parquet" else (2,):
        found = count_files([path], n_jobs=n_jobs, unranked=unranked)
        assert found.pairs == expected
        assert found.pairs.items == expected.items
    assert Pairwise.from_batches(scan(path, unranked=unranked)).restrict(expected.items) == expected


def test_names_and_lines_of_all_kinds(tmp_path: Path) -> None:
    """Quoted ends of lines, blank lines, another separator, a mark, ends as Windows has them."""
    rows = ['"a\n1";"b ""x"""', "", "c;", '"b ""x""";c', ";", '"a;2";"a\n1"'] * 9
    path = tmp_path / "votes.csv"
    for end in ("\n", "\r\n"):
        text = end.join(["rank1;rank2", *rows]) + end
        path.write_bytes(b"\xef\xbb\xbf" + text.encode())
        assert n_pieces(path) > 3
        found = count_files([path], n_jobs=2).pairs
        assert found == whole(path)
        assert 'b "x"' in found.items


@pytest.mark.parametrize(
    ("text", "line", "fault"),
    [
        ("a,b\n" + "1,2\n" * 60 + "1,x\n" + "2,1\n" * 9, 62, "'x'"),
        ("a,b\n" + "1,2\n\n" * 60 + "1,2,3\n" + "2,1\n" * 9, 122, "3 value"),
        ("a,b,c\n" + "1,2,3\n" * 60 + "1,2\n" + "2,1,3\n" * 9, 62, "2 value"),
        ("voter,item,rank\n" + "".join(f"{v},a,1\n{v},b,2\n" for v in range(40)) + "7,c,1\n", 82,
         "voter '7' occurs again"),
        ("voter,item,rank\n" + "".join(f"{v},a,1\n{v},b,2\n" for v in range(40)) + "x,c,-1\n", 82,
         "ranks begin at 1"),
        ("rank1,rank2\n" + "a,b\n" * 60 + "a,a\n", 62, "ranked twice"),
    ],
)  # fmt: skip
def test_errors_name_the_line_of_the_file(tmp_path: Path, text: str, line: int, fault: str) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=fault) as caught:
        count_files([path], n_jobs=2)
    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_voters_in_any_order_with_their_rows_together(tmp_path: Path) -> None:
    voters = np.random.default_rng(3).permutation(200)
    path = tmp_path / "votes.csv"
    path.write_text("voter,item,rank\n" + "".join(f"{v},a,1\n{v},b,{1 + v % 3}\n" for v in voters))
    assert count_files([path]).pairs == whole(path)
    path.write_text(path.read_text() + f"{voters[0]},c,1\n")
    with pytest.raises(InputError, match=r"line 402: voter .* occurs again"):
        count_files([path])


@pytest.mark.parametrize("sizes", [(40, 4, 1), (1, 4, 40), (3, 50, 2, 20, 1), (9, 9, 9, 9)])
def test_a_voter_who_appears_again_is_noticed_in_pieces_of_any_size(sizes: tuple[int, ...]) -> None:
    """Voters ascend at first, so that nothing is compared; then any of them may come again."""
    for again in range(sum(sizes)):
        seen, first = _Seen(Source("votes.csv")), 0
        for size in sizes:
            seen.add(pl.Series([f"{v:03}" for v in range(first, first + size)]), lambda row: row)
            first += size
        seen.add(pl.Series(["000a"]), lambda row: row)
        with pytest.raises(InputError, match=f"voter '{again:03}' occurs again"):
            seen.add(pl.Series([f"{again:03}"]), lambda row: row)


def test_a_voter_who_appears_again_after_a_short_piece(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    rows = "".join(f"{v:02},a,1\n" for v in range(10, 60))
    rows += "".join(f"{v},item{k},{k}\n" for v in (60, 61) for k in range(1, 13))
    for again in (*range(10, 60, 7), 59, 60):
        path.write_text("voter,item,rank\n" + rows + f"01,b,1\n{again},c,1\n")
        with pytest.raises(InputError, match=f"voter '{again}' occurs again"):
            count_files([path])


def test_one_voter_longer_than_many_pieces(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("voter,item,rank\n" + "".join(f"1,item{k},{k + 1}\n" for k in range(50)))
    assert count_files([path]).pairs == whole(path)


def blank_ends(tmp_path: Path, kind: str, n: int) -> Path:
    """Write ballots of which the first and the last are blank, so that whole pieces are."""
    path = tmp_path / f"votes{n}.{kind.rpartition(' ')[2]}"
    blanks, filled = [(None, None)] * n, [("a", "b"), ("b", None), ("c", "a")] * 16
    rows = [*blanks, *filled, *blanks]
    weights = [1 + k % 3 for k in range(len(rows))]
    if kind.startswith("long"):
        table = pl.DataFrame(
            [
                (f"{voter:04}", item, None if item is None else place, weight)
                for voter, (row, weight) in enumerate(zip(rows, weights, strict=True))
                for place, item in enumerate(row, start=1)
            ],
            schema={"voter": pl.String, "item": pl.String, "rank": pl.Int64, "weight": pl.Int64},
            orient="row",
        )
    else:
        kinds = {"rank1": pl.String, "rank2": pl.String}
        table = pl.DataFrame(rows, schema=kinds, orient="row")
        table = table.with_columns(count=pl.Series(weights))
    if path.suffix == ".csv":
        table.write_csv(path)
    else:
        table.write_parquet(path)
    return path


@pytest.mark.parametrize("unranked", ["unknown", "last"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "long csv", "long parquet"])
def test_pieces_of_blank_ballots_count_as_in_the_whole(
    tmp_path: Path, kind: str, unranked: str
) -> None:
    for n in (1, 50):
        path = blank_ends(tmp_path, kind, n)
        expected = whole(path, unranked=unranked)
        found = count_files([path], n_jobs=2, unranked=unranked).pairs
        assert (found, found.items) == (expected, expected.items)
        assert Pairwise.from_batches(scan(path, unranked=unranked)) == expected
        assert sum(not batch.items for batch in scan(path)) > (1 if n > 1 else -1)


@pytest.mark.parametrize("layout", ["ballots", "long"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_of_nothing_but_blank_ballots_are_refused_as_by_read(
    tmp_path: Path, suffix: str, layout: str
) -> None:
    path, other = tmp_path / f"blank.{suffix}", tmp_path / "other.csv"
    other.write_text("rank1,rank2\na,b\n")
    columns = {"rank1": pl.String, "rank2": pl.String, "count": pl.Int64}
    if layout == "long":
        columns = {"voter": pl.Int64, "item": pl.String, "rank": pl.Int64}
    number = next(name for name, kind in columns.items() if kind == pl.Int64)
    for rows in (0, 60):
        table = pl.DataFrame(
            {name: range(rows) if name == number else [None] * rows for name in columns}, columns
        )
        table.write_csv(path) if suffix == "csv" else table.write_parquet(path)
        with pytest.raises(InputError) as expected:
            cc.read(path)
        with pytest.raises(InputError) as found:
            count_files([other, path])
        assert found.value.path == expected.value.path == str(path)
        left = count_files([path, other], skip_bad=True)
        assert list(left.skipped) == [str(path)]
        assert left.pairs == whole(other)


def test_rows_that_are_lists(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    for text in ("a,b\nc\n" * 40, "a>b=c\n" * 40, "a\tb;c\n"):
        path.write_text(text)
        expected = whole(path, layout="lists")
        assert count_files([path], layout="lists").pairs == expected
    found = run("count", path, "-o", tmp_path / "pairs.npz", "--layout", "lists")
    assert found.exit_code == 0, found.stderr
    assert Pairwise.load(tmp_path / "pairs.npz") == expected


def test_a_quotation_mark_that_is_never_closed(tmp_path: Path) -> None:
    """If the rest of the file is not a record, reading ends after some blocks."""
    path = tmp_path / "votes.csv"
    path.write_text("rank1,rank2\na,b\n" + "\n" * 89 + "a,b\n" * 90 + 'a,"b\n' + "a,b\n" * 9000)
    read = []
    make = csv_blocks.opened

    class Watched:
        def __init__(self, file):
            self.file = file

        def read(self, size):
            read.append(size)
            return self.file.read(size)

    with pytest.MonkeyPatch.context() as patch:

        @contextmanager
        def opened(source):
            with make(source) as file:
                yield Watched(file)

        patch.setattr(csv_blocks, "opened", opened)
        with pytest.raises(InputError, match="quotation mark") as caught:
            count_files([path])
    assert caught.value.line == 182
    assert sum(read) < 2000
    # One that ends within the file is named by the reader.
    path.write_text("rank1,rank2\n" + "a,b\n" * 90 + 'a,"b\n' + "a,b\n" * 9)
    with pytest.raises(InputError, match="quotation mark") as caught:
        count_files([path])
    assert caught.value.line == 92


def test_lines_after_blank_blocks_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("a,b\n1,2\n" + "\n" * 200 + "1,2\n" * 60 + "1,x\n")
    with pytest.raises(InputError, match="'x'") as caught:
        count_files([path])
    assert caught.value.line == 263


def test_lines_that_end_as_on_old_macs(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_bytes(b"rank1,rank2\r" + b"a,b\rb,c\r" * 90)
    assert count_files([path]).pairs == whole(path)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet"])
def test_a_file_with_another_suffix_is_read_in_pieces(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "_HEAD", 100)
    named = tmp_path / f"votes{suffix}"
    cc.write(cc.Rankings.from_orders(BALLOTS), named, layout="ballots")
    expected, pieces = whole(named), n_pieces(named)
    path = named.rename(tmp_path / "votes.dat")
    assert cc.read(path) == cc.read(path, format="csv" if "csv" in suffix else "parquet")
    assert n_pieces(path) == pieces > 3
    with pytest.raises(InputError, match="bytes are read"):
        cc.read(path, max_bytes=200)
    assert count_files([path], max_bytes=200).pairs == expected


def test_other_files_with_another_suffix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files whose format shows only at the end, and files whose format does not show at all."""
    monkeypatch.setattr(streaming, "_HEAD", 100)
    data = cc.Rankings.from_orders(BALLOTS)
    for suffix in (".blt", ".soi", ".json", ".npz", ".xyz"):
        path = tmp_path / f"votes{suffix}"
        if suffix == ".xyz":
            path.write_text("one two\n" * 90)
            for read in (cc.read, lambda path: count_files([path])):
                with pytest.raises(InputError, match="neither the name nor the content"):
                    read(path)
            continue
        cc.write(data, path)
        path = path.rename(tmp_path / f"{suffix[1:]} votes")
        expected = cc.read(path)
        expected = expected if isinstance(expected, Pairwise) else Pairwise.from_rankings(expected)
        assert count_files([path]).pairs == expected


def test_two_threads_that_want_the_same_sum(tmp_path: Path) -> None:
    """Between a look at the list of sums and the taking of one, another thread may take it."""

    class Raced(list):
        def __len__(self) -> int:
            return 1

    path = tmp_path / "votes.csv"
    path.write_text("rank1,rank2\na,b\n")
    counter = streaming._FilesCounter([str(path)], 1, False, None)
    file = streaming._File(str(path), idle=Raced())
    for piece in streaming.pieces_of(path):
        assert counter._count(file, piece) == (("a", "b"), 1)


class TestManyFiles:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        for k in range(12):
            data = cc.Rankings.from_orders([["a", f"only{k}"], [f"only{k}", "b"]], weights=[1, k])
            cc.write(data, tmp_path / f"{k:02}{['.csv', '.parquet', '.soi', '.npz'][k % 4]}")
        return tmp_path

    def test_all_formats_are_added(self, folder: Path) -> None:
        paths = sorted(folder.iterdir())
        found = count_files(paths, n_jobs=2)
        assert (found.n_files, found.skipped) == (12, {})
        assert found.pairs.n_items == 14
        expected = {}
        for path in paths:
            data = cc.read(path)
            pairs = data if isinstance(data, Pairwise) else Pairwise.from_rankings(data)
            for i, a in enumerate(pairs.items):
                for j, b in enumerate(pairs.items):
                    expected[a, b] = expected.get((a, b), 0) + int(pairs.counts[i, j])
        index = {item: k for k, item in enumerate(found.pairs.items)}
        assert all(found.pairs.counts[index[a], index[b]] == n for (a, b), n in expected.items())
        assert found.pairs.counts.sum() == sum(expected.values())

    def test_corrupt_files_are_named_and_left_out(self, folder: Path) -> None:
        good = count_files(sorted(folder.glob("0[02-9]*"))).pairs
        # Good lines first: nothing of a bad file may be counted.
        (folder / "00a.csv").write_text("rank1,rank2\n" + "a,zzz\n" * 90 + "a,a\n")
        content = bytearray((folder / "01.parquet").read_bytes())
        content[4:40] = os.urandom(36)
        (folder / "01.parquet").write_bytes(content)
        (folder / "02x.parquet").write_bytes(b"PAR1" + os.urandom(200) + b"PAR1")
        paths = sorted(folder.glob("0*"))
        with pytest.raises(InputError, match=r"00a\.csv, line 92: .*twice"):
            count_files(paths, n_jobs=2)
        found = count_files(paths, n_jobs=2, skip_bad=True)
        bad = ["00a.csv", "01.parquet", "02x.parquet"]
        assert [Path(path).name for path in found.skipped] == bad
        assert found.n_files == len(paths) - 3
        assert found.pairs == good

    def test_the_decoder_is_started_once_and_again_when_it_dies(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        data = cc.Rankings.from_orders([["a", "b"]] * 30)
        for k in range(6):
            cc.write(data, tmp_path / f"{k}.parquet", layout="ballots")
        started = []
        make = decoder.Decoder.__init__

        def watched(self: decoder.Decoder, **options: Any) -> None:
            make(self, **options)
            started.append(self)

        monkeypatch.setattr(decoder.Decoder, "__init__", watched)
        paths = sorted(tmp_path.iterdir())
        count_files(paths)
        # One for the thread that looks what is in a file, one for the thread that reads it.
        assert len(started) <= 2
        assert all(each._process.poll() is not None for each in started)
        ask = decoder.Decoder.ask

        def killed(self: decoder.Decoder, task: str, data: None, **request: Any) -> bytes:
            if request["path"].endswith("3.parquet") and task == "rows":
                os.kill(self._process.pid, signal.SIGKILL)
                self._process.wait()
            return ask(self, task, data, **request)

        monkeypatch.setattr(decoder.Decoder, "ask", killed)
        found = count_files(paths, skip_bad=True)
        assert [Path(path).name for path in found.skipped] == ["3.parquet"]
        assert "it cannot be decoded" in str(next(iter(found.skipped.values())))
        assert found.pairs.n_rankings == 150

    def test_no_file_at_all(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="there is no file to count"):
            count_files([])
        with pytest.raises(InputError, match=r"none of the 1 files can be read; .*no such file"):
            count_files([tmp_path / "none.csv"], skip_bad=True)
        for suffix in (".csv", ".parquet"):
            with pytest.raises(InputError, match="there is no such file"):
                count_files([tmp_path / f"none{suffix}"])
            (tmp_path / f"empty{suffix}").write_bytes(b"")
            with pytest.raises(InputError, match="the file is empty"):
                count_files([tmp_path / f"empty{suffix}"])


def test_damaged_gzip(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv.gz"
    packed = gzip.compress(b"rank1,rank2\n" + b"a,b\n" * 900)
    path.write_bytes(packed[:-12])
    with pytest.raises(InputError, match=r"votes.csv.gz: the gzipped file is damaged"):
        count_files([path])


def test_pieces_are_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading does not run ahead of counting, however long the file is."""
    path = tmp_path / "votes.csv"
    path.write_text("rank1,rank2\n" + "a,b\nb,a\n" * 3000)
    ahead = []
    blocks, count = csv_blocks._blocks, streaming._FilesCounter._count
    lock = threading.Lock()
    read = counted = 0

    def reading(*args):
        nonlocal read
        for block in blocks(*args):
            with lock:
                read += 1
                ahead.append(read - counted)
            yield block

    def counting(self, file, piece):
        nonlocal counted
        try:
            return count(self, file, piece)
        finally:
            with lock:
                counted += 1

    monkeypatch.setattr(csv_blocks, "_blocks", reading)
    monkeypatch.setattr(streaming._FilesCounter, "_count", counting)
    assert count_files([path], n_jobs=2).pairs.n_rankings == 6000
    assert read > 300
    assert max(ahead) <= 8


@pytest.mark.parametrize("name", ["votes.csv", "votes"])
def test_a_last_line_without_an_end(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    for content in ("rank1,rank2\na,b", "rank1,rank2\na,b\nb,a", "\nrank1,rank2\r\na,b"):
        path.write_text(content)
        pairs = cc.Pairwise.from_rankings(cc.read(path, "csv"))
        assert count_files([path], "csv").pairs == pairs


@pytest.mark.parametrize("block", [8, 24, 2**20])
def test_counts_with_a_fraction_are_one_ranking_each(
    tmp_path: Path, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However the file is cut, as `read` counts them."""
    monkeypatch.setattr(csv_blocks, "BLOCK", block)
    path = tmp_path / "votes.csv"
    path.write_text("count,rank1,rank2\n30,a,b\n0.5,b,a\n7,b,a\n1.25,a,b\n")
    assert cc.read(path).n_rankings == 39
    assert count_files([path]).pairs == cc.Pairwise.from_rankings(cc.read(path))


def test_an_interrupt_ends_the_count_at_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a thread has read by then is not counted any more."""
    entered = threading.Event()
    counters, counted = [], []

    class Counter(streaming._FilesCounter):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            counters.append(self)

    def read() -> cc.Rankings:
        entered.set()
        assert counters[0]._stopped.wait(60)
        return cc.Rankings.from_orders([["a", "b"]])

    def pieces(path: str, *how: object) -> Iterator[Piece]:
        yield Piece(read, 1)
        assert entered.wait(60)
        raise KeyboardInterrupt

    monkeypatch.setattr(streaming, "_FilesCounter", Counter)
    monkeypatch.setattr(streaming, "pieces_of", pieces)
    monkeypatch.setattr(streaming.BatchCounter, "add", lambda *given: counted.append(given))
    with pytest.raises(KeyboardInterrupt):
        count_files([tmp_path / "votes.csv"], n_jobs=2)
    assert not counted


class TestCommand:
    def test_count_then_aggregate_and_verify(self, tmp_path: Path) -> None:
        data = cc.generate.mallows(6, 40, theta=0.4, seed=2)
        for k in range(3):
            cc.write(data, tmp_path / f"day{k}.csv")
        pairs = tmp_path / "pairs.npz"
        found = run("count", str(tmp_path / "day*.csv"), "-o", pairs)
        assert found.exit_code == 0
        assert found.stdout.strip() == f"{pairs}: 120 rankings of 6 items from 3 files"
        result = tmp_path / "r.json"
        assert run("aggregate", pairs, "-o", result).exit_code == 0
        assert cc.Consensus.load(result).cost == 3 * cc.aggregate(data).cost
        assert run("verify", result, pairs).exit_code == 0
        assert run("compare", pairs, "--methods", "borda,copeland").exit_code == 0

    def test_skipped_files_are_listed(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text("rank1,rank2\na,b\n")
        (tmp_path / "b.csv").write_text("rank1,rank2\na,a\n")
        names = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
        pairs = tmp_path / "pairs.npz"
        failed = run("count", *names, "-o", pairs)
        assert failed.exit_code == 2
        assert "b.csv, line 2" in failed.stderr
        assert not pairs.exists()
        found = run("count", *names, "-o", pairs, "--skip-bad")
        assert "1 ranking of 2 items from 1 file, 1 file skipped" in found.stdout
        assert "skipped: " in found.stderr
        assert "b.csv, line 2" in found.stderr
        assert "--duplicates first" in found.stderr
        facts = run("count", *names, "-o", pairs, "--skip-bad", "--json")
        assert '"n_files": 1' in facts.stdout

    @pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
    @pytest.mark.parametrize("before", [b"", b"the old count file"])
    def test_a_killed_run_leaves_the_old_file(self, tmp_path: Path, before: bytes) -> None:
        """It is killed when half of the new file is written."""
        (tmp_path / "a.csv").write_text("rank1,rank2\na,b\n")
        pairs = tmp_path / "pairs.npz"
        if before:
            pairs.write_bytes(before)
        code = """
import os, pathlib, signal, sys
from concordant.cli import app

def half(self, data):
    with self.open("wb") as file:
        file.write(data[: len(data) // 2])
        file.flush()
        print(self, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

pathlib.Path.write_bytes = half
app(["count", sys.argv[1], "-o", sys.argv[2]])
"""
        done = subprocess.run(
            [sys.executable, "-c", code, tmp_path / "a.csv", pairs],
            env=environment(),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == -signal.SIGKILL, done.stderr
        half = Path(done.stdout.strip())
        assert half != pairs
        assert half.stat().st_size
        assert pairs.exists() == bool(before)
        assert not before or pairs.read_bytes() == before
        # What is left of it is in nobody's way.
        assert run("count", tmp_path / "a.csv", "-o", pairs).exit_code == 0
        assert Pairwise.load(pairs).n_rankings == 1

    def test_refusals(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text("rank1,rank2\na,b\n")
        none = run("count", str(tmp_path / "*.soc"), "-o", tmp_path / "p.npz")
        assert (none.exit_code, "no file matches" in none.stderr) == (2, True)
        same = run("count", str(tmp_path / "a.csv"), "-o", tmp_path / "a.csv")
        assert (same.exit_code, "is also the input" in same.stderr) == (2, True)


def test_memory_does_not_grow_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The largest frame that is ever parsed has the rows of one block."""
    monkeypatch.setattr(csv_blocks, "BLOCK", 4_000)
    path = tmp_path / "votes.csv"
    path.write_text("a,b,c\n" + "1,2,3\n" * 20_000)
    sizes = []
    parse = pl.read_csv

    def watched(data: bytes, **how):
        sizes.append(len(data))
        return parse(data, **how)

    monkeypatch.setattr(pl, "read_csv", watched)
    assert count_files([path]).pairs.n_rankings == 20_000
    assert max(sizes) <= 4_100


@pytest.mark.parametrize("text", ["A>B=C\nB>A\n", "Team A,Team B\nTeam B\n"])
@pytest.mark.parametrize("name", ["votes.txt", "votes", "votes.csv"])
def test_lists_are_counted_as_they_are_read(tmp_path, text, name):
    path = tmp_path / name
    path.write_text(text)
    try:
        whole = cc.read(path, layout="lists")
    except InputError:
        with pytest.raises(InputError):
            count_files([path], layout="lists")
    else:
        assert count_files([path], layout="lists").pairs == Pairwise.from_rankings(whole)
