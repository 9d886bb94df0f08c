"""Spreadsheets: the tables of CSV files in sheets; and tables whose rows are lists."""

from __future__ import annotations

import datetime as dt
import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import Table, TableCell, TableRow
from odf.text import P

import concordant as cc
from commands import is_error, run
from concordant.formats import detect

Rows = list[list[Any]]
LONG: Rows = [["voter", "item", "rank"], ["x", "Ann", 1], ["x", "Bo", 2], ["y", "Bo", 1]]
WIDE: Rows = [["count", "Ann", "Bo", "Cy"], [27, 1, 2, 2], [3, None, None, 1]]
BALLOTS: Rows = [["Rank 1", "Rank 2"], ["Ann", "Bo"], ["Bo", None]]
LISTS: Rows = [["Ann", "Bo"], ["Bo", "Cy", "Ann"], ["Cy"]]


def write_xlsx(path: Path, sheets: dict[str, Rows], top: int = 0, left: int = 0) -> Path:
    book = xlsxwriter.Workbook(str(path), {"default_date_format": "yyyy-mm-dd"})
    for name, rows in sheets.items():
        sheet = book.add_worksheet(name)
        for number, row in enumerate(rows):
            for place, value in enumerate(row):
                sheet.write(top + number, left + place, value)
    book.close()
    return path


def write_ods(path: Path, sheets: dict[str, Rows]) -> Path:
    book = OpenDocumentSpreadsheet()
    for name, rows in sheets.items():
        table = Table(name=name)
        for row in rows:
            line = TableRow()
            for value in row:
                kind = "float" if isinstance(value, int | float) else "string"
                number = {"value": value} if kind == "float" else {}
                cell = TableCell(valuetype=kind, **number) if value is not None else TableCell()
                if value is not None:
                    cell.addElement(P(text=str(value)))
                line.addElement(cell)
            table.addElement(line)
        book.spreadsheet.addElement(table)
    book.save(str(path))
    return path


