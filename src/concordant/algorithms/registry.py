"""The registry of methods: one entry each, loaded when it is first used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from importlib import import_module
from typing import Any

from concordant.errors import SettingError
from concordant.running import Run


@dataclass(frozen=True, slots=True)
class Method:
    """A method of aggregation: what it does, what it needs, and where its code is.

    Attributes:
        name: What `aggregate(method=…)` calls it.
        summary: One line.
        where: "module:function" below `concordant.algorithms`; called with (run, settings).
        effort: "instant", "seconds", "until stopped" or "until proven".
        needs_rankings: Whether it needs the rankings, not only their pairwise counts.
        needs_complete: Whether those must rank every item; ties are welcome.
        settings: "module:class" of its settings, a dataclass that validates itself.
        proves: Whether it keeps a proof of the bound, for `Consensus.save_proof`.
    """

    name: str
    summary: str
    where: str
    effort: str = "instant"
    needs_rankings: bool = False
    needs_complete: bool = False
    settings: str | None = None
    proves: bool = False

    def function(self) -> Callable[[Run, Any], None]:
        """Load the code."""
        function: Callable[[Run, Any], None] = _load(self.where)
        return function

    def make_settings(self, given: dict[str, Any], preset: str | None = None) -> Any:
        """Build and check the settings from keywords, on top of a preset if one is named."""
        kind = None if self.settings is None else _load(self.settings)
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


def _load(where: str) -> Any:
    module, name = where.split(":")
    return getattr(import_module(f"concordant.algorithms.{module}"), name)


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "auto",
            "memetic search with late acceptance on each component of the majority graph",
            "auto:auto",
            effort="until stopped",
            settings="auto:AutoSettings",
            proves=True,
        ),
        Method(
            "exact",
            "search and proof side by side until they meet: optimal, with a certificate",
            "auto:exact",
            effort="until proven",
            settings="auto:AutoSettings",
            proves=True,
        ),
        Method(
            "bnb",
            "A* over prefixes, within a beam or exact (Ali and Meilă 2012)",
            "branching:bnb",
            effort="until stopped",
            settings="branching:BranchSettings",
        ),
        Method(
            "dk",
            "greedy majorities, then branch and bound (Davenport and Kalagnanam 2004)",
            "branching:dk",
            effort="until stopped",
        ),
        Method(
            "her",
            "hybrid evolutionary ranking (Zhou, Hao, Li and Glover), as published",
            "her:her",
            effort="seconds",
            settings="her:HerSettings",
        ),
        Method(
            "lads",
            "late acceptance driven search, the local search of HER, once",
            "lads:lads",
            effort="seconds",
            settings="lads:LadsSettings",
        ),
        Method(
            "insertion",
            "Borda, then items moved to their best places until no move improves",
            "insertion:insertion",
            effort="seconds",
        ),
        Method("borda", "sort by pairwise points won less points lost", "scoring:borda"),
        Method(
            "extended-borda",
            "Borda points scaled to the length of each partial ranking (Aledo et al. 2016)",
            "scoring:extended_borda",
            needs_rankings=True,
        ),
        Method(
            "randomized-borda",
            "Borda over a random share 1 - β of the rankings, as HER starts from",
            "scoring:randomized_borda",
            needs_rankings=True,
            settings="scoring:RandomizedBorda",
        ),
        Method("copeland", "sort by majority duels won less lost", "scoring:copeland"),
        Method(
            "pick-a-ranking",
            "the input ranking that agrees best with all others",
            "scoring:pick_a_ranking",
            effort="seconds",
            needs_rankings=True,
        ),
        Method(
            "css",
            "highest potential first, updated after each pick (Cohen, Schapire and Singer 1999)",
            "tournament:css",
        ),
        Method(
            "kwiksort",
            "quicksort by majorities around random pivots (Ailon, Charikar and Newman 2008)",
            "tournament:kwiksort",
            settings="tournament:KwikSortSettings",
        ),
        Method(
            "schulze",
            "strongest paths of majorities (Schulze 2011)",
            "tournament:schulze",
            effort="seconds",
            settings="tournament:StrengthSettings",
        ),
        Method(
            "ranked-pairs",
            "majorities locked from the strongest on, unless they close a cycle (Tideman 1987)",
            "tournament:ranked_pairs",
            effort="seconds",
            settings="tournament:StrengthSettings",
        ),
        Method(
            "mc4",
            "stationary distribution of a walk to majority winners (Dwork et al. 2001)",
            "markov:mc4",
            effort="seconds",
        ),
        Method(
            "plackett-luce",
            "strengths of greatest likelihood, by spectral ranking (Maystre and Grossglauser 2015)",
            "markov:plackett_luce",
            effort="seconds",
            needs_rankings=True,
            settings="markov:PlackettLuceSettings",
        ),
        Method(
            "footrule",
            "least sum of displacements, by assignment (Dwork et al. 2001)",
            "positions:footrule",
            effort="seconds",
            needs_rankings=True,
            needs_complete=True,
        ),
        Method(
            "rrf",
            "reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)",
            "positions:rrf",
            needs_rankings=True,
            settings="positions:FusionSettings",
        ),
        Method(
            "hc",
            "hill climbing: moves that improve, until none is left (Aledo et al. 2019)",
            "local:hc",
            effort="seconds",
            settings="local:ClimbSettings",
        ),
        Method(
            "ils",
            "iterated local search: random moves, then hill climbing (Aledo et al. 2019)",
            "local:ils",
            effort="seconds",
            settings="local:IlsSettings",
        ),
        Method(
            "vns",
            "variable neighbourhood search: shaken harder while nothing improves "
            "(Aledo et al. 2019)",
            "local:vns",
            effort="seconds",
            settings="local:VnsSettings",
        ),
        Method(
            "grasp",
            "greedy starts with a restricted candidate list, then hill climbing "
            "(Aledo et al. 2019)",
            "local:grasp",
            effort="seconds",
            settings="local:GraspSettings",
        ),
        Method(
            "lahc",
            "late acceptance hill climbing, the ancestor of LADS (Burke and Bykov 2017)",
            "local:lahc",
            effort="seconds",
            settings="local:LahcSettings",
        ),
        Method(
            "ga",
            "genetic algorithm on permutations (Aledo, Gámez and Molina 2013)",
            "genetic:ga",
            effort="seconds",
            settings="genetic:GaSettings",
        ),
        Method(
            "aco",
            "ant colony for weighted partial rankings (Nápoles et al. 2017)",
            "ants:aco",
            effort="seconds",
            settings="ants:AcoSettings",
        ),
        Method(
            "es-bucket",
            "evolution strategy for the optimal bucket order, with ties (Aledo et al. 2018)",
            "buckets:es_bucket",
            effort="seconds",
            settings="buckets:EsSettings",
        ),
        Method(
            "de",
            "differential evolution for Kemeny's distance with ties (D'Ambrosio et al. 2017)",
            "buckets:de",
            effort="seconds",
            needs_rankings=True,
            settings="buckets:DeSettings",
        ),
        Method(
            "bioconsert",
            "items moved between buckets, from every input ranking (Cohen-Boulakia et al. 2011)",
            "buckets:bioconsert",
            effort="seconds",
            needs_rankings=True,
            settings="buckets:BioConsertSettings",
        ),
    )
}


def get(name: str) -> Method:
    """Return a method by name, or say which names there are."""
    if not isinstance(name, str) or name not in METHODS:
        raise SettingError(f"there is no method {name!r}; choose from: {', '.join(METHODS)}")
    return METHODS[name]


def defaults(kind: type) -> dict[str, Any]:
    """Return the default of each field of a settings class, for tables of settings."""
    return {f.name: f.default for f in fields(kind) if f.default is not MISSING}
