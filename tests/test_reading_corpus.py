"""The corpus of `tests/reading`: small files in shapes that people have, and what each means.

`tests/reading/README.md` describes the expectations. Run this file as a program for a table of
what is read right, asked, refused and misread; names of cases as arguments choose some of them:

    python tests/test_reading_corpus.py forms/ sports/race-times.csv

Files of another folder with the same form are read with `--corpus FOLDER`.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
import textwrap
import tomllib
import unicodedata
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import concordant as cc

IS_OTHER = sys.argv[1:2] == ["--corpus"] and __name__ == "__main__"
CORPUS = Path(sys.argv[2]) if IS_OTHER else Path(__file__).parent / "reading"
# The smallest share of the files with one plausible reading that must be read without an option.
SHARE = Fraction(95, 100)

Ranking = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Meaning:
    """What a file says: its items, and the weight of each ranking or of each pair.

    Attributes:
        items: The names of all items, in alphabetical order. Two items with the same name up to
            blanks stand there twice.
        rankings: The weight of each ranking that is not empty. Unranked items that count as last
            are the last bucket. None for a matrix.
        pairs: The weight that puts one item before another.
    """

    items: tuple[str, ...]
    rankings: Mapping[Ranking, Fraction] | None
    pairs: Mapping[tuple[str, str], Fraction]

    def same(self, other: Meaning) -> bool:
        """Compare the rankings if both have them, else the pairs."""
        if self.items != other.items:
            return False
        if self.rankings is None or other.rankings is None:
            return self.pairs == other.pairs
        return self.rankings == other.rankings

    def merged(self) -> Meaning:
        """Return the same with names that look alike as one; for rankings only."""
        assert self.rankings is not None
        rankings = [
            ([[folded(name) for name in bucket] for bucket in ranking], weight)
            for ranking, weight in self.rankings.items()
        ]
        return from_rankings(rankings, sorted({folded(name) for name in self.items}), last=False)

    def __str__(self) -> str:
        if self.rankings is None:
            return ", ".join(f"{show(w)}{a} > {b}" for (a, b), w in sorted(self.pairs.items()))
        lines = (
            f"{show(weight)}{' > '.join(' = '.join(bucket) for bucket in ranking)}"
            for ranking, weight in sorted(self.rankings.items())
        )
        return " | ".join(lines)


def show(weight: Fraction) -> str:
    return "" if weight == 1 else f"{weight} * "


def plain(name: Any) -> str:
    """Return a name without blanks around it, in one Unicode form, with single blanks inside."""
    return " ".join(unicodedata.normalize("NFC", str(name)).split())


def folded(name: str) -> str:
    """Return a name without the differences that people overlook."""
    text = plain(unicodedata.normalize("NFKC", name).casefold().replace("’", "'")).replace(" ", "")
    parts = unicodedata.normalize("NFD", text)
    return "".join(part for part in parts if not unicodedata.combining(part))


def from_rankings(
    rankings: list[tuple[list[list[str]], Fraction]], items: list[str], *, last: bool
) -> Meaning:
    weights: Counter[Ranking] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for buckets, weight in rankings:
        rest = Counter(items)
        rest.subtract(name for bucket in buckets for name in bucket)
        left_out = [name for name, times in rest.items() for _ in range(times)] if last else []
        ranking = tuple(tuple(sorted(bucket)) for bucket in [*buckets, left_out] if bucket)
        if not ranking or not weight:
            continue
        weights[ranking] += weight  # type: ignore[assignment]
        for place, bucket in enumerate(ranking):
            for behind in ranking[place + 1 :]:
                for one in bucket:
                    for other in behind:
                        pairs[one, other] += weight  # type: ignore[assignment]
    return Meaning(tuple(sorted(items)), dict(weights), dict(pairs))


def expected(entry: Mapping[str, Any]) -> Meaning:
    """Return the meaning that an expectation or one of its answers describes."""
    found = []
    for line in entry.get("rankings", entry.get("pairs")):
        weight, star, rest = line.partition(" * ")
        text = rest if star else line
        buckets = [[plain(name) for name in each.split(" = ")] for each in text.split(" > ")]
        found.append((buckets, Fraction(weight) if star else Fraction(1)))
    names = {name for buckets, _ in found for bucket in buckets for name in bucket}
    items = sorted(names | {plain(name) for name in entry.get("items", ())})
    meaning = from_rankings(found, items, last=entry.get("unranked") == "last")
    return meaning if "rankings" in entry else Meaning(meaning.items, None, meaning.pairs)


def understood(data: cc.Rankings | cc.Pairwise) -> Meaning:
    """Return the meaning that was read."""
    items = [plain(item) for item in data.items]
    if isinstance(data, cc.Rankings):
        rankings = [
            (
                [[plain(item) for item in bucket] for bucket in ranking],
                Fraction(weight).limit_denominator(10**6),
            )
            for ranking, weight in data
        ]
        return from_rankings(rankings, items, last=data.unranked == "last")
    pairs: Counter[tuple[str, str]] = Counter()
    for one, row in zip(items, data.counts.tolist(), strict=True):
        for other, units in zip(items, row, strict=True):
            if units:
                pairs[one, other] += Fraction(units, data.scale)  # type: ignore[assignment]
    return Meaning(tuple(sorted(items)), None, dict(pairs))


@dataclass(frozen=True)
class Case:
    """A file of the corpus.

    Attributes:
        name: Its folder and name.
        entry: Its expectation, as the index has it.
    """

    name: str
    entry: Mapping[str, Any]

    @property
    def wants(self) -> str:
        """Return what must happen without further options: "read", "ask" or "refuse"."""
        return next((key for key in ("ask", "refuse") if key in self.entry), "read")

    @property
    def is_plain(self) -> bool:
        """Return whether the file has one plausible reading and needs no option."""
        return self.wants == "read" and "options" not in self.entry

    def source(self, folder: Path) -> Path:
        """Return the file, or make the spreadsheet that the corpus describes in JSON."""
        path = CORPUS / self.name
        if path.suffixes[-2:] not in ([".xlsx", ".json"], [".ods", ".json"]):
            return path
        target = folder / path.stem
        sheets = json.loads(path.read_text(encoding="utf-8"))
        (write_xlsx if target.suffix == ".xlsx" else write_ods)(target, sheets)
        return target


def write_xlsx(path: Path, sheets: Mapping[str, list[list[Any]]]) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(path, {"strings_to_formulas": False}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)


def write_ods(path: Path, sheets: Mapping[str, list[list[Any]]]) -> None:
    from odf.opendocument import OpenDocumentSpreadsheet
    from odf.table import Table, TableCell, TableRow
    from odf.text import P

    book = OpenDocumentSpreadsheet()
    for name, rows in sheets.items():
        table = Table(name=name)
        for row in rows:
            line = TableRow()
            for value in row:
                number = isinstance(value, int | float)
                cell = TableCell(valuetype="float", value=value) if number else TableCell()
                if value is not None and not number:
                    cell = TableCell(valuetype="string")
                if value is not None:
                    cell.addElement(P(text=str(value)))
                line.addElement(cell)
            table.addElement(line)
        book.spreadsheet.addElement(table)
    book.save(path)


@cache
def cases() -> dict[str, Case]:
    found = {}
    for index in sorted(CORPUS.glob("*/index.toml")):
        for name, entry in tomllib.loads(index.read_text(encoding="utf-8")).items():
            case = Case(f"{index.parent.name}/{name}", entry)
            found[case.name] = case
    return found


@dataclass(frozen=True)
class Attempt:
    """What reading a file came to.

    Attributes:
        data: What was read; None after an error.
        error: The error.
        warned: The texts of the warnings.
    """

    data: cc.Rankings | cc.Pairwise | None = None
    error: cc.InputError | None = None
    warned: list[str] = field(default_factory=list)

    @property
    def questions(self) -> tuple[str, ...]:
        """Return the codes of the open questions that the error has."""
        return tuple(each.code for each in getattr(self.error, "questions", ()))


def attempt(source: Any, options: Mapping[str, Any]) -> Attempt:
    """Read a file. Errors other than an InputError are faults of the program and pass through."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            data = cc.read(source, **options)
        except cc.InputError as error:
            return Attempt(error=error)
    return Attempt(data, warned=[str(each.message) for each in caught])


