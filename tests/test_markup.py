"""Tables in markup and in the output of consoles: `html`, `wiki`, `latex`, prompts, data frames."""

from __future__ import annotations

import io
import time
from pathlib import Path
from typing import Any

import pytest

import concordant as cc
from commands import is_error, run
from concordant.formats import detect
from concordant.formats.common.markup import Cell, Marked, expanded
from concordant.formats.common.tags import scan, text_of
from concordant.formats.wiki import resolved
from concordant.reading.console import read_console
from concordant.reading.marks import script, without_latex, without_marks

ROWS = [["Judge", "Tea", "Milk"], ["Ann", "1", "2"], ["Bo", "2", "1"]]
MARKED = {
    "html": "<table>" + "".join(f"<tr><td>{'<td>'.join(row)}" for row in ROWS) + "</table>\n",
    "wiki": "{|\n" + "|-\n".join(f"| {' || '.join(row)}\n" for row in ROWS) + "|}\n",
    "latex": "\\begin{tabular}{lrr}\n"
    + "".join(f"{' & '.join(row)} \\\\\n" for row in ROWS)
    + "\\end{tabular}\n",
    "csv": ">>> print(votes)\n" + "".join(f"{a:5}  {b:>3}  {c:>4}\n" for a, b, c in ROWS) + ">>>\n",
}
PLAIN = "\n".join(",".join(row) for row in ROWS) + "\n"


