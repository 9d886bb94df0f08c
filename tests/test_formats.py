"""Reading, writing and telling formats, by example."""

import gzip
import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from concordant import InputError, Pairwise, Rankings, SettingError, inspect
from concordant._files import atomic_write, replacing
from concordant.formats import FORMATS, detect, read, write
from concordant.formats.common.text import MOST_ROWS, distinct_names
from concordant.units import decimal_text

Put = Callable[[str, str], Path]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Return a function that writes a file and gives its path."""

    def put_file(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return put_file


def rankings(path: Path, format_name: str | None = None, **options: str) -> Rankings:
    data = read(path, format_name, **options)  # type: ignore[arg-type]
    assert isinstance(data, Rankings)
    return data


def orders(data: Rankings) -> list[tuple[str, int | float]]:
    """Write rankings as `A>B=C` with their weights."""
    return [
        (">".join("=".join(map(str, bucket)) for bucket in ranking), weight)
        for ranking, weight in data
    ]


# -- ranks and orders -------------------------------------------------------------------------


def test_ranks(put: Put) -> None:
    data = rankings(put("a.ranks", "3 3 0.5\r\n1 2 3\r\n0 1 1\r\n0 0 0"))
    assert orders(data) == [("1>2>3", 1), ("2=3", 1), ("", 1)]
    assert data.n_rankings == 3


def test_ranks_may_have_gaps_and_halves(put: Put) -> None:
    assert orders(rankings(put("a.ranks", "3 1\n7 1.5 1.5\n"))) == [("2=3>1", 1)]


def test_orders(put: Put) -> None:
    text = "\ufeff3 5\r\n3 1 2 \r\n3 1 2\r\n\r\n2 0 0\n0 0 0\n1\n"
    data = rankings(put("a.orders", text))
    assert orders(data) == [("3>1>2", 2), ("2", 1), ("", 1), ("1", 1)]
    assert data.items == ("1", "2", "3")
    assert data.n_rankings == 5


def test_a_single_item_and_empty_ballots_are_legal(put: Put) -> None:
    assert rankings(put("a.orders", "1 1\n1\n")).n_items == 1
    empty = rankings(put("b.orders", "2 2\n0\n0 0\n"))
    assert (empty.n_rankings, empty.n_distinct) == (2, 1)


def test_repeated_rows_keep_the_number_of_rankings(put: Put, tmp_path: Path) -> None:
    data = rankings(put("a.orders", "2 3\n1 2\n2 1\n1 2\n"))
    write(data, tmp_path / "b.orders")
    assert (tmp_path / "b.orders").read_text() == "2 3\n1 2\n1 2\n2 1\n"


def test_items_are_written_by_their_number_in_any_order(tmp_path: Path) -> None:
    data = Rankings.from_orders([["2", "3", "1"]])
    write(data, tmp_path / "a.ranks")
    assert (tmp_path / "a.ranks").read_text() == "3 1\n3 1 2\n"
    write(Rankings.from_orders([[2, 3, 1]]), tmp_path / "b.orders")
    assert (tmp_path / "b.orders").read_text() == "3 1\n2 3 1\n"


def test_long_orders_of_few_items_are_not_padded(tmp_path: Path) -> None:
    items = [str(j + 1) for j in range(2000)]
    data = Rankings.from_orders([["1"], []], items=items, weights=[9000, 1])
    write(data, tmp_path / "a.orders")
    assert (tmp_path / "a.orders").read_text() == "2000 9001\n" + "1\n" * 9000 + "0\n"
    assert rankings(tmp_path / "a.orders") == data


def test_absurd_repeats_are_refused(tmp_path: Path) -> None:
    data = Rankings.from_orders([["1"]], weights=[MOST_ROWS + 1])
    for name in ("ranks", "orders", "trec"):
        with pytest.raises(InputError, match="10,000,001 rows"):
            write(data, tmp_path / "a", name)
    assert not (tmp_path / "a").exists()


# -- PrefLib ----------------------------------------------------------------------------------


def test_preflib(put: Put) -> None:
    text = (
        "# FILE NAME: a.toi\n# TITLE: Some: title\n# DATA TYPE: toi\n"
        "# NUMBER ALTERNATIVES: 3\n# NUMBER VOTERS: 9\n# NUMBER UNIQUE ORDERS: 4\n"
        '# ALTERNATIVE NAME 1: Ann "A", B: {C}\n# ALTERNATIVE NAME 2:\n'
        "# ALTERNATIVE NAME 3: Cy \n\n"
        "4: 1,{2,3}\n3: {3}, {1, 2}\n1:\n1:2\n"
    )
    data = rankings(put("a.toi", text))
    assert data.items == ('Ann "A", B: {C}', "2", "Cy")
    assert [weight for _, weight in data] == [4, 3, 1, 1]
    assert [[len(bucket) for bucket in ranking] for ranking, _ in data] == [[1, 2], [1, 2], [], [1]]
    assert data.n_rankings == 9


def test_old_preflib(put: Put) -> None:
    text = "3\n1,Ann, Jr.\n3,Cy\n2,Bo \n5,5,2\n3,{1,2},3\n2,3,1,2\n"
    data = rankings(put("a.toc", text))
    assert data.items == ("Ann, Jr.", "Bo", "Cy")
    assert orders(data) == [("Ann, Jr.=Bo>Cy", 3), ("Cy>Ann, Jr.>Bo", 2)]


def test_preflib_names_are_labels(put: Put) -> None:
    text = (
        "# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: Ann\n# ALTERNATIVE NAME 2: Ann\n1: 1,2\n"
    )
    assert rankings(put("a.soc", text)).items == ("Ann (1)", "Ann (2)")
    assert distinct_names(["a", "a", "a (2)"]) == ["a (1)", "a (2) (2)", "a (2) (3)"]


@pytest.mark.parametrize("form", ["2: {1,2,},3", "2: {},{1, 2 , },{3,}", "2: {1,2},{},3,{}"])
def test_preflib_buckets_with_a_comma_at_the_end_or_nothing_inside(put: Put, form: str) -> None:
    for header, line in (("# NUMBER ALTERNATIVES: 3\n", form),):
        assert list(read(put("a.toc", f"{header}{line}\n"))) == [([("1", "2"), ("3",)], 2)]
    old = form.replace(": ", ",")
    data = read(put("a.toc", f"3\n1,a\n2,b\n3,c\n2,2,1\n{old}\n"))
    assert list(data) == [([("a", "b"), ("c",)], 2)]


def test_preflib_needs_no_names(put: Put) -> None:
    assert rankings(put("a.soi", "# NUMBER ALTERNATIVES: 3\n1: 3\n")).items == ("1", "2", "3")


def test_preflib_repeated_lines_are_added_up(put: Put) -> None:
    text = "# NUMBER ALTERNATIVES: 2\n# NUMBER UNIQUE ORDERS: {}\n1: 1,2\n2: 1,2\n"
    for unique in (1, 2):
        data = rankings(put("a.soc", text.format(unique)))
        assert (data.n_distinct, data.n_rankings) == (1, 3)


# -- lop --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "3\n0 1 2\n3 0 4\n5 6 0\n",
        "\n  3 \n0 1 2 3\n 0\n4 5 6 0",
        "44 sectors, made up\n\n3\n 9 1 2 3 9 4 5 6 9\n",
        "3 0 1 2 3 0 4 5 6 0",
    ],
)
def test_lop(put: Put, text: str) -> None:
    pairs = read(put("a.lop", text))
    assert isinstance(pairs, Pairwise)
    assert pairs.counts.tolist() == [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    assert pairs.items == ("1", "2", "3")


def test_lop_with_decimals_and_negative_entries(put: Put, tmp_path: Path) -> None:
    pairs = read(put("a.lop", "2\n0 -1.25\n3 0\n"))
    assert isinstance(pairs, Pairwise)
    assert (pairs.counts.tolist(), pairs.scale) == ([[0, -125], [300, 0]], 100)
    write(pairs, tmp_path / "b.lop")
    assert (tmp_path / "b.lop").read_text() == "2\n0 -1.25\n3 0\n"


def test_a_matrix_is_only_written_as_a_matrix(tmp_path: Path) -> None:
    pairs = Pairwise.from_matrix([[0, 1], [2, 0]])
    for name in set(FORMATS) - {
        "lop",
        "npz",
        "npy",
        "label-ranking",
        "excel",
        "html",
        "wiki",
        "latex",
        "records",
        "text",
        "pgn",
        "pabulib",
    }:
        with pytest.raises(InputError, match="write npz or lop"):
            write(pairs, tmp_path / "a", name)


# -- blt --------------------------------------------------------------------------------------

BLT = """4 2          # four stand, for two seats
-2
(id 7) 3 1 3 4 0
1.5 4 1 = 3 0
1 2 0        # only for one who withdrew
1 - 3 - 1 0
2 0
0
"Ann # A"
Bo
"Cy, C"
"Di"
"A title"
"A source"
"""


def test_blt(put: Put) -> None:
    data = rankings(put("a.blt", BLT))
    assert data.items == ("Ann # A", "Cy, C", "Di")
    assert orders(data) == [
        ("Ann # A>Cy, C>Di", 3),
        ("Di>Ann # A=Cy, C", 1.5),
        ("", 3),
        ("Cy, C>Ann # A", 1),
    ]
    assert data.n_rankings == 5


def test_blt_on_one_line(put: Put) -> None:
    text = '4 2 -2 3 1 3 4 0 4 1 3 2 0 2 4 1 3 0\n0 "Ann" "Bo" "Cy" "Di" "Title"'
    data = rankings(put("a.blt", text))
    assert orders(data) == [("Ann>Cy>Di", 3), ("Ann>Cy", 4), ("Di>Ann>Cy", 2)]
    assert data.n_rankings == 9


def test_blt_cannot_hold_weight_0(tmp_path: Path) -> None:
    data = Rankings.from_orders([["a"], ["b"]], weights=[0, 1])
    with pytest.raises(InputError, match="weight 0"):
        write(data, tmp_path / "a.blt")


# -- abif -------------------------------------------------------------------------------------


def test_abif(put: Put) -> None:
    text = (
        'ABIF 0.1\n# comment\n{"title": "An election"}\n'
        "2: A > [Cy # 3] = B  # comment\n1:\n"
        "=A:[Ann, A.]\n=B : Bo\n"
        '3 * B=A>"Di: D"\n1:A>B:{"precinct": 3}\n'
    )
    data = rankings(put("a.abif", text))
    assert data.items == ("Ann, A.", "Bo", "Cy # 3", "Di: D")
    assert orders(data) == [
        ("Ann, A.>Bo=Cy # 3", 2),
        ("", 1),
        ("Ann, A.=Bo>Di: D", 3),
        ("Ann, A.>Bo", 1),
    ]
    assert data.n_rankings == 7


def test_abif_scores(put: Put) -> None:
    text = "4:A/0,B/5,C/0\n3:A/1>B/5>C/2\n2:A,C\n1:B/2.5\n1:A/5=B/1\n"
    assert orders(rankings(put("a.abif", text))) == [
        ("B>A=C", 4),
        ("A>B>C", 3),
        ("A=C", 2),
        ("B", 1),
        ("A=B", 1),
    ]


def test_abif_names_can_be_full_names(put: Put) -> None:
    data = rankings(put("a.abif", "=A:[Ann Lee]\n1:[Ann Lee]>Bo\n2:[A]\n"))
    assert orders(data) == [("Ann Lee>Bo", 1), ("Ann Lee", 2)]


def test_abif_tokens_do_not_clash(tmp_path: Path) -> None:
    data = Rankings.from_orders([["c2", "not a token", "c2_"]])
    write(data, tmp_path / "a.abif")
    assert "=c2__:[not a token]" in (tmp_path / "a.abif").read_text()
    assert rankings(tmp_path / "a.abif").items == data.items


# -- cvotes -----------------------------------------------------------------------------------

CVOTES = """# An election
#/Candidates: Ann Lee ; Bo;Cy
#/Number of Seats: 2
#/Something else: 3
#/implicit ranking: {implicit}
#/Weight allowed: {weights}

