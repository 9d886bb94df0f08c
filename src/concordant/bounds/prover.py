"""`Prover`: the proofs of all components, during a search or without one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing

from concordant._types import Int64
from concordant.bounds.guide import Guides
from concordant.bounds.record import PartRecord, Proof
from concordant.bounds.tree import ComponentProof
from concordant.bounds.wide import WideProof
from concordant.pairwise import Pairwise
from concordant.reduction.split import Part, Split
from concordant.reduction.subsets import LARGEST_LATER, SubsetCosts, fits_later

# The bound of a component of more items comes from cycles alone.
WIDE = 600
# A tree that has more nodes does not solve a component soon: by subsets it is faster if it has few
# enough items. From 24 items on, each more doubles both.
_STALLED, _DOUBLED_FROM = 40, 24


class PartProof:
    """One component and its proof: by subsets if it is small, else by a tree or by cycles.

    With `by_subsets`, this is also the last resort for a component of a few more items.
    """

    def __init__(
        self,
        part: Part,
        by_subsets: bool,
        to_the_end: bool = False,
        guides: Guides | None = None,
    ) -> None:
        self.part = part
        self._by_subsets = by_subsets and part.size <= LARGEST_LATER and fits_later(part.excess())
        # Whether the tree goes on; else the subsets replace it.
        self._by_tree = True
        self._stalled = _STALLED << max(0, part.size - _DOUBLED_FROM)
        self.tree: ComponentProof | WideProof | None = None
        if part.size == 1 or (by_subsets and part.is_small):
            self._order, self._cost = part.solution()
        else:
            wide = part.size > WIDE and not to_the_end
            guide = None if wide or guides is None else guides.of(part)
            self.tree = WideProof(part) if wide else ComponentProof(part, guide=guide)

    @property
    def order(self) -> Int64:
        """The best order known."""
        tree = self.tree
        return self._order if tree is None else tree.order

    @property
    def cost(self) -> int:
        """The cost of the best order known."""
        tree = self.tree
        return self._cost if tree is None else tree.cost

    @property
    def bound(self) -> int:
        """The proven lower bound."""
        tree = self.tree
        return self._cost if tree is None else tree.bound

    @property
    def solved(self) -> bool:
        """Whether the best order is proven optimal."""
        return self.bound >= self.cost

    def offer(self, order: Int64) -> None:
        """Take an order of the component if it is better than the best known."""
        if self.tree is not None and not self.tree.solved:
            self.tree.offer(order)

    def slices(self, steps: int | None = None) -> Iterator[bool]:
        """Continue the proof, in slices of a few milliseconds.

        Yields after every slice whether a step is complete: then the bound may have risen.
        `steps` is the largest number of steps of a tree.
        """
        if self.tree is None:
            return
        for complete in self.tree.slices(steps):
            yield complete
            if self._by_subsets and self.tree.n_nodes > self._stalled:
                break
        else:
            return
        self._by_tree = False
        filling = SubsetCosts.in_slices(self.part.excess())
        while True:
            try:
                next(filling)
            except StopIteration as end:
                table: SubsetCosts = end.value
                break
            yield False
        self._order, self._cost = table.order, self.part.trivial + table.cost
        self.tree = None
        yield True

    def help(self) -> Generator[None, None, None]:
        """Explore nodes of a tree beside `slices`, from another thread; see `ComponentProof`."""
        tree = self.tree
        if not isinstance(tree, ComponentProof):
            return
        with closing(tree.help()) as slices:
            for _ in slices:
                if not self._by_tree:
                    return
                yield

    def record(self) -> PartRecord:
        """Return the proof so far."""
        tree = None if self.tree is None else self.tree.record()
        return PartRecord(self.part.items, self.bound, tree, self.part.groups)


class Prover:
    """Proves a lower bound on the cost of every order, and in the end the optimum.

    Args:
        pairwise: The counts.
        split: Their components, if they are known already.
        by_subsets: Whether small components are solved by subsets; else they get a tree too.
        to_the_end: Whether components of many items get a tree too, which can take very long; else
            their proof ends when cycles do not raise the bound any more.
        top: Prove only the components that contain the first `top` places; all by default.
        guides: An earlier proof of nearly the same counts, to be followed.

    Example:
        >>> cycle = Pairwise.from_matrix([[0, 2, 1], [1, 0, 2], [2, 1, 0]])
        >>> prover = Prover(cycle)
        >>> prover.work()
        >>> prover.bound, prover.cost
        (4, 4)
    """

    def __init__(
        self,
        pairwise: Pairwise,
        split: Split | None = None,
        *,
        by_subsets: bool = True,
        to_the_end: bool = False,
        top: int | None = None,
        guides: Guides | None = None,
    ) -> None:
        self._pairwise = pairwise
        self._split = Split.of(pairwise) if split is None else split
        self._parts = [
            PartProof(part, by_subsets, to_the_end, guides) for part in self._split.parts
        ]
        self._needed = len(self._parts) if top is None else self._split.holding(top)
        self._offered: Int64 | None = None
        self._under_way: PartProof | None = None
        self._lock = threading.Lock()

    @property
    def bound(self) -> int:
        """The proven lower bound."""
        return self._split.between + sum(part.bound for part in self._parts)

    @property
    def cost(self) -> int:
        """The cost of the best order known."""
        return self._split.between + sum(part.cost for part in self._parts)

    @property
    def order(self) -> Int64:
        """The best order known: the best orders of the components, one after the other."""
        return self._split.join(part.order for part in self._parts)

    @property
    def solved(self) -> bool:
        """Whether the best order is proven optimal."""
        return all(part.solved for part in self._parts)

    @property
    def largest_open(self) -> int:
        """The size of the largest component that is needed and not proven; 0 if there is none."""
        return max((p.part.size for p in self._parts[: self._needed] if not p.solved), default=0)

    @property
    def parts(self) -> Sequence[PartProof]:
        """The proof of each component."""
        return self._parts

    @property
    def top_solved(self) -> bool:
        """Whether the components that contain the first places are proven optimal."""
        return all(part.solved for part in self._parts[: self._needed])

    def offer(self, order: Int64) -> None:
        """Take the components of an order that are better than the best known.

        It can be called from any thread.
        """
        with self._lock:
            self._offered = order

    def _take_offer(self) -> None:
        with self._lock:
            order, self._offered = self._offered, None
        if order is None:
            return
        for part, inside in zip(self._parts, self._split.orders(order), strict=True):
            part.offer(inside)

    def slices(self, steps: int | None = None, largest: int | None = None) -> Iterator[bool]:
        """Continue the proof until it is complete, in slices of a few milliseconds.

        Yields after every slice whether a step is complete: then the bound or the order may have
        improved. `steps` is the largest number of steps for each component; components of more
        than `largest` items are left out.
        """
        for part in sorted(self._parts[: self._needed], key=lambda part: part.part.size):
            if largest is not None and part.part.size > largest:
                return
            self._take_offer()
            self._under_way = part
            for complete in part.slices(steps):
                if complete:
                    self._take_offer()
                yield complete

    def help(self) -> Generator[None, None, None]:
        """Explore nodes beside `slices`, from another thread, while there are open ones.

        Close the iterator before it is left for long: `slices` waits for its node in the end.
        """
        if self._under_way is not None:
            yield from self._under_way.help()

    def work(self, stop: Callable[[], bool] | None = None, steps: int | None = None) -> None:
        """Continue until everything is proven or `stop`, called between slices, returns True."""
        for _ in self.slices(steps):
            if stop is not None and stop():
                return

    def proof(self) -> Proof:
        """Return the proof of the current bound.

        Example:
            >>> from concordant.certificate import check
            >>> pairs = Pairwise.from_matrix([[0, 2, 1], [1, 0, 2], [2, 1, 0]])
            >>> check(Prover(pairs).proof().certificate(), pairs.counts)
            4
        """
        parts = tuple(part.record() for part in self._parts)
        return Proof(self._pairwise, self.bound, parts)