def put(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def orders(data: Any) -> list[Any]:
    return [ranking for ranking, _ in data]


# -- everywhere that files are read ------------------------------------------------------------


@pytest.mark.parametrize("kind", MARKED)
def test_by_content_by_name_and_on_the_command_line(kind: str, tmp_path: Path) -> None:
    path = put(tmp_path, "votes.txt", MARKED[kind])
    expected = cc.read(put(tmp_path, "plain.csv", PLAIN))
    assert detect(path) == kind
    assert cc.read(path) == expected
    assert cc.read(path, format=kind) == expected
    seen = cc.inspect(MARKED[kind])
    assert (seen.format, seen.voters, seen.items) == (kind, ["Ann", "Bo"], ["Tea", "Milk"])
    made = tmp_path / "made.csv"
    assert run("convert", path, made).exit_code == 0
    assert cc.read(made) == expected
    # From a pipe, which has no name.
    done = run("aggregate", "-", "--quiet", stdin=MARKED[kind])
    assert done.exit_code == 0, done.stderr


def test_a_page_under_the_name_of_a_spreadsheet(tmp_path: Path) -> None:
    path = put(tmp_path, "votes.xls", MARKED["html"])
    assert cc.read(path) == cc.read(put(tmp_path, "plain.csv", PLAIN))
    other = tmp_path / "other.xls"
    other.write_bytes(f"<html><body>{MARKED['html']}".encode("utf-16"))
    assert cc.read(other) == cc.read(path)
    with pytest.raises(cc.InputError, match="not a spreadsheet"):
        cc.read(put(tmp_path, "text.xls", "voter,item,rank\nx,a,1\n"))
    csv = put(tmp_path, "votes.csv", f"<html><body>{MARKED['html']}")
    with pytest.raises(cc.InputError, match=r'a web page, not a table: .* Use format="html" to'):
        cc.read(csv)
    assert cc.read(csv, format="html") == cc.read(path)


def test_the_encoding_that_a_page_names(tmp_path: Path) -> None:
    path = tmp_path / "votes.html"
    text = "<meta charset='iso-8859-2'><table><tr><td>Sędzia<td>Łoś<td>Żubr<tr><td>Ó<td>1<td>2"
    path.write_bytes(f"{text}</table>".encode("iso-8859-2"))
    assert cc.read(path).items == ("Łoś", "Żubr")
    assert cc.read(path, encoding="iso-8859-2").items == ("Łoś", "Żubr")


# -- which table -------------------------------------------------------------------------------

PAGE = """<h2>May</h2><table><tr><th>Judge<th>Tea<th>Milk<tr><td>Ann<td>1<td>2</table>
<table><caption>June, all judges</caption><tr><th>Judge<th>Ale<th>Rum<tr><td>Bo<td>2<td>1</table>
<table><tr><td>Home<td>News</table>"""


def test_sheet_names_a_table_by_caption_heading_or_number(tmp_path: Path) -> None:
    path = put(tmp_path, "page.html", PAGE)
    with pytest.raises(cc.InputError) as caught:
        cc.read(path)
    said = str(caught.value).partition(": ")[2]
    assert said == (
        "tables 'May' and 'June, all judges' may both hold rankings. "
        'Use sheet="May" or sheet="June, all judges" to read one'
    )
    for sheet in ("May", "may", "1", 1):
        assert cc.read(path, sheet=sheet).items == ("Tea", "Milk")
    for sheet in ("June, all judges", "2"):
        assert cc.read(path, sheet=sheet).items == ("Ale", "Rum")
    with pytest.raises(cc.InputError, match=r"no table '3': use its caption or its number, from 1"):
        cc.read(path, sheet="3")
    with pytest.raises(cc.SettingError, match="sheet must be the caption or the number"):
        cc.read(path, sheet=True)
    done = run("aggregate", path, "--sheet", "2", "--quiet")
    assert done.stdout.startswith("place  item\n    1  Rum")
    assert is_error(run("aggregate", path), "--sheet May or --sheet 'June, all judges'")


def test_tables_that_hold_no_rankings_are_passed_over(tmp_path: Path) -> None:
    facts = "<table><tr><td>Place<td>Hall<tr><td>Date<td>May</table>"
    page = f"<html><body>{facts}<h2>Votes</h2>{MARKED['html']}"
    seen = cc.inspect(put(tmp_path, "page.html", page))
    assert not seen.questions or seen.questions[0].code == "sheet"


def test_names_of_tables_are_different(tmp_path: Path) -> None:
    page = "<html><h2>Votes</h2>" + MARKED["html"] * 3
    with pytest.raises(cc.InputError, match=r'sheet="Votes" or sheet="Votes \(2\)" or sheet="Vot'):
        cc.read(put(tmp_path, "page.html", page))


# -- cells ---------------------------------------------------------------------------------------


def test_spans_are_repeated_in_the_body_and_stand_once_in_the_header() -> None:
    rows = [
        [Cell("Team", True, rows=2), Cell("Scores", True, columns=2)],
        [Cell("Ann", True), Cell("Bo", True)],
        [Cell("Red"), Cell("7", columns=2)],
        [Cell("Blue", rows=2), Cell("6"), Cell("5")],
        [Cell("4"), Cell("3")],
    ]
    cells, numbers, titles = expanded(Marked(rows))
    assert cells == [
        ["Team", "Ann", "Bo"],
        ["Red", "7", "7"],
        ["Blue", "6", "5"],
        ["Blue", "4", "3"],
    ]
    assert (numbers, titles) == ([2, 3, 4, 5], ["Scores"])


def test_a_remark_across_the_last_row_is_no_item() -> None:
    rows = [[Cell("a"), Cell("b")], [Cell("1"), Cell("2")], [Cell("Of 12/02/2025", columns=2)]]
    assert expanded(Marked(rows))[0::2] == ([["a", "b"], ["1", "2"]], ["Of 12/02/2025"])


def test_a_header_across_the_page_adds_no_columns() -> None:
    rows = [[Cell("Votes", columns=100)], [Cell("a"), Cell("b")], [Cell("1"), Cell("2")]]
    assert expanded(Marked(rows))[0] == [["Votes", ""], ["a", "b"], ["1", "2"]]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<b>9</b>1 &plusmn; 2", "91 ± 2"),
        ("Ann<sup class='reference'><a>[1]</a></sup>", "Ann"),
        ("85<sup>2</sup>", "85^2"),
        ("85<sub>0.3</sub>", "85 ± 0.3"),
        ("1<sup>st</sup>", "1st"),
        ("7<sup>*</sup>", "7"),
        ("<span hidden>00</span>7<!-- 8 -->", "7"),
        ("<span style='display: none'>0<span>1</span></span>7", "7"),
        ("p < 0.05 & q > 1", "p < 0.05 & q > 1"),
        ("<img alt='gold'>", "gold"),
        ("<img alt='flag'> Ann", "Ann"),
    ],
)
def test_texts_of_pages(markup: str, text: str) -> None:
    assert text_of(markup) == text


