"""Words and encodings of other scripts: `reading.scripts`, `reading.encodings`."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import run

import pytest

import concordant as cc
from concordant.errors import InputError
from concordant.reading.cells import Style, is_points, is_stamp, number, place, seconds
from concordant.reading.ends import best_end
from concordant.reading.foreign import plain_list, with_brackets
from concordant.reading.grid import decode
from concordant.reading.scripts import english, plain_line
from concordant.reading.words import column_role, is_word, place_of, role_of, side_of

TEXTS = {
    "gb18030": "序号,姓名,第一志愿,第二志愿\n1,王小明,计算机,数学\n2,李丽,数学,物理\n",
    "big5": "評審,作品,分數\n陳老師,夕陽,92\n林老師,山水,88\n",
    "shift_jis": "審査員,ワイン,点数\n田中,シャルドネ,85\n佐藤,メルロー,90\n",
    "euc_jp": "順位,氏名\n1,高橋\n2,鈴木\n",
    "euc_kr": "심사위원,참가팀,점수\n김철수,한강팀,85\n이영희,백두팀,92\n",
    "cp1251": "Участник;Место\nИванов;1\nПетров;2\n",
    "koi8_r": "УЧАСТНИК;МЕСТО\nИВАНОВ;1\nПЕТРОВ;2\n",
    "cp1254": "Sıra;Takım;Puan\n1;Gündoğdu;85\n2;Fenerbahçe;80\n",
    "cp1250": "Pořadí;Jméno\n1;Křížek\n2;Dvořák\n",
    "cp1252": "créée;déçu;«été»\n1;2;3\n",
}


@pytest.mark.parametrize("encoding", TEXTS)
def test_an_encoding_is_detected(encoding: str) -> None:
    text, found = decode(TEXTS[encoding].encode(encoding))
    assert (text, found) == (TEXTS[encoding], encoding)


def test_with_few_letters_the_encoding_is_asked_for() -> None:
    with pytest.raises(InputError, match="its encoding is not clear") as error:
        decode("茶,酒\n1,2\n2,1\n".encode("gb18030"))
    assert error.value.hints[0].setting == "encoding"


def test_a_note_says_the_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(TEXTS["gb18030"].encode("gb18030"))
    seen = cc.inspect(path)
    assert seen.encoding == "gb18030"
    assert any("gb18030" in finding.message for finding in seen.findings)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        *[
            ("评委", "voter"),
            ("排名", "rank"),
            ("得分", "score"),
            ("队伍", "item"),
            ("总分", "total"),
        ],
        *[("審査員", "voter"), ("順位", "rank"), ("点数", "score"), ("合計", "total")],
        *[("심사위원", "voter"), ("순위", "rank"), ("점수", "score"), ("팀명", "item")],
        *[("Судья", "voter"), ("Место", "rank"), ("Баллы", "score"), ("Итого", "total")],
        *[("Суддя", "voter"), ("Місце", "rank"), ("Porotce", "voter"), ("Umístění", "rank")],
        *[("Hakem", "voter"), ("Sıralama", "rank"), ("Juri", "voter"), ("Peringkat", "rank")],
        *[("1、您的姓名", "name"), ("提交答卷时间", "ignored"), ("タイムスタンプ", "ignored")],
        *[("Отметка времени", "ignored"), ("得票数", "count"), ("音乐学院", None)],
    ],
)
def test_the_role_of_a_column(name: str, role: str | None) -> None:
    assert column_role(name) == role


def test_places() -> None:
    for name in (
        "第一志愿",
        "第１希望",
        "1순위",
        "Первый выбор",
        "1. volba",
        "1. tercih",
        "Pilihan 1",
    ):
        assert place_of(name) == 1, name
    assert [place(cell) for cell in ("3位", "第2名", "2위", "3-е место", "공동 3위")] == [
        3,
        2,
        2,
        3,
        3,
    ]
    assert side_of("评委3") == "voter"
    assert role_of("中国") is None


def test_cells() -> None:
    style = Style()
    assert [number(cell, style) for cell in ("８．５", "85点", "12票", "85 баллов")] == [
        8.5,
        85,
        12,
        85,
    ]
    assert [seconds(cell) for cell in ("32秒", "3分20秒", "12 сек")] == [32, 200, 12]
    assert is_points("85点")
    assert not is_points("85分"), "points in Chinese, minutes in Japanese"
    assert is_stamp("2024年5月1日 10:20")
    assert is_stamp("2024. 5. 1 오후 3:20:11")
    assert all(is_word("missing", cell) for cell in ("无", "なし", "없음", "нет ответа", "弃权"))
    assert all(is_word("unplaced", cell) for cell in ("未完赛", "失格", "실격", "не финишировал"))


@pytest.mark.parametrize(
    ("text", "end"),
    [
        *[("1为最喜爱", "ranks"), ("数字越小越好", "ranks"), ("1が最も好き", "ranks")],
        *[("高いほど良い", "scores"), ("높을수록 좋음", "scores"), ("1 — лучшее", "ranks")],
        *[
            ("чем выше, тем лучше", "scores"),
            ("1=最差,5=最好", "scores"),
            ("1 = nejlepší", "ranks"),
        ],
        *[("5 = terbaik", "scores"), ("葡萄酒", None)],
    ],
)
def test_the_best_end(text: str, end: str | None) -> None:
    assert best_end(text) == end


def test_marks_of_lists_and_questions() -> None:
    assert plain_list("①海②山") == "海;山"
    assert plain_line("小明：1、茶") == "小明: 1, 茶"
    assert with_brackets("请评分—口味") == "请评分 [口味]"
    assert with_brackets("苹果（红）") == "苹果（红）"


@pytest.mark.parametrize("text", ["Größe", "Ærø", "Łódź", "½", "→", "naïve café"])
def test_latin_texts_stay_as_they_are(text: str) -> None:
    assert english(text) == plain_list(text) == plain_line(text) == with_brackets(text) == text


def test_words_of_other_scripts_load_late() -> None:
    module = "concordant.reading.foreign"
    code = f"import sys, concordant.reading.decide; print({module!r} in sys.modules)"
    found = run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
