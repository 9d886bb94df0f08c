"""The registry of methods: one entry each; the code is loaded on first use.

`register` adds a method from outside the package. Packages add theirs by entry points of the group
`concordant.methods`, which are loaded when a name is unknown or when all methods are listed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from importlib import import_module
from typing import Any

from concordant.errors import MethodError, SettingError
from concordant.plugins import Plugins
from concordant.running import Run

EFFORTS = ("instant", "seconds", "until stopped", "until proven")


@dataclass(frozen=True, slots=True)
class Method:
    """A method of aggregation: what it does, what it needs, and where its code is.

    Attributes:
        name: Its name in `aggregate(method=…)`.
        summary: What it does, in one line.
        where: Its function, called with (run, settings): the function itself, or
            "package.module:function", loaded on first use. A module without a dot is one of
            `concordant.algorithms`.
        effort: "instant", "seconds", "until stopped" or "until proven".
        needs_rankings: Whether it needs the rankings, not only their pairwise counts.
        needs_complete: Whether the rankings must rank every item; ties are allowed.
        settings: The class of its settings, a dataclass that validates itself: the class, or
            where it is, as above. None where it has no settings.
        proves: Whether it keeps a proof of the bound, for `Consensus.save_proof`.
        ours: What differs from the source that the summary names, in one or two sentences.
        basis: What decides the order of two items, as a bootstrap needs to know: "cost" for
            Kemeny's, "scores" that the method stores in `details`, "sums" if these scores add up
            over the rankings, "majorities" if items that beat all others come first, or "".
    """

    name: str
    summary: str
    where: str | Callable[[Run, Any], None]
    effort: str = "instant"
    needs_rankings: bool = False
    needs_complete: bool = False
    settings: str | type | None = None
    proves: bool = False
    ours: str = ""
    basis: str = ""

    def function(self) -> Callable[[Run, Any], None]:
        """Load the code."""
        function: Callable[[Run, Any], None] = self._load(self.where)
        return function

    def _load(self, where: Any) -> Any:
        """Load an object; raise `MethodError` if the code of another package cannot be loaded."""
        try:
            return _load(where)
        except (ImportError, AttributeError) as error:
            if self.is_built_in:
                raise
            raise MethodError(f"its code {where!r} cannot be loaded: {error}") from error

    @property
    def is_built_in(self) -> bool:
        """Whether its code is part of this package."""
        module = self.where.partition(":")[0] if isinstance(self.where, str) else ""
        return bool(module) and ("." not in module or module.startswith("concordant."))

    def make_settings(self, given: dict[str, Any], preset: str | None = None) -> Any:
        """Build and check the settings from keywords, on top of a preset if one is named."""
        try:
            kind = None if self.settings is None else self._load(self.settings)
        except MethodError as error:
            raise MethodError(f"method {self.name!r}: {error}") from error
        presets = getattr(kind, "PRESETS", {})
        if preset is not None and (not isinstance(preset, str) or preset not in presets):
            allowed = ", ".join(repr(name) for name in presets) or "none"
            raise SettingError(f"method {self.name!r} has no preset {preset!r}; it has: {allowed}")
        names = [] if kind is None else [f.name for f in fields(kind)]
        for name in given:
            if name not in names:
                allowed = ", ".join(names) or "none"
                raise SettingError(
                    f"method {self.name!r} has no setting {name!r}; it has: {allowed}"
                )
        if kind is None:
            return None
        return kind(**{**presets.get(preset, {}), **given})


def _load(where: Any) -> Any:
    if not isinstance(where, str):
        return where
    module, _, name = where.partition(":")
    return getattr(import_module(module if "." in module else f"{__package__}.{module}"), name)


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "auto",
            "memetic search planned for the time limit, with a proof of the bound at the same time",
            "concordant.solver.auto:auto",
            effort="until stopped",
            settings="concordant.solver.auto:AutoSettings",
            proves=True,
            basis="cost",
        ),
        Method(
            "exact",
            "search and proof until they meet: an optimal ranking with a certificate",
            "concordant.solver.auto:exact",
            effort="until proven",
            settings="concordant.solver.auto:AutoSettings",
            proves=True,
            basis="cost",
        ),
        Method(
            "bnb",
            "beam search or exact A* over prefixes of the ranking, after Ali and Meilă (2012)",
            "bnb:bnb",
            effort="until stopped",
            settings="bnb:BranchSettings",
            ours="stronger than published: components of the majority relation are solved one "
            "by one, only the cheapest order of each set of placed items is kept, and an item "
            "that loses to no remaining item is placed next at once.",
            basis="cost",
        ),
        Method(
            "dk",
            "greedy by majority, then branch and bound, after Davenport and Kalagnanam (2004)",
            "dk:dk",
            effort="until stopped",
            ours="stronger than published: components of the majority relation are solved one "
            "by one, and cycles of the bound may share a pair, as long as they use no more than "
            "its margin together.",
            basis="cost",
        ),
        Method(
            "her",
            "hybrid evolutionary ranking (Zhou, Hao, Li and Glover), as published",
            "her:her",
            effort="seconds",
            settings="her:HerSettings",
            basis="cost",
        ),
        Method(
            "lads",
            "late acceptance driven search (LADS), the local search of HER, run once",
            "lads:lads",
            effort="seconds",
            settings="lads:LadsSettings",
            basis="cost",
        ),
        Method(
            "insertion",
            "descent from Borda's order to a local optimum under insertion",
            "insertion:insertion",
            effort="seconds",
            basis="cost",
        ),
        Method(
            "borda",
            "sort by pairwise wins minus pairwise losses, added up over all rankings",
            "scoring:borda",
            settings="scoring:TieSettings",
            basis="sums",
        ),
        Method(
            "extended-borda",
            "Borda points scaled to the length of each partial ranking (Aledo et al. 2016)",
            "scoring:extended_borda",
            needs_rankings=True,
            settings="scoring:TieSettings",
            basis="sums",
        ),
        Method(
            "randomized-borda",
            "Borda on a random share 1 - β of the rankings: the starting order of HER",
            "scoring:randomized_borda",
            needs_rankings=True,
            settings="scoring:RandomizedBorda",
        ),
        Method(
            "copeland",
            "sort by the number of items beaten by majority minus the number lost to",
            "scoring:copeland",
            settings="scoring:TieSettings",
            basis="majorities",
        ),
        Method(
            "pick-a-ranking",
            "the input ranking that agrees best with all others",
            "pick_a_ranking:pick_a_ranking",
            effort="seconds",
            needs_rankings=True,
        ),
        Method(
            "css",
            "greedy order by net preference over the items left (Cohen, Schapire and Singer 1999)",
            "css:css",
            settings="scoring:TieSettings",
        ),
        Method(
            "kwiksort",
            "quicksort by majorities around random pivots (Ailon, Charikar and Newman 2008)",
            "kwiksort:kwiksort",
            settings="kwiksort:KwikSortSettings",
            basis="majorities",
        ),
        Method(
            "schulze",
            "Schulze method: compare the strongest paths of majorities (Schulze 2011)",
            "condorcet:schulze",
            effort="seconds",
            settings="condorcet:StrengthSettings",
            ours="items whose paths are equally strong follow Borda's order.",
            basis="majorities",
        ),
        Method(
            "ranked-pairs",
            "lock majorities from the strongest down, except those that close a cycle "
            "(after Tideman 1987)",
            "condorcet:ranked_pairs",
            effort="seconds",
            settings="condorcet:StrengthSettings",
            ours="Tideman's own rule is strength=margins; winning votes are a later variant. "
            "Among equal majorities, the one with less weight against it comes first, then Borda "
            "scores decide.",
            basis="majorities",
        ),
        Method(
            "mc4",
            "Markov chain MC4: random walk to items preferred by a majority (Dwork et al. 2001)",
            "markov:mc4",
            effort="seconds",
            settings="scoring:TieSettings",
            basis="majorities",
        ),
        Method(
            "bradley-terry",
            "maximum likelihood strengths from all pairs, with intervals (Bradley and Terry 1952)",
            "strengths:bradley_terry",
            effort="seconds",
            settings="strengths:BradleyTerrySettings",
            ours="groups that the data does not connect in both directions are ranked one after "
            "the other, unless the setting prior is above 0.",
            basis="scores",
        ),
        Method(
            "plackett-luce",
            "maximum likelihood Plackett–Luce strengths and intervals (Maystre, Grossglauser 2015)",
            "markov:plackett_luce",
            effort="seconds",
            needs_rankings=True,
            settings="markov:PlackettLuceSettings",
            ours="a tied item counts as chosen from itself and all items behind it, and groups "
            "that the rankings do not connect in both directions are ranked one after the other, "
            "unless the setting prior is above 0.",
            basis="scores",
        ),
        Method(
            "footrule",
            "least sum of Spearman's footrule distances, by assignment (Dwork et al. 2001)",
            "footrule:footrule",
            effort="seconds",
            needs_rankings=True,
            needs_complete=True,
        ),
        Method(
            "rrf",
            "reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)",
            "rrf:rrf",
            needs_rankings=True,
            settings="rrf:FusionSettings",
            basis="sums",
        ),
        Method(
            "hc",
            "hill climbing to a local optimum, after Aledo et al. (2019)",
            "local:hc",
            effort="seconds",
            settings="local:ClimbSettings",
            ours="the order in which moves are tried; an item moves to its best place at once.",
            basis="cost",
        ),
        Method(
            "ils",
            "iterated local search: random moves, then hill climbing, after Aledo et al. (2019)",
            "local:ils",
            effort="seconds",
            settings="local:IlsSettings",
            ours="the hill climbing, the number of random moves and when to end.",
            basis="cost",
        ),
        Method(
            "vns",
            "variable neighbourhood search: more random moves while nothing improves, "
            "after Aledo et al. (2019)",
            "local:vns",
            effort="seconds",
            settings="local:VnsSettings",
            ours="the hill climbing, the number of random moves and when to end.",
            basis="cost",
        ),
        Method(
            "grasp",
            "randomized greedy starts, then hill climbing, after Aledo et al. (2019)",
            "local:grasp",
            effort="seconds",
            settings="local:GraspSettings",
            ours="the hill climbing, the greedy order (that of css), the length of the restricted "
            "candidate list and when to end.",
            basis="cost",
        ),
        Method(
            "lahc",
            "late acceptance hill climbing, on which LADS is based (Burke and Bykov 2017)",
            "local:lahc",
            effort="seconds",
            settings="local:LahcSettings",
            ours="the moves and when to end.",
            basis="cost",
        ),
        Method(
            "ga",
            "genetic algorithm on permutations, after Aledo, Gámez and Molina (2013)",
            "genetic:ga",
            effort="seconds",
            settings="genetic:GaSettings",
            ours="the operators and the 60 idle generations are the authors'; the size of the "
            "population, the tournaments, and the survival of the best among parents and children "
            "are ours.",
            basis="cost",
        ),
        Method(
            "aco",
            "ant colony optimization for weighted partial rankings, after Nápoles et al. (2017)",
            "ants:aco",
            effort="seconds",
            settings="ants:AcoSettings",
            ours="the parameters and the details of the update rule; rankings keep their given "
            "weights, while the authors derive weights from the data.",
            basis="cost",
        ),
        Method(
            "es-bucket",
            "evolution strategy for the optimal bucket order, with ties, after Aledo et al. (2018)",
            "es_bucket:es_bucket",
            effort="seconds",
            settings="es_bucket:EsSettings",
            ours="the settings; all six mutations are equally likely, and a child replaces its "
            "parent unless it is worse.",
        ),
        Method(
            "de",
            "DECOR, differential evolution for Kemeny's distance with ties "
            "(D'Ambrosio et al. 2017)",
            "decor:de",
            effort="seconds",
            needs_rankings=True,
            settings="decor:DeSettings",
            ours="like the authors' program ConsRank, but with one answer instead of all equally "
            "good ones. With ties=False, a child's numbers are ranked; the program uses the order "
            "of the items as their ranks.",
        ),
        Method(
            "bioconsert",
            "move items between buckets, from every input ranking (Cohen-Boulakia et al. 2011)",
            "bioconsert:bioconsert",
            effort="seconds",
            needs_rankings=True,
            settings="bioconsert:BioConsertSettings",
            ours="it also starts from all items tied.",
        ),
    )
}


def register(method: Method) -> Method:
    """Add a method, so that `methods`, `aggregate` and `compare` know it.

    Its function gets a `Run` and its settings, or None if it has no settings. It calls
    `run.improve` with each better order of item indices, at least once. It calls `run.stop()`
    every few milliseconds and returns when the answer is true, or when it is done.

    Example:
        >>> import concordant as cc
        >>> def as_listed(run, settings):
        ...     run.improve(range(run.n_items))
        >>> _ = register(Method("as-listed", "the items in the order of the input", as_listed))
        >>> data = cc.Rankings.from_orders([["b", "a"], ["a", "b"]], items=["a", "b"])
        >>> cc.aggregate(data, "as-listed").ranking
        ('a', 'b')
        >>> del METHODS["as-listed"]
    """
    name = method.name
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise SettingError(
            f"a method's name consists of lower-case letters, digits and hyphens, not {name!r}"
        )
    if name in METHODS:
        raise SettingError(f"there is a method {name!r} already: choose another name")
    if not isinstance(method.summary, str) or len(method.summary.splitlines()) != 1:
        raise SettingError(f"method {name!r}: the summary must be one line")
    if method.effort not in EFFORTS:
        raise SettingError(
            f"method {name!r}: effort must be one of {', '.join(map(repr, EFFORTS))}, not "
            f"{method.effort!r}"
        )
    for what, where in (("where", method.where), ("settings", method.settings)):
        outside = isinstance(where, str) and re.fullmatch(r"[\w.]*\w\.\w+:\w+", where)
        if where is not None and not callable(where) and not outside:
            raise SettingError(
                f"method {name!r}: {what} must be the object itself or 'package.module:name', not "
                f"{where!r}"
            )
    if isinstance(method.settings, type) and not is_dataclass(method.settings):
        raise SettingError(f"method {name!r}: settings must be a dataclass")
    METHODS[name] = method
    return method


PLUGINS = Plugins("concordant.methods", Method, METHODS, register)


def get(name: str) -> Method:
    """Return a method by name; for an unknown name, raise an error that lists all names."""
    if isinstance(name, str) and name not in METHODS:
        PLUGINS.load(name)
    if not isinstance(name, str) or (name not in METHODS and name not in all_methods()):
        raise SettingError(f"there is no method {name!r}; choose from: {', '.join(METHODS)}")
    return METHODS[name]


def all_methods() -> dict[str, Method]:
    """Return all methods by name, those of other packages last.

    Example:
        >>> "auto" in all_methods()
        True
    """
    PLUGINS.load()
    return METHODS


def defaults(kind: type) -> dict[str, Any]:
    """Return the default of each field of a settings class."""
    return {f.name: f.default for f in fields(kind) if f.default is not MISSING}
