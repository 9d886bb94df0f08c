"""Which encoding a text in another script than Latin has, where it is not Unicode.

Each encoding gives some text of the same bytes. In the right one, the letters are common letters of
the language, and words are not mixed from two scripts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from concordant.reading.foreign import known_share

_SAMPLE = 2**16
# Known words are looked for in the first letters, where the names of the columns stand.
_HEAD = 2000
# At least this share of the letters must be common ones, and this much more than with another
# encoding.
_ENOUGH = 0.3
_FEW = 0.1
_AHEAD = 1.6
_ENOUGH_CYRILLIC = 0.55
_RUNS = re.compile(rb"[\x80-\xff]+")
_HAN = re.compile("[\u3400-\u9fff]")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fc]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_CYRILLIC = re.compile("[\u0400-\u045f\u0490\u0491]+")
_MIXED = re.compile("[A-Za-z][\u0400-\u04ff]|[\u0400-\u04ff][A-Za-z]")
# Letters that are frequent in tables and in general, in Chinese, Japanese and Korean.
_SIMPLIFIED = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
    "用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实"
    "日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政"
    "美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员"
    "解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件"
    "计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象"
    "完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运名姓排序评"
    "委选手志愿得票总分平均满意推荐喜欢项目编号备注提交来源组男张李王刘陈杨赵周吴徐孙胡林郑谢红明丽强伟芳"
    "茶咖啡苹果香蕉京沪广深圳州成都杭武汉西安南武上北海津重庆店餐厅味菜鱼肉面饭酒汤"
)
_TRADITIONAL = frozenset(
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡"
    "用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實"
    "日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政"
    "美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員"
    "解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件"
    "計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象"
    "姓評審選志願票總滿推薦喜歡項編號備註提交組男陳李張黃王林吳劉蔡楊許鄭謝洪郭邱曾廖賴徐台北中南高雄新竹"
    "桃園咖啡茶蘋果香蕉奶飯麵湯店餐廳味菜魚肉酒"
)
_JAPANESE = frozenset(
    "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新"
    "場金員九入選立開手米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来"
    "作性的要用制治度務強気小七成期公野協取都和統以機平総加山思家話世受区領多県続進正安設保改数記院女初北午"
    "指権心界支第産結百派点教報済書府活原先共得解名交資予川向際査勝面委告軍文反元重近千考判認画海参売利組知"
    "案道信策集在件団別物側任引使求所次水半品昨論計死官増係感特情投示変打男基私各始島直両朝革価式確村提運終"
    "挙果西勢減台広容必応演電歳住争談能無再位置企真流格有料賞審査員順希望候補氏佐藤鈴木高橋伊渡辺山小林加吉"
    "味寿司酒茶店賞良悪好数"
)
_KOREAN = frozenset(
    "이다는을에의가고하한지로은도를사서나기자인어들시대해그리일수정있부과것만라아장보전으제국상주원니경구"
    "성여동비스면학관공유성오소우조음모세회문신할물생안당중선연미방김발금개까내서요치분교개점위등순명름총균평"
    "균합계팀번호표심후투름응답출결득률승패무박최윤강조한임권황송류홍남북울산광천원라떡볶밥면커피차빵맛집료메"
    "뉴노래운드트크프화영식진용체행실재적작복불"
)
_COMMON_CYRILLIC = frozenset("оеаинтсрвлкмдпуяыьіз")


def detect(data: bytes) -> tuple[str | None, list[str]]:
    """Return the encoding of a text in another script, and the plausible ones where none is sure.

    Example:
        >>> detect("姓名,第一志愿,第二志愿,小明,北京,上海".encode("gb18030"))[0]
        'gb18030'
        >>> detect("Участник;Место;Иванов;Петров".encode("koi8-r"))[0]
        'koi8_r'
    """
    sample = data[:_SAMPLE]
    found: list[tuple[float, str]] = []
    for names, score in _ENCODINGS:
        for name in names:
            try:
                data.decode(name)
                # The end of a sample may cut a letter.
                text = sample.decode(name, "ignore")
            except UnicodeDecodeError:
                continue
            share = score(text)
            found.append((share + (share > _FEW and known_share(text[:_HEAD])), name))
            break
    found.sort(reverse=True)
    good = [(share, name) for share, name in found if share >= _ENOUGH]
    if not good:
        return None, []
    best, name = good[0]
    enough = best >= (_ENOUGH_CYRILLIC if name in _CYRILLIC_NAMES else _ENOUGH)
    high = sum(map(len, _RUNS.findall(sample)))
    if enough and high >= _FEWEST and (len(found) == 1 or best >= _AHEAD * found[1][0]):
        return name, [name]
    if high < _FEWEST:
        # Two accents side by side may be two letters in Cyrillic.
        return None, [each for share, each in good if share > 0.5 and each not in _CYRILLIC_NAMES]
    return None, [each for share, each in found if share >= best / _AHEAD]


# Bytes beyond ASCII that show an encoding.
_FEWEST = 8


def may_be_foreign(data: bytes) -> bool:
    """Return whether the bytes beyond ASCII stand together, as no letters with accents do."""
    runs = _RUNS.findall(data[:_SAMPLE])
    return sum(map(len, runs)) >= 2 * len(runs) > 0


def _share(text: str, letters: re.Pattern[str], common: frozenset[str]) -> float:
    """Return the share of common letters among all that are not ASCII or signs."""
    others = [letter for letter in text if letter > "\x7f" and letter.isalpha()]
    if not others:
        return 0.0
    return sum(letter in common for letter in others) / len(others)


def _chinese(text: str) -> float:
    return _share(text, _HAN, _SIMPLIFIED) if not _KANA.search(text) else _japanese(text)


def _taiwanese(text: str) -> float:
    return _share(text, _HAN, _TRADITIONAL)


def _japanese(text: str) -> float:
    """Kana are common, and half-width ones come from other encodings."""
    others = [letter for letter in text if letter > "\x7f" and letter.isalpha()]
    if not others:
        return 0.0
    kana = sum(_KANA.match(letter) is not None for letter in others)
    if kana > 0.95 * len(others) and len(set(others)) < 4:
        return 0.0
    half = sum("\uff61" <= letter <= "\uff9f" for letter in text)
    common = sum(letter in _JAPANESE for letter in others)
    return max(0.0, (kana + common - 2 * half) / len(others))


def _korean(text: str) -> float:
    return _share(text, _HANGUL, _KOREAN)


def _russian(text: str) -> float:
    """Words are in one script and have capitals at most at the beginning, or throughout."""
    words = _CYRILLIC.findall(text)
    letters = "".join(words)
    others = [letter for letter in text if letter > "\x7f" and letter.isalpha()]
    if not letters:
        return 0.0
    common = sum(letter in _COMMON_CYRILLIC for letter in letters.lower()) / len(letters)
    regular = sum(len(w) for w in words if w.islower() or w.isupper() or w[1:].islower())
    mixed = len(_MIXED.findall(text)) / len(letters)
    marks = sum(sign > "\x7f" and not sign.isalpha() and sign not in _SIGNS for sign in text)
    shown = len(letters) / (len(others) + marks)
    pairs = [a + b for word in words for a, b in pairwise(word.lower())]
    usual = sum(pair in _PAIRS for pair in pairs) / len(pairs) if pairs else 0.0
    return max(0.0, (common + usual) * (regular / len(letters)) * shown / 1.4 - 2 * mixed)


# Pairs of letters that are frequent in Russian and Ukrainian.
_PAIRS = frozenset(
    text[k : k + 2]
    for text in (
        "стоноенарвкпселдмтизяуч стноточвоегоровароспрокоторалинавераласкадететьомегриявивевде",
        "омимамикикучачастнснелеляоїнівітітичацііслзамуовльсьькоакарудидисишаивнкенекмого",
        "наниенипоравоенитаконостатьлитиверемелосьбытоботамидажеоценкместоунисуднямикгодла",
    )
    for k in range(len(text) - 1)
)
_SIGNS = frozenset("«»„“”–—№…’ \xa0°")
_CYRILLIC_NAMES = ("cp1251", "koi8_r", "koi8_u", "cp866")
_ENCODINGS: tuple[tuple[tuple[str, ...], Callable[[str], float]], ...] = (
    (("gb18030",), _chinese),
    (("big5", "cp950"), _taiwanese),
    (("shift_jis", "cp932"), _japanese),
    (("euc_jp",), _japanese),
    (("euc_kr", "cp949"), _korean),
    (("cp1251",), _russian),
    (("koi8_r",), _russian),
    (("cp866",), _russian),
)
