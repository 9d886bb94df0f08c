"""Methods and formats from outside: entry points of packages, and modules that the user names."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module, util
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concordant.errors import PluginWarning, SettingError, cut

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# The modules and files to load before anything from outside is looked up, separated as in PATH.
# Processes that this one starts find them here.
VARIABLE = "CONCORDANT_IMPORT"
_FAILURES = (Exception, SystemExit)
# The modules and files that this process has loaded, each with the digest of a file.
_loaded: dict[str, str] = {}
# A module may look up methods while it is loaded.
_lock = threading.RLock()


class Plugins:
    """The entries that installed packages add to a registry, each loaded at most once.

    An entry point names an entry or a list of entries. One that cannot be loaded, or that the
    registry refuses, is reported by a `PluginWarning`; the others are not affected.

    Args:
        group: The group of the entry points.
        kind: The class of an entry.
        known: The registry.
        add: Adds an entry to the registry, or raises an error.
    """

    def __init__(
        self, group: str, kind: type, known: Mapping[str, Any], add: Callable[[Any], Any]
    ) -> None:
        self._group = group
        self._kind = kind
        self._known = known
        self._add = add
        self._done: set[str] = set()
        # The package and the version that each entry is from.
        self.packages: dict[str, tuple[str, str]] = {}

    @cached_property
    def _entry_points(self) -> dict[str, EntryPoint]:
        # Not imported before it is needed: it is slow.
        from importlib.metadata import entry_points

        # A package that is installed twice, as for development, is listed twice.
        found = entry_points(group=self._group)
        return {f"{point.name} = {point.value}": point for point in found}

    def load(self, name: str | None = None) -> None:
        """Load the entry points of a name, or all of them."""
        with _lock:
            load_modules()
            for key, point in self._entry_points.items():
                if key not in self._done and name in (None, point.name):
                    self._done.add(key)
                    self._load(point)

    def _load(self, point: EntryPoint) -> None:
        try:
            found = point.load()
            for entry in found if isinstance(found, list | tuple) else (found,):
                if not isinstance(entry, self._kind):
                    kind = type(entry).__name__
                    raise TypeError(f"it is a {kind}, not a {self._kind.__name__}")
                # Its module may have registered it.
                if not any(entry is each for each in self._known.values()):
                    self._add(entry)
                if point.dist is not None:
                    name = next(key for key, each in self._known.items() if each is entry)
                    self.packages[name] = point.dist.name, point.dist.version
        except _FAILURES as error:
            package = "" if point.dist is None else f" of {point.dist.name} {point.dist.version}"
            warnings.warn(
                PluginWarning(
                    f"the plugin {point.name!r}{package} ({self._group}: {point.value}) is not "
                    f"used: {_words(error)}"
                ),
                stacklevel=4,
            )


def load_modules() -> None:
    """Load the modules and files of the environment variable, for a process that has not yet."""
    for name in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        load_module(name)


def load_module(name: str) -> None:
    """Load a module, or a file that ends in `.py`, which registers methods or formats.

    Modules are searched in the current folder first.

    Raises:
        SettingError: It cannot be loaded.
    """
    with _lock:
        if name in _loaded:
            return
        path = Path(name)
        is_file = path.suffix == ".py"
        before = list(sys.path)
        sys.path.insert(0, str(path.absolute().parent if is_file else Path.cwd()))
        try:
            module = _load_file(path) if is_file else import_module(name)
        except _FAILURES as error:
            sys.path[:] = before
            raise SettingError(f"{name} cannot be imported: {_words(error)}") from error
        source = getattr(module, "__file__", None)
        digest = hashlib.sha256(Path(source).read_bytes()).hexdigest()[:16] if source else ""
        _loaded[name] = digest


def loaded_modules() -> dict[str, str]:
    """Return the modules and files that `load_module` has loaded, each with a digest."""
    return dict(_loaded)


def _load_file(path: Path) -> Any:
    spec = util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    # Dataclasses look up their module there.
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[path.stem]
        raise
    return module


def _words(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return cut(f"{type(error).__name__}: {text}" if text else type(error).__name__, 300)