def judge(entry: Mapping[str, Any], made: Attempt) -> tuple[str, str]:
    """Compare what was read with the meaning: (right, asked, refused or misread; details)."""
    if made.data is None:
        codes = ", ".join(made.questions)
        return ("asked", codes) if codes else ("refused", str(made.error).replace("\n", " "))
    got = understood(made.data)
    accepted = [expected(entry)] if "rankings" in entry or "pairs" in entry else []
    if entry.get("may_read"):
        accepted.append(expected(entry["answers"][0]))
    if entry.get("lookalikes") and made.warned:
        got, accepted = got.merged(), [each.merged() for each in accepted]
    if any(got.same(each) for each in accepted):
        return "right", ""
    return "misread", f"as {got}"


def outcome(name: str) -> tuple[str, str]:
    """Read a file as its expectation says: how it went, and details."""
    case = cases()[name]
    with tempfile.TemporaryDirectory() as folder:
        source = case.source(Path(folder))
        return judge(case.entry, attempt(source, case.entry.get("options", {})))


ANSWERS = [
    (name, number)
    for name, case in cases().items()
    for number, _ in enumerate(case.entry.get("answers", ()))
]
# Files with one plausible reading that are asked about or refused all the same.
STOPPED = {
    "again/battles-0-1.csv",
    "autumn/fromages.csv",
    "autumn/run_bm25.txt",
    "benches/attractiveness_ratings_1to7.txt",
    "benches/mushra.csv",
    "benches/zhurnaly_2023.xlsx.json",
    "contests/scheda_formaggi.csv",
    "desks/bilancio_partecipativo_voti.csv",
    "desks/gene_importance_by_method.txt",
    "desks/mejor_canal_por_region_satisfaccion.csv",
    "everyday/Mensa_Umfrage.csv",
    "everyday/debate_speaker_points.json",
    "exports/jmh-throughput.txt",
    "field/cycling-gaps.csv",
    "field/horse-race-long.csv",
    "firstusers/Science fair 2025.xlsx.json",
    "firstusers/chair_election_count.csv",
    "firstusers/valoracion proveedores (0-10).csv",
    "grounds/Finale_Hgr_B_Standard.xlsx.json",
    "grounds/challenge_printemps.xml",
    "grounds/filmovy_vecer.yaml",
    "halls/concurso tortillas - puntos.csv",
    "home/board-games.csv",
    "juries-2/backlog.xlsx.json",
    "juries/gara_cucina.csv",
    "leagues/fantacalcio_punteggi.csv",
    "mixed/degustazione_12_aprile_punteggi_su_100.csv",
    "models/kaggle_private_leaderboard.csv",
    "more/percent-cells.csv",
    "pastimes/bm25_run.txt",
    "people-12/drivers_points.csv",
    "product/maxdiff_hb_utilities.tsv",
    "shapes/language_ratings_5_is_love_it.csv",
    "sports/tennis-winner-loser.csv",
    "traps/baby_names_ranked_1_is_favourite.tsv",
    "traps/bookclub_ranks_1_is_favourite.csv",
    "traps/diktate_fehlerzahl_5b.csv",
    "traps/donde_sale_mas_barato.csv",
    "traps/favourites_1530.csv",
    "traps/mittagstisch.xlsx.json",
    "traps/office_song_contest_points.csv",
    "traps/pinball_night_scores.csv",
    "traps/results_table2.tsv",
}


