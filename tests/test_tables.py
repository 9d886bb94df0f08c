"""Tables in files: what is written is read back, and a fault is named with its line."""

from __future__ import annotations

import gzip
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from concordant import InputError, InputWarning, Rankings, SettingError
from concordant.formats import read as read_file
from concordant.formats import write as write_file
from concordant.formats.common import decoder
from concordant.reading.cells import Style, is_missing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

read_csv: Any = partial(read_file, format="csv")
read_parquet: Any = partial(read_file, format="parquet")
read_label_ranking: Any = partial(read_file, format="label-ranking")
write_csv: Any = partial(write_file, format="csv")
write_parquet: Any = partial(write_file, format="parquet")

# The folder of a test is shared by its examples, each of which writes the file again.
in_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

SPECIAL = [
    *("a,b", 'say "x"', '"', "two\nlines", "cr\rhere", "crlf\r\n", " led", "trailed ", "\t", ";"),
    *("007", "7", "1e3", "NA", "nan", "null", "", "é", "日本", "🙂", "#", "'", "-", "item", "x y"),
]
# Reading Parquet starts a process each time, so few examples are enough.
files = st.sampled_from(["a.csv", "a.tsv"] * 5 + ["a.parquet"])
names = st.one_of(
    st.sampled_from(SPECIAL),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5),
)


@st.composite
def rankings(draw: st.DrawFn, items: Any = names, ties: bool = True) -> Rankings:
    found = draw(st.lists(items, min_size=1, max_size=6, unique=True))
    orders = []
    for _ in range(draw(st.integers(1, 5))):
        buckets: list[list[Any]] = []
        for item in draw(st.permutations(found))[: draw(st.integers(0, len(found)))]:
            if buckets and ties and draw(st.booleans()):
                buckets[-1].append(item)
            else:
                buckets.append([item])
        orders.append(buckets)
    weights = draw(
        st.none()
        | st.lists(st.integers(0, 9), min_size=len(orders), max_size=len(orders))
        | st.lists(
            st.decimals(0, 10, places=3) | st.fractions(0, 3, max_denominator=9),
            min_size=len(orders),
            max_size=len(orders),
        )
    )
    if weights is not None:
        weights = [Fraction(weight) for weight in weights]
        if all(weight.denominator == 1 for weight in weights):
            weights = [int(weight) for weight in weights]
    return Rankings.from_orders(orders, items=found, weights=weights)


