"""A committee whose majorities form a cycle.

Seven referees rank six candidates. Whoever the committee chooses, a majority prefers somebody
else. Which ranking contradicts the fewest opinions, and can the committee show that there is no
better one?
"""

# %%
import concordant as cc

referees = {
    "Abe": "Iris Noor Leo Mara Otto Pia",
    "Bea": "Noor Leo Iris Mara Pia Otto",
    "Cas": "Leo Iris Noor Otto Mara Pia",
    "Dov": "Iris Noor Mara Leo Pia Otto",
    "Eva": "Noor Leo Iris Pia Mara Otto",
    "Fay": "Leo Iris Noor Mara Otto Pia",
    "Gus": "Mara Iris Noor Leo Otto Pia",
}
votes = cc.Rankings.from_orders([order.split() for order in referees.values()])
pairs = cc.Pairwise.from_rankings(votes)
number = {name: index for index, name in enumerate(votes.items)}
for a, b in [("Iris", "Noor"), ("Noor", "Leo"), ("Leo", "Iris")]:
    print(f"{pairs.counts[number[a], number[b]]} of 7 referees prefer {a} to {b}")

# %% [markdown]
# Iris beats Noor, Noor beats Leo, and Leo beats Iris. No candidate beats all others, so "the
# winner of all majorities" does not exist. The Kemeny consensus contradicts as few opinions as
# possible:

# %%
result = cc.aggregate(votes)
print(" > ".join(result.ranking))
print(f"{result.cost} contradicted opinions; no ranking has fewer than {result.lower_bound}")
print("the only best ranking" if result.is_unique else "others are as good")

# %% [markdown]
# The ranking is optimal and the only best one, so the chair can say: any other ranking contradicts
# more opinions. Other voting rules answer other questions:

# %%
from concordant.rules import other_rules

for rule in other_rules(votes):
    print(f"{rule.name}: {' > '.join(' = '.join(tier) for tier in rule.tiers)}")

# %% [markdown]
# In the picture, a cell has the share of referees who put the row before the column, in percent. The
# cross marks the one majority that the consensus overrules: most referees prefer Leo to Iris.
#
# ![The shares of all pairs, in the order of the consensus](../images/gallery/committee.png)

# %%
ax = cc.plot.pairwise(votes, result)
ax.figure.savefig("committee.png", dpi=120)
