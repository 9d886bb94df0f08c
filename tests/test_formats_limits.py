"""Bombs, floods, full disks, repeated items, older numbering, formats from outside."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from concordant import InputError, InputWarning, Rankings, SettingError
from concordant.formats import (
    FORMATS,
    LIKELY,
    NO,
    Ballots,
    Format,
    Source,
    detect,
    read,
    register,
    write,
)

SOUND = "# NUMBER ALTERNATIVES: 2\n2: 1,2\n1: 2\n"


def orders(data: object) -> list[str]:
    assert isinstance(data, Rankings)
    return [">".join("=".join(map(str, bucket)) for bucket in ranking) for ranking, _ in data]


# -- how much is read --------------------------------------------------------------------------


def test_a_file_longer_than_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.soi"
    path.write_text(SOUND)
    size = path.stat().st_size
    assert read(path, max_bytes=size).n_items == 2
    with pytest.raises(InputError, match=rf"a\.soi: has {size} bytes; at most 10 bytes are"):
        read(path, max_bytes=10)


def test_a_sparse_file_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "a.soi"
    with path.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(InputError, match="has 1,099,511,627,776 bytes; at most 1,073,741,824"):
        read(path)


@pytest.mark.parametrize("name", ["a.soi.gz", "a.csv.gz", "a.parquet.gz", "a"])
def test_a_gzip_bomb_is_unpacked_in_steps(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    # Two members, as gzip files may have, of which each is within the limit.
    path.write_bytes(gzip.compress(b" " * 40_000_000) * 2)
    assert path.stat().st_size < 100_000
    code = (
        "import sys, concordant as cc\n"
        "try:\n"
        "    cc.read(sys.argv[1], max_bytes=50_000_000)\n"
        "except cc.InputError as error:\n"
        "    print(error.message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.startswith("unpacks to more than 50,000,000 bytes; at most 50,000,000 bytes")


def test_gzip_members_and_their_order_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.soi.gz"
    middle = len(SOUND) // 2
    path.write_bytes(
        gzip.compress(SOUND[:middle].encode()) + gzip.compress(SOUND[middle:].encode())
    )
    assert orders(read(path)) == ["1>2", "2"]
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(InputError, match="the gzipped file is damaged"):
        read(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no such device")
def test_an_endless_device() -> None:
    with pytest.raises(InputError, match="/dev/zero: has more than 3,000,000 bytes"):
        read("/dev/zero", "soc", max_bytes=3_000_000)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_without_end(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def fill() -> None:
        with path.open("wb", buffering=0) as pipe:
            try:
                while True:
                    pipe.write(b"1 2\n" * 10_000)
            except BrokenPipeError:
                pass

    writer = threading.Thread(target=fill)
    writer.start()
    with pytest.raises(InputError, match="pipe: has more than 3,000,000 bytes"):
        read(path, "orders", max_bytes=3_000_000)
    writer.join()


def test_open_files_are_read_within_the_limit() -> None:
    assert orders(read(io.BytesIO(SOUND.encode()), "soi")) == ["1>2", "2"]
    with pytest.raises(InputError, match="the input: has more than 10 bytes"):
        read(io.BytesIO(SOUND.encode()), "soi", max_bytes=10)


@pytest.mark.parametrize("limit", [0, -1, 1.5, "many", 2**64])
def test_limits_that_make_no_sense(limit: object) -> None:
    with pytest.raises(SettingError, match="max_bytes must be"):
        read("a.soc", max_bytes=limit)  # type: ignore[arg-type]


def test_memory_that_runs_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(source: Source) -> Rankings:
        raise MemoryError

    monkeypatch.setitem(FORMATS, "full", Format("full", "", (), fail))
    with pytest.raises(InputError, match="a: does not fit into the memory of this machine"):
        read(tmp_path / "a", "full")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.orders", "1000000 1\n1 2\n"),
        ("a.soi", "# NUMBER ALTERNATIVES: 1000000\n1: 1,2\n"),
    ],
)
def test_a_header_of_a_million_items_is_legal(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert read(path).n_items == 1_000_000


def test_a_matrix_that_its_file_cannot_hold(tmp_path: Path) -> None:
    path = tmp_path / "a.lop"
    path.write_text("1000000\n0 1\n2 0\n")
    with pytest.raises(InputError, match="needs 1000000 × 1000000 = 1000000000000 numbers, but 4"):
        read(path)
    path.write_text("1e300\n0 1\n2 0\n")
    with pytest.raises(InputError, match=r"a\.lop, line \d: "):
        read(path)


# -- disks that are full -----------------------------------------------------------------------

WRITTEN = [name for name, entry in FORMATS.items() if entry.writer]


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files as Linux does")
@pytest.mark.parametrize("name", WRITTEN)
def test_a_full_disk_leaves_nothing_behind(name: str, tmp_path: Path) -> None:
    code = (
        "import resource, signal, sys, concordant as cc\n"
        "data = cc.Rankings.from_ranks([[1, 2, 3]])\n"
        # A file that may not grow fails to be written just as one on a full disk does.
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5, 5))\n"
        "try:\n"
        "    cc.write(data, sys.argv[1], sys.argv[2])\n"
        "except cc.InputError as error:\n"
        "    sys.exit(error.message)\n"
    )
    path = tmp_path / "a"
    path.write_text("old")
    done = subprocess.run(
        # Nor may the interpreter write what it has compiled.
        [sys.executable, "-B", "-c", code, str(path), name],
        capture_output=True,
        text=True,
        check=False,
        # Nor what it has covered.
        env={key: value for key, value in os.environ.items() if not key.startswith("COVERAGE")},
    )
    assert done.stderr.splitlines() == ["cannot be written: File too large"]
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
@pytest.mark.parametrize("name", WRITTEN)
def test_a_full_device(name: str) -> None:
    with pytest.raises(InputError, match="/dev/full: cannot be written: No space left on device"):
        write(Rankings.from_ranks([[1, 2, 3]]), "/dev/full", name)


# -- items ranked twice ------------------------------------------------------------------------

# Of each format, a file in which an item is ranked twice, and what remains of it.
REPEATED = {
    "orders": ("3 2\n1 2 1\n3 3 3\n", ["1>2", "3"], 3, 2),
    "soc": ("3\n1,a\n2,b\n3,c\n2,2,2\n1,1,2,1\n1,3,2,1\n", ["a>b", "c>b>a"], 1, 1),
    "soi": ("# NUMBER ALTERNATIVES: 3\n2: 1,2,1\n", ["1>2"], 1, 1),
    "toc": ("# NUMBER ALTERNATIVES: 2\n2: {1,2},1\n", ["1=2"], 1, 1),
    "toi": ("# NUMBER ALTERNATIVES: 3\n2: 1,{2,1},2\n1: {3,3}\n", ["1>2", "3"], 3, 2),
    "csv": ("voter,item,rank\nx,a,3\nx,b,2\nx,a,1\ny,a,\ny,a,1\n", ["a>b", "a"], 2, 2),
    "json": (
        '{"format": "concordant-rankings", "version": 1, "items": ["a", "b"], '
        '"rankings": [{"buckets": [[1], [0, 1]]}]}',
        ["b>a"],
        1,
        1,
    ),
    "blt": ('2 1\n3 2 1=2 0\n0\n"a"\n"b"\n"t"\n', ["b>a"], 1, 1),
    "abif": ("3:A>B>A\n2:A/1,B/3,A/5\n", ["A>B", "A>B"], 2, 2),
    "cvotes": ("A > B = A * 3\n", ["A>B"], 1, 1),
    "pabulib": (
        "META\nkey;value\nvote_type;ordinal\nPROJECTS\nproject_id\na\nb\nVOTES\nvote\na,b,a\n",
        ["a>b"],
        1,
        1,
    ),
    "trec": ("1 Q0 a 1 2.5 r\n1 Q0 b 2 3 r\n1 Q0 a 1 9 r\n", ["a>b"], 1, 1),
}


@pytest.mark.parametrize("name", sorted(REPEATED))
def test_the_first_place_of_a_repeated_item(name: str, tmp_path: Path) -> None:
    text, expected, places, rankings = REPEATED[name]
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(InputError, match="twice"):
        read(path, name)
    with pytest.warns(InputWarning) as caught:
        data = read(path, name, duplicates="first")
    assert sorted(orders(data)) == sorted(set(expected))
    (warning,) = caught
    assert isinstance(warning.message, InputWarning)
    assert warning.message.path == str(path)
    assert warning.message.message.startswith(f"dropped {places} place")
    assert f"in {rankings} ranking" in warning.message.message


def test_ballots_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("rank1,rank2,rank3\na,a,b\nb,skipped,skipped\n")
    with pytest.warns(InputWarning, match="dropped 1 place of an item ranked before, in 1 ranking"):
        data = read(path, duplicates="first")
    assert orders(data) == ["a>b", "b"]


def test_formats_that_cannot_repeat_an_item_take_the_option(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for name, text in {
        "ranks": "2 1\n1 1\n",
        "lop": "2\n0 1\n2 0\n",
        "label-ranking": "A1\tL1\nDOUBLE\tNUMERIC\n1\t1\n",
        "pgn": '[White "a"]\n[Black "b"]\n[Result "1-0"]\n',
    }.items():
        path.write_text(text)
        assert read(path, name, duplicates="first").n_items in (1, 2)
    write(Rankings.from_orders([["a", "b"]]), path, "parquet")
    assert orders(read(path, "parquet", duplicates="first")) == ["a>b"]
    others = {"ranks", "lop", "npz", "npy", "label-ranking", "parquet", "excel", "records", "text"}
    others |= {"pgn", "html", "wiki", "latex"}
    assert set(REPEATED) | others == set(FORMATS)


def test_other_words_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="duplicates must be 'error'"):
        read(tmp_path / "a.soc", duplicates="all")  # type: ignore[arg-type]


def test_nothing_dropped_is_not_mentioned(tmp_path: Path) -> None:
    path = tmp_path / "a.soi"
    path.write_text(SOUND)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(path, duplicates="first") == read(path)


# -- PrefLib files that number from 0 ------------------------------------------------------------


def test_old_preflib_from_0(tmp_path: Path) -> None:
    path = tmp_path / "a.toc"
    path.write_text("3\n0,Ann\n1,\n2,Cy\n5,5,2\n3,{0,1},2\n2,2,0,1\n")
    data = read(path)
    assert isinstance(data, Rankings)
    assert data.items == ("Ann", "1", "Cy")
    assert orders(data) == ["Ann=1>Cy", "Cy>Ann>1"]
    path.write_text("3\n2,Cy\n0,Ann\n1,Bo\n3,3,1\n3,{0,1},3\n")
    with pytest.raises(
        InputError, match=r"line 6: there is no alternative 3: the header has 0 … 2"
    ):
        read(path)
    path.write_text("2\n0,Ann\n2,Bo\n3,3,1\n3,0,1\n")
    with pytest.raises(InputError, match=r"line 3: alternative 2 is not one of 0 … 1"):
        read(path)


def test_new_preflib_from_0(tmp_path: Path) -> None:
    path = tmp_path / "a.soi"
    names = "# ALTERNATIVE NAME 0: Ann\n# ALTERNATIVE NAME 1: Bo\n"
    for count in ("", "# NUMBER ALTERNATIVES: 2\n"):
        path.write_text(f"{count}{names}2: 1,0\n")
        assert orders(read(path)) == ["Bo>Ann"]
    path.write_text(f"# NUMBER ALTERNATIVES: 3\n{names}2: 1,0\n")
    with pytest.raises(InputError, match="says 3 alternatives, but number 2 has no name"):
        read(path)


# -- formats from outside ------------------------------------------------------------------------


def read_arrows(source: Source, start: int = 1) -> Rankings:
    """Read a ranking a line, as in `pears -> figs -> plums`."""
    ballots, index = Ballots(source), {}
    for line, text in enumerate(source.lines[start - 1 :], start=start):
        if text.strip():
            order = [[index.setdefault(name.strip(), len(index))] for name in text.split("->")]
            ballots.add(order, 1, line)
    return ballots.rankings(list(index))


def write_arrows(data: Rankings, path: Path) -> Iterator[str]:
    for ranking, weight in data:
        yield (" -> ".join(str(item) for (item,) in ranking) + "\n") * int(weight)


def sniff_arrows(source: Source) -> int:
    return LIKELY if "->" in source.opening[0] else NO


@pytest.fixture
def arrows() -> Iterator[Format]:
    entry = Format(
        "arrows",
        "names with arrows between them, best first",
        (".arrows",),
        read_arrows,
        write_arrows,
        sniff_arrows,
        ties=False,
        weights="repeats",
        options=("start",),
    )
    yield register(entry)
    del FORMATS["arrows"]


def test_a_format_from_outside(arrows: Format, tmp_path: Path) -> None:
    data = Rankings.from_orders([["pears", "figs"], ["plums"]], weights=[2, 1])
    path = tmp_path / "a.arrows.gz"
    write(data, path)
    assert read(path) == data
    assert gzip.decompress(path.read_bytes()).decode() == "pears -> figs\n" * 2 + "plums\n"
    assert detect(path) == "arrows"
    other = tmp_path / "unnamed"
    other.write_text("header -> no\npears -> figs\nfigs -> pears -> figs\n")
    assert detect(other) == "arrows"
    with pytest.raises(InputError, match="unnamed, line 3: ranking 3: item 'figs' is ranked twice"):
        read(other)
    with pytest.warns(InputWarning, match="unnamed: dropped 1 place"):
        assert orders(read(other, start=2, duplicates="first")) == ["pears>figs", "figs>pears"]
    with pytest.raises(SettingError, match=r"layout is not an option for reading arrows$"):
        read(path, layout="long")
    with pytest.raises(SettingError, match=r"stert is not an option .*; the options are start"):
        read(path, stert=2)
    with pytest.raises(InputError, match="arrows cannot hold ties"):
        write(Rankings.from_orders([[("a", "b")]]), tmp_path / "b.arrows")


@pytest.mark.parametrize(
    ("name", "suffixes", "message"),
    [
        ("soc", (".new",), "there is a format 'soc' already"),
        ("new", (".soc",), r"cannot have the suffix '\.soc': it belongs to soc"),
        ("new", ("new",), "it must begin with a dot"),
        ("new", (".gz",), "it must begin with a dot|belongs"),
    ],
)
def test_names_that_are_taken(name: str, suffixes: tuple[str, ...], message: str) -> None:
    before = dict(FORMATS)
    with pytest.raises(SettingError, match=message):
        register(Format(name, "", suffixes, read_arrows))
    assert before == FORMATS


def test_two_formats_that_are_equally_sure(arrows: Format, tmp_path: Path) -> None:
    path = tmp_path / "unnamed"
    path.write_text("1: a -> b\n")
    with pytest.raises(InputError, match='format="abif" or format="arrows"') as caught:
        detect(path)
    assert caught.value.line == 1
