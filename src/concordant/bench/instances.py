"""The instances of a benchmark: generated, under the paper's names, or the files of a folder.

An instance is data that goes to another process, which makes the rankings from it. The rankings
depend only on the seed and on the instance's name, so an instance is the same at every scale.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concordant._files import reason
from concordant.errors import InputError, in_shell

if TYPE_CHECKING:
    from concordant.pairwise import Pairwise
    from concordant.rankings import Rankings

THETAS = (0.2, 0.1, 0.01, 0.001)
ITEMS = (50, 100, 150, 200, 250)
RANKINGS = 100
# The ten instances of the paper's table of crossovers.
NAMED = (
    "MM050n0.001_02",
    "MM050n0.001_11",
    "MM100n0.200_05",
    "MM100n0.200_01",
    "MM150n0.100_17",
    "MM150n0.100_08",
    "MM200n0.010_13",
    "MM200n0.010_04",
    "MM250n0.001_10",
    "MM250n0.001_01",
)
# Streams of random numbers of one seed: the draw, and later changes of the instance.
_DRAW, _TRANSFORM = 0, 1
_NAME = re.compile(r"MM(\d+)n(\d+\.\d+)_(\d+)")


@dataclass(frozen=True)
class Instance:
    """The data of a task.

    Attributes:
        name: Its name, unique in its suite.
        make: A function of a module that returns the data.
        arguments: The arguments of `make`.
        labels: Its properties: "theta", "items", "rankings" and the like.
        fault: Why it cannot be used, if so; `load` then raises this as an error.
    """

    name: str
    make: Callable[..., Any]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, Any] = field(default_factory=dict)
    fault: str | None = None

    def load(self) -> Any:
        """Make or read the data."""
        if self.fault is not None:
            raise InputError(self.fault)
        return self.make(**self.arguments)


# -- generated -------------------------------------------------------------------------------


def mallows_instance(items: int, theta: float, number: int, *, seed: int) -> Instance:
    """Return a Mallows instance of 100 rankings, with a name in the paper's pattern.

    Example:
        >>> instance = mallows_instance(250, 0.001, 1, seed=0)
        >>> instance.name, instance.load()
        ('MM250n0.001_01', Rankings(250 items, 100 rankings))
    """
    return Instance(
        f"MM{items:03d}n{theta:.3f}_{number:02d}",
        draw_mallows,
        {"items": items, "theta": theta, "number": number, "seed": seed},
        {"theta": theta, "items": items, "rankings": RANKINGS},
    )


def draw_mallows(items: int, theta: float, number: int, seed: int) -> Rankings:
    """Draw rankings around a center, and number the items at random.

    Without new numbers, the center would be 1, 2, 3, …, and a method that breaks ties by item
    number would profit from it.
    """
    data: Rankings = draw_data(generator(seed, _DRAW, items, theta, number), items, theta)
    return data


def draw_data(
    rng: Any,
    items: int,
    theta: float | None,
    rankings: int = RANKINGS,
    drop: float | None = None,
    **options: Any,
) -> Any:
    """Draw Mallows rankings with items numbered at random, or a random matrix if θ is None.

    With `drop`, this share of the items is dropped; `options` are those of `generate.partial`.
    """
    from concordant import generate
    from concordant.pairwise import Pairwise

    if theta is None:
        return Pairwise.from_matrix(rng.integers(0, 1000, (items, items)))
    data = generate.relabel(generate.mallows(items, rankings, theta, seed=rng), seed=rng)
    return data if drop is None else generate.partial(data, drop=drop, seed=rng, **options)


def generator(seed: int, *key: float) -> Any:
    """Return the random generator of one instance, which depends only on the seed and the key."""
    import numpy as np

    return np.random.default_rng([seed, *(round(1_000_000 * part) for part in key)])


def named_instances(seed: int) -> list[Instance]:
    """Return instances under the ten names of the paper's table of crossovers."""
    found = []
    for name in NAMED:
        labels = labels_of_name(name)
        number = int(name.rpartition("_")[2])
        found.append(mallows_instance(labels["items"], labels["theta"], number, seed=seed))
    return found


