"""`auto` and `exact`: solve each part by subsets, or by a search with a proof beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from concordant._checks import at_least, between, one_of, true_or_false
from concordant.algorithms.scoring import LARGE, counted_in_time
from concordant.bounds.record import Proof
from concordant.errors import SettingError
from concordant.running import Run
from concordant.solver.parts import SPLITTING, PartOrders

if TYPE_CHECKING:
    from concordant.solver.evolution import Evolution

_DESCENTS = ("sweeps", "items")
_CROSSOVERS = ("merge", "order-based", "cpsc", "position-based", "none")


@dataclass(frozen=True, slots=True)
class AutoSettings:
    """Settings of `auto`; the defaults won the comparison in `docs/search.md`.

    Attributes:
        population: Members and children of a generation. By default it depends on the time
            limit and the number of items.
        crossover: "merge" (some items keep the order of one parent, the rest that of the other,
            merged at least cost), "order-based", "cpsc", "position-based", or "none": ten
            random insertions into a member.
        diversity: The distance that members must keep at first, as a share of the mean distance
            in the first population. It falls to 0 over an epoch.
        descent: How children are improved: "sweeps" (the best insertions of all items at once, by a
            table with an entry for each pair) or "items" (one item after the other; items for which
            no move since their last evaluation can have opened a better place are skipped). By
            default, the number of items decides which is faster.
        plan: The length of each segment of the schedule in iterations. By default it is planned
            from the time limit and the speed of the machine. To repeat a timed run, pass the
            `plan` in the details of its result, and its iterations as `max_iterations`.
        proof: Whether to prove a bound beside the search. The proof may find better orders at
            times that depend on the clock. Without it, a timed run can be repeated.
    """

    population: int | None = None
    crossover: str = "merge"
    diversity: float = 0.7
    descent: str | None = None
    plan: tuple[int, ...] = ()
    proof: bool = True

    def __post_init__(self) -> None:
        if self.population is not None:
            at_least("population", self.population, 4, 10_000)
        one_of("crossover", self.crossover, _CROSSOVERS)
        between("diversity", self.diversity, 0, 1)
        if not isinstance(self.plan, tuple | list):
            raise SettingError(f"plan must be a list of iterations, not {self.plan!r}")
        for length in self.plan:
            at_least("plan", length, 1, 10**15)
        object.__setattr__(self, "plan", tuple(self.plan))
        if self.descent is not None:
            one_of("descent", self.descent, _DESCENTS)
        true_or_false("proof", self.proof)


def auto(run: Run, settings: AutoSettings) -> None:
    """Search and prove until the run is over; a proof that is too far from its end gives up."""
    _solve(run, settings, give_up=True)


def exact(run: Run, settings: AutoSettings) -> None:
    """Search and prove until they meet; the proof never gives up."""
    if not settings.proof:
        raise SettingError("'exact' needs its proof; use method 'auto' with proof=False")
    _solve(run, settings, give_up=False)


def _solve(run: Run, settings: AutoSettings, give_up: bool) -> None:
    if not settings.proof:
        # A run that ends before its search begins can be repeated too.
        run.details["plan"] = []
    if not counted_in_time(run, SPLITTING):
        return
    parts = PartOrders(run)
    if run.top is not None:
        parts.settle_rest()
        run.top_solved = not parts.unsolved()
    _search(run, settings, give_up, parts)
    parts.settle()


def _search(run: Run, settings: AutoSettings, give_up: bool, parts: PartOrders) -> None:
    """Improve the parts and prove bounds; store the proof and the elite in the run."""
    if not parts.unsolved() and all(part.is_small for part in run.split.parts):
        # Everything is solved, without loading any kernel.
        run.proof = Proof.by_subsets(run.pairwise, run.split)
        return
    if run.pool is not None and give_up:
        from concordant.solver.islands import search_on_islands

        search_on_islands(run, run.pool, auto, settings)
        return
    searches: list[Evolution] = []

    def begin() -> Evolution:
        # Imported here: a problem that is proven first needs none of its kernels.
        from concordant.solver.evolution import Evolution

        searches.append(Evolution(run, parts, settings))
        return searches[0]

    try:
        if settings.proof:
            from concordant.solver.beside import search_and_prove

            # A proof to the end takes seconds to set up on many items: not when time is up.
            late = run.n_items > LARGE and run.out_of_limits()
            search = search_and_prove(run, begin, parts, give_up=give_up or late)
        else:
            search = begin()
        while search and give_up and not run.stop():
            search.round()
    finally:
        if searches:
            run.elite = searches[0].elite()