@pytest.mark.filterwarnings("ignore::concordant.InputWarning")
class TestRoundTrip:
    @in_folder
    @given(rankings(), files)
    def test_long(self, tmp_path: Path, data: Rankings, name: str) -> None:
        path = tmp_path / name
        read, write = (
            (read_parquet, write_parquet) if name.endswith("parquet") else (read_csv, write_csv)
        )
        write(data, path)
        again = read(path)
        assert replace(again, n_voters=data.n_voters) == data
        # The numbers of the items survive too: they break ties between equal scores.
        assert again.items == data.items
        if data.scale == 1 and data.total_weight == data.n_rankings:
            assert again.n_rankings == data.n_rankings
        assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []

    @in_folder
    @given(rankings(), files)
    def test_wide(self, tmp_path: Path, data: Rankings, name: str) -> None:
        path = tmp_path / name
        read, write = (
            (read_parquet, write_parquet) if name.endswith("parquet") else (read_csv, write_csv)
        )
        write(data, path, layout="wide")
        again = read(path)
        assert replace(again, n_voters=data.n_voters) == data
        assert again.items == data.items

    @in_folder
    @given(
        rankings(ties=False),
        files,
    )
    def test_ballots(self, tmp_path: Path, data: Rankings, name: str) -> None:
        path = tmp_path / name
        path.unlink(missing_ok=True)
        read, write = (
            (read_parquet, write_parquet) if name.endswith("parquet") else (read_csv, write_csv)
        )
        ranked = {item for ranking, _ in data for bucket in ranking for item in bucket}
        if ranked != set(data.items) or any(is_missing(str(item), Style()) for item in ranked):
            with pytest.raises(InputError, match='Use layout="long"'):
                write(data, path, layout="ballots")
            assert not path.exists()
        else:
            write(data, path, layout="ballots")
            assert replace(read(path), n_voters=data.n_voters) == data

    @settings(in_folder, max_examples=5)
    @given(rankings(st.integers(-(2**63) + 1, 2**63 - 1)))
    def test_integers(self, tmp_path: Path, data: Rankings) -> None:
        write_parquet(data, tmp_path / "a.parquet")
        again = read_parquet(tmp_path / "a.parquet")
        assert replace(again, n_voters=data.n_voters) == data
        assert all(type(item) is int for item in again.items)
        write_csv(data, tmp_path / "a.csv")
        assert read_csv(tmp_path / "a.csv").items == tuple(map(str, data.items))

    def test_other_kinds_of_items_become_text(self, tmp_path: Path) -> None:
        data = Rankings.from_orders([[1.5, "x", None]])
        for read, write in ((read_csv, write_csv), (read_parquet, write_parquet)):
            write(data, tmp_path / "a")
            assert read(tmp_path / "a").items == ("1.5", "x", "None")

    @pytest.mark.parametrize(
        "weights",
        [
            [Fraction(1, 3), 1],
            [Fraction("0.12345678901234567"), 1],
            [2**61, Fraction(0)],
            [0.1, 0.7],
        ],
    )
    def test_weights_are_exact(self, tmp_path: Path, weights: Any) -> None:
        data = Rankings.from_orders([["a", "b"], ["b", "a"]], weights=weights)
        for read, write in ((read_csv, write_csv), (read_parquet, write_parquet)):
            write(data, tmp_path / "a")
            assert read(tmp_path / "a") == data

    def test_repeat_counts(self, tmp_path: Path) -> None:
        data = Rankings.from_orders([["a", "b"], ["b"], ["a", "b"], []])
        write_csv(data, tmp_path / "a.csv")
        assert (tmp_path / "a.csv").read_text().splitlines() == [
            "voter,item,rank,count",
            "1,a,1,2",
            "1,b,2,2",
            "2,b,1,1",
            "3,,,1",
        ]
        assert read_csv(tmp_path / "a.csv").n_rankings == 4

    def test_unranked_is_chosen_when_reading(self, tmp_path: Path) -> None:
        data = Rankings.from_orders([["a"], ["b", "a"]], unranked="last")
        for read, write in ((read_csv, write_csv), (read_parquet, write_parquet)):
            write(data, tmp_path / "a")
            # What is left out is written out as the last bucket.
            again = read(tmp_path / "a", unranked="last")
            assert again.explicit() == data.explicit()
            assert read(tmp_path / "a").unranked == "unknown"


