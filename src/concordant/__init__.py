"""Concordant finds the ranking that disagrees least with many rankings, and proves how good it is.

Example:
    >>> import concordant as cc
    >>> data = cc.Rankings.from_orders([["a", "b", "c"], ["b", ("a", "c")]], weights=[3, 1])
    >>> result = cc.aggregate(data)
    >>> result.ranking, result.cost, result.status
    (('a', 'b', 'c'), 1, 'optimal')
"""

from __future__ import annotations

from concordant._version import __version__

# Type checkers treat it as true. `typing` is not imported here, so that this module loads fast:
# the program cannot handle Ctrl-C before it is loaded.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concordant import generate, plot, report, stopping
    from concordant import learn as learn
    from concordant.aggregation import aggregate, methods
    from concordant.comparing_many import Comparisons, compare_many
    from concordant.comparison import Comparison, compare
    from concordant.consensus import Consensus
    from concordant.distances import (
        extended_kendall_distance,
        kendall_distance,
        kendall_tau,
        mean_distance,
        spearman_footrule,
    )
    from concordant.errors import (
        ConcordantError,
        InputError,
        InputWarning,
        MethodError,
        PluginWarning,
        SettingError,
        VerificationError,
    )
    from concordant.formats import read, write
    from concordant.grouping import Groups, groups
    from concordant.lists import ListCutoff, ListSignificance, list_cutoff, list_significance
    from concordant.many import Results, aggregate_many
    from concordant.pairwise import Pairwise
    from concordant.problems import Problems, read_many
    from concordant.rankings import Rankings
    from concordant.reading.findings import Inspection
    from concordant.reading.inspecting import inspect
    from concordant.resampling import Bootstrap, bootstrap
    from concordant.stopping import Progress

# The module of each public name. Names are loaded on first use, so that `import concordant` and the
# command line are fast.
_MODULE_OF = {
    "Rankings": "rankings",
    "Pairwise": "pairwise",
    "Consensus": "consensus",
    "Comparison": "comparison",
    "Bootstrap": "firmness",
    "Progress": "stopping",
    "aggregate": "aggregation",
    "methods": "aggregation",
    "compare": "comparison",
    "compare_many": "comparing_many",
    "Comparisons": "comparing_many",
    "bootstrap": "resampling",
    "list_cutoff": "lists",
    "list_significance": "lists",
    "ListCutoff": "lists",
    "ListSignificance": "lists",
    "inspect": "reading.inspecting",
    "Inspection": "reading.findings",
    "groups": "grouping",
    "Groups": "grouping",
    "read": "formats",
    "read_many": "problems",
    "aggregate_many": "many",
    "Problems": "problems",
    "Results": "many",
    "write": "formats",
    "kendall_distance": "distances",
    "kendall_tau": "distances",
    "spearman_footrule": "distances",
    "extended_kendall_distance": "distances",
    "mean_distance": "distances",
    "ConcordantError": "errors",
    "InputError": "errors",
    "InputWarning": "errors",
    "MethodError": "errors",
    "PluginWarning": "errors",
    "SettingError": "errors",
    "VerificationError": "errors",
}
_MODULES = ("generate", "learn", "plot", "report", "stopping")

__all__ = [
    "Bootstrap",
    "Comparison",
    "Comparisons",
    "ConcordantError",
    "Consensus",
    "Groups",
    "InputError",
    "InputWarning",
    "Inspection",
    "ListCutoff",
    "ListSignificance",
    "MethodError",
    "Pairwise",
    "PluginWarning",
    "Problems",
    "Progress",
    "Rankings",
    "Results",
    "SettingError",
    "VerificationError",
    "__version__",
    "aggregate",
    "aggregate_many",
    "bootstrap",
    "compare",
    "compare_many",
    "extended_kendall_distance",
    "generate",
    "groups",
    "inspect",
    "kendall_distance",
    "kendall_tau",
    "list_cutoff",
    "list_significance",
    "mean_distance",
    "methods",
    "plot",
    "read",
    "read_many",
    "report",
    "spearman_footrule",
    "stopping",
    "write",
]


if not TYPE_CHECKING:
    # Hidden from type checkers, so that they find misspelt names.
    def __getattr__(name: str) -> Any:
        from importlib import import_module

        if name in _MODULE_OF:
            value = getattr(import_module(f"concordant.{_MODULE_OF[name]}"), name)
        elif name in _MODULES:
            value = import_module(f"concordant.{name}")
        else:
            raise AttributeError(f"module 'concordant' has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