Ann Lee > Bo > Cy * 4
tag 1, signature:3 || Ann Lee>Bo>Cy # the same
Cy > Ann Lee = Bo ^7 * 8
/EMPTY_RANKING/ * 2
/EMPTY/
Bo > Who = Cy # Who does not stand
"""


@pytest.mark.parametrize(("implicit", "meaning"), [("true", "last"), ("FALSE", "unknown")])
@pytest.mark.parametrize(("weights", "weight"), [("true", 56), ("false", 8)])
def test_cvotes(put: Put, implicit: str, meaning: str, weights: str, weight: int) -> None:
    text = CVOTES.format(implicit=implicit, weights=weights)
    data = rankings(put("a.cvotes", text))
    assert data.items == ("Ann Lee", "Bo", "Cy")
    assert orders(data) == [
        ("Ann Lee>Bo>Cy", 5),
        ("Cy>Ann Lee=Bo", weight),
        ("", 3),
        ("Bo>Cy", 1),
    ]
    assert (data.n_rankings, data.unranked) == (17, meaning)


def test_cvotes_without_parameters(put: Put) -> None:
    path = put("a.cvotes", "Ann > Bo * 2\nCy\n")
    data = rankings(path)
    assert (data.items, data.n_rankings, data.unranked) == (("Ann", "Bo", "Cy"), 3, "last")
    assert rankings(path, unranked="unknown").unranked == "unknown"


def test_cvotes_writes_counts_or_weights(tmp_path: Path) -> None:
    path = tmp_path / "a.cvotes"
    write(Rankings.from_orders([["a", "b"], ["a", "b"], []]), path)
    assert path.read_text().endswith("a > b * 2\n/EMPTY_RANKING/ * 1\n")
    write(Rankings.from_orders([["a", "b"], []], weights=[2, 3]), path)
    assert path.read_text().endswith("a > b ^2\n/EMPTY_RANKING/ ^3\n")
    assert rankings(path).n_rankings == 2


# -- pgn --------------------------------------------------------------------------------------

GAME = '[White "{}"]\n[Black "{}"]\n[Result "{}"]\n\n1. e4 e5 {}\n\n'
RESULTS = [("Ann", "Bo", "1-0"), ("Bo", "Cy", "1/2-1/2"), ("Cy", "Ann", "0-1"), ("Bo", "Ann", "*")]


def test_pgn_games_are_battles(put: Put) -> None:
    games = "".join(GAME.format(*game, game[2]) for game in RESULTS)
    path = put("open.pgn", games)
    assert orders(rankings(path)) == [("Ann>Bo", 1), ("Bo=Cy", 1), ("Ann>Cy", 1)]
    assert rankings(put("open.txt", games)) == rankings(path)
    found = inspect(path)
    assert found.layout == "battles"
    assert "1 game without a result" in found.findings[0].message


# -- pabulib ----------------------------------------------------------------------------------

PABULIB = """META
key;value
vote_type;{}
PROJECTS
project_id;cost;name
12;45000;Playground
15;8000;"Book box; two"
7;100;Playground
VOTES
voter_id;age;vote;points
a;30;12,7;1,3
b;41;15;2
c;;;
"""


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("ordinal", [("Playground (1)>Playground (3)", 1), ("Book box; two", 1)]),
        ("approval", [("Playground (1)=Playground (3)", 1), ("Book box; two", 1)]),
        ("cumulative", [("Playground (3)>Playground (1)", 1), ("Book box; two", 1)]),
    ],
)
def test_pabulib(kind: str, expected: list[tuple[str, int]], put: Put) -> None:
    data = rankings(put("town.pb", PABULIB.format(kind)))
    assert [each for each in orders(data) if each[0]] == expected
    assert data.unranked == ("unknown" if kind == "ordinal" else "last")
    assert data.voters == ("a", "b", "c")
    assert rankings(put("town.txt", PABULIB.format(kind))) == data


# -- trec -------------------------------------------------------------------------------------

TREC = """7 Q0 d1 1 0.5 one
7 Q0 d2 2 0.75 one
7 Q0 d3 3 0.5 one
7\tQ0\td3\t1\t-3\ttwo
8 Q0 d9 1 12 two
"""


def test_trec_ranks_by_score(put: Put) -> None:
    data = rankings(put("a.run", TREC), query="7")
    assert orders(data) == [("d2>d1=d3", 1), ("d3", 1)]
    assert rankings(put("b.trec", TREC.rsplit("8 Q0", 1)[0])) == data


def test_trec_asks_for_a_query(put: Put) -> None:
    with pytest.raises(InputError, match=r'2 queries, .*Use query="7" or query="8"'):
        read(put("a.run", TREC))
    with pytest.raises(InputError, match="no run for query '9'"):
        read(put("a.run", TREC), query="9")


def test_trec_refuses_what_has_no_lines(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ranking of nothing"):
        write(Rankings.from_orders([["a"], []]), tmp_path / "a.trec")
    with pytest.raises(InputError, match="cannot hold item 'b'"):
        write(Rankings.from_orders([["a"]], items="ab"), tmp_path / "a.trec")


# -- json -------------------------------------------------------------------------------------


def test_json_is_exact_and_readable(tmp_path: Path) -> None:
    weights = [Fraction(1, 3), Fraction(5, 4), 2]
    data = Rankings.from_arrays(
        ["é", 3, ("x", 1)],
        [0, 3, 3, 4],
        [0, 2, 1, 1],
        [0, 1, 1, 0],
        np.array(weights, object),
        n_rankings=17,
        unranked="last",
    )
    path = tmp_path / "a.json"
    write(data, path)
    assert path.read_text() == (
        "{\n"
        ' "format": "concordant-rankings",\n'
        ' "version": 1,\n'
        ' "unranked": "last",\n'
        ' "n_rankings": 17,\n'
        ' "n_voters": 17,\n'
        ' "items": ["é", 3, ["x", 1]],\n'
        ' "rankings": [\n'
        '  {"weight": "1/3", "buckets": [[0], [1, 2]]},\n'
        '  {"weight": 1.25, "buckets": []},\n'
        '  {"weight": 2, "buckets": [[1]]}\n'
        " ]\n"
        "}\n"
    )
    again = rankings(path)
    assert again == data
    assert (again.n_rankings, again.unranked, again.scale) == (17, "last", 12)
    assert rankings(path, unranked="unknown").unranked == "unknown"


def test_json_in_another_order_and_shape(put: Put) -> None:
    text = (
        '{"rankings":[{"buckets":[[1],[0]]},{"weight":1e-1,"buckets":[]}],"note":{"a":[1]},'
        '"items":["a","b"],"version":1,"format":"concordant-rankings"}'
    )
    data = rankings(put("a.json", text))
    assert orders(data) == [("b>a", 1), ("", 0.1)]
    assert (data.n_rankings, data.unranked) == (2, "unknown")


def test_json_refuses_other_names(tmp_path: Path) -> None:
    for item in (frozenset("a"), b"a", float("inf"), (1, object())):
        with pytest.raises(InputError, match="cannot be written as json"):
            write(Rankings.from_orders([[frozenset([item]), "b"]]), tmp_path / "a.json")
    assert not (tmp_path / "a.json").exists()


def test_numpy_names_are_plain_in_json(tmp_path: Path) -> None:
    data = Rankings.from_arrays(np.arange(3), [0, 3], [2, 1, 0], [0, 1, 2])
    write(data, tmp_path / "a.json")
    assert rankings(tmp_path / "a.json").items == (0, 1, 2)


# -- telling the format -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("3 2 0.001\n1 2 3\n3 2 1\n", "ranks"),
        ("# FILE NAME: x\n# DATA TYPE: soc\n# NUMBER ALTERNATIVES: 1\n1: 1\n", "soc"),
        ("# NUMBER ALTERNATIVES: 1\n1: 1\n", "toi"),
        ("2\n1,Ann\n2,Bo\n1,1,1\n1,1,2\n", "toi"),
        ("\n2\n 0 1\n 1 0\n", "lop"),
        ("Some comment\n2\n0 1 1 0\n", "lop"),
        ('2 1\n1 1 0\n0\n"Ann"\n"Bo"\n"Title"\n', "blt"),
        ("# comment\n27:A>B\n", "abif"),
        ('{"title": "x"}\n=A:[Ann]\n27:A>B\n', "abif"),
        ("#/Candidates: A ; B\nA\n", "cvotes"),
        ("A > B * 3\n", "cvotes"),
        ("7 Q0 d1 1 0.5 one\n", "trec"),
        ('[Event "x"]\n[White "Ann"]\n[Black "Bo"]\n[Result "1-0"]\n\n1. e4 1-0\n', "pgn"),
        ("META\nkey;value\nvote_type;ordinal\n", "pabulib"),
        (
            '{"format": "concordant-rankings", "version": 1, "items": ["1:a"], "rankings": []}',
            "json",
        ),
        ("voter,item,rank\n1,a,1\n", "csv"),
        ("A1\tL1\tL2\nDOUBLE\tNUMERIC\tNUMERIC\n\n0.5\t1\t2\n", "label-ranking"),
        ("PAR1", "parquet"),
        ("PK\x03\x04 … xl/workbook.xml", "excel"),
        ("<!DOCTYPE html>\n<html><body>x</body></html>\n", "html"),
        ("<table><tr><td>Ann<td>1</table>", "html"),
        ('== Votes ==\n{| class="wikitable"\n! a !! b\n|-\n| 1 || 2\n|}\n', "wiki"),
        ("\\begin{tabular}{ll}\na & b \\\\\n\\end{tabular}\n", "latex"),
        (">>> print(votes)\n     tea  milk\nAnn    1     2\nBo     2     1\n", "csv"),
    ],
)
def test_the_content_shows_the_format(put: Put, text: str, name: str) -> None:
    assert detect(put("file", text)) == name
    assert detect(put("file.txt", text)) == name
    packed = put("file.txt.gz", "")
    packed.write_bytes(gzip.compress(text.encode()))
    assert detect(packed) == name


def test_ranks_and_orders_cannot_be_distinguished(put: Put) -> None:
    path = put("a.txt", "2 1\n2 1\n")
    with pytest.raises(InputError, match='format="ranks" or format="orders"'):
        read(path)
    assert orders(rankings(path, "ranks")) == [("2>1", 1)]


@pytest.mark.parametrize("name", [name for name, entry in FORMATS.items() if entry.suffixes])
def test_the_suffix_shows_the_format(name: str) -> None:
    for suffix in FORMATS[name].suffixes:
        assert detect(f"no/such/file{suffix}") == name
        assert detect(f"no/such/file.old{suffix.upper()}.gz") == name


def test_suffixes_are_distinguished() -> None:
    suffixes = [suffix for entry in FORMATS.values() for suffix in entry.suffixes]
    assert len(suffixes) == len(set(suffixes))


# -- settings ---------------------------------------------------------------------------------


def test_unknown_format_and_options(put: Put, tmp_path: Path) -> None:
    path = put("a.abif", "1:A>B\n")
    with pytest.raises(SettingError, match="no format 'xls'; the formats are ranks, orders"):
        read(path, "xls")
    with pytest.raises(SettingError, match="query is not an option for reading abif"):
        read(path, query="7")
    with pytest.raises(SettingError, match="unranked must be"):
        read(path, unranked="first")  # type: ignore[arg-type]
    data = read(path)
    with pytest.raises(SettingError, match="does not show the format to write"):
        write(data, tmp_path / "a.txt")
    with pytest.raises(SettingError, match="no format 'xls'"):
        write(data, tmp_path / "a.xls", "xls")
    with pytest.raises(SettingError, match=r"cannot be written: write .*csv"):
        write(data, tmp_path / "a.txt", "label-ranking")
    with pytest.raises(SettingError, match="layout is not an option for writing soc"):
        write(data, tmp_path / "a.soc", layout="wide")


def test_unranked_is_chosen_at_reading(put: Put) -> None:
    path = put("a.abif", "1:A>B\n1:C\n")
    assert rankings(path).unranked == "unknown"
    assert rankings(path, unranked="last").unranked == "last"


def test_unranked_last_is_written_out(tmp_path: Path) -> None:
    data = Rankings.from_orders([["a"], ["b", "c"]], items="abc", unranked="last")
    write(data, tmp_path / "a.toc")
    assert rankings(tmp_path / "a.toc") == data.explicit()
    for name in ("json", "cvotes"):
        write(data, tmp_path / f"a.{name}")
        assert rankings(tmp_path / f"a.{name}") == data
    with pytest.raises(InputError, match=r"soc cannot hold ties.*write toc.*abif or cvotes$"):
        write(data, tmp_path / "a.soc")


def test_refusals_name_formats_that_can(tmp_path: Path) -> None:
    data = Rankings.from_orders([["a", ("b", "c")], []], weights=[1, Fraction(1, 3)])
    with pytest.raises(InputError, match=r"soc cannot hold ties.*write csv, parquet or json$"):
        write(data, tmp_path / "a.soc")
    with pytest.raises(InputError, match="toi cannot hold weights that are not decimals"):
        write(data, tmp_path / "a.toi")
    with pytest.raises(InputError, match="toc cannot hold rankings that leave items out"):
        write(data, tmp_path / "a.toc")
    with pytest.raises(InputError, match=r"ranks has no item names.*'a' would be lost"):
        write(Rankings.from_orders([["a"]]), tmp_path / "a.ranks")
    assert not list(tmp_path.iterdir())


def test_names_that_print_alike_are_refused(tmp_path: Path) -> None:
    data = Rankings.from_orders([[1, "1"]])
    for name in ("soc", "abif", "blt", "cvotes", "trec"):
        with pytest.raises(InputError, match="both written as '1'"):
            write(data, tmp_path / "a", name)
    write(data, tmp_path / "a.json")
    assert rankings(tmp_path / "a.json") == data


def test_half_characters_are_refused(tmp_path: Path) -> None:
    data = Rankings.from_orders([["a\ud800", "b"]])
    for name in ("a.soc", "a.json", "a.abif.gz"):
        with pytest.raises(InputError, match="the name contains an unpaired surrogate") as caught:
            write(data, tmp_path / name)
        assert caught.value.path == str(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_layout_of_tables_can_be_chosen(tmp_path: Path) -> None:
    data = Rankings.from_orders([["x", "y"], ["y", "x"]])
    for layout in ("long", "wide", "ballots"):
        write(data, tmp_path / "a.csv", layout=layout)
        assert rankings(tmp_path / "a.csv", layout=layout) == data


# -- files ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["toi", "json", "csv", "tsv", "parquet"])
def test_gzipped_files(tmp_path: Path, name: str) -> None:
    data = Rankings.from_orders([["a", ("b", "c")], ["b"], []], weights=[2, 3, 4])
    path = tmp_path / f"a.{name}.gz"
    write(data, path)
    first = path.read_bytes()
    assert first.startswith(b"\x1f\x8b")
    assert rankings(path) == data
    write(data, path)
    assert path.read_bytes() == first


def test_nothing_is_written_when_the_target_cannot_be(tmp_path: Path) -> None:
    data = Rankings.from_orders([["a"]])
    with pytest.raises(InputError, match="there is no folder"):
        write(data, tmp_path / "no" / "a.soc")
    with pytest.raises(InputError, match="is a folder"):
        write(data, tmp_path, "soc")
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.soc"
    path.write_text("old")
    with pytest.raises(InputError):
        write(Rankings.from_orders([["a", ("b", "c")]]), path)
    with suppress(ZeroDivisionError), replacing(path) as temporary:
        temporary.write_text("half")
        raise ZeroDivisionError
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["a.soc"]


def test_replacing_keeps_links_and_permissions(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    atomic_write(link, b"new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o640


def test_new_files_have_the_usual_permissions(tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        atomic_write(tmp_path / "a", "text")
    finally:
        os.umask(mask)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o644


def test_a_path_that_is_not_a_regular_file_is_written_directly() -> None:
    atomic_write(os.devnull, "text")
    assert not Path(os.devnull).is_file()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(InputError, match=r"there is no folder|cannot be written"):
        atomic_write(blocked / "a", "text")


# -- the page about formats -------------------------------------------------------------------

PAGE = Path(__file__).parent.parent / "docs" / "formats.md"


def test_the_table_of_the_page_is_that_of_the_registry() -> None:
    said = {"yes": True, "no": False, "": False}
    rows = [line.split("|")[1:-1] for line in PAGE.read_text().splitlines() if line[:3] == "| `"]
    assert [row[0].strip(" `") for row in rows] == list(FORMATS)
    words = {
        "repeats": "by repeating",
        "counts": "integers",
        "decimals": "decimals",
        "exact": "all",
    }
    for row in rows:
        name, suffixes, ties, gaps, weights, has_names, _ = (cell.strip() for cell in row)
        entry = FORMATS[name.strip("`")]
        assert suffixes.replace("`", "").split() == list(entry.suffixes)
        assert said[has_names] == entry.names
        if not entry.matrix:
            assert (said[ties], said[gaps]) == (entry.ties, entry.gaps)
        if entry.writer:
            assert weights == words[entry.weights]


def test_the_samples_of_the_page_can_be_read(put: Put) -> None:
    sections = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)[2:]
    seen = set()
    for section in sections:
        names = [
            name for name in re.findall(r"`([\w-]+)`", section.split("\n")[0]) if name in FORMATS
        ]
        if not names:
            continue  # The section is about all of them.
        samples = re.findall(r"^```text\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
        assert samples
        if names[0] in ("soc", "csv"):
            names = {"soc": ["toi"], "csv": ["csv"] * 3}[names[0]]
        for name, sample in zip(names, samples, strict=True):
            data = read(put("sample", sample), name)
            assert data.n_items >= 2
            seen.add(name)
    others = {"soc", "soi", "toc", "parquet", "excel", "npz", "npy"}
    assert seen == set(FORMATS) - others


# -- speed and imports ------------------------------------------------------------------------


def test_import_is_light() -> None:
    code = (
        "import sys, concordant.formats\n"
        "heavy = {'numba', 'polars', 'scipy', 'pandas', 'narwhals', 'highspy'} & set(sys.modules)\n"
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (120, "120"),
        (Fraction(1, 8), "0.125"),
        (Fraction(-5, 4), "-1.25"),
        (Fraction(1, 50), "0.02"),
        (Fraction(7, 1000), "0.007"),
        (Fraction(2, 3), None),
    ],
)
def test_decimal_text(value: int | Fraction, text: str | None) -> None:
    assert decimal_text(value) == text
    if text is not None:
        assert Fraction(text) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.orders", "999999999 1\n1 2\n"),
        ("a.soi", "# NUMBER ALTERNATIVES: 999999999\n# NUMBER VOTERS: 1\n1: 1,2\n"),
        ("a.blt", "999999999 1\n1 1 2 0\n0\n"),
    ],
)
def test_a_header_with_too_many_items_is_refused_at_once(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match="line 1: the header says 999,999,999 items"):
        read(path)