class TestWriting:
    @pytest.fixture(params=[write_csv, write_parquet])
    def write(self, request: pytest.FixtureRequest) -> Any:
        return request.param

    @pytest.mark.parametrize(
        ("orders", "layout", "message"),
        [
            ([[1, "1"]], "long", r"two items are both written as '1'"),
            ([["a\0b"]], "long", r"the name 'a\\x00b' contains a null character"),
            ([["\ud800"]], "long", r"the name contains an unpaired surrogate"),
            ([["voter"]], "wide", r"a wide table cannot hold items with names like"),
            ([["rank 1", "rank 2"]], "wide", r"a wide table cannot hold items with names like"),
            ([["weight"]], "wide", r"a wide table cannot hold items with names like"),
            ([["item", "rank"]], "wide", r"a wide table cannot hold items with names like"),
            ([[("a", "b")]], "ballots", r"some rankings have ties"),
            ([["a", "Skipped"]], "ballots", r"item 'Skipped' would be read as no vote"),
        ],
    )
    def test_what_cannot_be_held(
        self, tmp_path: Path, write: Any, orders: Any, layout: Any, message: str
    ) -> None:
        path = tmp_path / "a"
        path.write_text("precious")
        with pytest.raises(InputError, match=f"^.*a: {message}") as caught:
            write(Rankings.from_orders(orders), path, layout=layout)
        assert caught.value.path == str(path)
        assert path.read_text() == "precious"
        assert [file.name for file in tmp_path.iterdir()] == ["a"]

    def test_items_that_nobody_ranks(self, tmp_path: Path, write: Any) -> None:
        with pytest.raises(InputError, match="no ranking has item 'c'"):
            write(Rankings.from_orders([["a"]], items="ac"), tmp_path / "a", layout="ballots")

    def test_layout(self, tmp_path: Path, write: Any) -> None:
        with pytest.raises(SettingError, match="long, wide, ballots"):
            write(Rankings.from_orders([["a"]]), tmp_path / "a", layout="auto")

    def test_no_folder(self, tmp_path: Path, write: Any) -> None:
        with pytest.raises(InputError, match="no folder"):
            write(Rankings.from_orders([["a"]]), tmp_path / "b" / "a")

    def test_lone_items_named_like_roles_are_fine(self, tmp_path: Path, write: Any) -> None:
        data = Rankings.from_orders([["id", "Voter", "Counts", "item", "5th Avenue"]])
        write(data, tmp_path / "a", layout="wide")
        read = read_csv if write is write_csv else read_parquet
        assert read(tmp_path / "a") == data


