"""The file that a result comes from, and the commands that repeat and check it."""

from __future__ import annotations

import hashlib
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concordant._files import explained
from concordant.errors import ConcordantError

if TYPE_CHECKING:
    from concordant.consensus import Consensus

_CHUNK = 1 << 20


@dataclass(frozen=True)
class Source:
    """The file that a result was computed from.

    Attributes:
        name: Its name without the folder.
        size: Its size in bytes.
        digest: Its SHA-256.
        options: The command-line options that it was read with.
    """

    name: str
    size: int
    digest: str
    options: tuple[str, ...] = ()

    @classmethod
    def of(cls, path: str | Path, options: Sequence[str] = ()) -> Source:
        """Describe a file.

        Raises:
            InputError: It cannot be read.

        Example:
            >>> import tempfile
            >>> path = Path(tempfile.mkdtemp()) / "votes.txt"
            >>> _ = path.write_text("a>b")
            >>> source = Source.of(path)
            >>> source.name, source.size, source.digest[:8]
            ('votes.txt', 3, '998a5be8')
        """
        digest, size = hashlib.sha256(), 0
        with explained(path, "read"), Path(path).open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                size += len(chunk)
        return cls(Path(path).name, size, digest.hexdigest(), tuple(options))

    @classmethod
    def of_bytes(cls, name: str, content: bytes, options: Sequence[str] = ()) -> Source:
        """Describe the content of a file.

        Example:
            >>> Source.of_bytes("votes.txt", b"a>b").digest[:8]
            '998a5be8'
        """
        return cls(name, len(content), hashlib.sha256(content).hexdigest(), tuple(options))


def commands(
    result: Consensus,
    source: Source | None,
    samples: int | None = None,
    proof: Source | None = None,
) -> list[str]:
    """Return the shell commands that compute, check and report a result.

    Args:
        result: The result.
        source: The file that it was computed from.
        samples: The number of bootstrap samples, if there is a bootstrap.
        proof: The file that proves the bound, if there is one.

    Example:
        >>> from concordant import aggregate
        >>> for line in commands(aggregate([[0, 1], [2, 0]], seed=3), None):
        ...     print(line)
        concordant aggregate FILE --seed 3 -o result.json
        concordant verify result.json FILE
        concordant report result.json FILE -o report.html
    """
    file = "FILE" if source is None else shlex.quote(source.name)
    reading = [] if source is None else [shlex.quote(option) for option in source.options]
    if source is not None and source.name.startswith("-"):
        file = shlex.quote(f"./{source.name}")
    search = []
    if result.method != "auto":
        search += ["--method", shlex.quote(result.method)]
    search += ["--seed", str(result.seed)]
    if result.status != "optimal" and result.elapsed > 0.5:
        search += ["--time-limit", str(math.ceil(result.elapsed))]
    if result.tiers is not None:
        search += ["--ties", f"--tie-penalty {result.tie_penalty}"]
        search += [f"--vote-tie-penalty {result.vote_tie_penalty}"]
        tiers = result.settings.get("tiers")
        if tiers is not None:
            sizes = tiers if isinstance(tiers, list) else [tiers]
            search += [f"--tiers {','.join(map(str, sizes))}"]
    search += [
        f"--set {shlex.quote(f'{name}={_typed(value)}')}"
        for name, value in chosen_settings(result).items()
    ]
    if result.constraints is not None:
        search += result.constraints.options()
    unranked = []
    if result.unranked == "last" and "--unranked" not in reading:
        unranked = ["--unranked", "last"]
    firm = [] if samples is None else [f"--bootstrap {samples}"]
    keep = [] if proof is None else ["--proof", shlex.quote(proof.name)]
    found = ["concordant aggregate", file, *reading, *unranked, *search, "-o result.json", *keep]
    return [
        " ".join(found),
        " ".join(["concordant verify result.json", file, *reading, *keep]),
        " ".join(["concordant report result.json", file, *reading, *firm, "-o report.html"]),
    ]


def _typed(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


def chosen_settings(result: Consensus) -> Mapping[str, Any]:
    """Return the settings of a result that differ from the defaults of its method."""
    from concordant.algorithms.registry import get

    try:
        settings = get(result.method).make_settings({})
    except ConcordantError:
        # The method belongs to a plug-in or to another version.
        settings = None
    usual = {} if settings is None else {k: _plain(v) for k, v in asdict(settings).items()}
    return {
        name: value
        for name, value in result.settings.items()
        if name not in usual or usual[name] != _plain(value)
        if result.tiers is None or name not in ("ties", "tiers")
    }


def _plain(value: Any) -> Any:
    """Return a value as JSON stores it: lists for tuples."""
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