def test_quotation_marks_in_tags() -> None:
    tags = list(scan("<a title='x > y' b=\"'\">A</a><p don't>B"))
    assert [tag.name or tag.text for tag in tags] == ["a", "A", "a", "p", "B"]
    assert tags[0].attributes == {"title": "x > y", "b": "'"}


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("[[Ann Lee|Ann]] {{flagicon|GER}}", "Ann "),
        ("{{sort|07|7}} {{nowrap|12 {{small|points}}}}", "7 12 points"),
        ("[http://x.org Ann]<ref name=a/><ref>b</ref><!-- c -->", "Ann"),
        ("[[File:A.png|20px|[[B]]]]C", "C"),
        ("<nowiki>a|b</nowiki>", "a&#124;b"),
        ("{{sortname|Mia|Falk}} {{gold1}} {{increase}}", "Mia Falk 1 "),
        ("{{never closed", "{{never closed"),
    ],
)
def test_texts_of_wikis(markup: str, text: str) -> None:
    assert resolved(markup) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (r"{\scriptsize $\pm$ 0.3}", "± 0.3"),
        (r"$3.82 \pm 0.17$", "3.82 ± 0.17"),
        (r"\textbf{\underline{86.0}}$_{\pm 0.1}$", "86.0 ± 0.1"),
        (r"$1.2\times 10^{-3}$", "1.2e-3"),
        (r"85$^{2}$", "85^2"),
        (r"$85^{\dagger}$", "85"),
        (r"\cellcolor{gray!20}85", "85"),
        (r"gpt\_4 \& co~\cite{x}", "gpt_4 & co"),
        (r"M\"uller, \c{C}a, \ss", "Müller, Ça, ß"),
        (r"1{,}82", "1,82"),
        (r"12\,345", "12345"),
        (r"\makecell[l]{Ours \\ best}", "Ours best"),
        (r"\begin{tabular}{@{}c@{}}a\\b\end{tabular}", "a b"),
    ],
)
def test_texts_of_latex(markup: str, text: str) -> None:
    assert without_latex(markup) == text


def test_marks_in_other_tables() -> None:
    assert without_marks(r"C:\models\large") == r"C:\models\large"
    assert without_marks("$5") == "$5"
    assert without_marks(r"**\textbf{7}**") == "7"
    assert script("x", "2", raised=True) == "2"


def test_spans_of_latex(tmp_path: Path) -> None:
    text = r"""\begin{tabular}{llr}
\multirow{2}{*}{Race} & \multicolumn{2}{c}{Result} \\
 & Rider & Place \\ \hline
 & Ada & 1 \\
\multirow{-2}{*}{Hill} & Brio & 2 \\ \hline
\multirow{2}{*}{Lake} & Brio & 1 \\
 & Ada & 2 \\
\end{tabular}"""
    data = cc.read(put(tmp_path, "a.tex", text))
    assert orders(data) == [[("Ada",), ("Brio",)], [("Brio",), ("Ada",)]]
    assert data.voters == ("Hill", "Lake")


