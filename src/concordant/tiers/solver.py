"""The solver: parts solved apart, by subsets, or by search and proof in turn until they meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from typing import Any, Protocol

from concordant._types import Int64
from concordant.certificate import KIND, VERSION
from concordant.tiers import subsets
from concordant.tiers.certificate import OBJECTIVE, fingerprint
from concordant.tiers.costs import TierCosts
from concordant.tiers.parts import TierPart, TierSplit

# Parts of more groups than this are proven without a tree.
_WIDE = 450
# The steps of the search and of the proof in one round: some milliseconds each.
_ROUND = 4_000_000
# A search that has found nothing better for a whole population gets this share of them, as long as
# the bound rises: once it has not risen for some rounds, only a better answer can close the gap.
_IDLE_SHARE, _ROUNDS_TO_RISE = 4, 6


class _Proof(Protocol):
    bucket: Int64
    cost: int
    bound: int

    @property
    def solved(self) -> bool: ...

    def offer(self, bucket: Int64) -> bool: ...

    def slices(self) -> Iterator[int]: ...

    def to_dict(self) -> dict[str, Any]: ...


class PartSolver:
    """One part: its best weak order, its bound, and the means to improve both.

    Args:
        part: The part.
        seed: Numbers that seed the search.
        starts: Weak orders of its groups to start from.
        proof: Whether to prove more than the trivial bound.
    """

    def __init__(
        self,
        part: TierPart,
        seed: list[int],
        starts: Sequence[Int64] = (),
        proof: bool = True,
    ) -> None:
        self.part = part
        self._proof: _Proof | None = None
        self._slices: Iterator[int] | None = None
        self._with_proof = proof
        self._search: Any = None
        # The rounds since the bound has risen.
        self._unraised = 0
        if part.size <= subsets.LARGEST:
            self.bucket, cost = subsets.solve(part.before, part.tied)
            self.cost = self.bound = part.inside + cost
            return
        from concordant.tiers.search import TierSearch

        self._search = TierSearch(part, seed, starts)
        self.bucket, self.cost = self._search.bucket, self._search.cost
        self.bound = part.trivial

    @property
    def solved(self) -> bool:
        """Whether the best weak order is proven optimal."""
        return self.bound >= self.cost

    @property
    def iterations(self) -> int:
        """The items that the search has tried at all places."""
        return 0 if self._search is None else int(self._search.steps)

    def tasks(self, steps: int) -> list[Callable[[], None]]:
        """Return what one round does: a slice of the search and one of the proof.

        The two share nothing until `exchange`, so they may run at the same time.
        """
        is_rising = self._proof is not None and self._unraised < _ROUNDS_TO_RISE
        share = steps // _IDLE_SHARE if self._search.is_idle and is_rising else steps
        tasks: list[Callable[[], None]] = [lambda: self._search.advance(share)]
        # The proof begins when the first descents have ended: it needs a good cutoff.
        if self._with_proof and self._search.is_settled:
            if self._slices is None:
                self._proof = self._new_proof()
                self._slices = self._proof.slices()
            tasks.append(lambda: self._advance_proof(steps))
        return tasks

    def _new_proof(self) -> _Proof:
        if self.part.size > _WIDE:
            from concordant.tiers.wide import WideTierProof

            return WideTierProof(self.part, self.bucket)
        from concordant.tiers.tree import TierTree

        return TierTree(self.part, self.bucket)

    def _advance_proof(self, steps: int) -> None:
        assert self._slices is not None
        while steps > 0:
            work = next(self._slices, None)
            if work is None:
                break
            steps -= work

    def exchange(self) -> None:
        """Let search and proof have each other's results."""
        if self._search.cost < self.cost:
            self.bucket, self.cost = self._search.bucket, self._search.cost
        if self._proof is not None:
            if self._proof.cost < self.cost:
                self.bucket, self.cost = self._proof.bucket, self._proof.cost
                self._search.offer(self.bucket)
            elif self.cost < self._proof.cost:
                self._proof.offer(self.bucket)
            self._unraised = 0 if self._proof.bound > self.bound else self._unraised + 1
            self.bound = max(self.bound, self._proof.bound)

    def take(self, bucket: Int64) -> None:
        """Take over a weak order of the groups if it is better."""
        if self._search is not None and self.part.cost(bucket) < self.cost:
            self._search.offer(bucket)
            self.exchange()

    def settle(self) -> None:
        """Search to the end of the first descents, without a proof."""
        while self._search is not None and not self._search.is_settled:
            self._search.advance(_ROUND)
        if self._search is not None:
            self.exchange()

    def to_dict(self) -> dict[str, Any]:
        """Return the component of a certificate."""
        part = self.part
        facts: dict[str, Any] = {"items": part.items.tolist(), "bound": self.bound}
        if part.size < part.items.size:
            facts["groups"] = part.groups.tolist()
        if part.size == 1:
            return facts
        if part.size <= subsets.LARGEST:
            return {**facts, "proof": "subsets"}
        if self._proof is None:
            return {**facts, "cutoff": self.cost, "nodes": [{"rounds": []}]}
        return {**facts, **self._proof.to_dict()}


