"""Which end of the numbers of a table is best, by the words around them.

To teach the reader a word, add it to a table below.
"""

from __future__ import annotations

import re
from functools import lru_cache

from concordant.reading import words_latin
from concordant.reading.scales import SCALES, word_of
from concordant.reading.scripts import english
from concordant.reading.words import folded, key, role_words, tokens

_BEST = (
    r"(?:the\s+|der\s+|die\s+|le\s+|la\s+)?(?:best|beste[rs]?|excellent|outstanding|exceptional|perfect|sehr\s+gut|meilleure?"
    r"|tres\s+bien|mejor|excelente|melhor|migliore|ottimo|favou?rite|most\s+preferred|highest"
    r"|most\s+liked|most\s+important|najleps\w+|bast|bra|mycket\s+bra|utmarkt|uitstekend|heel\s+goed|zeer\s+goed|perfekt|parfait\w*"
    rf"|{words_latin.BEST}"
    r"|(?:like|love)(?:\s+it)?\s+(?:extremely|very\s+much|a\s+lot)|love\s+it"
    r"|strong(?:ly)?\s+(?:accept|agree)|ideal|eccellente|sobresaliente|hochste[rs]?|wichtigste\w*|am\s+besten|am\s+wichtigsten)\b"
)
_WORST = (
    r"(?:the\s+|der\s+|die\s+|le\s+|la\s+)?(?:worst|schlechteste[rs]?|terrible|awful|very\s+bad|bad|poor"
    r"|sehr\s+schlecht|mauvaise?|pire|peor|malo|pior|mau|ruim|peggiore|pessimo|least\s+preferred|lowest"
    rf"|{words_latin.WORST}"
    r"|least\s+liked|least\s+important|najgors\w+|samst|dalig\w*|mycket\s+dalig\w*|slechtst\w*|slecht|zeer\s+slecht|nul|niedrigste\w*"
    r"|(?:dislike|hate)(?:\s+it)?(?:\s+(?:extremely|very\s+much|a\s+lot))?"
    r"|strong(?:ly)?\s+(?:reject|disagree)|unwichtigste\w*|am\s+schlechtesten)\b"
)
_IS = r"\s*(?:=|:|→|\bis\b|\bist\b|\best\b|\bes\b|\bjest\b|\bar\b|\be\b|\bmeans\b|\(|-|–)\s*"
_HIGHER = re.compile(
    r"↑|⬆|▲|/ ?(?:5|6|10|20|100)\b|\bmax\.? ?\d|\bout of \d|\bsur (?:10|20)\b"
    r"|\bsur (?:5|6|100)\b|\bvon (?:5|10|100)\b|\bsobre (?:5|10|100)\b|\bsu (?:10|100)\b"
    r"|\b(?:higher|larger|more|bigger|highest) (?:is |= )?(?:better|best)"
    r"|(?:hohere?r?|mehr|grosser) (?:ist|sind) besser"
    r"|je hoher (?:,|je|desto|umso)|hoger is beter|hogre ar battre"
    r"|wyzs\w+ (?:=|znaczy|jest)? ?leps\w+|(?:mas|mayor) (?:alt[oa] |es |la |el |= )*mejor"
    r"|piu alt[oa] (?:e |= )?meglio"
    r"|(?:hoher|hoch|hoger|mas alt[oa]|plus haute?|plus elevee?|piu alt[oa]|maior|mais alt[oa])"
    r" ?= ?"
    r"(?:besser|gut|beter|mejor|mieux|meilleure?|meglio|miglior[ei]?|melhor)"
    r"|\bmaximi[sz]\w+|\bmaximier\w+|\bmassimizz\w+|\bmaximaliser\w+"
    r"|plus (?:haut|eleve)[^.]*mieux|maior (?:e |= )?melhor|\bna (?:5|10|100)\b"
    r"|\b(?:highest|high|most|largest|longest)(?: \w+){1,2} wins\b"
    r"|\b(?:hochst|meist)\w*(?: \w+){1,2} gewinnt|plus (?:haut|eleve|grand)[^.]*\bgagne"
    rf"|{words_latin.HIGHER}"
    r"|\b(?:mayor|mas)\b[^.]*\bgana\b|\b(?:maggior|piu alt)\w*[^.]*\bvince\b"
)
_LOWER = re.compile(
    r"↓|⬇|▼|\b(?:lower|smaller|less|fewer|lowest) (?:is |= )?(?:better|best)|niedriger ist besser"
    r"|(?:niedriger|weniger|kleiner|lager|menos|mas bajo|plus bas|moins|meno|piu basso|menor|"
    r"mais baixo) ?= ?(?:besser|gut|beter|mejor|mieux|meglio|melhor)"
    r"|\bminimi[sz]\w+|\bminimier\w+|\bminimizz\w+|\bminimaliser\w+"
    r"|(?:weniger|kleiner|geringer|niedrigere?r?) (?:ist|sind) besser"
    r"|lager is beter|lagre ar battre|menor (?:es |e |= )?(?:mejor|melhor)"
    r"|piu basso (?:e |= )?meglio|nizs\w+ (?:=|znaczy|jest)? ?leps\w+"
    r"|\b(?:lowest|low|fewest|least|smallest|shortest|fastest)(?: \w+){0,2} wins\b"
    r"|\b(?:niedrigst|wenigst|kleinst)\w*(?: \w+){1,2} gewinnt"
    r"|\b(?:moins|plus (?:bas|petit))\b[^.]*\bgagne|\b(?:menor|menos)\b[^.]*\bgana\b"
    rf"|{words_latin.LOWER}"
    r"|\b(?:minor|meno|piu bass)\w*[^.]*\bvince\b"
)