def write_csv(path: Path, rows: Rows) -> Path:
    lines = [",".join("" if value is None else str(value) for value in row) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


def orders(data: Any) -> list[tuple[list[tuple[Any, ...]], float]]:
    return list(data)


@pytest.mark.parametrize("rows", [LONG, WIDE, BALLOTS], ids=["long", "wide", "ballots"])
@pytest.mark.parametrize("write", [write_xlsx, write_ods])
def test_a_sheet_is_read_like_a_csv_file(
    tmp_path: Path, rows: Rows, write: Callable[[Path, dict[str, Rows]], Path]
) -> None:
    path = write(tmp_path / f"votes.{write.__name__[6:]}", {"Votes": rows})
    expected = cc.read(write_csv(tmp_path / "votes.csv", rows))
    # Without a suffix, the content shows the format.
    bare = path.rename(tmp_path / "votes")
    assert detect(bare) == "excel"
    data = cc.read(bare)
    assert data == expected
    assert data.items == expected.items


def test_sheets_by_name_and_without(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    sheets: dict[str, Rows] = {"Empty": [], "Votes": LONG, "More": BALLOTS, "Last": []}
    path = write_xlsx(tmp_path / "votes.xlsx", sheets)
    assert cc.read(path, sheet="More") == cc.read(write_csv(tmp_path / "more.csv", BALLOTS))
    assert not recwarn.list
    with pytest.warns(cc.InputWarning, match=r"reads sheet 'Votes'.*Use sheet=\"More\" to"):
        data = cc.read(path)
    assert data == cc.read(write_csv(tmp_path / "votes.csv", LONG))
    with pytest.raises(cc.InputError, match=r"no sheet 'votes'\. Use sheet=\"Empty\" or"):
        cc.read(path, sheet="votes")
    with pytest.raises(cc.InputError, match="sheet 'Empty' is empty"):
        cc.read(path, sheet="Empty")
    with pytest.raises(cc.SettingError, match="sheet must be the name of a sheet, not 2"):
        cc.read(path, sheet=2)
    done = run("aggregate", path, "--sheet", "More", "--quiet")
    assert done.exit_code == 0
    assert done.stdout.startswith("place  item\n    1  Ann")
    assert is_error(run("aggregate", path, "--sheet", "x"), "there is no sheet 'x'")


@pytest.mark.parametrize("write", [write_xlsx, write_ods])
def test_titles_above_the_header_are_passed_over(
    tmp_path: Path, write: Callable[[Path, dict[str, Rows]], Path]
) -> None:
    path = tmp_path / f"votes.{write.__name__[6:]}"
    titles: Rows = [["Votes of May"], [], [None, "all members"]]
    expected = cc.read(write_csv(tmp_path / "votes.csv", WIDE))
    assert cc.read(write(path, {"Votes": [*titles, *WIDE]})) == expected
    # In a list of one name, the name is a vote.
    write(path, {"Votes": [["Ann"], ["Bo", "Ann", "Cy"]]})
    assert cc.read(path, layout="lists").n_rankings == 2


def test_notes_before_the_votes(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "votes.xlsx", {"Notes": [["Minutes"]], "Our votes": LONG})
    assert cc.read(path) == cc.read(path, sheet="Our votes")
    write_xlsx(path, {"Votes": LONG, "More": LONG})
    assert "Use --sheet Votes or --sheet More to read one" in run("aggregate", path).stderr


@pytest.mark.parametrize("layout", [None, "wide", "lists"])
def test_formulas_that_were_never_calculated(tmp_path: Path, layout: str | None) -> None:
    def write(value: Any, column: int = 3) -> Path:
        path = tmp_path / "votes.xlsx"
        with xlsxwriter.Workbook(str(path)) as book:
            sheet = book.add_worksheet("Votes")
            sheet.write_row(2, 2, ["a", "b", "weight"])
            sheet.write_row(3, 2, [1, None, 1])
            sheet.write_row(4, 2, [2, 1, 1])
            sheet.write_formula(3, column, "=1+1", None, value)
        return path

    options = {} if layout is None else {"layout": layout}
    # A value that was calculated counts.
    if layout != "lists":
        assert cc.read(write(2), **options) == cc.Rankings.from_orders([["a", "b"], ["b", "a"]])
    # Other programs write no value.
    with pytest.raises(cc.InputError, match=r"sheet 'Votes': cell D4 has a formula.*save it$"):
        cc.read(write(""), **options)
    if layout is None:
        # A column that is not read does no harm.
        found = cc.read(write("", column=5), layout="wide")
        assert found.n_items == 2
    if layout == "lists":
        # All columns of lists are read.
        with pytest.raises(cc.InputError, match=r"cell F4 has a formula that was never"):
            cc.read(write("", column=5), layout="lists")


def test_cells_of_every_kind(tmp_path: Path) -> None:
    """Numbers and days are named by their text, and what is empty is passed over."""
    day = dt.date(2026, 3, 1)
    rows: Rows = [["Rank 1", "Rank 2", "Rank 3"], [day, 7, "007"], [], [0.5, None, day], [True, 7]]
    path = write_xlsx(tmp_path / "votes.xlsx", {"Votes": rows}, top=3, left=2)
    assert [[name for (name,) in ranking] for ranking, _ in orders(cc.read(path))] == [
        ["2026-03-01", "7", "007"],
        ["0.5", "2026-03-01"],
        ["true", "7"],
    ]


def test_merged_cells_hold_their_value_once(tmp_path: Path) -> None:
    path = tmp_path / "votes.xlsx"
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("Votes")
    sheet.write_row(0, 0, ["voter", "item", "rank"])
    sheet.merge_range(1, 0, 2, 0, "x")
    sheet.write_row(1, 1, ["Ann", 1])
    sheet.write_row(2, 1, ["Bo", 2])
    book.close()
    assert cc.read(path) == cc.Rankings.from_orders([["Ann", "Bo"]])


@pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
def test_rows_are_lists(tmp_path: Path, suffix: str) -> None:
    write = write_xlsx if suffix == ".xlsx" else write_ods
    path = write(tmp_path / f"votes{suffix}", {"Votes": LISTS})
    expected = cc.Rankings.from_orders(LISTS)
    assert cc.read(path, layout="lists") == expected
    assert cc.read(write_csv(tmp_path / "a.csv", LISTS), layout="lists") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Team A,Team B\nTeam B,Team C,Team A\n", ["Team A>Team B", "Team B>Team C>Team A"]),
        ("b, a,\n\n  \na\n", ["b>a", "a"]),
        ('"x, y";b\nb;"say ""hi"""', ["x, y>b", 'b>say "hi"']),
        ("b\tA=C\na\tb\n", ["b>A=C", "a>b"]),
        ("A>B=C\nB>A\n C \n", ["A>B~C", "B>A", "C"]),
        ("1,2,3\n3,2,1\n", ["1>2>3", "3>2>1"]),
        ('"two\nlines",b\nb\n', ["two\nlines>b", "b"]),
        ("\ufeffa,b\r\nb\r\n", ["a>b", "b"]),
        ("solo\n", ["solo"]),
    ],
)
def test_lists_in_text(tmp_path: Path, text: str, expected: list[str]) -> None:
    path = tmp_path / "votes.csv"
    path.write_bytes(text.encode())
    data = cc.read(path, layout="lists")
    assert [">".join("~".join(bucket) for bucket in ranking) for ranking, _ in orders(data)] == (
        expected
    )


