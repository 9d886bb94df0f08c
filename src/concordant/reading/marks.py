"""Marks in cells: bold and the like of Markdown, LaTeX and web pages; raised and lowered text."""

from __future__ import annotations

import re

_SYMBOLS = {
    "pm": "±",
    "mp": "∓",
    "uparrow": "↑",
    "downarrow": "↓",
    "Uparrow": "⇑",
    "Downarrow": "⇓",
    "nearrow": "↗",
    "searrow": "↘",
    "rightarrow": "→",
    "leftarrow": "←",
    "to": "→",
    "times": "×",
    "cdot": "·",
    "succ": ">",
    "prec": "<",
    "sim": "~",
    "approx": "≈",
    "geq": "≥",
    "leq": "≤",
    "ge": "≥",
    "le": "≤",
    "dagger": "†",
    "ddagger": "‡",
    "star": "★",
    "bigstar": "★",
    "ast": "*",
    "checkmark": "✓",
    "cmark": "✓",
    "xmark": "✗",
    "circ": "°",
    "degree": "°",
    "infty": "∞",
    "ldots": "…",
    "dots": "…",
    "textpm": "±",
    "textuparrow": "↑",
    "textdownarrow": "↓",
    "textbackslash": "\\",
    "textasciitilde": "~",
    "textendash": "–",
    "textemdash": "—",
    "euro": "€",
    "pounds": "£",
    "ss": "ß",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "aa": "å",
    "AA": "Å",
    "i": "ı",
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "lambda": "λ",
    "mu": "µ",
    "tau": "τ",
    "Delta": "Δ",
}
_BLANKS = frozenset({"quad", "qquad", "enspace", "thinspace", "newline", "linebreak", "par"})
# Accents on the next letter, as combining characters.
_ACCENTS = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "c": "\u0327",
    "k": "\u0328",
}
# For each command, the number of its arguments that are no text: those that come first.
_DROPPED = {
    **dict.fromkeys(("textcolor", "colorbox", "href", "rotatebox", "scalebox", "raisebox"), 1),
    **dict.fromkeys(("parbox", "begin", "foreignlanguage", "adjustbox", "hyperref"), 1),
    **dict.fromkeys(("color", "cellcolor", "rowcolor", "columncolor", "label", "ref", "eqref"), 1),
    **dict.fromkeys(("autoref", "cref", "Cref", "cite", "citep", "citet", "citeauthor"), 1),
    **dict.fromkeys(("parencite", "textcite", "footcite", "footnote", "footnotemark", "tnote"), 1),
    **dict.fromkeys(("footnotetext", "vspace", "hspace", "phantom", "hphantom", "vphantom"), 1),
    **dict.fromkeys(("includegraphics", "index", "fontsize", "end", "arraystretch"), 1),
    **dict.fromkeys(("hskip", "vskip", "bibliographystyle", "setlength", "input"), 1),
    **dict.fromkeys(("resizebox", "rule", "multicolumn", "multirow", "fcolorbox", "vcenter"), 2),
}
_WITHOUT_GROUP = frozenset({"footnotemark", "vcenter"})
_DINGS = {"51": "✓", "52": "✓", "55": "✗", "56": "✗", "72": "★", "73": "★"}
_TOKEN = re.compile(
    r"\\([A-Za-z]+)\*?[ \t]*|\\(.)|([{}$^_~&])|(-{2,3})|([^\\{}$^_~&-]+|-)", re.DOTALL
)
_OPTION = re.compile(r"\s*\[([^\[\]]*)\]")
_POWER = re.compile(r"(\d)\s*[×·x]\s*10\^([+-]?\d{1,3})(?!\d)")
_THIN = re.compile(r"(?<=\d)\\[,;:!](?=\d{3}(?!\d))")
# Other backslashes stand in the names of files.
_LATEX = re.compile(
    r"\\[A-Za-z]+\s?[{\[]|\$[^$]+\$|\\[%&_#$,]|\\(?:pm|times|uparrow|downarrow)(?![A-Za-z])"
)
_MATH = re.compile(r"\\[()\[\]]")
_MOST_DEEP = 200

_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|re|ère|e|ème|de|ste|[oaºª])\.?", re.IGNORECASE)
_FOOTNOTE = re.compile(r"[*∗†‡§¶#★]+|[a-z](?:,\s?[a-z])*|\[\w{1,3}\]", re.IGNORECASE)
_EMPHASIS = re.compile(r"(\*\*|__|\*|`|~~)(.+)\1")


def without_marks(cell: str) -> str:
    r"""Return a cell without the marks of Markdown or LaTeX for bold and the like.

    Example:
        >>> without_marks("**68.9 ± 0.3**"), without_marks(r"\textbf{91.2} $\pm$ 0.2")
        ('68.9 ± 0.3', '91.2 ± 0.2')
    """
    text = cell.strip()
    if _LATEX.search(text):
        text = without_latex(text)
    while match := _EMPHASIS.fullmatch(text):
        text = match[2].strip()
    return re.sub(r"</?(?:b|i|strong|em|u)>", "", text)


