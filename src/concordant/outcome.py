"""What a finished run becomes: a `Consensus`, with what is known about other optimal orders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from concordant._types import Int64, Item
from concordant.algorithms.registry import Method
from concordant.bounds.record import Proof
from concordant.consensus import Consensus
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.reduction.comparisons import apart
from concordant.running import Elite, Run


@dataclass(frozen=True, slots=True)
class Others:
    """What is known about other optimal orders."""

    is_unique: bool | None = None
    winners: tuple[int, ...] | None = None
    listed: list[Int64] | None = None


def other_optima(run: Run, most: int | None) -> Others:
    """Find out whether there are other optimal orders, and list some if asked to."""
    from concordant.bounds.uniqueness import settle_uniqueness

    assert run.order is not None
    if not run.is_optimal:
        return Others(listed=None if most is None else [run.order])
    stop = (lambda: False) if run.repeatable else run.out_of_limits
    unique, winners = settle_uniqueness(run.pairwise, run.order, stop)
    if most is None:
        return Others(unique, winners)
    if unique:
        return Others(unique, winners, [run.order])
    from concordant.bounds.alternatives import optimal_orders

    orders, complete = optimal_orders(run.pairwise, run.order, max(2, most), stop)
    if len(orders) > 1:
        unique = False
    elif complete:
        unique = True
    if complete and winners is None:
        winners = tuple(sorted({int(order[0]) for order in orders}))
    return Others(unique, winners, orders[:most])


def consensus_of(
    run: Run,
    method: Method,
    settings: dict[str, Any],
    others: Others,
    top: int | None,
    scratch: float,
) -> Consensus:
    """Turn a finished run into its result."""
    data = run.data
    assert run.order is not None
    assert run.cost is not None
    cost = run.cost
    names = data.items
    buckets = run.buckets
    value, bound = run.value(cost), run.value(min(cost, run.lower_bound))
    if value == bound and not run.is_optimal:
        # The values differ by less than a float can show: round the bound down, to the safe side.
        bound = math.nextafter(bound, -math.inf)
    return Consensus(
        ranking=tuple(names[a] for a in run.order.tolist()),
        cost=value,
        lower_bound=bound,
        status="optimal" if run.is_optimal else "feasible",
        method=method.name,
        seed=int(run.seed),
        elapsed=run.elapsed,
        improved_at=run.improved_at,
        n_items=data.n_items,
        n_rankings=data.n_rankings,
        total_weight=data.total_weight,
        unranked=data.unranked,
        iterations=run.iterations,
        generations=run.generations,
        interrupted=run.interrupted,
        details=run.details,
        settings=settings,
        buckets=None
        if buckets is None
        else tuple(tuple(names[a] for a in bucket) for bucket in buckets),
        trace=tuple(run.trace),
        is_unique=others.is_unique,
        winners=None if others.winners is None else tuple(names[a] for a in others.winners),
        alternatives=None
        if others.listed is None
        else tuple(tuple(names[a] for a in order.tolist()) for order in others.listed),
        proof=_proof(run),
        elite=None if run.elite is None else Elite(names, run.elite, scratch),
        uncompared=uncompared_items(data, [names[a] for a in run.order.tolist()]),
        top=top,
        top_proven=None if top is None else run.is_optimal or run.top_proven,
    )


def uncompared_items(data: Rankings | Pairwise, ranking: Sequence[Item]) -> tuple[Item, ...]:
    """Return the items that no ranking connects to most others, in the order of the result."""
    found = {item for item, is_apart in zip(data.items, apart(data), strict=True) if is_apart}
    return tuple(item for item in ranking if item in found)


def _proof(run: Run) -> Proof | None:
    """Return the proof that the method kept, or that of the pairs alone if it suffices."""
    proof: Proof | None = run.proof
    counted = isinstance(run.data, Pairwise) or run.is_counted
    if proof is None and counted and run.lower_bound <= run.pairwise.lower_bound_units():
        return Proof.trivial(run.pairwise)
    return proof