def made_partial(instance: Instance, reading: str, drop: float, seed: int) -> Instance:
    """Return the same instance with items dropped and tied, as the paper does.

    `reading` names the reading of the paper's probabilities and becomes part of the name.
    """
    return replace(
        instance,
        name=f"{instance.name}-{reading}",
        make=transform,
        arguments={"instance": instance, "drop": drop, "seed": seed},
        labels={**instance.labels, "reading": reading},
    )


def transform(instance: Instance, drop: float, seed: int) -> Rankings:
    """Load a complete instance, and drop and tie some of its items."""
    from concordant import generate

    digits = int(hashlib.sha256(instance.name.encode()).hexdigest()[:8], 16)
    rng = generator(seed, _TRANSFORM, digits, drop)
    return generate.partial(instance.load(), drop=drop, same_bucket=5 / 6, seed=rng)


# -- files -----------------------------------------------------------------------------------


def labels_of_name(name: str) -> dict[str, Any]:
    """Return the labels in a name of the paper's pattern; none for other names.

    Example:
        >>> labels_of_name("MM250n0.001_01"), labels_of_name("votes")
        ({'items': 250, 'theta': 0.001}, {})
    """
    match = _NAME.match(name)
    return {"items": int(match[1]), "theta": float(match[2])} if match else {}


def files_of(folder: Path) -> list[Path]:
    """Return the files of a folder by name, without hidden files.

    Raises:
        InputError: If there is no such folder, or no file in it.
    """
    try:
        found = sorted(
            each for each in folder.iterdir() if each.is_file() and not each.name.startswith(".")
        )
    except OSError as error:
        raise InputError(f"cannot be read: {reason(error)}", path=folder) from None
    if not found:
        raise InputError("there is no file in this folder", path=folder)
    return found


def digests_of(folder: Path) -> dict[str, str]:
    """Return a digest of each file of a folder.

    A file that cannot be read is not an error here: its instance has a fault.
    """
    found = {}
    for path in files_of(folder):
        try:
            found[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        except OSError:
            found[path.name] = "unreadable"
    return found


def instances_of(
    folder: Path,
    read: Callable[..., tuple[Any, dict[str, Any]]] | None = None,
    **options: Any,
) -> list[Instance]:
    """Return an instance for each file of a folder; one that cannot be read has a `fault`.

    Args:
        folder: The folder.
        read: Returns the data of a file and its labels; by default it reads rankings.
        **options: Other arguments of `read`.
    """
    read = read or read_rankings
    found: list[Instance] = []
    for path in files_of(folder):
        name = _free_name(path, found)
        try:
            _, labels = read(path, **options)
        except InputError as error:
            found.append(
                Instance(name, load_file, fault=error.phrased(in_shell({"format": "--format"})))
            )
        else:
            arguments = {"path": path, "read": read, **options}
            found.append(Instance(name, load_file, arguments, labels))
    return found


def _free_name(path: Path, taken: list[Instance]) -> str:
    """Return the name of a file without its suffix, or with it if that name is taken."""
    name = path.name.partition(".")[0] if not _NAME.match(path.name) else path.stem
    return path.name if any(each.name == name for each in taken) else name


def load_file(path: Path, read: Callable[..., tuple[Any, dict[str, Any]]], **options: Any) -> Any:
    """Read the data of a file."""
    return read(path, **options)[0]


def read_rankings(
    path: Path,
    format: str | None = None,  # noqa: A002 - the name of the option on the command line
) -> tuple[Rankings | Pairwise, dict[str, Any]]:
    """Read a file of rankings, and its labels from its name and its first line."""
    from concordant.formats import read
    from concordant.rankings import Rankings

    data = read(path, format)
    labels: dict[str, Any] = {"items": data.n_items}
    if isinstance(data, Rankings):
        labels["rankings"] = data.n_rankings
    theta = labels_of_name(path.name).get("theta", _theta_of_header(path))
    return data, labels if theta is None else {"theta": theta, **labels}


def _theta_of_header(path: Path) -> float | None:
    """Return the third number of the first line if the line is `m n theta`."""
    with path.open("rb") as file:
        words = file.readline(200).split()
    try:
        return float(words[2]) if len(words) == 3 and int(words[0]) and int(words[1]) else None
    except ValueError:
        return None
