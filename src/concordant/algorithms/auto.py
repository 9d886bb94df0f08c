"""`auto` and `exact`: parts solved apart, by subsets or by search and proof side by side."""

from __future__ import annotations

from dataclasses import dataclass

from concordant._checks import at_least, between, one_of, true_or_false
from concordant.algorithms.parts import PartOrders
from concordant.bounds.record import Proof
from concordant.errors import SettingError
from concordant.running import Run

_CROSSOVERS = ("order-based", "cpsc", "position-based", "none")


@dataclass(frozen=True, slots=True)
class AutoSettings:
    """Settings of `auto`; the defaults won the comparison in `docs/search.md`.

    Attributes:
        islands: Populations that evolve apart. They are carried on by `n_jobs` threads; the
            answer depends on their number, not on the threads.
        explorers: How many of them explore: they start from orders drawn evenly, descend
            without late acceptance, and begin again from nothing. They hand their best to the
            others and take nothing. This is what matrices with few, large entries need.
        population: Members of each.
        crossover: "order-based", "cpsc", "position-based", or "none": ten random insertions
            into a member, an iterated local search.
        history_length: The length of the cost list of the late acceptance search.
        idle_factor: That search ends after idle_factor · m iterations without improvement.
        reach: How fast longer moves become rarer: distance d is drawn in proportion to
            d ** -reach.
        patience: Children refused in a row before a population is built anew around its best.
        proof: Whether to prove a bound beside the search. The proof may find better orders,
            and when it does depends on the clock; without it, a timed run can be repeated by its
            number of iterations.
    """

    islands: int = 2
    explorers: int = 1
    population: int = 20
    crossover: str = "order-based"
    history_length: int = 5
    idle_factor: int = 30
    reach: float = 1.5
    patience: int = 40
    proof: bool = True

    def __post_init__(self) -> None:
        at_least("islands", self.islands, 1, 1000)
        at_least("explorers", self.explorers, 0, 1000)
        at_least("population", self.population, 2, 10_000)
        one_of("crossover", self.crossover, _CROSSOVERS)
        at_least("history_length", self.history_length, 1, 1_000_000)
        at_least("idle_factor", self.idle_factor, 1)
        at_least("patience", self.patience, 1)
        true_or_false("proof", self.proof)
        between("reach", self.reach, 0, 10)


def auto(run: Run, settings: AutoSettings) -> None:
    """Improve every part that is not solved and prove a bound beside, until the run is over."""
    _solve(run, settings, give_up=True)


def exact(run: Run, settings: AutoSettings) -> None:
    """Search and prove until they meet; the proof never gives up."""
    if not settings.proof:
        raise SettingError("'exact' is nothing without its proof; 'auto' can do with proof=False")
    _solve(run, settings, give_up=False)


def _solve(run: Run, settings: AutoSettings, give_up: bool) -> None:
    parts = PartOrders(run)
    if not parts.unsolved() and all(part.is_small for part in run.split.parts):
        # Nothing is left to search for, and no kernel has to be loaded.
        run.proof = Proof.by_subsets(run.pairwise, run.split)
        return
    from concordant.algorithms.beside import search_and_prove
    from concordant.algorithms.islands import IslandSearch

    search = IslandSearch(run, parts, settings)
    if settings.proof:
        search_and_prove(run, search, give_up=give_up)
    while search and give_up and not run.stop():
        search.round()
