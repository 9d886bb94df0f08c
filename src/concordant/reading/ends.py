"""Which end of the numbers of a table is best, by the words around them.

To teach the reader a word, add it to a table below.
"""

from __future__ import annotations

import re
from functools import lru_cache

from concordant.reading.scales import SCALES, word_of
from concordant.reading.words import folded, key, role_words, tokens

_BEST = (
    r"(?:the\s+|der\s+|die\s+|le\s+|la\s+)?(?:best|beste[rs]?|excellent|outstanding|exceptional|perfect|sehr\s+gut|meilleure?"
    r"|tres\s+bien|mejor|excelente|melhor|migliore|ottimo|favou?rite|most\s+preferred|highest)\b"
)
_WORST = (
    r"(?:the\s+|der\s+|die\s+|le\s+|la\s+)?(?:worst|schlechteste[rs]?|terrible|awful|very\s+bad|bad|poor"
    r"|sehr\s+schlecht|mauvaise?|pire|peor|malo|pior|mau|ruim|peggiore|pessimo|least\s+preferred|lowest)\b"
)
_IS = r"\s*(?:=|:|\bis\b|\bist\b|\best\b|\bes\b|\(|-|–)\s*"
_HIGHER = re.compile(
    r"↑|⬆|▲|/ ?(?:5|6|10|20|100)\b|\bmax\.? ?\d|\bout of \d|\bsur (?:10|20)\b"
    r"|\bsur (?:5|6|100)\b|\bvon (?:5|10|100)\b|\bsobre (?:5|10|100)\b|\bsu (?:10|100)\b"
    r"|\b(?:higher|larger|more|bigger|highest) (?:is |= )?(?:better|best)"
    r"|hoher ist besser|mehr ist besser"
)
_LOWER = re.compile(
    r"↓|⬇|▼|\b(?:lower|smaller|less|fewer|lowest) (?:is |= )?(?:better|best)|niedriger ist besser"
    r"|weniger ist besser"
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
    plain = folded(text)
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
    for words, low, high in ((_BEST, "ranks", "scores"), (_WORST, "scores", "ranks")):
        for match in re.finditer(rf"\b(\d{{1,3}}){_IS}{words}|\b{words}{_IS}(\d{{1,3}})\b", plain):
            value = int(match[1] or match[2])
            found.add(low if value <= 1 else high)
    return found.pop() if len(found) == 1 else None


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

# Words for points of any kind, also in titles.
POINTS = _set(
    "points point pts score scores scoring scored rating ratings rated stars marks "
    "punkte punkten punktzahl wertung bewertung bewertungen sterne "
    "notation etoiles puntos puntuacion puntuaciones puntaje calificacion calificaciones "
    "estrellas punteggio punteggi punti valutazione valutazioni stelle pontos "
    "pontuacao avaliacao estrelas punten cijfers"
)
PLACES = _set(
    "rank ranks ranking ranked place places placing position rang range platz platze platzierung "
    "classement puesto posicion posto posizione classifica colocacao posicao plaats"
)
_HIGH = (POINTS | frozenset(role_words("score")) - {"percent", "percentage"}) | _set(
    "success survival quality revenue profit yield throughput speedup reward r2 auroc auprc iou "
    "dice psnr ssim meteor chrf spbleu rouge1 rouge2 rougel "
    "f1score f1macro f1micro fscore kappa correlation pearson spearman genauigkeit treffer "
    "trefferquote precisione exactitude rappel nota notas voto voti "
    "jump throw javelin discus hammer weite weitsprung hochsprung wurf kugelstossen saut lancer "
    "lanzamiento lancio misura sprungweite wurfweite"
)
_LOW = frozenset(role_words("low score")) | _set(
    "times runtime seconds ms msec millis lag cost costs price fehler fehlerpunkte erreur erreurs "
    "errores errori erros faults fouls violations defects bugs failures failure false misses "
    "latenz latence latencia latenza ppl nll rmsle mape smape logloss brier ter eer der lpips kid "
    "pvalue pval padj qvalue fdr emissions co2 consumption verbrauch kosten coste costo custo "
    "schulnote schulnoten strafpunkte golf strokes schlage sailing regatta segeln handicap "
    "duree durata duracion duracao zeiten minuten minutes sekunden secondes "
    "segundos secondi"
)
# Points that are better low: beside these, "points" and "score" show nothing.
_MINUS = _set(
    "error errors loss penalty penalties false fehler erreur erreurs errores errori faults "
    "failure failures golf strokes strafpunkte fehlerpunkte brier"
)


# Ends of compounds: Gesamtpunkte, netscore.
_POINTS_ENDS = ("punkte", "punktzahl", "sterne", "score", "rating", "accuracy")


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
    words = set(tokens(text)) | {key(text)}
    words |= {word.rstrip("0123456789") for word in words} - {""}
    if {"p", "value"} <= words:
        words.add("pvalue")
    low, high = bool(words & _LOW), bool(words & (POINTS if title else _HIGH))
    if words & {"note", "noten"}:
        if not large:
            return None
        high = True
    if (
        any(
            word.endswith(("punkte", "punktzahl", "sterne", "score", "rating", "accuracy"))
            for word in words
        )
        and not low
    ):
        high = True
    places = bool(words & PLACES)
    if title:
        return "scores" if high and not low and not places else None
    if low and words & _MINUS:
        return "ranks"
    if high + (low or places) != 1:
        return None
    return "scores" if high else "ranks"