def test_lists_have_an_item_once(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("a,b\nb,a,b\n")
    with pytest.raises(cc.InputError, match=r"votes.csv, line 2: candidate 'b' is ranked twice"):
        cc.read(path, layout="lists")
    with pytest.warns(cc.InputWarning, match="dropped 1 place"):
        data = cc.read(path, layout="lists", duplicates="first")
    assert data == cc.Rankings.from_orders([["a", "b"], ["b", "a"]])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a,b,c\n", 1),
        ("1,2\n2,1\n", 1),
    ],
)
def test_the_error_explains_how_to_read_lists(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(text)
    with pytest.raises(cc.InputError, match=rf'line {line}: .*layout="lists"'):
        cc.read(path)
    assert is_error(run("aggregate", path), f"line {line}: ", "--layout lists")
    assert run("aggregate", path, "--layout", "lists", "--quiet").exit_code == 0


def test_lists_have_no_columns_to_name(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "votes.csv", LISTS)
    with pytest.raises(cc.InputError, match=r"there is no column 'Nobody' for the voter"):
        cc.read(path, layout="lists", voter="Nobody")
    cut_off = tmp_path / "open.csv"
    cut_off.write_text('a,b\n"b,c\n')
    with pytest.raises(cc.InputError, match=r"open.csv, line 2: not CSV"):
        cc.read(cut_off, layout="lists")
    (tmp_path / "none.csv").write_text(",,\n")
    with pytest.raises(cc.InputError, match="there is no ranking"):
        cc.read(tmp_path / "none.csv", layout="lists")


@pytest.mark.parametrize(
    ("text", "name"),
    [("A>B=C\nB>A\n", "cvotes"), ("2:A>B=C\nB>A\n", "abif"), ("B>A\n2:A>B=C\n", "abif")],
)
def test_ballots_without_a_count_count_once(tmp_path: Path, text: str, name: str) -> None:
    path = tmp_path / "votes.txt"
    path.write_text(text)
    assert detect(path) == name
    data = cc.read(path, unranked="unknown")
    times = 1 if name == "cvotes" else 2
    assert data == cc.Rankings.from_orders([["A", ("B", "C")], ["B", "A"]], weights=[times, 1])
    assert data.n_rankings == times + 1
    assert cc.read(path, "abif") == data


# -- damaged and hostile files ----------------------------------------------------------------


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("book")
    return write_xlsx(folder / "votes.xlsx", {"Votes": LONG}).read_bytes()


@pytest.mark.parametrize("size", [0, 3, 30, 400, 2500, -1])
def test_a_cut_off_spreadsheet_is_refused(tmp_path: Path, book: bytes, size: int) -> None:
    path = tmp_path / "votes.xlsx"
    path.write_bytes(book[:size])
    with pytest.raises(cc.InputError, match=r"votes.xlsx: (the file is empty|.*spreadsheet)"):
        cc.read(path)


def test_a_damaged_part_is_refused(tmp_path: Path, book: bytes) -> None:
    path = tmp_path / "votes.xlsx"
    with zipfile.ZipFile(io.BytesIO(book)) as parts, zipfile.ZipFile(path, "w") as copy:
        for name in parts.namelist():
            content = parts.read(name)
            copy.writestr(name, content[: len(content) // 2] if "sheet1" in name else content)
    with pytest.raises(cc.InputError, match="the spreadsheet is damaged: "):
        cc.read(path)
    start = book.index(b"xl/worksheets/sheet1.xml") + 60
    path.write_bytes(book[:start] + b"\xff" * 9 + book[start + 9 :])
    with pytest.raises(cc.InputError, match="the spreadsheet is damaged"):
        cc.read(path)
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    assert detect(path) == "excel"
    with pytest.raises(cc.InputError, match="the spreadsheet is damaged"):
        cc.read(path)


def test_a_spreadsheet_that_unpacks_to_too_much_is_refused(tmp_path: Path, book: bytes) -> None:
    path = tmp_path / "votes.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("xl/workbook.xml", b" " * 50_000_000)
    assert path.stat().st_size < 100_000
    with pytest.raises(cc.InputError, match=r"unpacks to 50,000,000 bytes; at most 1,000,000"):
        cc.read(path, max_bytes=1_000_000)
    # One that says it unpacks to less is not whole.
    packed = path.read_bytes()
    path.write_bytes(packed.replace(struct.pack("<I", 50_000_000), struct.pack("<I", 1000)))
    with pytest.raises(cc.InputError, match="damaged"):
        cc.read(path, max_bytes=1_000_000)


def test_a_cell_in_the_last_corner_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "far.xlsx"
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("Far")
    sheet.write(0, 0, "voter")
    sheet.write(1_048_575, 16_383, 1)
    book.close()
    with pytest.raises(cc.InputError, match="a cell far out makes a sheet too large"):
        cc.read(path, max_bytes=10_000_000)


def test_text_under_the_name_of_a_spreadsheet(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "votes.xlsx", LONG)
    with pytest.raises(cc.InputError, match=r'not a spreadsheet\. Use format="csv" if it'):
        cc.read(path)
    assert cc.read(path, "csv").n_items == 2


def test_spreadsheets_are_only_read(tmp_path: Path) -> None:
    data = cc.Rankings.from_orders([["a", "b"]])
    with pytest.raises(cc.SettingError, match=r"excel cannot be written: write .*csv"):
        cc.write(data, tmp_path / "votes.xlsx")


def test_the_extra_is_named(tmp_path: Path, book: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "votes.xlsx"
    path.write_bytes(book)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(cc.SettingError, match=r'pip install "concordant\[excel\]"'):
        cc.read(path)


def test_decoding_ends_at_some_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_xlsx(tmp_path / "votes.xlsx", {"votes": LONG})
    monkeypatch.setattr("concordant.formats.excel._MOST_SECONDS", 0)
    with pytest.raises(cc.InputError, match="takes more than 0 seconds: save the sheet as CSV"):
        cc.read(path)


@pytest.mark.parametrize("name", ["votes.txt", "votes"])
def test_lists_in_a_file_without_a_known_suffix(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    for text, orders in [
        ("Team A,Team B\nTeam B,Team C\n", [["Team A", "Team B"], ["Team B", "Team C"]]),
        ("A>B=C\nB>A\n", [["A", ("B", "C")], ["B", "A"]]),
        ("A>B\nB\n", [["A", "B"], ["B"]]),
    ]:
        path.write_text(text)
        assert cc.read(path, layout="lists") == cc.Rankings.from_orders(orders)
        done = run("aggregate", path, "--layout", "lists", "-q")
        assert done.exit_code == 0, done.stderr
    # A sheet that is called so is one still.
    write_xlsx(tmp_path / "sheet.xlsx", {"votes": LISTS}).rename(path)
    assert cc.read(path, layout="lists").n_items == 3