# Ends of a scale that are good or bad as the question is.
_NOT = (
    r"gar nicht|uberhaupt nicht|garnicht|not at all|pas du tout|nada|per niente|per nulla|low"
    r"|niedrig|gering|faible|bajo|basso|baixo|laag|de forma alguma|helemaal niet|wcale|inte alls"
)
_MUCH = (
    r"sehr|sehr stark|voll(?: und ganz)?|very(?: much)?|extremely|a lot|beaucoup|enormement|tres"
    r"|high|hoch|eleve|alto|alta|hoog|mucho|muchisimo|muy|molto|moltissimo|muito|heel(?: erg)?|erg"
    r"|zeer|bardzo|mycket|valdigt"
)
_AMOUNT = re.compile(rf"\b(\d{{1,3}}){_IS}(?:({_NOT})|({_MUCH}))\b")
_WANTED = re.compile(
    r"\b(?:interess|interes|wichtig|gefall|gefiel|zufried|nutzlich|hilfreich|wunsch|mocht|mogen|freu|"
    r"important|import|useful|helpful|like|enjoy|want|satisf|recommend|excit|utile|utiles|util|plai|"
    r"aime|souhait|gusta|gosta|piac|quer|recom|belangrijk|leuk|nuttig|wazn|podoba|viktig|gilla|"
    r"priorit|prioridad|benefit|nutzen|qualit|kwalit|contribut|beitrag)"
)


@lru_cache(maxsize=16384)
def best_end(text: str) -> str | None:
    """Return "scores" or "ranks" where a text says that the highest or the lowest is best.

    Example:
        >>> (
        ...     best_end("Accuracy ↑"),
        ...     best_end("1 = best"),
        ...     best_end("from 1 (poor) to 10 (excellent)"),
        ... )
        ('scores', 'ranks', 'scores')
    """
    plain = folded(english(text))
    found = set()
    if _HIGHER.search(plain):
        found.add("scores")
    if _LOWER.search(plain):
        found.add("ranks")
    for match in _LEGEND.finditer(plain):
        # "5 = muy bien": the words of the scales tell the end.
        end = _scale_end(match[2])
        if end is not None:
            found.add("ranks" if (int(match[1]) <= 1) == (end == "best") else "scores")
    if _WANTED.search(plain):
        # "How much do you like these? 1 = not at all, 5 = very much".
        found |= {
            "ranks" if (int(match[1]) <= 1) == bool(match[3]) else "scores"
            for match in _AMOUNT.finditer(plain)
        }
    for words, low, high in ((_BEST, "ranks", "scores"), (_WORST, "scores", "ranks")):
        for match in re.finditer(rf"\b(\d{{1,3}}){_IS}{words}|\b{words}{_IS}(\d{{1,3}})\b", plain):
            value = int(match[1] or match[2])
            found.add(low if value <= 1 else high)
    return found.pop() if len(found) == 1 else None


_GOALS = {
    **dict.fromkeys(
        ("max", "high", "higher", "benefit", "hoch", "nutzen", "haut", "alto", "hoog", "+"),
        "scores",
    ),
    **dict.fromkeys(
        (
            "min",
            "low",
            "lower",
            "cost",
            "niedrig",
            "kosten",
            "bas",
            "bajo",
            "basso",
            "baixo",
            "laag",
        ),
        "ranks",
    ),
}