def script(before: str, text: str, *, raised: bool) -> str:
    """Return raised or lowered text, which must not become further digits of a number.

    Args:
        before: The text that it follows.
        text: The raised or lowered text.
        raised: Whether it is raised.

    Example:
        >>> script("85.3", "±0.2", raised=False), script("85.3", "0.2", raised=False)
        (' ±0.2', ' ± 0.2')
        >>> script("85", "2", raised=True), script("1", "st", raised=True)
        ('^2', 'st')
    """
    text = " ".join(text.split()).replace("−", "-")
    if not text or before.rstrip()[-1:] not in tuple("0123456789.%)"):
        return text
    if text[0] in "±∓":
        return f" {text}"
    if _ORDINAL.fullmatch(text):
        return text
    if _FOOTNOTE.fullmatch(text):
        return ""
    if re.fullmatch(r"[+-]\d+\.\d+", text) or (not raised and re.fullmatch(r"[+-]\d+", text)):
        # The error of a measurement in one direction.
        return ""
    if not raised and re.fullmatch(r"\(?\d+(?:\.\d+)?\)?", text):
        return f" ± {text.strip('()')}"
    return f"{'^' if raised else '_'}{text}"


def without_latex(text: str) -> str:
    r"""Return LaTeX as plain text: its letters and numbers, without commands.

    Example:
        >>> without_latex(r"\textbf{gpt\_4} {\scriptsize $3.82_{\pm 0.17}$} \cite{x}")
        'gpt_4 3.82 ± 0.17'
    """
    text = _MATH.sub("$", _THIN.sub("", text)) if "\\" in text else text
    # Each open group: its parts, and what becomes of it.
    stack: list[tuple[list[str], str]] = [([], "")]
    math = False
    pending = ""
    dropped = 0
    place = 0
    # A single $ is an amount of money.
    paired = len(re.findall(r"(?<!\\)\$", text)) % 2 == 0

    def add(piece: str) -> None:
        nonlocal pending, dropped
        kind, pending = pending, ""
        if kind:
            piece = _finished(stack[-1][0], piece[:1], kind) + piece[1:]
        stack[-1][0].append(piece)
        dropped = 0

    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            break
        place = match.end()
        command, symbol, mark, dashes, plain = match.groups()
        if command is not None:
            bare = text[place - 1] in " \t"
            if command in _DROPPED and not pending:
                dropped = _DROPPED[command]
                while option := _OPTION.match(text, place):
                    place = option.end()
                if command == "begin" and text[place : place + 1] == "{":
                    # A table in a cell has the alignment of its columns too.
                    close = text.find("}", place)
                    after = text[close + 1 : close + 2]
                    dropped = 2 if close > 0 and after in ("{", "[") else 1
                if command in _WITHOUT_GROUP and text[place : place + 1] != "{":
                    dropped = 0
            elif command in ("textsuperscript", "textsubscript", "ding"):
                pending = command
            elif command in _ACCENTS and len(command) == 1 and text[place : place + 1] == "{":
                pending = f"accent{command}"
            elif command in _SYMBOLS:
                sign = _SYMBOLS[command]
                add(f"{sign} " if bare and not sign.isalpha() else sign)
            elif command in _BLANKS or command in ("tabularnewline", "cr"):
                add(" ")
            else:
                while option := _OPTION.match(text, place):
                    place = option.end()
        elif symbol is not None:
            if symbol in _ACCENTS and symbol in "`'^~=.\"":
                pending = f"accent{symbol}"
            else:
                add(" " if symbol in "\\,;:! \n\t/@" else "" if symbol == "-" else symbol)
        elif mark == "{":
            if len(stack) > _MOST_DEEP:
                return text
            kind = "drop" if dropped else pending
            left = dropped - 1 if dropped else 0
            pending, dropped = "", 0
            stack.append(([], f"{kind}{left}" if kind == "drop" else kind))
        elif mark == "}":
            if len(stack) > 1:
                parts, kind = stack.pop()
                inside = "".join(parts)
                if kind.startswith("drop"):
                    dropped = int(kind[4:])
                    while option := _OPTION.match(text, place):
                        place = option.end()
                elif kind:
                    stack[-1][0].append(_finished(stack[-1][0], inside, kind))
                else:
                    stack[-1][0].append(inside)
        elif mark == "$" and paired:
            math = not math
        elif mark in ("^", "_") and math:
            pending = "textsuperscript" if mark == "^" else "textsubscript"
        elif mark == "~":
            add(" ")
        elif dashes is not None:
            add("–" if len(dashes) == 2 else "—")
        else:
            if dropped and (plain or "").isspace():
                continue
            add(mark or plain or "")
    while len(stack) > 1:
        parts, _ = stack.pop()
        stack[-1][0].extend(parts)
    found = " ".join("".join(stack[0][0]).split())
    return _POWER.sub(r"\1e\2", found) if "^" in found else found


def _finished(before: list[str], inside: str, kind: str) -> str:
    """Return the text of a group or a letter that an accent or a script applies to."""
    if kind.startswith("accent"):
        import unicodedata

        letter = inside[:1].replace("ı", "i")
        return unicodedata.normalize("NFC", letter + _ACCENTS[kind[6:]]) + inside[1:]
    if kind == "ding":
        return _DINGS.get(inside.strip(), "")
    return script("".join(before[-8:]), inside, raised=kind == "textsuperscript")
