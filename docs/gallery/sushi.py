"""Groups of guests with different tastes in sushi.

Three hundred guests rank ten kinds of sushi. The overall consensus suits nobody really well,
because there are groups with opposite tastes. How many groups are there, and what does each of
them like? The guests are generated, in the style of the well-known surveys of sushi preferences:
two thirds like fatty fish, one third prefers egg and vegetables.
"""

# %%
import numpy as np

import concordant as cc

random = np.random.default_rng(4)
kinds = ["tuna", "fatty tuna", "salmon roe", "sea urchin", "eel", "shrimp", "squid"]
kinds += ["tuna roll", "egg", "cucumber roll"]
classic = ["fatty tuna", "tuna", "eel", "sea urchin", "salmon roe"]
classic += ["shrimp", "squid", "tuna roll", "egg", "cucumber roll"]
mild = ["egg", "shrimp", "tuna roll", "cucumber roll", "tuna", "squid"]
mild += ["eel", "fatty tuna", "salmon roe", "sea urchin"]
orders = []
for centre, guests, seed in ((classic, 200, 1), (mild, 100, 2)):
    drawn = cc.generate.mallows(10, guests, theta=0.35, seed=seed)
    for ranking in drawn:
        orders += [[centre[int(item) - 1] for (item,) in ranking.buckets]] * int(ranking.weight)
random.shuffle(orders)
guests = cc.Rankings.from_orders(orders, items=kinds)
everyone = cc.aggregate(guests)
print("everyone:", ", ".join(everyone.ranking[:5]), "...")

# %% [markdown]
# `groups` divides the guests so that the consensuses of the groups contradict them least. With
# `k="auto"`, it also chooses the number of groups, and gives one if there is no clear structure.

# %%
found = cc.groups(guests, k="auto", seed=0)
for size, each in zip(found.sizes, found.consensuses):
    print(f"{size} guests:", ", ".join(each.ranking[:5]), "...")
print(
    f"contradicted opinions: {everyone.cost} with one ranking, {found.cost} with {len(found.sizes)}"
)

# %% [markdown]
# The kinds on which the groups differ most, with their places:

# %%
for kind, places in found.differences[:3]:
    print(kind, places)

# %% [markdown]
# ![The guests as points; similar rankings are close together, and the colour is the group](../images/gallery/sushi.png)

# %%
ax = cc.plot.groups(guests, found)
ax.figure.savefig("sushi.png", dpi=110)