def goal_end(cell: str) -> str | None:
    """Return the best end that a whole cell names as a goal: max, lower, cost.

    Example:
        >>> goal_end("Max."), goal_end("lower"), goal_end("Maxi")
        ('scores', 'ranks', None)
    """
    return _GOALS.get(folded(english(cell.strip().rstrip("."))))


_LEGEND = re.compile(r"\b(\d{1,3})\s*(?:=|:|\(|-|–)\s*([^\W\d_][^,;.()=…\d]*)")


def _scale_end(text: str) -> str | None:
    """Return "best" or "worst" where a word is at an end of a scale whose best end is clear."""
    word = word_of(text)
    for scale in SCALES:
        if scale.clear and not scale.grades and word in scale.levels:
            level, most = scale.levels[word], max(scale.levels.values())
            if level >= most - 1 and most > 2:
                return "best"
            if level <= 2 and most > 4:
                return "worst"
    return None


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# -- words for what numbers measure ----------------------------------------------------------

# Shares of what is right: a remark that names them says what all numbers are.
SHARES = _set(
    "accuracy accuracies genauigkeit exactitude exactitud accuratezza acuracia nauwkeurigheid "
    "dokladnosc noggrannhet"
)
# Words for points of any kind, also in titles.
POINTS = SHARES | _set(
    "points point pts merit score scores scoring scored rating ratings rated stars marks "
    "punkte punkten punktzahl wertung bewertung bewertungen sterne "
    "notation etoiles puntos puntuacion puntuaciones puntaje calificacion calificaciones "
    "estrellas punteggio punteggi punti valutazione valutazioni stelle pontos "
    "pontuacao avaliacao estrelas punten cijfers punkty punktow punktacja ocena oceny poang betyg "
    "likes sales sold downloads " + words_latin.POINTS
)
# German words for marks: at school 1 is the best of 6, elsewhere the highest is.
MARKS = _set("note noten bewertung bewertungen")
PLACES = _set(
    words_latin.PLACES + " "
    "rank ranks ranking ranked place places placing position rang platz platze platzierung "
    "classement puesto posicion posto posizione classifica colocacao posicao plaats positions "
    "placings ordinals platzierungen rangs puestos posiciones posizioni posicoes plaatsen "
    "miejsce miejsca pozycja placering placeringar plats finish finishing"
)
# Jumps and throws: the longest is best, and a title says it of all numbers.
_FIELD_EVENTS = _set(
    "jump javelin discus hammer shotput weitsprung hochsprung kugelstossen stabhochsprung "
    "dreisprung speerwurf diskuswurf hammerwurf triplejump longjump highjump polevault"
)
# Words for an order: "put these points in order" speaks of places.
ORDERS = _set(
    "order ordre orden ordine ordem reihenfolge rangfolge rangordnung volgorde rangorde kolejnosc "
    "ordning rangordning turordning"
)
_HIGH = (
    POINTS | _FIELD_EVENTS | frozenset(role_words("score")) - {"percent", "percentage"}
) | _set(
    "success survival pass em exactmatch quality revenue profit yield throughput speedup reward r2 "
    "auroc auprc "
    "iou "
    "dice psnr ssim meteor chrf spbleu rouge1 rouge2 rougel "
    "f1score f1macro f1micro fscore kappa correlation pearson spearman genauigkeit treffer "
    "trefferquote precisione exactitude rappel nota notas voto voti "
    "jump throw javelin discus hammer weite weitsprung hochsprung wurf kugelstossen saut lancer "
    "lanzamiento lancio misura sprungweite wurfweite put shot shotput vault kugel diskus speer "
    "stabhoch stabhochsprung dreisprung weit hoch longueur hauteur perche disque javelot longitud "
    "altura pertiga disco jabalina giavellotto citescore sjr snip hindex citations altmetric "
    "sales sold likes downloads views clicks visits eaten umsatz absatz ventes ventas vendite "
    "zitationen poang betyg punkty punktow ocena oceny grades notes salto sprong skok rzut hopp "
    "kast arremesso schlagball schlagballwurf ballwurf weitwurf ballweitwurf medizinballwurf"
)
LOW = frozenset(role_words("low score")) | _set(
    "times runtime seconds ms msec millis lag cost costs price fehler fehlerpunkte erreur erreurs "
    "errores errori erros faults fouls violations defects bugs failures failure false misses "
    "latenz latence latencia latenza ppl nll rmsle mape smape logloss brier ter eer der lpips kid "
    "pvalue pval padj qvalue fdr emissions co2 consumption verbrauch kosten coste costo custo "
    "schulnote schulnoten strafpunkte golf strokes schlage sailing regatta segeln handicap "
    "duree durata duracion duracao zeiten minuten minutes sekunden secondes "
    "segundos secondi hurdles hurden haies vallas ostacoli steeplechase marathon halfmarathon "
    "gap gaps ruckstand ecart ecarts distacco achterstand widerstand weerstand readmission "
    "odds quoten cote cotes cuota cuotas "
    "readmissions wiederaufnahmen wartezeit wachttijd waiting complaints beschwerden"
)
# Points that are better low: beside these, "points" and "score" show nothing.
_MINUS = _set(
    "error errors loss penalty penalties false fehler erreur erreurs errores errori faults "
    "failure failures golf strokes strafpunkte fehlerpunkte brier penalite penalites penalizacion "
    "penalita penalizacoes strafpunten resistance widerstand weerstand resistencia resistenza "
    "objection objections einwand einwande demerit demerits malus"
)