class TestCsv:
    @pytest.fixture
    def read(self, tmp_path: Path) -> Iterator[Any]:
        def read_text(text: str | bytes, name: str = "a.csv", **options: Any) -> Rankings:
            path = tmp_path / name
            path.write_bytes(text.encode() if isinstance(text, str) else text)
            return read_csv(path, **options)

        return read_text

    @pytest.mark.parametrize("separator", [",", ";", "\t"])
    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    @pytest.mark.parametrize("mark", ["", "\ufeff"])
    def test_separators_and_ends(self, read: Any, separator: str, end: str, mark: str) -> None:
        rows = [["voter", "item", "rank"], ["x", "a b", "2"], ["x", "c", "1"], ["y", "c", "1"]]
        for last in ("", end, end * 3):
            data = read(mark + end.join(separator.join(row) for row in rows) + last)
            assert data == Rankings.from_orders([["c", "a b"], ["c"]])

    @pytest.mark.parametrize(
        "text",
        [
            "voter;Smith, Ann;Jones, Bo;Kim, Cy\n1;1;2;3\n",
            'voter,"Smith, Ann","Jones, Bo","Kim, Cy"\n1,1,2,3\n',
            "Smith, Ann\tJones, Bo\tKim, Cy\n1\t2\t3\n",
        ],
    )
    def test_separators_inside_names(self, read: Any, text: str) -> None:
        assert read(text) == Rankings.from_orders([["Smith, Ann", "Jones, Bo", "Kim, Cy"]])

    def test_suffix_says_tab(self, read: Any) -> None:
        assert read("a,b\tc\n1\t2\n2\t1\n", "a.tsv").items == ("a,b", "c")

    def test_gzipped(self, read: Any) -> None:
        assert read(gzip.compress(b"a,b\n1,2\n"), "a.csv.gz").items == ("a", "b")
        assert read(gzip.compress(b"a,b\tc\n1\t2\n"), "a.tsv.gz").items == ("a,b", "c")

    def test_blank_lines(self, read: Any) -> None:
        text = "\n\na,b\n\n1,2\n,\n\r\n2,1\n\n\n"
        # A row of empty cells is a ballot; a blank line is nothing.
        assert read(text) == Rankings.from_orders([["a", "b"], [], ["b", "a"]])
        with pytest.raises(InputError, match="there is no row below the header"):
            read("a,b\n\n,\n,\n")
        assert read('voter,item,rank\n\nx,"a\n\nb",1\n\n').items == ("a\n\nb",)
        assert read("a,b\n1,2\n\n1,\n").n_rankings == 2

    def test_names_are_text(self, read: Any) -> None:
        with pytest.warns(InputWarning, match="'7' and ' 7'"):
            data = read('voter,item,rank\n7,007,1\n7,7,2\n07,7.0,1\n07," 7",2\n07,"",3\n')
        assert data == Rankings.from_orders([["007", "7"], ["7.0", " 7", ""]])

    def test_missing_ranks(self, read: Any) -> None:
        text = "voter,item,rank\nx,a,1\nx,b,NA\nx,c,\ny,NA, 2 \ny,b,1.5\n"
        assert read(text) == Rankings.from_orders([["a"], ["b", "NA"]], items=["a", "b", "c", "NA"])
        assert read("a,b\n1,NA\n0,1\n") == Rankings.from_orders([["a"], ["b"]])

    def test_ranks_in_words(self, read: Any) -> None:
        text = "Ann,Bo,Cy\n1st,2nd,3rd\n2nd choice,Choice 1,\nplace 3, 11TH ,rank 2\n"
        orders = [["Ann", "Bo", "Cy"], ["Bo", "Ann"], ["Cy", "Ann", "Bo"]]
        assert read(text) == Rankings.from_orders(orders, items=["Ann", "Bo", "Cy"])
        assert read("Ann,Bo\nfirst,2nd\n") == Rankings.from_orders([["Ann", "Bo"]])
        with pytest.raises(InputError, match="'Ann' is 'frist'"):
            read("Ann,Bo\n1st,2nd\n2nd,1st\n1st,2nd\n2nd,1st\nfrist,2nd\n")

    def test_ballots(self, read: Any) -> None:
        text = (
            "id,precinct,1st choice,2nd choice,count\n1,N,Ann,Bo,2\n2,N,undervote,Ann,1\n3,S,,,4\n"
        )
        data = read(text)
        assert data == Rankings.from_orders([["Ann", "Bo"], ["Ann"], []], weights=[2, 1, 4])
        assert data.n_rankings == 7

    def test_columns_and_layout(self, read: Any) -> None:
        text = "who,what,where\nx,a,2\nx,b,1\n"
        data = read(text, voter="who", item="what", rank="where")
        assert data == Rankings.from_orders([["b", "a"]])
        assert read("3,1\n1,2\n", layout="wide").items == ("3", "1")
        assert read("best,next\na,b\n", layout="ballots").items == ("a", "b")

    def test_pandas_index(self, read: Any) -> None:
        assert read(",a,b\n0,1,2\n1,2,1\n").items == ("a", "b")

    def test_many_columns(self, read: Any) -> None:
        m = 8000
        rows = [[f"item, {j}" for j in range(m)], *([str(j + 1) for j in range(m)] for _ in "123")]
        assert read("\n".join(";".join(row) for row in rows)).n_items == m

    LONG = "voter,item,rank,weight\n"

    @pytest.mark.parametrize(
        ("text", "line", "message"),
        [
            ("", 1, "the file is empty"),
            (" \n\n", 1, "the file is empty"),
            (b"a,b\nPK\x03\x04 x" + b"\0\0" * 9 + b"x" * 90, 2, "contains binary data, not text"),
            ("voter,item,rank\n", 1, "there is no row below the header"),
            ("\nvoter,item,rank\n\n\n", 2, "there is no row below the header"),
            ("voter,item,rank\nx,a,1\nx,b\n", 3, "this row has 2 values and the header 3"),
            ("voter,item,rank\nx,b\nx,a,1\n", 2, "this row has 2 values and the header 3"),
            ("voter,item,rank\nx,a,1\nx,b,2,3\n", 3, "this row has 4 values and the header 3"),
            ('voter,item,rank\nx,"a\nb",1\n"x,y",b\n', 4, "this row has 2 values and the header"),
            (
                "voter,item,rank\nx,a,1\n\nx,b,2,3\n",
                4,
                "this row has 4 values and the header 3",
            ),
            ('voter,item,rank\nx,"a,1\nx,b,2\n', 2, "a quotation mark is never closed"),
            ('voter,item,rank\nx,a,1\nx,5" pipe,2\nx,6" pipe,3\n', 3, "a quotation mark is never"),
            ('voter,item,rank\nx,a,1\nx,"b"c,2\n', 3, "a quotation mark is never closed, or is"),
            ('voter,"item\nx,a,1\n', 1, "the header cannot be read"),
            (
                "voter,item,rank\nx,a,1\n\nx,b,first\n",
                4,
                "'rank' is 'first', which is not a number",
            ),
            ('voter,item,rank\n"x\ny",a,1\n"x\ny",b,-1\n', 4, "'rank' is -1, but ranks begin at 1"),
            ("voter,item,rank\nx,a,1\ny,b,1\nx,a,2\n", 4, "voter 'x' has item 'a' twice"),
            ("voter,item,rank\n,a,1\n", 2, "there is no voter in column 'voter'"),
            (LONG + "x,a,1,2\nx,b,2,3\n", 3, "voter 'x' has weight 3 here and 2 in an earlier row"),
            (LONG + "x,a,1,-2\n", 2, "weight '-2' in column 'weight' must be a number, 0 or more"),
            (LONG + "x,a,1,NaN\n", 2, "weight 'NaN' in column 'weight' must be a number, 0 or mor"),
            (LONG + "x,a,1,\n", 2, "there is no weight in column 'weight'"),
            ("rank1,rank2\na,b\nb,b\n", 3, "item 'b' is ranked twice"),
            ("a,a\n1,2\n", 1, "two columns are named 'a': rename one"),
            ("1,2,3\n2,1,3\n", 1, "the first line holds only numbers"),
            ("town,mayor\n\nx,y\n", 1, "no layout fits the columns ('town', 'mayor')"),
            ("place 1,place 2\n1,2\n", None, "column 'place 1' may hold items"),
            ("voter,item,rank\nx,,\n", None, "there is no item"),
        ],
    )
    def test_faults(
        self, read: Any, tmp_path: Path, text: str | bytes, line: int | None, message: str
    ) -> None:
        with pytest.raises(InputError) as caught:
            read(text)
        assert caught.value.message.startswith(message)
        assert (caught.value.path, caught.value.line) == (str(tmp_path / "a.csv"), line)

    @pytest.mark.parametrize(
        "text",
        [
            "x" * 10_000_000,
            "x" * 10_000_000 + "\n1\n",
            "1 " * 5_000_000 + "\n" + "2 " * 5_000_000,
            '"' + "x" * 10_000_000,
            "a,b\n" + "x" * 10_000_000 + "\n",
            "a,b\n" + "x" * 10_000_000 + ",1\n",
        ],
        ids=["header", "header and row", "numbers", "quote", "row", "value"],
    )
    def test_long_lines(self, read: Any, text: str) -> None:
        with pytest.raises(InputError) as caught:
            read(text)
        assert len(str(caught.value)) < 1000

    def test_no_file(self, tmp_path: Path) -> None:
        for reader in (read_csv, read_parquet, read_label_ranking):
            with pytest.raises(InputError, match="there is no such file"):
                reader(tmp_path / "nothing")
            with pytest.raises(InputError, match="the folder has no files"):
                reader(tmp_path)

    def test_what_polars_refuses_otherwise(
        self, read: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*args: Any, **options: Any) -> None:
            raise pl.exceptions.ComputeError("for its own reasons\nand more")

        monkeypatch.setattr(pl, "read_csv", refuse)
        with pytest.raises(InputError, match=r"not CSV: for its own reasons$"):
            read("a,b\n1,2\n")


