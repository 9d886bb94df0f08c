"""A proof, checked by an independent program.

Concordant says that a ranking is optimal. Why should anybody believe it? Because the result comes
with a certificate, and a short program can check it without Concordant. Here we write such a
program, from the description in [Proofs](../proofs.md) alone.
"""

# %%
import json
from pathlib import Path

import concordant as cc

votes = cc.generate.mallows(40, 40, theta=0.02, seed=12)
result = cc.aggregate(votes, time_limit=20)
result.save_proof("proof.json")
print(f"{result.status}: cost {result.cost}, lower bound {result.lower_bound}")

# %% [markdown]
# The checker starts from the rankings. It counts for each pair how many rankings have the one
# before the other; an order pays for the rankings that contradict it. It uses Python's integers,
# which cannot overflow, and nothing from Concordant.

# %%
ballots = [([item for (item,) in each.buckets], int(each.weight)) for each in votes]
items = [str(number) for number in range(1, 41)]
place = {item: index for index, item in enumerate(items)}
m = len(items)
counts = [[0] * m for _ in items]
for order, weight in ballots:
    for position, first in enumerate(order):
        for second in order[position + 1 :]:
            counts[place[first]][place[second]] += weight


# %% [markdown]
# A part of the items needs a bound for its own pairs. The certificate gives cycles a → b → c → a
# with a multiplier each. No order follows all arrows of a cycle, so any multipliers that are not
# negative give a valid bound. This program checks certificates whose first round is enough,
# without branching. A certificate that needs more is refused, not believed.


# %%
def bound_of_cycles(part, rows, scale):
    cost = {
        (i, j): scale * (counts[part[j]][part[i]] - counts[part[i]][part[j]])
        for j in range(len(part))
        for i in range(j)
    }
    charge = 0
    for multiplier, *cycle in rows:
        assert multiplier >= 0 and len(cycle) >= 3
        up = 0
        for u, v in zip(cycle, cycle[1:] + cycle[:1]):
            if u < v:
                cost[u, v] += multiplier
                up += 1
            else:
                cost[v, u] -= multiplier
        charge += multiplier * (up - 1)
    base = sum(counts[part[i]][part[j]] for i, j in cost)
    least = sum(min(0, each) for each in cost.values()) - charge
    # Costs are whole numbers, so the bound may be rounded up.
    return base - (-least // scale)


def optimum_of(part):
    best = {0: 0}
    for placed in range(1 << len(part)):
        for last, item in enumerate(part):
            if not placed >> last & 1:
                paid = sum(counts[item][part[k]] for k in range(len(part)) if placed >> k & 1)
                after = placed | 1 << last
                best[after] = min(best.get(after, 1 << 62), best[placed] + paid)
    return best[(1 << len(part)) - 1]


certificate = json.loads(Path("proof.json").read_text())
component = {}
total = 0
for number, claim in enumerate(certificate["components"]):
    part = claim["items"]
    component |= dict.fromkeys(part, number)
    if len(part) == 1:
        proven = 0
    elif claim.get("proof") == "subsets":
        proven = optimum_of(part)
    else:
        assert "groups" not in claim
        first = claim["nodes"][0]["rounds"][0]
        assert set(first["rows"]) == {"cycle"}
        proven = bound_of_cycles(part, first["rows"]["cycle"], first["scale"])
    print(f"component of {len(part)} items: {proven} proven, {claim['bound']} claimed")
    assert proven >= claim["bound"]
    total += claim["bound"]
assert sorted(component) == list(range(m))
for a in range(m):
    for b in range(a):
        if component[a] != component[b]:
            total += min(counts[a][b], counts[b][a])


def cost_of(order):
    return sum(
        counts[place[second]][place[first]]
        for position, first in enumerate(order)
        for second in order[position + 1 :]
    )


paid = cost_of(result.ranking)
print(f"no order costs less than {total}; this one costs {paid}")

# %% [markdown]
# The two numbers are equal, so the ranking is optimal, whatever program found it.
# `concordant verify` checks all certificates, also those with branching and with ties. So does a
# program in one file, which needs only Python: `concordant verify --export-checker checker.py`. In the picture, each point is the
# ranking of one voter. No point can be below the line, and the consensus is on it.
#
# ![The cost of the ranking of each voter, of Borda's order and of the consensus, above the proven bound](../images/gallery/proof.png)

# %%
from matplotlib.figure import Figure

costs = sorted(cost_of(order) for order, _ in ballots)
borda = cc.aggregate(votes, "borda")
figure = Figure(figsize=(7, 3.4), layout="constrained")
ax = figure.subplots()
ax.axhspan(0, total, color="0.9")
ax.axhline(total, color="black", lw=1)
ax.text(len(costs), total - 60, "proven: no order costs less", ha="right", va="top")
ax.plot(
    range(1, len(costs) + 1), costs, "o", color="tab:blue", ms=4, label="rankings of the voters"
)
ax.plot(-1, cost_of(borda.ranking), "s", color="tab:orange", label="Borda's order")
ax.plot(-3, paid, "*", color="tab:red", ms=13, label="consensus")
ax.set_ylim(total - 600, None)
ax.set_xticks([])
ax.set_ylabel("total disagreements")
ax.set_title("All orders are above the bound, and the consensus is on it", loc="left")
ax.legend(frameon=False, loc="upper left")
figure.savefig("proof.png", dpi=110)
