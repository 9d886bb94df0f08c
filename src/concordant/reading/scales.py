"""Scales of words, from the worst to the best: agreement, importance, quality, approval.

To teach the reader a scale, add it to a table below.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

from concordant.reading import words_latin
from concordant.reading.scripts import is_foreign, native_scales
from concordant.reading.words import key


class Scale(NamedTuple):
    """Words for levels.

    Attributes:
        levels: The level of each word, the highest best.
        clear: Whether the highest level is the best for sure.
        grades: Whether the words are letters, which mean something only under "Grade".
    """

    levels: dict[str, int]
    clear: bool
    grades: bool

    def level(self, text: str) -> int | None:
        """Return the level of a word; words such as "not at all" are below all others."""
        word = word_of(text)
        return self.levels.get(word, 0 if self.clear and word in _NOT_AT_ALL else None)


_NOT_AT_ALL = frozenset(
    key(words)
    for words in (
        *("gar nicht", "überhaupt nicht", "not at all", "pas du tout", "para nada", "per niente"),
        *("per nulla", "helemaal niet", "wcale nie", "inte alls", "de modo nenhum"),
    )
)


def _degrees() -> list[str]:
    """Return scales of one adjective, such as not useful, somewhat useful, very useful."""
    tables = {
        "not at all {}|not {} at all, not {}|not very {}, slightly {}|a little {}, somewhat {}|"
        "moderately {}|fairly {}, {}|quite {}, very {}, extremely {}": "useful helpful relevant "
        "valuable happy clear attractive convincing appealing tasty enjoyable interesting easy",
        "gar nicht {}|überhaupt nicht {}, nicht {}, weniger {}|wenig {}, eher {}|teilweise {}, {}, "
        "sehr {}": "hilfreich nützlich interessant relevant verständlich attraktiv",
        "pas du tout {}, pas {}, peu {}, assez {}|plutôt {}, {}, très {}": "utile intéressant "
        "clair pertinent agréable",
        "nada {}, poco {}, algo {}, {}|bastante {}, muy {}": "útil interesante claro relevante",
        "per niente {}|per nulla {}, poco {}, abbastanza {}, {}, molto {}": "utile interessante "
        "chiaro rilevante",
    }
    return [
        table.replace("{}", adjective)
        for table, adjectives in tables.items()
        for adjective in adjectives.split()
    ]


# From the worst to the best; words of one level are separated by |.
_SCALES = (
    # Agreement.
    "strongly disagree|totally disagree|completely disagree|fully disagree, disagree, somewhat "
    "disagree|slightly disagree|rather disagree|tend to disagree, neutral|neither agree nor "
    "disagree|neither|undecided|not sure|unsure|mixed, somewhat agree|slightly agree|rather agree|"
    "tend to agree, agree, strongly agree|totally agree|completely agree|fully agree",
    "stimme überhaupt nicht zu|stimme gar nicht zu|trifft überhaupt nicht zu|trifft gar nicht zu, "
    "stimme nicht zu|trifft nicht zu, stimme eher nicht zu|trifft eher nicht zu, neutral|teils "
    "teils|teils/teils|weder noch|unentschieden, stimme eher zu|trifft eher zu, stimme zu|trifft "
    "zu, stimme voll zu|stimme voll und ganz zu|stimme völlig zu|trifft voll zu|trifft voll und "
    "ganz zu|trifft völlig zu",
    "pas du tout d'accord, pas d'accord, plutôt pas d'accord, neutre|ni d'accord ni pas d'accord|"
    "sans avis, plutôt d'accord, d'accord, tout à fait d'accord",
    "muy en desacuerdo|totalmente en desacuerdo, en desacuerdo, algo en desacuerdo, neutral|ni de "
    "acuerdo ni en desacuerdo|indiferente, algo de acuerdo, de acuerdo, muy de acuerdo|totalmente "
    "de acuerdo",
    "per niente d'accordo|totalmente in disaccordo|fortemente in disaccordo, in disaccordo|non "
    "d'accordo|poco d'accordo, neutrale|né d'accordo né in disaccordo, abbastanza d'accordo, "
    "d'accordo, molto d'accordo|del tutto d'accordo|totalmente d'accordo|completamente d'accordo",
    # Satisfaction.
    "very dissatisfied|very unsatisfied|extremely dissatisfied, dissatisfied|unsatisfied, somewhat "
    "dissatisfied|slightly dissatisfied, neutral|neither satisfied nor dissatisfied, somewhat "
    "satisfied|slightly satisfied, satisfied, very satisfied|extremely satisfied",
    "sehr unzufrieden, unzufrieden, eher unzufrieden, neutral|teils teils|weder noch, eher "
    "zufrieden, zufrieden, sehr zufrieden",
    "très insatisfait|pas du tout satisfait|très insatisfaite, insatisfait|pas satisfait|"
    "insatisfaite, peu satisfait|plutôt insatisfait, neutre|moyennement satisfait, plutôt "
    "satisfait|assez satisfait, satisfait|satisfaite, très satisfait|très satisfaite",
    "muy insatisfecho|muy insatisfecha, insatisfecho|insatisfecha, neutral|indiferente, "
    "satisfecho|satisfecha, muy satisfecho|muy satisfecha",
    "molto insoddisfatto|molto insoddisfatta, insoddisfatto|insoddisfatta, neutrale|indifferente, "
    "soddisfatto|soddisfatta, molto soddisfatto|molto soddisfatta",
    # Importance and interest.
    "not important|not at all important|unimportant|not important at all, slightly important|"
    "somewhat unimportant|less important, neutral|moderately important|somewhat important|fairly "
    "important, important|quite important, very important, extremely important|essential|critical",
    "völlig unwichtig|überhaupt nicht wichtig|gar nicht wichtig, unwichtig|nicht wichtig, eher "
    "unwichtig|weniger wichtig, neutral|teils teils, eher wichtig, wichtig, sehr wichtig",
    "pas du tout important|pas du tout importante, pas important|pas importante, peu important|peu "
    "importante, neutre|assez important|plutôt important|assez importante, important|importante, "
    "très important|très importante",
    "nada importante, poco importante, neutral|algo importante, importante|bastante importante, "
    "muy importante",
    "per niente importante|non importante, poco importante, neutrale|abbastanza importante, "
    "importante, molto importante",
    "not interested|not at all interested|no interest, slightly interested|a little interested, "
    "neutral|somewhat interested|moderately interested, interested, very interested|extremely "
    "interested",
    "very unlikely|extremely unlikely, unlikely, somewhat unlikely, neutral|neither likely nor "
    "unlikely, somewhat likely, likely, very likely|extremely likely",
    # Quality.
    "very poor|very bad|terrible|awful|reject|to reject|unacceptable, poor|bad|weak|insufficient, "
    "below average, fair|average|ok|okay|mediocre|neutral|acceptable|passable|so-so, above average|"
    "quite good|rather good|pretty good, good, very good|great, excellent|outstanding|perfect",
    "ungenügend|sehr schlecht, mangelhaft|schlecht, eher schlecht, ausreichend|mittel|"
    "mittelmäßig|durchschnittlich|geht so|neutral|mäßig, befriedigend|eher gut|ganz gut, gut, sehr "
    "gut, ausgezeichnet|hervorragend|exzellent",
    "à rejeter|très mauvais|très mauvaise|nul|nulle, insuffisant|mauvais|mauvaise|insuffisante, "
    "passable|médiocre, moyen|moyenne|neutre, assez bien|assez bon|assez bonne, bien|bon|bonne, "
    "très bien|très bon|très bonne, excellent|excellente|parfait",
    "muy malo|muy mala|muy mal|pésimo, malo|mala|mal|deficiente, regular|aceptable|neutral|normal, "
    "bueno|buena|bien, muy bueno|muy buena|muy bien|notable, excelente|sobresaliente",
    "pessimo|pessima, scarso|scarsa|cattivo|insufficiente, sufficiente|mediocre|neutrale, discreto|"
    "discreta, buono|buona, molto buono|molto buona|distinto, ottimo|ottima|eccellente",
    "strong reject, reject, weak reject|borderline reject, borderline|neutral, weak accept|"
    "borderline accept, accept, strong accept",
    "definitely not|strong no|strongly dislike|hate|hate it, probably not|dislike|dislike it, "
    "neutral|maybe|indifferent|don't mind|it's ok, probably|like|like it, definitely|strong yes|"
    "love|love it|strongly like",
    # Hiring, and priorities of requirements.
    "strong no hire|definite no|definitely not|"
    "strong no, no hire|no|reject, lean no|lean no hire|weak no, lean "
    "hire|lean yes|weak yes|borderline|maybe, hire|yes|accept, strong hire|strong yes|definite yes",
    "won't|wont|won't have|wont have|would, could|could have, should|should have, must|must have",
    "ablehnen, eher ablehnen, unentschieden, eher einstellen|eher ja, einstellen|ja",
    *_degrees(),
    # Portuguese, Dutch, Polish, Swedish: agreement, satisfaction, importance, quality.
    "discordo totalmente|discordo completamente, discordo, discordo parcialmente|discordo em "
    "parte, neutro|nem concordo nem discordo|indiferente, concordo parcialmente|concordo em parte, "
    "concordo, concordo totalmente|concordo completamente",
    "muito insatisfeito|muito insatisfeita, insatisfeito|insatisfeita, neutro|indiferente, "
    "satisfeito|satisfeita, muito satisfeito|muito satisfeita",
    "nada importante, pouco importante, neutro|mais ou menos importante|razoavelmente importante, "
    "importante|bastante importante, muito importante|extremamente importante",
    "péssimo|péssima|muito mau|muito má|muito ruim, mau|má|ruim|fraco|fraca|insuficiente, "
    "regular|razoável|suficiente|médio|neutro, bom|boa, muito bom|muito boa, excelente|ótimo|ótima",
    "helemaal oneens|volledig oneens|helemaal mee oneens|zeer oneens, oneens|mee oneens, beetje "
    "oneens|enigszins oneens, neutraal|niet eens niet oneens, beetje eens|"
    "enigszins eens, eens|mee eens, helemaal eens|volledig eens|helemaal mee eens|zeer eens",
    "zeer ontevreden, ontevreden, enigszins ontevreden, neutraal, enigszins tevreden, tevreden, "
    "zeer tevreden",
    "helemaal niet belangrijk|totaal onbelangrijk|zeer onbelangrijk, onbelangrijk|niet belangrijk, "
    "minder belangrijk|niet zo belangrijk, neutraal|enigszins belangrijk|redelijk belangrijk, "
    "belangrijk, zeer belangrijk|heel belangrijk|erg belangrijk|uiterst belangrijk",
    "zeer slecht|heel slecht, slecht|onvoldoende, matig|redelijk slecht, voldoende|gemiddeld|"
    "neutraal|redelijk, goed|ruim voldoende, zeer goed|heel goed, uitstekend",
    "zdecydowanie nie|zdecydowanie się nie zgadzam, nie zgadzam się, raczej nie|raczej się nie "
    "zgadzam, neutralnie|ani tak ani nie|trudno powiedzieć, raczej tak|raczej się zgadzam, zgadzam "
    "się, zdecydowanie tak|zdecydowanie się zgadzam",
    "zupełnie nieważne|całkiem nieważne, nieważne|nieistotne, mało ważne|mało istotne, neutralne|"
    "średnio ważne, dość ważne|raczej ważne, ważne|istotne, bardzo ważne|bardzo istotne",
    "bardzo zły|bardzo źle|bardzo słabo|niedostateczny, zły|źle|słabo|słaby|dopuszczający, "
    "średni|średnio|dostateczny|przeciętnie, dobry|dobrze|dobra, bardzo dobry|bardzo dobrze|bardzo "
    "dobra, doskonały|doskonale|celujący|znakomity",
    "bardzo niezadowolony|bardzo niezadowolona, niezadowolony|niezadowolona, neutralny|neutralna, "
    "zadowolony|zadowolona, bardzo zadowolony|bardzo zadowolona",
    "instämmer inte alls|håller inte alls med, instämmer inte|håller inte med, instämmer delvis "
    "inte|instämmer till liten del, neutral|varken eller, instämmer delvis|instämmer till stor "
    "del, instämmer|håller med, instämmer helt|instämmer helt och hållet|håller helt med",
    "inte alls viktigt|inte alls viktig|helt oviktigt, oviktigt|inte viktigt|oviktig, mindre "
    "viktigt|mindre viktig, neutralt|neutral|ganska viktigt|ganska viktig, viktigt|viktig, mycket "
    "viktigt|mycket viktig",
    "mycket dåligt|mycket dålig|underkänt, dåligt|dålig, mindre bra, okej|godkänt|medel|helt ok, "
    "bra|ganska bra, mycket bra|väl godkänt, utmärkt|utmärkta",
    "mycket missnöjd, missnöjd, varken eller|neutral, nöjd, mycket nöjd",
    "not suitable|unsuitable, partly suitable|less suitable, suitable, very suitable|well suited",
    "does not meet|not met|fails, partially meets|partly met, meets|met, exceeds|exceeded",
    # A poll on dates.
    "no|cannot|unavailable, if need be|if needed|if necessary|maybe|(yes)|perhaps, yes|available",
    "nein, vielleicht|unter vorbehalt|wenn nötig|notfalls|bedingt|"
    "wenn es sein muss|zur not|ggf.|(ja), ja",
    "non, peut-être|si nécessaire|si besoin|(oui), oui",
    "no, quizás|quizá|tal vez|si es necesario|a lo mejor, sí|si",
    "no, forse|se necessario, sì|si",
    "não|nao, talvez|se necessário|se for preciso, sim",
    "nee, misschien|indien nodig|als het moet|(ja), ja",
    "nie, może|jeśli trzeba|ewentualnie|(tak), tak",
    "nej, kanske|om det behövs|vid behov|(ja), ja",
    "unavailable, ifneedbe|tentative, available",
    "no, ifneedbe|if-need-be|maybe, yes",
    "thumbs down|👎|👎🏻|👎🏼|👎🏽|👎🏾|👎🏿, thumbs up|👍|👍🏻|👍🏼|👍🏽|👍🏾|👍🏿",
    "😡|😠|😞|😢|🙁|☹|☹️, 😐|😑|😕, 🙂|☺|☺️|😊|😀|😃|😄|😍",
)
# The highest may be the best or the worst.
_UNCLEAR = (
    "never, rarely|seldom|hardly ever|occasionally, sometimes, often|frequently|usually, always",
    "nie, selten, manchmal|gelegentlich, oft|häufig, immer",
    "jamais, rarement, parfois, souvent, toujours",
    "nunca, raramente|rara vez, a veces, a menudo|frecuentemente, siempre",
    "mai, raramente, a volte|qualche volta, spesso, sempre",
    "very low, low, medium|moderate|mid|average, high, very high",
    "niedrig|gering, mittel, hoch, sehr hoch",
    "faible|bas, moyen|moyenne, élevé|élevée|fort|haut",
    "bajo|baja, medio|media, alto|alta",
    "basso|bassa, medio|media, alto|alta",
    "baixo|baixa, médio|média, alto|alta",
    "laag, gemiddeld|midden|matig, hoog, zeer hoog",
    "niski|niska|niskie, średni|średnia|średnie, wysoki|wysoka|wysokie, bardzo "
    "wysoki|bardzo wysoka",
    "låg|lågt, medel|medelhög, hög|högt, mycket hög|mycket högt",
    "sehr niedrig|sehr gering, niedrig|gering, mittel, hoch, sehr hoch",
    "très faible|très bas, faible|bas, moyen|moyenne, élevé|élevée|fort|haut, très élevé|très "
    "élevée|très fort|très haut",
    "muy bajo|muy baja, bajo|baja, medio|media, alto|alta, muy alto|muy alta",
    "molto basso|molto bassa, basso|bassa, medio|media, alto|alta, molto alto|molto alta",
    "nunca, raramente, às vezes|por vezes, frequentemente|muitas vezes, sempre",
    "nooit, zelden, soms, vaak, altijd",
    "nigdy, rzadko, czasami|czasem, często, zawsze",
    "aldrig, sällan, ibland, ofta, alltid",
    "nee|nej|nie|não, ja|tak|sim",
    "no|false|n|nein|non|falsch|faux|falso, yes|true|y|ja|oui|si|sì|sí|wahr|vrai|vero|verdadero",
)
_LETTERS = ("f|f-, e, d-, d, d+, c-, c, c+, b-, b, b+, a-, a, a+",)


def word_of(text: str) -> str:
    """Return a word of a scale as it is compared; the sign of a grade such as A- counts."""
    text = text.strip()
    return text.casefold() if len(text) < 3 and not is_foreign(text) else key(text)


def _scale(text: str, *, clear: bool, grades: bool = False) -> Scale:
    levels = {
        word_of(word): level
        for level, words in enumerate(text.split(", "), 1)
        for word in words.split("|")
    }
    return Scale(levels, clear, grades)


# Beside these words, the highest of low, medium and high is the best.
CLEARING = frozenset(
    {
        *("priority", "priorities", "importance", "important", "interest", "preference"),
        *("prioritat", "wichtigkeit", "wichtig", "interesse", "priorite", "importante"),
        *("important", "prioridad", "importancia", "priorita", "importanza", "prioridade"),
        *("prioriteit", "belang", "belangrijk", "waznosc", "wazne", "priorytet", "viktigt"),
        *("viktig", "viktigast", "prioritet", "quality", "qualitat", "qualite", "calidad"),
        *("qualita", "qualidade", "kwaliteit", "jakosc", "kvalitet", "satisfaction"),
    }
)
# Words of scales from low to high.
AMOUNT_WORDS = frozenset(
    {"high", "hoch", "eleve", "alto", "hoog", "wysoki", word_of("hög"), word_of("élevé")}
)

SCALES = (
    *(_scale(text, clear=True) for text in _SCALES),
    *(_scale(text, clear=True) for text in words_latin.SCALES),
    *(_scale(text, clear=False) for text in _UNCLEAR),
    *(_scale(text, clear=True, grades=True) for text in _LETTERS),
)


@lru_cache(maxsize=1)
def _native() -> tuple[Scale, ...]:
    """Return the scales that only languages in other scripts have."""
    return tuple(_scale(text, clear=True) for text in native_scales())


# Marks of polls in East Asia.
_SHAPES = frozenset("×✕✖△▲○〇◯◎")


def find_scale(cells: Collection[str], *, graded: bool = False) -> Scale | None:
    """Return the scale that has all words of cells; None without one.

    A scale whose best end is clear comes before others, unless the cells have only two words for
    yes and no. Letters are grades only where a name says so (`graded`).

    Example:
        >>> find_scale(["Agree", "Strongly agree", "Disagree"]).clear
        True
        >>> find_scale(["yes", "no"]).clear, find_scale(["tea", "good"])
        (False, None)
    """
    words = {word_of(cell) for cell in cells if len(cell) < 60}
    if not words or len(words) > 20 or any(len(cell) >= 60 for cell in cells):
        return None
    fitting = [
        scale for scale in SCALES if words <= scale.levels.keys() and (graded or not scale.grades)
    ]
    rest = words - _NOT_AT_ALL
    if not fitting and len(words) > len(rest) > 1:
        clear = [each for each in SCALES if each.clear and not each.grades]
        fitting = [each for each in clear if rest <= each.levels.keys()][:1]
    if not fitting and any(is_foreign(cell) or cell.strip() in _SHAPES for cell in cells):
        fitting = [scale for scale in _native() if words <= scale.levels.keys()]
    unclear = next((scale for scale in fitting if not scale.clear), None)
    return unclear or next(iter(fitting), None)