class TestParquet:
    def test_faults(self, tmp_path: Path) -> None:
        path = tmp_path / "a.parquet"
        path.write_bytes(b"")
        with pytest.raises(InputError, match=r"a\.parquet: the file is empty"):
            read_parquet(path)
        path.write_text("voter,item,rank\n")
        with pytest.raises(InputError, match=r"a\.parquet: not a Parquet file"):
            read_parquet(path)
        path.write_bytes(b"PAR1" + b"x" * 100 + b"PAR1")
        with pytest.raises(InputError, match=r"a\.parquet: the Parquet file is damaged"):
            read_parquet(path)
        pl.DataFrame({"voter": [1, 1], "item": ["a", "a"], "rank": [1, 2]}).write_parquet(path)
        with pytest.raises(InputError, match=r"a\.parquet: row 2: voter 1 has item 'a' twice"):
            read_parquet(path)
        pl.DataFrame({"item": ["a", "a"], "rank": [1, 2]}).write_parquet(path)
        with pytest.raises(InputError, match=r"a\.parquet: the same item is in several rows"):
            read_parquet(path)

    def test_only_columns_in_use_are_read(self, tmp_path: Path) -> None:
        path = tmp_path / "a.parquet"
        frame = pl.DataFrame(
            {"who": ["x", "x"], "what": ["a", "b"], "no": [2, 1], "other": [[1], [2]]}
        )
        frame.write_parquet(path)
        data = read_parquet(path, voter="who", item="what", rank="no")
        assert data == Rankings.from_orders([["b", "a"]])

    @staticmethod
    def table(path: Path) -> bytes:
        """Write a table with names, gaps and repetitions, and return it."""
        orders = [["a", "b", ("c", "d")], ["d"], [], ["b", "e", "a"]] * 9
        write_parquet(Rankings.from_orders(orders, weights=range(36)), path)
        return path.read_bytes()

    def test_one_byte_changed_gives_an_input_error_or_other_data(
        self, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "a.parquet"
        sound = self.table(path)
        faults = []
        for at in range(4, len(sound) - 4, len(sound) // 12):
            path.write_bytes(sound[:at] + bytes([sound[at] ^ 0xFF]) + sound[at + 1 :])
            try:
                read_parquet(path)
            except InputError as error:
                faults.append(error)
        assert faults
        assert {error.path for error in faults} == {str(path)}
        assert max(len(error.message) for error in faults) <= 600
        assert capfd.readouterr().err == ""

    @pytest.mark.parametrize(
        "fault",
        [
            # What the decoder does on some damaged files.
            "import os; os.abort()",
            "raise BaseException('panic')",
            "import sys; sys.exit(0)",
            "import sys; sys.stdout.close(); sys.exit(1)",
        ],
    )
    @pytest.mark.parametrize("stage", ["import io\n", "rows = pl.scan_parquet(_at_start(file), g"])
    def test_a_decoder_that_dies(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, stage: str
    ) -> None:
        path = tmp_path / "a.parquet"
        self.table(path)
        program = decoder._PROGRAM.read_text()
        # The second task with such a line is the one that returns rows.
        before, found, after = program.rpartition(stage)
        assert found
        script = tmp_path / "decoding.py"
        script.write_text(f"{before}{fault}; {found}{after}")
        monkeypatch.setattr(decoder, "_PROGRAM", script)
        with pytest.raises(InputError, match=r"a\.parquet: the Parquet file is damaged"):
            read_parquet(path)

    def test_no_process_to_decode_it(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "a.parquet"
        self.table(path)
        monkeypatch.setattr(sys, "executable", str(tmp_path / "nothing"))
        with pytest.raises(InputError, match=r"no process can be started to decode it: No such"):
            read_parquet(path)

    def test_few_bytes_that_hold_many_rows(self, tmp_path: Path) -> None:
        path = tmp_path / "a.parquet"
        pl.DataFrame(
            {"voter": [1] * 10**5, "item": ["a"] * 10**5, "rank": [1] * 10**5}
        ).write_parquet(path)
        assert path.stat().st_size < 100_000
        with pytest.raises(InputError, match="unpacks to 100,000 rows, about 2,400,000 bytes"):
            read_parquet(path, max_bytes=100_000)


class TestLabelRanking:
    HEADER = "A1\tA2\tL1\tL2\tL3\r\nDOUBLE\tDOUBLE\tNUMERIC\tNUMERIC\tNUMERIC\r\n"

    def read(self, folder: Path, text: str) -> Rankings:
        path = folder / "a.txt"
        path.write_bytes(text.encode())
        return read_label_ranking(path)

    def test_ranks_of_the_labels(self, tmp_path: Path) -> None:
        rows = "\r\n0.5\t-1\t3\t1\t2\r\n0.1\t1e-3\t1\t2\t2\r\n\r\n1\t2\t3\t1\t2\r\n2\t2\t1\t?\t\r\n"
        data = self.read(tmp_path, self.HEADER + rows)
        assert data == Rankings.from_orders(
            [["L2", "L3", "L1"], ["L1", ("L2", "L3")], ["L2", "L3", "L1"], ["L1"]]
        )
        assert data.n_rankings == 4
        assert data.items == ("L1", "L2", "L3")

    def test_other_names(self, tmp_path: Path) -> None:
        data = self.read(tmp_path, "O1\tA1\tO2\nNUMERIC\tDOUBLE\tNUMERIC\n2\t9\t1")
        assert data == Rankings.from_orders([["O2", "O1"]])

    @pytest.mark.parametrize(
        ("text", "line", "message"),
        [
            ("", 1, "the file is empty"),
            ("A1\tA2\nDOUBLE\tDOUBLE\n1\t2\n", 1, "no column is a label"),
            ("A1,L1\nDOUBLE,NUMERIC\n1,1\n", 1, "no column is a label"),
            ("A1\tL1\n", 2, "the second line must give the types of the 2 columns"),
            ("A1\tL1\n0.5\t1\n", 2, "the second line must give the types of the 2 columns"),
            ("L1\tL1\nNUMERIC\tNUMERIC\n1\t2\n", 1, "two labels have the same name"),
            (HEADER + "1\t2\t1\t2\t3\n1\t2\t3\n", 4, "this row has 3 values for 5 columns"),
            (HEADER + "\n1\t2\t1\tx\t3\n", 4, "'L2' is 'x', which is not a number"),
            (HEADER + "1\t2\t1\t2\t-3\n", 3, "'L3' is -3, but ranks begin at 1"),
            (HEADER + "\n", None, "there is no sample below the two header lines"),
        ],
    )
    def test_faults(self, tmp_path: Path, text: str, line: int | None, message: str) -> None:
        with pytest.raises(InputError) as caught:
            self.read(tmp_path, text)
        assert caught.value.message.startswith(message)
        assert (caught.value.path, caught.value.line) == (str(tmp_path / "a.txt"), line)


WITHOUT_POLARS = """
import sys
sys.modules["polars"] = None
import numpy as np
import concordant as cc
from concordant.errors import SettingError

data = cc.Rankings.from_orders([["a", "b", "c"], ["b", ("a", "c")]])
result = cc.aggregate(data)
assert result.verify(data)
for name in ("votes.toi", "votes.json", "votes.abif"):
    cc.write(data, name)
    assert cc.read(name) == data, name
open("votes.csv", "w").write("voter,item,rank\\n1,a,1\\n1,b,2\\n")
for task in (
    lambda: cc.write(data, "new.csv"),
    lambda: cc.write(data, "new.parquet"),
    lambda: cc.read("votes.csv"),
    lambda: cc.Rankings.from_frame({"voter": [1], "item": ["a"], "rank": [1]}),
    data.to_frame,
    result.to_frame,
    cc.Pairwise.from_rankings(data).to_frame,
):
    try:
        task()
    except SettingError as error:
        assert "polars, which is not installed: pip install polars" in str(error)
    else:
        raise AssertionError(task)
"""


def test_without_polars_tables_name_it_and_the_rest_works(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_POLARS],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "new.csv").exists()