@pytest.mark.parametrize("name", sorted(cases()))
def test_a_file_is_read_as_it_is_meant(name: str, tmp_path: Path) -> None:
    """It is not misread, messages are short, and voters keep their names and their rankings."""
    case = cases()[name]
    source, options = case.source(tmp_path), case.entry.get("options", {})
    made = attempt(source, options)
    state, details = judge(case.entry, made)
    assert state != "misread", details
    if case.is_plain or options:
        assert (state == "right") == (name not in STOPPED), details
    if made.error is not None:
        check_message(made.error)
    elif "voters" in case.entry:
        assert isinstance(made.data, cc.Rankings)
        assert sorted_names(made.data.voters or ()) == sorted_names(case.entry["voters"])
        check_each_voter(case.entry, made.data)


PASTED = [name for name in sorted(cases()) if Path(name).suffix in (".csv", ".tsv", ".txt", ".md")]


@pytest.mark.parametrize("name", PASTED[::2])
def test_a_text_without_a_file_name_is_not_misread(name: str) -> None:
    """As people paste it into the page: its name shows nothing."""
    case = cases()[name]
    file = io.BytesIO(case.source(Path()).read_bytes())
    file.name = "the text"
    state, details = judge(case.entry, attempt(file, case.entry.get("options", {})))
    assert state != "misread", details


@pytest.mark.parametrize(("name", "number"), ANSWERS)
def test_an_answer_settles_the_question(name: str, number: int, tmp_path: Path) -> None:
    case = cases()[name]
    answer = case.entry["answers"][number]
    options = {**case.entry.get("options", {}), **answer["options"]}
    made = attempt(case.source(tmp_path), options)
    assert judge(answer, made) == ("right", "")


