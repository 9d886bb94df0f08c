"""Bad files: each gets an error that names the file, the line and the fault, and quickly."""

import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concordant import InputError
from concordant.formats import FORMATS, read, write

BAD = Path(__file__).parent / "data_bad"

# Of each file in the folder: the line that the error names, and a part of what it says.
EXPECTED: dict[str, tuple[int | None, str]] = {
    "abif_declaration.abif": (1, "'=A [Ann]' does not declare a candidate as '=token:[Full"),
    "abif_declared_twice.abif": (2, "candidate 'B' or its name is declared twice"),
    "abif_duplicate.abif": (3, "candidate 'Bo' is ranked twice"),
    "abif_empty_name.abif": (2, "a candidate has no name, in 'Bo>>Ann'"),
    "abif_nan_count.abif": (2, "'nan' is not a number of ballots (it must be a number, 0 or"),
    "abif_negative_count.abif": (2, "the number of ballots -2 is negative"),
    "abif_no_count.abif": (2, "'Bo Ann' does not have the form 'count: A > B = C'"),
    "abif_no_item.abif": (2, "there is no item to rank"),
    "abif_no_ranking.abif": (1, "there is no ranking"),
    "abif_open_bracket.abif": (2, "expected a candidate, then > or = or a comma, at '[Bo>Ann'"),
    "abif_score.abif": (2, "'1.2.3' is not a score"),
    "abif_some_scores.abif": (2, "some candidates have a score and some do not"),
    "ambiguous.txt": (1, "'3 2' may begin a file of ranks (header 'm n [theta]', then"),
    "binary.orders": (1, "contains binary data, not text"),
    "binary_inside.ranks": (2, "contains binary data, not text"),
    "blt_all_withdrawn.blt": (2, "all candidates are withdrawn: there is no item to rank"),
    "blt_duplicate.blt": (3, "candidate '3' is ranked twice"),
    "blt_few_names.blt": (5, "the file ends before the name of candidate 3 of 3"),
    "blt_header.blt": (1, "'three' is not the number of candidates"),
    "blt_nan_weight.blt": (3, "'nan' is not a weight (it must be a number, 0 or more)"),
    "blt_negative_weight.blt": (3, "the weight -1.5 is negative"),
    "blt_no_end.blt": (4, "the ballots must end with a line that is 0"),
    "blt_no_item.blt": (1, "the header says that there is no item to rank"),
    "blt_no_ranking.blt": (4, "there is no ranking"),
    "blt_open_ballot.blt": (2, "the ballot must end with 0"),
    "blt_open_quote.blt": (5, "a quotation mark is not closed on its line"),
    "blt_unknown_item.blt": (3, "there is no candidate 4: the header has 1 … 3"),
    "blt_withdraws_nobody.blt": (2, "there is no candidate 3 to withdraw"),
    "blt_word.blt": (2, "'Bo' is not a candidate's number"),
    "blt_zero_inside.blt": (3, "there is text after the 0 that ends the ballots (write - for"),
    "csv_binary.csv": (None, "a picture, not a table"),
    "csv_duplicate.csv": (4, "'Ann'"),
    "csv_empty.csv": (1, "the file is empty"),
    "csv_nan_weight.csv": (3, "weight"),
    "csv_negative_weight.csv": (3, "-2"),
    "csv_no_item.csv": (None, "there is no item to rank"),
    "csv_no_ranking.csv": (1, "there is no row"),
    "csv_ragged.csv": (3, "this row has 2 values and the header 3, separated by commas"),
    "csv_ragged_wide.csv": (3, "this row has 4 values and the header 3, separated by commas"),
    "csv_word_rank.csv": (3, "'high'"),
    "cvotes_candidate_empty.cvotes": (1, "a candidate has no name"),
    "cvotes_candidate_twice.cvotes": (1, "candidate 'Ann' is listed twice"),
    "cvotes_count_first.cvotes": (3, "the weight must come before the count: ^weight * count"),
    "cvotes_duplicate.cvotes": (4, "candidate 'Bo' is ranked twice"),
    "cvotes_empty_as_rank.cvotes": (
        3,
        "'/' is not allowed in a ranking, in 'Ann > /EMPTY_RANKING/'",
    ),
    "cvotes_empty_rank.cvotes": (3, "a candidate has no name, in 'Ann > > Bo'"),
    "cvotes_flag.cvotes": (2, "Implicit Ranking must be true or false, not 'maybe'"),
    "cvotes_fraction.cvotes": (3, "the count 1.5 is not a whole number"),
    "cvotes_late_parameter.cvotes": (2, "a parameter must come before the first vote"),
    "cvotes_less.cvotes": (3, "'<' is not allowed in a ranking, in 'Ann < Bo'"),
    "cvotes_nan_weight.cvotes": (3, "'nan' is not a weight (it must be a number, 0 or more)"),
    "cvotes_negative_count.cvotes": (3, "the count -2 is negative"),
    "cvotes_no_item.cvotes": (2, "there is no item to rank"),
    "cvotes_no_ranking.cvotes": (2, "there is no ranking"),
    "cvotes_parameter.cvotes": (
        1,
        "'#/Candidates Ann ; Bo' does not have the form '#/Name: value'",
    ),
    "damaged.soc.gz": (None, "the gzipped file is damaged"),
    "excel_cut_off.xlsx": (None, "the spreadsheet is damaged, or cut off: File is not a zip file"),
    "excel_duplicate.xlsx": (None, "sheet 'Votes', row 4: voter 'x' has item 'Ann' twice"),
    "excel_empty.xlsx": (None, "every sheet is empty"),
    "excel_no_ranking.xlsx": (None, "sheet 'Votes', row 1: there is no row below the header"),
    "excel_text.xlsx": (None, "not a spreadsheet"),
    "excel_word_rank.ods": (None, "sheet 'Votes', row 3: 'rank' is 'high', which is not a number"),
    "empty.soc": (1, "the file is empty"),
    "empty.txt": (1, "the file is empty"),
    "html_no_table.html": (None, "a web page, not a table"),
    "html_not_closed.html": (None, "a table is never closed (</table> is missing)"),
    "html_duplicate.html": (None, "table 'Votes', row 2: voter 'x': item 'Ann' is ranked twice"),
    "html_word_rank.html": (None, "table 1, row 3: 'rank' is 'high', which is not a number"),
    "html_span.html": (None, "a cell spans 1000000000 columns"),
    "json_bucket.json": (7, "a bucket must be a list of positions in items, not 0"),
    "json_count.json": (4, '"n_rankings" must be a whole number'),
    "json_cut_off.json": (7, "the JSON text is incomplete"),
    "json_duplicate.json": (7, "ranking 2: item 'Ann' is ranked twice"),
    "json_huge_weight.json": (7, "the weight 1E+300 is too large to count exactly"),
    "json_item.json": (4, "{'name': 'Ann'} cannot name an item"),
    "json_item_twice.json": (4, "item 'Ann' is listed twice"),
    "json_list.json": (None, "the JSON text holds no table: write a list of objects"),
    "json_nan_weight.json": (7, "a weight must be a number, or a text such as '1/3', not nan"),
    "json_negative_item.json": (7, "there is no item at position -1"),
    "json_negative_weight.json": (7, "the weight -2 is negative"),
    "json_no_item.json": (4, "there is no item to rank"),
    "json_no_items.json": (1, 'the JSON object has no "items"'),
    "json_no_ranking.json": (6, "there is no ranking"),
    "json_not_rankings.json": (1, 'not a JSON file of rankings: it must have "format":'),
    "json_ranking.json": (7, 'a ranking must have the form {"weight": 1, "buckets": [[0],'),
    "json_rankings.json": (5, '"rankings" must be a list'),
    "json_syntax.json": (7, "not valid JSON: Expecting ',' delimiter"),
    "json_tail.json": (7, "there is text after the end of the JSON object"),
    "json_unknown_item.json": (7, "ranking 2: there is no item number 3"),
    "json_unranked.json": (4, '"unranked" must be "unknown" or "last"'),
    "json_version.json": (3, "the file has version 99, and only 1 is known: read it with a"),
    "json_word_weight.json": (7, "a weight must be a number, or a text such as '1/3', not 'some'"),
    "labels_no_ranking.txt": (None, "there is no sample"),
    "labels_ragged.txt": (4, "3 columns"),
    "labels_rank.txt": (4, "-1"),
    "latex_no_table.tex": (None, "a LaTeX text without a table"),
    "latex_not_closed.tex": (None, "a table is never closed (\\end{tabular} is missing)"),
    "latex_word_rank.tex": (None, "table 'Votes', row 3: 'rank' is 'high', which is not a number"),
    "lop_bad_size.lop": (1, "a lop file must begin with the number of items, not with 2.5"),
    "lop_few_entries.lop": (3, "the matrix of 3 items needs 3 × 3 = 9 numbers, but 8 follow;"),
    "lop_infinite.lop": (3, "'inf' is not a number"),
    "lop_many_entries.lop": (2, "the matrix of 2 items needs 2 × 2 = 4 numbers, but 5 follow"),
    "lop_nan.lop": (2, "'nan' is not a number"),
    "lop_no_item.lop": (1, "a lop file must begin with the number of items, not with 0"),
    "lop_no_size.lop": (1, "a lop file must begin with the number of items"),
    "lop_overflow.lop": (2, "a number is too large"),
    "lop_ragged.lop": (5, "the matrix of 3 items needs 3 × 3 = 9 numbers, but 10 follow;"),
    "lop_word.lop": (3, "'x' is not a number"),
    "old_cut_off.toc": (4, "the header says 3 alternatives, so 3 names and"),
    "old_few_names.toc": (4, "alternative 5 is not one of 1 … 3"),
    "old_header.toc": (1, "the number of alternatives, which comes first, must be a"),
    "old_name_form.toc": (3, "the header says 3 alternatives, so this line must be"),
    "old_name_twice.toc": (3, "alternative 1 is named twice"),
    "old_order_form.toi": (6, "'2,1,,3' does not have the form 'count,1,{2,3},4'"),
    "old_sum.toc": (5, "the header says 5 voters, but the counts add up to 4"),
    "old_totals.toc": (5, "the line after the names must be 'voters,sum,unique', not"),
    "old_unique.toc": (5, "the header says 3 unique orders, but 2 follow"),
    "old_voters.toc": (5, "the header says 6 voters, but 5 as their sum"),
    "orders_duplicate.orders": (3, "ranking 2: item '3' is ranked twice"),
    "orders_few_rows.orders": (1, "the header says 3 rankings, but 2 rows follow (a voter who"),
    "orders_fraction.orders": (3, "1.5 is not an item: items are 1 … 3, and 0 is padding"),
    "orders_long_row.orders": (3, "the row has 4 entries, but the header says 3 items"),
    "orders_negative_item.orders": (3, "-1 is not an item: items are 1 … 3, and 0 is padding"),
    "orders_no_item.orders": (1, "the header says that there is no item to rank"),
    "orders_unknown_item.orders": (2, "4 is not an item: items are 1 … 3, and 0 is padding"),
    "parquet_text.parquet": (None, "not a Parquet file, or cut off"),
    "preflib_bad_count.soi": (1, "the number of alternatives must be a whole number, not 'many'"),
    "preflib_duplicate.soc": (8, "ranking 2: item 'Cy' is ranked twice"),
    "preflib_duplicate_in_tie.toi": (8, "ranking 2: item 'Bo' is ranked twice"),
    "preflib_huge_count.soi": (2, "the count is too large"),
    "preflib_incomplete.soc": (8, "soc means complete orders, but this one ranks 2 of 3"),
    "preflib_incomplete.toc": (8, "toc means complete orders, but this one ranks 2 of 3"),
    "preflib_item_0.soi": (8, "there is no alternative 0: the header has 1 … 3"),
    "preflib_name_beyond.soi": (3, "alternative 2 has a name, but the header says 1 alternatives"),
    "preflib_name_missing.soi": (1, "the header says 3 alternatives, but number 2 has no name"),
    "preflib_name_twice.soi": (3, "alternative 1 was named before, on line 2"),
    "preflib_nan_count.soi": (8, "'nan' is not a count of voters (a whole number, 0 or more)"),
    "preflib_negative_count.soi": (8, "'-2' is not a count of voters (a whole number, 0 or more)"),
    "preflib_no_count.soi": (1, "the header has no line '# NUMBER ALTERNATIVES: …'"),
    "preflib_no_item.soi": (1, "the header says that there is no item to rank"),
    "preflib_no_ranking.soi": (1, "there is no ranking"),
    "preflib_open_brace.toi": (7, "'3: 1,{2,3' does not have the form 'count: 1,{2,3},4'"),
    "preflib_tie.soi": (8, "soi means strict orders, but this one has a tie"),
    "preflib_unique.soi": (2, "the header says 2 unique orders, but 3 follow"),
    "preflib_unknown_item.soi": (8, "there is no alternative 4: the header has 1 … 3"),
    "preflib_voters.soi": (2, "the header says 5 voters, but the counts add up to 4"),
    "preflib_word.soi": (7, "'3: 1,two' does not have the form 'count: 1,{2,3},4'"),
    "ranks_few_rows.ranks": (1, "the header says 3 rankings, but 2 rows follow (a voter who"),
    "ranks_header.ranks": (1, "the header must be 'm n' (numbers of items and rankings), not"),
    "ranks_long_header.ranks": (1, "the header must be 'm n' (numbers of items and rankings), not"),
    "ranks_many_rows.ranks": (1, "the header says 1 rankings, but 2 rows follow"),
    "ranks_nan.ranks": (3, "'nan' is not a number"),
    "ranks_negative.ranks": (4, "-2 is not a rank (1 is best, 0 means not ranked)"),
    "ranks_no_item.ranks": (1, "the header says that there is no item to rank"),
    "ranks_no_ranking.ranks": (1, "the header says that there is no ranking"),
    "ranks_ragged.ranks": (3, "the row has 2 ranks, but the header says 3 items"),
    "ranks_word.ranks": (3, "'two' is not a number"),
    "pabulib_id.pb": (7, "project '1' is listed twice"),
    "pabulib_kind.pb": (None, "the vote_type 'best' is unknown"),
    "pabulib_points.pb": (10, "the vote has 2 projects and 1 points"),
    "pabulib_project.pb": (9, "there is no project '2'"),
    "pabulib_section.pb": (5, "there is no section VOTES"),
    "pabulib_word.pb": (9, "the points 'x' are not numbers"),
    "pgn_name.pgn": (1, "a game does not name both players: add White and Black"),
    "pgn_none.pgn": (4, "there is no game with a result"),
    "pgn_result.pgn": (1, "'2-0' is not a result: write 1-0, 0-1, 1/2-1/2 or *"),
    "pgn_same.pgn": (1, "'Ann' plays against itself"),
    "trec_columns.trec": (2, "a line must have 6 columns, 'query Q0 document rank score"),
    "trec_duplicate.trec": (2, "run 'one' has document 'd1' twice for query 7"),
    "trec_nan_score.trec": (2, "'nan' is not a score"),
    "npy_zeros.npy": (None, "not a NumPy file: save the matrix with numpy.save"),
    "npz_cut.npz": (None, "not a count file, or damaged"),
    "npz_version.npz": (None, "the count file has version 9, and this release reads version 1"),
    "trec_queries.trec": (
        2,
        "there are runs for 2 queries, and each query has a ranking of its own",
    ),
    "trec_score.trec": (2, "'high' is not a score"),
    "records_cut.jsonl": (2, "not valid JSON: Expecting ',' delimiter"),
    "records_word_rank.json": (None, "record 1: 'rank' is 'high', which is not a number"),
    "text_prose.txt": (1, "no layout fits the columns"),
    "wiki_no_table.wiki": (None, "a wiki page without a table"),
    "wiki_not_closed.wiki": (None, "a table is never closed (|} is missing)"),
    "wiki_word_rank.wiki": (None, "table 'Votes', row 3: 'rank' is 'high', which is not a number"),
    "unknown.txt": (1, "neither the name nor the content of the file shows its format"),
}