def test_ends_of_groups_of_columns(tmp_path: Path) -> None:
    page = """<table><tr><th rowspan=2>Model<th colspan=2>Accuracy &uarr;<th colspan=2>RMSE &darr;
    <tr><th>A<th>B<th>C<th>D<tr><td>x<td>81.2<td>80.1<td>4.1<td>4.2
    <tr><td>y<td>82.0<td>79.3<td>3.6<td>3.7<tr><td>z<td>85.3<td>84.0<td>5.0<td>4.0</table>"""
    data = cc.read(put(tmp_path, "a.html", page))
    assert [ranking[0] for ranking in orders(data)] == [("z",), ("z",), ("y",), ("y",)]


# -- consoles ------------------------------------------------------------------------------------


def test_a_frame_that_is_too_wide_for_the_console() -> None:
    text = "> x\n     Tea Milk\nAnn    1    2\nBo     2    1\n     Cocoa\nAnn      3\nBo       3\n"
    found = read_console(text)
    assert found is not None
    assert found.text == "\tTea\tMilk\tCocoa\nAnn\t1\t2\t3\nBo\t2\t1\t3"


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ('"A" "B"\n"x" 1 2\n"y" 2 1\n', "\tA\tB\nx\t1\t2\ny\t2\t1"),
        ('"w" "p" "q"\n"1" "Ann" 1 2\n"2" "Bo" 2 1\n', "w\tp\tq\nAnn\t1\t2\nBo\t2\t1"),
        ('"p" "q"\n"1" "Ann" 1\n"2" "Bo" 2\n', "p\tq\nAnn\t1\nBo\t2"),
        ('"A","B"\n"x",1,2\n"y",2,1\n', "\tA\tB\nx\t1\t2\ny\t2\t1"),
        ("A\tB\nx\t1\t2\ny\t2\t1\n", "\tA\tB\nx\t1\t2\ny\t2\t1"),
        ("  wine points\n1  Ale     88\n2 Port     91\n", "wine\tpoints\nAle\t88\nPort\t91"),
        (
            ">>> s\nAle     88\nPort    91\nName: points, dtype: int64\n",
            "name\tpoints\nAle\t88\nPort\t91",
        ),
        (">>> d\n    a   b\nx   1   2\ny NaN   1\n", "\ta\tb\nx\t1\t2\ny\t\t1"),
        ("a\tb\nx\t1\t\ny\t2\t\n", None),
        ("> Ann: A > B\n> Bo: B > A\nOK\n", None),
        ("Ann > Bo\nBo > Ann\n", None),
    ],
)
def test_tables_of_consoles(text: str, table: str | None) -> None:
    found = read_console(text)
    assert (found.text if found is not None else None) == table