# A range of marks: "voti da 1 a 10".
_MARKS_TO = re.compile(r"\b[01]\s?(?:a|al|to|bis|tot|do|till|-|–)\s?(?:10|20|100)\b")
_MINUS_POINTS = re.compile(
    r"(?:straf|fehler|minus|wider|abzug|malus|schlecht|negativ|frust|risiko|schmerz)\w*"
    r"(?:punkte|punkten|punktzahl|punten|poang)$"
)
# "Rate each dish", in German only beside numbers that are no marks.
_ASKS_TO_RATE = re.compile(
    r"(?:please |bitte |por favor,? )?(?:rate|score|puntua\w*|puntue\w*|valora\w*|valore\w*|"
    r"califi\w+|notez|evaluez|vota|votate|valuta\w*|avalia\w*|avalie\w*|pontua\w*|pontue\w*|beoordeel|"
    r"ocen|betygsatt)\b(?! of\b)"
)
# "Number of errors": a title that counts what should be few.
_COUNTED_FAULTS = re.compile(
    r"\b(?:number of|anzahl(?: der)?|zahl der|nombre d[e']|numero (?:de|di)|aantal|liczba|antal) ?"
    r"(?:errors|faults|mistakes|fehler|erreurs|fautes|errores|faltas|errori|erros|fouten|bledow|fel)\b"
)
SYSTEM = re.compile(r"scoring system|wertungssystem|systeme de points", re.IGNORECASE)
# A measure of the first few of a list: R@1000.
_AT = re.compile(r"[A-Za-z]@\d")
# Ends of compounds: Gesamtpunkte, netscore.
_POINTS_ENDS = ("punkte", "punktzahl", "sterne", "score", "rating", "accuracy")


_NEGATED = _set("neg negated")
# Units of time, in brackets or at the end of a name of a variable.
_UNIT = re.compile(
    r"[(\[]\s*(?:s|sec|secs|sek|seconds?|ms|msec|min|mins|minutes?|h|hours?|min:s|min:sec|"
    r"m?m:ss(?:[.,]\w+)?|h?h:mm(?::ss)?(?:[.,]\w+)?|sekunden|secondes|segundos|secondi|ns|us|µs)"
    r"\.?\s*[)\]]|(?<=[a-z])_(?:s|sec|secs|ms|us|ns)$"
)
_RATE = re.compile(
    r"(?:/|\bper |_per_|(?:tok|tokens?|req|ops|it|img|images|samples|mb|gb)_)s(?:ec)?\b"
)
_TRACK = re.compile(r"\s*(\d{2,5})\s?(?:m|meter|metres?|meters|metros|metri|yards?|yd)\b")
_SHOOTING = _set("pistol rifle pistole gewehr pistolet carabine pistola carabina air bow bogen")


def _is_track(text: str) -> bool:
    """Return whether a name such as `400 m` or `110 m hurdles` is that of a race."""
    found = _TRACK.match(folded(text))
    return found is not None and int(found[1]) >= 40 and not _SHOOTING & set(tokens(text))


_VALUE = ("wert", "valeur", "valor", "valore", "waarde")