class TierSolver:
    """Finds a weak order of least cost and proves a lower bound.

    It works in rounds. A round gives every part that is not solved a slice of search and a slice of
    proof, measured in steps and not in seconds: with the same seed, the same number of rounds gives
    the same answer on every machine and with any number of threads.

    Args:
        costs: The problem.
        seed: The random seed.
        starts: Weak orders to start from, the most promising first: the bucket number of each item.
            `input_orders` makes some of rankings.
        proof: Whether to prove more than the trivial bound.
        top: Solve only the first parts that have this number of items; all parts by default.

    Attributes:
        rounds: The rounds so far.
        front: The parts that are worked on.

    Example:
        >>> from concordant.rankings import Rankings
        >>> data = Rankings.from_orders([["a", "b", "c"], ["b", ("a", "c")], [("a", "b"), "c"]])
        >>> solver = TierSolver(TierCosts.from_rankings(data, tie_penalty=0.5))
        >>> solver.work()
        >>> solver.costs.tiers(solver.bucket), solver.cost, solver.bound
        ((('a', 'b'), ('c',)), 3, 3)
    """

    def __init__(
        self,
        costs: TierCosts,
        *,
        seed: int = 0,
        starts: Sequence[Int64] = (),
        proof: bool = True,
        top: int | None = None,
    ) -> None:
        self.costs = costs
        self._split = TierSplit.of(costs)
        self.rounds = 0
        self.parts = [
            PartSolver(
                part,
                [seed, number],
                [part.of_groups(start) for start in starts],
                proof,
            )
            for number, part in enumerate(self._split.parts)
        ]
        self.front = self.parts
        if top is not None:
            ends = accumulate(part.part.items.size for part in self.parts)
            self.front = self.parts[: 1 + sum(end < top for end in ends)]
            for part in self.parts[len(self.front) :]:
                part.settle()

    @property
    def front_solved(self) -> bool:
        """Whether some optimal answer begins with the tiers of the first parts, `front`."""
        return all(part.solved for part in self.front)

    @property
    def bucket(self) -> Int64:
        """The best weak order known: the bucket number of each item."""
        return self._split.join([part.bucket for part in self.parts])

    @property
    def cost(self) -> int:
        """Its cost, in units of 1 / `costs.scale`."""
        return self._split.between + sum(part.cost for part in self.parts)

    @property
    def bound(self) -> int:
        """What is proven: no weak order costs less, in the same units."""
        return self._split.between + sum(part.bound for part in self.parts)

    @property
    def solved(self) -> bool:
        """Whether the best weak order is proven optimal."""
        return all(part.solved for part in self.parts)

    @property
    def iterations(self) -> int:
        """The items that the search has tried at all places."""
        return sum(part.iterations for part in self.parts)

    def offer(self, bucket: Int64) -> None:
        """Take over what is better in a weak order of all items."""
        for part in self.parts:
            part.take(part.part.of_groups(bucket))

    def round(self, pool: ThreadPoolExecutor | None = None) -> None:
        """Carry on all parts that are not solved for some milliseconds."""
        waiting = [part for part in self.front if not part.solved]
        effort = sum(part.part.size**2 for part in waiting)
        tasks = [
            task
            for part in waiting
            for task in part.tasks(max(1_000, _ROUND * part.part.size**2 // max(1, effort)))
        ]
        if pool is None:
            for task in tasks:
                task()
        else:
            for done in [pool.submit(task) for task in tasks]:
                done.result()
        for part in waiting:
            part.exchange()
        self.rounds += 1

    def work(
        self,
        stop: Callable[[], bool] | None = None,
        max_rounds: int | None = None,
        n_jobs: int = 1,
    ) -> None:
        """Carry on until the answer is proven, or `stop`, asked after every round, says so."""
        pool = ThreadPoolExecutor(n_jobs) if n_jobs > 1 else None
        try:
            while not self.front_solved and (max_rounds is None or self.rounds < max_rounds):
                self.round(pool)
                if stop is not None and stop():
                    break
        finally:
            if pool is not None:
                pool.shutdown()

    def certificate(self) -> dict[str, Any]:
        """Return what proves the bound, as `concordant.tiers.certificate` describes it.

        Example:
            >>> from concordant.rankings import Rankings
            >>> from concordant.tiers.certificate import check
            >>> data = Rankings.from_orders([["a", "b", "c"], ["b", "c", "a"], ["c", ("a", "b")]])
            >>> solver = TierSolver(TierCosts.from_rankings(data))
            >>> solver.work()
            >>> check(solver.certificate(), solver.costs.before, solver.costs.tied) == solver.bound
            True
        """
        return {
            "format": KIND,
            "version": VERSION,
            "objective": OBJECTIVE,
            "n_items": self.costs.n_items,
            "data": fingerprint(self.costs.before, self.costs.tied),
            "bound": self.bound,
            "components": [part.to_dict() for part in self.parts],
        }