def test_lines_of_errors_below_a_prompt(tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt", "$ cat a.csv\nvoter,item,rank\nx,Ann,1\nx,Bo,high\n")
    with pytest.raises(cc.InputError, match="line 4: 'rank' is 'high'"):
        cc.read(path)


def test_columns_that_cannot_be_told_apart(tmp_path: Path) -> None:
    text = ">>> df\n   Best wine\n0  Very good\n1  Most poor\n"
    with pytest.raises(cc.InputError, match="not clear where the columns of this printed table"):
        cc.read(put(tmp_path, "a.txt", text))


def test_a_frame_with_rows_left_out_is_refused(tmp_path: Path) -> None:
    text = ">>> df\n    wine  points\n0    Ale      88\n..   ...     ...\n9   Port      91\n"
    with pytest.raises(cc.InputError, match="the console left rows out of this table"):
        cc.read(put(tmp_path, "a.txt", text))


# -- hostile files -------------------------------------------------------------------------------

LONG = "x" * 1_000_000
TABULAR = "\\begin{tabular}{ll}\na & b \\\\\n"
HOSTILE = {
    "html": {
        "a megabyte in a cell": f"<table><tr><td>a<td>b<tr><td>1<td>{LONG}</table>",
        "10,000 columns": "<table>" + ("<tr>" + "<td>1" * 10_000) * 2 + "</table>",
        "nested tables": "<table><tr><td>" * 100_000,
        "nested elements": "<table><tr><td>" + "<div>" * 100_000 + "</table>",
        "an open table": "<table><tr><td>a<td>b<tr><td>1<td>2",
        "many columns": "<table><tr><td colspan=1000000000>a<td>b<tr><td>1<td>2</table>",
        "many rows": "<table><tr><td rowspan=1000000000>a<td>b<tr><td>1<td>2</table>",
        "spans of spans": "<table>"
        + "<tr><td rowspan=60000 colspan=9000>x<td>y" * 2000
        + "</table>",
        "open tags": "<table><tr><td>" + "<a " * 300_000,
        "open quotes": "<table><tr><td>" + "<a b='\"' c=\"" * 50_000,
        "open comments": "<table><tr><td>" + "<!--" * 200_000 + ">",
        "open sections": "<table><tr><td>" + "<![CDATA[" * 100_000 + ">",
        "open scripts": "<table><tr><td>" + "<script>" * 100_000,
        "less than": "<table><tr><td>" + "<" * 1_000_000,
        "many tables": "<table><tr><td>a<td>1<tr><td>b<td>2</table>" * 20_000,
    },
    "wiki": {
        "a megabyte in a cell": "{|\n! a !! b\n|-\n| 1 || " + LONG + "\n|}",
        "10,000 columns": "{|\n! " + "a !! " * 10_000 + "b\n|-\n| 1\n|}",
        "an open table": "{|\n! a !! b\n|-\n| 1 || 2\n",
        "nested tables": "{|\n! a\n|-\n" * 50_000,
        "nested templates": "{|\n! a !! b\n|-\n| " + "{{a|" * 200_000,
        "open links": "{|\n! a !! b\n|-\n| " + "[[" * 400_000 + "\n|}",
        "open sources": "{|\n! a !! b\n|-\n| " + "<ref>" * 200_000 + "\n|}",
        "bars": "{|\n! a !! b\n|-\n| " + "|" * 900_000 + "\n|}",
        "many columns": "{|\n! colspan=1000000000 | a !! b\n|-\n| 1 || 2\n|}",
    },
    "latex": {
        "a megabyte in a cell": f"{TABULAR}1 & {LONG}\\\\\n\\end{{tabular}}",
        "10,000 columns": TABULAR + "1 & " * 10_000 + "1\n\\end{tabular}",
        "an open table": f"{TABULAR}1 & 2",
        "nested tables": "\\begin{tabular}{l}\n" * 50_000,
        "open braces": TABULAR + "{" * 900_000 + "\\end{tabular}",
        "open brackets": "\\begin{tabular}" + "[" * 900_000 + "&\\end{tabular}",
        "open environments": TABULAR + "\\begin{x}" * 100_000 + "\\end{tabular}",
        "many columns": f"{TABULAR}\\multicolumn{{1000000000}}{{c}}{{x}}\\end{{tabular}}",
        "many tables": f"{TABULAR}1 & 2\\end{{tabular}}\n" * 10_000,
    },
}


@pytest.mark.parametrize(
    ("kind", "what"), [(kind, what) for kind, texts in HOSTILE.items() for what in texts]
)
def test_hostile_files_are_refused_soon(kind: str, what: str) -> None:
    # Loads what the first file of a program loads.
    cc.inspect(MARKED[kind])
    started = time.process_time()
    with pytest.raises(cc.InputError) as caught:
        cc.read(io.BytesIO(HOSTILE[kind][what].encode()))
    assert time.process_time() - started < 1.5
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("text", [">>> a\n" * 10_000, ">>> a\n" + " " * 60_000 + "b\n0 1\n1 2"])
def test_long_output_of_a_console(text: str) -> None:
    started = time.process_time()
    with pytest.raises(cc.InputError):
        cc.read(io.BytesIO(text.encode()))
    assert time.process_time() - started < 2