def is_p_value(name: str) -> bool:
    """Return whether a name such as `p_cohort1` or `q (FDR)` speaks of p-values.

    Example:
        >>> is_p_value("p_cohortA"), is_p_value("P. Smith"), is_p_value("adj.P.Val")
        (True, False, True)
    """
    words = tokens(name)
    ends = words[:1] + words[-1:]
    known = _set("pvalue pvalues pval pvals padj qvalue qval fdr")
    return bool(
        known & set(words)
        or ({"p", "q"} & set(ends) and (name.strip()[:1].islower() or len(words) == 1))
        or ("p" in words and {"value", "val", "values", "adj", *_VALUE} & set(words))
    )


def speaks_of_places(text: str) -> bool:
    """Return whether a text speaks of ranks, and of nothing that is measured."""
    words = set(tokens(text))
    return bool(words & PLACES) and not words & (LOW | POINTS)


# Words in the name of a file that name a measure. `prices` may be its subject, and `scores` says
# too little: a file may be kept under that name whatever it holds.
_FILE_LOW = _set(
    "runtime runtimes laptime laptimes rmse latency latencies perplexity strafpunkte fehlerpunkte"
)
_FILE_HIGH = _set("auc auroc bleu ndcg mrr winrate")


def file_end(name: str) -> str | None:
    """Return the best end of the measure that the name of a file speaks of.

    Example:
        >>> file_end("auc_by_method"), file_end("solver_runtimes"), file_end("wine_scores")
        ('scores', 'ranks', None)
    """
    words = set(tokens(name))
    low, high = bool(words & _FILE_LOW), bool(words & _FILE_HIGH)
    if words & (PLACES | ORDERS | POINTS) or (low and high):
        return best_end(name)
    return "scores" if high else "ranks" if low else best_end(name)


@lru_cache(maxsize=16384)
def metric_end(text: str, *, large: bool = False, title: bool = False) -> str | None:
    """Return "scores" or "ranks" by what a name says its numbers are: `RMSE`, `Judge 1 score`.

    Args:
        text: The name of a column, a title or a question.
        large: Whether numbers are above 6, so that they are no school marks with 1 as the best.
        title: Whether the text stands above the table: then only words for points count.

    Example:
        >>> metric_end("Judge 1 score"), metric_end("Error rate"), metric_end("Platz Lauf 1")
        ('scores', 'ranks', 'ranks')
        >>> metric_end("Score sheet", title=True), metric_end("Lap times", title=True)
        ('scores', None)
    """
    # "Scoring system: Appendix A" does not say what the numbers are.
    words = set(tokens(SYSTEM.sub(" ", text))) | {key(text)}
    words |= {word.rstrip("0123456789") for word in words} - {""}
    if "DER" not in text:
        # An error rate in capitals, else a German article.
        words.discard("der")
    if "p" in words and words & {"value", "val", "values", "adj", "adjusted", *_VALUE}:
        words.add("pvalue")
    if title and _ASKS_TO_RATE.match(folded(text).strip()) and "rank" not in words:
        words.add("rating")
    if _AT.search(text):
        # "nDCG@10", "Hits@1".
        words.add("ndcg")
    if {"impact", "factor"} <= words:
        words.add("citescore")
    if _RATE.search(folded(text)):
        words = words - {"s", "sec", "ms"} | {"throughput"}
    elif _UNIT.search(folded(text)) or _is_track(text):
        words.add("seconds")
    points = POINTS if title and not _MARKS_TO.search(folded(text)) else _HIGH
    low, high = bool(words & LOW), bool(words & points)
    if low and not high and words & _NEGATED:
        # Scorers that are called neg_log_loss.
        return "scores"
    if words & MARKS:
        # German marks: 1 is the best of 6.
        if not large:
            return None
        high = True
    minus = bool(words & _MINUS) or any(_MINUS_POINTS.match(word) for word in words)
    compound = any(word.endswith(_POINTS_ENDS) for word in words)
    if (high or compound) and minus:
        # "Widerstandspunkte", "penalty points".
        return "ranks"
    high = high or (compound and not low)
    places = bool(words & PLACES)
    if title and words & _FIELD_EVENTS and not words & PLACES:
        return "scores"
    if title and not high and _COUNTED_FAULTS.search(folded(text)):
        return "ranks"
    if title:
        return "scores" if high and not low and not places else None
    if low and words & _MINUS:
        return "ranks"
    if high + (low or places) != 1:
        return None
    return "scores" if high else "ranks"