def test_folder_and_table_match() -> None:
    assert {path.name for path in BAD.iterdir()} == set(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_error_names_file_line_and_fault(name: str) -> None:
    line, fragment = EXPECTED[name]
    with pytest.raises(InputError) as caught:
        read(BAD / name)
    error = caught.value
    assert fragment in error.message
    assert (error.path, error.line) == (str(BAD / name), line)
    place = str(BAD / name) + ("" if line is None else f", line {line}")
    assert str(error).startswith(f"{place}: {error.message}")
    assert len(error.message) <= 600


def test_every_format_has_bad_files() -> None:
    families = {name.split("_")[0] for name in EXPECTED}
    same = dict.fromkeys(("soc", "soi", "toc", "toi"), "preflib") | {"label-ranking": "labels"}
    assert {same.get(name, name) for name in FORMATS} <= families


def test_error_of_a_missing_file(tmp_path: Path) -> None:
    for format_name in (None, "soc", "csv", "parquet"):
        with pytest.raises(InputError, match="there is no such file"):
            read(tmp_path / "no.soc", format_name)


def test_error_of_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the folder has no files"):
        read(tmp_path, "soc")


# -- ten million characters on one line -------------------------------------------------------

TEN_MEGABYTES = 10_000_000
LONG = {
    "ones.ranks": "3 1\n" + "1 " * (TEN_MEGABYTES // 2),
    "letters.ranks": "x" * TEN_MEGABYTES,
    "header.ranks": "3 1" + " " * TEN_MEGABYTES + "x",
    "digits.ranks": "3 1\n1 2 " + "9" * TEN_MEGABYTES,
    "ones.orders": "3 1\n" + "1 " * (TEN_MEGABYTES // 2),
    "digits.orders": "3 1\n" + "9" * TEN_MEGABYTES,
    "minus.orders": "3 1\n" + "-" * TEN_MEGABYTES,
    "ones.soc": "# NUMBER ALTERNATIVES: 3\n1: " + "1," * (TEN_MEGABYTES // 2) + "1",
    "commas.soc": "# NUMBER ALTERNATIVES: 3\n1: " + "," * TEN_MEGABYTES,
    "braces.toi": "# NUMBER ALTERNATIVES: 3\n1: " + "{1}," * (TEN_MEGABYTES // 4) + "1",
    "open.toi": "# NUMBER ALTERNATIVES: 3\n1: " + "{" * TEN_MEGABYTES,
    "blanks.toi": "# NUMBER ALTERNATIVES: 3\n1: " + " " * TEN_MEGABYTES + "x",
    "name.toi": "# NUMBER ALTERNATIVES: 1\n# ALTERNATIVE NAME 1: "
    + "x" * TEN_MEGABYTES
    + "\n1: 1,1",
    "key.toi": "#" + " A" * (TEN_MEGABYTES // 2) + "\n1: 1",
    "old.toi": "2\n1," + "x" * TEN_MEGABYTES + "\n2,\n1,1,1\n1,1,3",
    "ones.lop": "2\n" + "1 " * (TEN_MEGABYTES // 2),
    "letters.lop": "2\n" + "x" * TEN_MEGABYTES,
    "ones.blt": "3 1\n1 " + "1 " * (TEN_MEGABYTES // 2) + "0\n0\n",
    "ties.blt": "3 1\n1 " + "1=" * (TEN_MEGABYTES // 2) + "1 0\n0\n",
    "blanks.blt": "3 1\n1 1 =" + " " * TEN_MEGABYTES,
    "quote.blt": '3 1\n1 1 0\n0\n"' + "x" * TEN_MEGABYTES,
    "ones.abif": "1:" + "A>" * (TEN_MEGABYTES // 2) + "A",
    "scores.abif": "1:" + "A/1," * (TEN_MEGABYTES // 4) + "A/1",
    "letters.abif": "x" * TEN_MEGABYTES,
    "blanks.abif": "ABIF" + " " * TEN_MEGABYTES + "x",
    "brackets.abif": "1:" + "[" * TEN_MEGABYTES,
    "declaration.abif": "=A" + " " * TEN_MEGABYTES + "x",
    "ones.cvotes": "A > " * (TEN_MEGABYTES // 4) + "A",
    "equal.cvotes": "A" + "=" * TEN_MEGABYTES,
    "blanks.cvotes": "A > B * " + " x" * (TEN_MEGABYTES // 2),
    "stars.cvotes": "*" * TEN_MEGABYTES,
    "parameter.cvotes": "#/" + " " * TEN_MEGABYTES,
    "candidates.cvotes": "#/Candidates: " + "A;" * (TEN_MEGABYTES // 2) + "A",
    "letters.trec": "x" * TEN_MEGABYTES,
    "columns.trec": "x " * (TEN_MEGABYTES // 2),
    "score.trec": "1 Q0 d 1 " + "9" * TEN_MEGABYTES + " run",
    "letters.json": "x" * TEN_MEGABYTES,
    "nested.json": "{" + '"format": ' + "[" * TEN_MEGABYTES,
    "digits.json": '{"format": ' + "9" * TEN_MEGABYTES + "}",
    "blanks.json": "{" + " " * TEN_MEGABYTES,
    "weight.json": '{"rankings": [{"weight": 1e' + "9" * TEN_MEGABYTES + ', "buckets": []}]}',
    "letters.csv": "x" * TEN_MEGABYTES,
    "letters.txt": "x" * TEN_MEGABYTES,
    "blanks.txt": " " * TEN_MEGABYTES + "x",
    "numbers.txt": "1 " * (TEN_MEGABYTES // 2),
}


@pytest.mark.parametrize("name", sorted(LONG))
def test_a_line_of_ten_megabytes_fails_fast_with_a_short_message(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(LONG[name])
    start = time.perf_counter()
    with pytest.raises(InputError) as caught:
        read(path)
    # A pass over the line takes up to two seconds; going over it again and again, hours.
    assert time.perf_counter() - start < 30
    assert len(caught.value.message) <= 600


def test_an_item_of_a_long_name_is_fine(tmp_path: Path) -> None:
    path = tmp_path / "long.toi"
    path.write_text(f"# NUMBER ALTERNATIVES: 1\n# ALTERNATIVE NAME 1: {'x' * 10**6}\n1: 1\n")
    data = read(path)
    write(data, tmp_path / "again.toi")
    assert read(tmp_path / "again.toi") == data


# -- damage of any kind -----------------------------------------------------------------------

SOUND = {
    "ranks": "3 2 0.5\n1 2 3\n0 1 1\n",
    "orders": "3 3\n1 2 3\n2 0 0\n0 0 0\n",
    "toi": "# NUMBER ALTERNATIVES: 3\n# NUMBER VOTERS: 3\n# ALTERNATIVE NAME 1: a\n"
    "# ALTERNATIVE NAME 2: b\n# ALTERNATIVE NAME 3: c\n2: 1,{2,3}\n1: 2\n",
    "toc": "3\n1,a\n2,b\n3,c\n3,3,2\n2,1,{2,3}\n1,2,1,3\n",
    "json": '{"format": "concordant-rankings", "version": 1, "unranked": "last",\n"n_rankings": 3, '
    '"items": ["a", 1], "rankings": [\n{"weight": 2.5, "buckets": [[0], [1]]},\n'
    '{"weight": "1/3", "buckets": []}]}',
    "lop": "comment\n2\n0 1.5\n-2 0\n",
    "blt": '3 1\n-2\n(x) 2 1=3 0\n1.5 - 3 0\n0\n"a"\n"b" # c\nc\n"t"\n',
    "abif": '{"a": 1}\n=A:[Ann]\n3:A>[B]="C"\n2:A/5,B/3 # x\n1:\n',
    "cvotes": "#/Candidates: a ; b\n#/Weight Allowed: true\nt || a > b ^2 * 3\n/EMPTY/ * 2\n",
    "pgn": '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 1-0\n\n[White "b"]\n[Black "c"]\n'
    '[Result "1/2-1/2"]\n\n1. d4 1/2-1/2\n',
    "pabulib": "META\nkey;value\nvote_type;scoring\nPROJECTS\nproject_id;name\n1;a\n2;b\n"
    "VOTES\nvoter_id;vote;points\n1;1,2;3,4\n2;2;1\n",
    "trec": "1 Q0 a 1 2.5 r\n1 Q0 b 2 2.5 r\n1 Q0 a 1 1 s\n",
    "csv": "voter,item,rank,weight\n1,a,1,2\n1,b,2,2\n2,b,1,0.5\n",
    "label-ranking": "A1\tL1\tL2\nDOUBLE\tNUMERIC\tNUMERIC\n0.5\t1\t2\n0.25\t2\t1\n",
}
damage = st.lists(
    st.tuples(
        st.integers(0, 400),
        st.integers(0, 6),
        st.text(st.sampled_from('0123 -.,:;{}[]()=><#/*^|"\n\r\t\0eEabQé\u2028'), max_size=3)
        | st.sampled_from(["nan", "inf", "1e999", "-1", "99999999999999999999", "null", "\\ud800"]),
    ),
    max_size=4,
)


@given(st.sampled_from(sorted(SOUND)), damage, st.booleans())
def test_damaged_files_give_input_errors_only(
    name: str, edits: list[tuple[int, int, str]], is_known: bool
) -> None:
    text = SOUND[name]
    for place, length, replacement in edits:
        place %= len(text) + 1
        text = text[:place] + replacement + text[place + length :]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(text.encode())
        try:
            read(path, name if is_known else None)
        except InputError as error:
            fault = error
        else:
            return
    assert fault.path == str(path)
    assert len(fault.message) <= 600


@pytest.mark.parametrize("name", sorted(SOUND))
def test_sound_files_are_sound(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(SOUND[name])
    assert read(path, name).n_items >= 2
