"""Gene lists of several studies, as tiers.

Eight studies each report the genes that differ most between two conditions. The lists have
different lengths, and most of their genes are noise. Which genes are in the lists by more than
chance, and into which tiers do they fall? The data is generated: five genes have a strong effect,
five a weaker one.
"""

# %%
import numpy as np

import concordant as cc

random = np.random.default_rng(5)
strong = ["TP53", "MYC", "EGFR", "KRAS", "PTEN"]
weaker = ["BRAF", "CDK4", "RB1", "ATM", "JAK2"]
noise = [f"gene {number}" for number in range(1, 391)]
effect = dict.fromkeys(strong, 4.0) | dict.fromkeys(weaker, 2.7) | dict.fromkeys(noise, 0.0)
genes = list(effect)
lists = []
for length in (12, 15, 15, 20, 20, 25, 30, 30):
    measured = np.array(list(effect.values())) + random.normal(0, 1, len(genes))
    lists.append([genes[index] for index in np.argsort(-measured)[:length]])
data = cc.Rankings.from_orders(lists)
print(
    f"{data.n_rankings} lists with {data.n_items} genes in all, of {len(genes)} that were measured"
)

# %% [markdown]
# Robust rank aggregation gives each gene a p-value. A gene may be missing in some lists if it is
# high enough in others.

# %%
found = cc.list_significance(data, universe=len(genes))
kept = found.significant(0.05)
print(", ".join(kept))

# %% [markdown]
# The consensus of these genes, with ties: genes that the lists cannot separate share a tier. A
# tie costs 0.3 for each list that orders the two genes, so it pays to separate two genes if more
# than 70 % of the lists agree. A gene that a list lacks counts as behind the genes of that list.

# %%
short = cc.Rankings.from_orders(
    [[gene for gene in each if gene in kept] for each in lists], items=kept, unranked="last"
)
result = cc.aggregate(short, ties=True, tie_penalty=0.3)
for number, tier in enumerate(result.tiers, start=1):
    print(f"tier {number}: {', '.join(sorted(tier))}")
print(f"{result.status}, cost {result.cost}")

# %% [markdown]
# The picture shows the place of each gene in each list; a grey cell is a list without the gene.
# Lines separate the tiers.
#
# ![The places of the genes in the eight lists, with the tiers](../images/gallery/genes.png)

# %%
from matplotlib.figure import Figure

order = [gene for tier in result.tiers for gene in tier]
places = np.array(
    [[each.index(gene) + 1 if gene in each else np.nan for each in lists] for gene in order]
)
figure = Figure(figsize=(6.4, 0.34 * len(order) + 1.2), layout="constrained")
ax = figure.subplots()
ax.set_facecolor("0.85")
cells = ax.imshow(places, cmap="viridis_r", aspect="auto")
for (row, column), place in np.ndenumerate(places):
    if place == place:
        ax.text(
            column,
            row,
            f"{place:.0f}",
            ha="center",
            va="center",
            fontsize=8,
            color="white" if place > 11 else "black",
        )
ax.hlines(np.cumsum([len(tier) for tier in result.tiers])[:-1] - 0.5, -0.5, 7.5, color="red", lw=2)
ax.set_yticks(range(len(order)), order)
ax.set_xticks(range(8), [f"list {number}" for number in range(1, 9)], rotation=30)
ax.set_title("Places of the genes in the lists, by tier", loc="left")
figure.savefig("genes.png", dpi=110)