def test_files_with_one_reading_are_read() -> None:
    plain_files = {name for name, case in cases().items() if case.is_plain}
    assert plain_files >= STOPPED
    assert len(STOPPED) <= (1 - SHARE) * len(plain_files)


def check_message(error: cc.InputError) -> None:
    """A message has at most three lines on a terminal, besides the place, and no escape code."""
    text = str(error).removeprefix(f"{error.place}: ")
    lines = [part for line in text.splitlines() for part in textwrap.wrap(line, 100)]
    assert len(lines) <= 3, text
    assert all(line.isprintable() for line in lines)


HOSTILE = {
    "ten thousand columns": ",".join(f"c{k}" for k in range(10_000)) + "\n" + "x," * 9_999 + "x\n",
    "a cell of a megabyte": f"Voter,Tent,Hut\nAnn,1,{'x' * 1_000_000}\nBo,2,1\n",
    "a line of a megabyte": "x" * 1_000_000,
    "escape codes": "Voter,\x1b[31mTent,Hut\nAnn,\x1b[2Jone,two\nBo,\x07,\u202etwo\n",
    "open quotation mark": 'Voter,"Tent,Hut\nAnn,1,2\nBo,2,1\n',
    "separators alone": ",;\t|" * 1_000 + "\n,,,,\n",
}


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize("suffix", [".csv", ".txt"])
def test_hostile_files_are_refused(what: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"hostile{suffix}"
    path.write_text(HOSTILE[what], encoding="utf-8")
    made = attempt(path, {})
    assert made.error is not None, made.data
    check_message(made.error)


NAMED = [name for name, case in cases().items() if "voters" in case.entry]


def sorted_names(voters: Iterable[Any]) -> list[str]:
    return sorted(plain(voter) for voter in voters)


@pytest.mark.parametrize("name", NAMED[::4])
def test_inspect_names_the_voters(name: str, tmp_path: Path) -> None:
    case = cases()[name]
    if name not in STOPPED:
        seen = cc.inspect(case.source(tmp_path), **case.entry.get("options", {}))
        assert sorted_names(seen.voters) == sorted_names(case.entry["voters"])


def check_each_voter(entry: Mapping[str, Any], data: cc.Rankings) -> None:
    """Each voter has the ranking that the index has for him."""
    # Equal rankings may stand together in one line of the index.
    if len(entry["voters"]) != len(entry["rankings"]):
        return
    spelled = {plain(voter): voter for voter in data.voters or ()}
    for voter, ranking in zip(entry["voters"], entry["rankings"], strict=True):
        alone = understood(data.subset(voters=[spelled[plain(voter)]]))
        wanted = expected({**entry, "rankings": [ranking], "items": list(data.items)})
        if entry.get("lookalikes"):
            alone, wanted = alone.merged(), wanted.merged()
        assert alone.rankings == wanted.rankings, voter


def test_every_file_has_an_expectation() -> None:
    names = {
        path.relative_to(CORPUS).as_posix()
        for path in CORPUS.glob("*/*")
        if path.name != "index.toml"
    }
    assert names == set(cases())


def main(chosen: list[str]) -> None:
    """Print a table of all cases, or of those whose names begin with one of the arguments."""
    table: dict[str, dict[str, list[str]]] = {}
    lines = []
    for name, case in cases().items():
        if chosen and not any(name.startswith(each) for each in chosen):
            continue
        try:
            state, details = outcome(name)
        except Exception as error:
            state, details = "broken", repr(error)
        wants = "options" if "options" in case.entry else case.wants
        table.setdefault(wants, {}).setdefault(state, []).append(name)
        good = state in {"read": "right", "ask": "asked", "refuse": "refused asked"}[case.wants]
        good |= state == "right"
        lines.append(f"{' ' if good else '!'} {state:8} {name:44} {details[:200]}")
        with tempfile.TemporaryDirectory() as folder:
            for answer in case.entry.get("answers", ()):
                try:
                    made = attempt(case.source(Path(folder)), answer["options"])
                    verdict, details = judge(answer, made)
                except Exception as error:
                    verdict, details = "broken", repr(error)
                mark = " " if verdict == "right" else "!"
                lines.append(f"{mark}   {verdict:8} {answer['options']!s:42} {details[:200]}")
    states = ["right", "asked", "refused", "misread", "broken"]
    lines.append("\n" + f"{'must be':10}" + "".join(f"{state:>9}" for state in states))
    for wants, row in table.items():
        lines.append(f"{wants:10}" + "".join(f"{len(row.get(state, ())):9}" for state in states))
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[3:] if IS_OTHER else sys.argv[1:])
