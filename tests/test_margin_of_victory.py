"""How many more voters change a result, and other voting rules, against brute force."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import numpy as np
import pytest

import concordant as cc
from concordant.describe import headline, needed_words, resampled_words, voters_words
from concordant.margin_of_victory import Needed, needed_voters
from concordant.pairwise import Pairwise
from concordant.rules import other_rules

Order = tuple[int, ...]


def distance(one: Order, other: Order) -> int:
    return sum(
        (one.index(a) < one.index(b)) != (other.index(a) < other.index(b))
        for a, b in itertools.combinations(range(len(one)), 2)
    )


class BruteForce:
    """All orders of a few items, and the smallest number of voters who change the best one."""

    def __init__(self, m: int, ballots: list[Order]) -> None:
        self.orders = list(itertools.permutations(range(m)))
        self.apart = {(a, b): distance(a, b) for a in self.orders for b in self.orders}
        self.costs = {a: sum(self.apart[a, b] for b in ballots) for a in self.orders}

    def best(self, more: tuple[Order, ...] = ()) -> list[Order]:
        costs = {a: self.costs[a] + sum(self.apart[a, b] for b in more) for a in self.orders}
        return [a for a in self.orders if costs[a] == min(costs.values())]

    def least(self, most: int) -> tuple[int | None, int | None]:
        """Return the smallest numbers of voters who change the winner, and any place."""
        [order] = self.best()
        winner = place = None
        for k in range(1, most + 1):
            for more in itertools.combinations_with_replacement(self.orders, k):
                best = self.best(more)
                if place is None and best != [order]:
                    place = k
                if winner is None and {each[0] for each in best} != {order[0]}:
                    winner = k
        return winner, place


@pytest.mark.parametrize("seed", range(25))
def test_the_number_of_voters_is_that_of_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    m = rng.choice((2, 3, 3, 4))
    orders = list(itertools.permutations(range(m)))
    ballots = rng.choices(orders if seed % 2 else rng.sample(orders, 2), k=rng.randint(1, 6))
    brute, most = BruteForce(m, ballots), 2 if m == 4 else 3
    best = brute.best()
    data = cc.Rankings.from_orders([list(ballot) for ballot in ballots], items=range(m))
    found = needed_voters(Pairwise.from_rankings(data), np.array(best[0]))
    if len({order[0] for order in best}) > 1:
        assert found.winner is None
    if len(best) > 1:
        assert found.order is None
        return
    winner, place = brute.least(most)
    assert found.order == place or (place is None and found.order > most)
    least, enough = found.winner
    assert least <= enough
    if winner is None:
        assert enough > most
    else:
        assert least <= winner <= enough


def test_a_winner_of_many_items_and_one_more_voter() -> None:
    data = cc.generate.mallows(20, 15, theta=0.3, seed=2)
    pairs, result = Pairwise.from_rankings(data), cc.aggregate(data)
    order = pairs.order_of(result.ranking)
    found = needed_voters(pairs, order)
    lead = pairs.counts[order[:-1], order[1:]] - pairs.counts[order[1:], order[:-1]]
    # With more items than subsets are solved for, only one voter is ever claimed to be enough.
    assert found.winner is None
    assert found.order == (1 if lead.min() == 1 else None)
    if found.order == 1:
        k = int(lead.argmin())
        other = list(result.ranking)
        other[k], other[k + 1] = other[k + 1], other[k]
        again = cc.aggregate(data + cc.Rankings.from_orders([other], items=data.items))
        assert not again.is_unique or again.ranking != result.ranking


def test_what_is_said_about_voters() -> None:
    tied = cc.aggregate([[0, 1], [1, 0]])
    assert needed_words(tied, Needed()) == ["One more voter could decide the tie for first."]
    clear = cc.aggregate([[0, 9], [1, 0]])
    assert needed_words(clear, Needed(order=2)) == [
        "It would take 2 more voters to change the order of some places."
    ]
    assert needed_words(clear, Needed(winner=(2, 4))) == [
        "4 more voters could change who wins, or make it a tie for first. Fewer than 2 cannot."
    ]
    two = [{"name": name, "pairs": 3, "against": 1} for name in ("Ann", "Bo")]
    assert voters_words(two) == "Ann and Bo disagree most: on 1 of 3 pairs each."
    assert voters_words([{"name": None, "pairs": 3, "against": 1}]) is None
    votes = cc.Rankings.from_orders([["a", "b"], ["b", "a"]], weights=[11, 9])
    said = resampled_words(cc.bootstrap(votes, samples=40))
    assert said.startswith("a is first in ")
    assert said.endswith(".")


def test_headlines_of_answers_that_are_not_the_only_ones() -> None:
    circle = cc.Rankings.from_orders([list("abc"), list("bca"), list("cab")])
    assert headline(cc.aggregate(circle)) == "Three-way tie for first: a, b and c."
    tiers = headline(cc.aggregate(circle, ties=True))
    assert tiers.endswith("in one of several answers that are equally good.")
    assert headline(cc.aggregate(circle, last=["a"])) == "b is first under your rules."
    hebrew = cc.aggregate(cc.Rankings.from_orders([["קפה", "b"]]))
    assert headline(hebrew) == "\u2068קפה\u2069 wins."


# -- other rules -------------------------------------------------------------------------------


def first_places(ballots: list[Order], left: set[int]) -> Counter[int]:
    return Counter(next(a for a in ballot if a in left) for ballot in ballots)


@pytest.mark.parametrize("seed", range(8))
def test_other_rules_are_as_defined(seed: int) -> None:
    rng = random.Random(seed)
    m, n = rng.randint(2, 5), rng.randint(1, 9)
    ballots = [tuple(rng.sample(range(m), m)) for _ in range(n)]
    data = cc.Rankings.from_orders([list(ballot) for ballot in ballots], items=range(m))
    rules = {rule.name: [set(tier) for tier in rule.tiers] for rule in other_rules(data)}
    everyone = set(range(m))
    assert all(sorted(itertools.chain(*tiers)) == list(range(m)) for tiers in rules.values())
    counts = first_places(ballots, everyone)
    assert rules["plurality"][0] == {a for a in range(m) if counts[a] == max(counts.values())}
    points = [sum(m - 1 - ballot.index(a) for ballot in ballots) for a in range(m)]
    assert rules["Borda"][0] == {a for a in range(m) if points[a] == max(points)}
    left = set(everyone)
    removed = []
    while left:
        counts = first_places(ballots, left)
        removed.append({a for a in left if counts[a] == min(counts[b] for b in left)})
        left -= removed[-1]
    assert rules["instant run-off"] == removed[::-1]
    lead = [[sum(b.index(x) < b.index(y) for b in ballots) for y in range(m)] for x in range(m)]
    winners = {x for x in range(m) if all(x == y or lead[x][y] > lead[y][x] for y in range(m))}
    if winners:
        assert rules["Schulze"][0] == winners
    assert cc.aggregate(data, "schulze").ranking[0] in rules["Schulze"][0]


def test_rules_with_ties_and_gaps_on_ballots() -> None:
    data = cc.Rankings.from_orders([[("a", "b"), "c"], ["c"], ["a"]], weights=[2, 1, 1])
    rules = {rule.name: rule.tiers for rule in other_rules(data)}
    # a and b share the two votes: a has 2, b has 1, c has 1.
    assert rules["plurality"] == (("a",), ("b", "c"))
    assert rules["instant run-off"][0] == ("a",)
