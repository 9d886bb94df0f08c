"""Label ranking, from the table to the prediction.

On which of four routes does a parcel arrive first, second, third and last? We have 160 parcels
with four features each, and the order in which the routes would have delivered them. A model
learns to predict the order for new parcels. The data is generated. It needs the extra `learn`.
"""

# %%
import numpy as np
import polars as pl

random = np.random.default_rng(6)
n = 160
parcels = pl.DataFrame(
    {
        "weight": random.uniform(0, 30, n).round(1),
        "distance": (10 ** random.uniform(0.7, 2.95, n)).round(),
        "weekend": random.integers(0, 2, n),
        "rain": random.uniform(0, 10, n).round(1),
    }
)
weight, distance, weekend, rain = parcels.to_numpy().T
hours = {
    "bicycle": 0.5 + distance / 14 + weight / 10 + rain / 4,
    "train": 5 + distance / 70 + 3 * weekend,
    "truck": 3 + distance / 45 + rain / 5,
    "plane": 9 + distance / 400 + weight / 10,
}
taken = np.column_stack(list(hours.values())) + random.normal(0, 0.8, (n, 4))
ranks = pl.DataFrame(taken.argsort(axis=1).argsort(axis=1) + 1, schema=list(hours))
print(parcels.hstack(ranks).row(0, named=True))

# %% [markdown]
# We keep the last 40 parcels back, and fit three rankers on the others. The score is the mean
# Kendall tau between predicted and true order: 1 if all pairs of routes are right, 0 for
# guessing.

# %%
from concordant.learn import LabelRanker, LabelRankingForest, NeighboursRanker

rankers = {
    "neighbours": NeighboursRanker(),
    "forest": LabelRankingForest(n_estimators=10, random_state=0),
    "ranker": LabelRanker(effort="cheap", random_state=0),
}
for name, ranker in rankers.items():
    ranker.fit(parcels[:120], ranks[:120])
    print(f"{name:10} {ranker.score(parcels[120:], ranks[120:]):.2f}")

# %% [markdown]
# A new parcel of 5 kg, for four distances: the model gives the probability that one route is
# faster than another, and the predicted order agrees best with these probabilities.

# %%
best = rankers["ranker"]
new = pl.DataFrame(
    [[5.0, distance, 0, 1.0] for distance in (20, 150, 400, 800)],
    schema=parcels.columns,
    orient="row",
)
for distance, order in zip(new["distance"], best.predict_order(new)):
    print(f"{distance:.0f} km: {' > '.join(order)}")

# %% [markdown]
# ![The chance of each route against another one, by distance](../images/gallery/routes.png)

# %%
from matplotlib.figure import Figure

distances = np.linspace(10, 900, 60)
grid = pl.DataFrame(
    [[5.0, each, 0, 1.0] for each in distances], schema=parcels.columns, orient="row"
)
chances = best.predict_pairs(grid)
figure = Figure(figsize=(7, 3.4), layout="constrained")
ax = figure.subplots()
for column, route in enumerate(ranks.columns):
    others = [each for each in range(4) if each != column]
    ax.plot(distances, chances[:, column, others].mean(axis=1), label=route, lw=2)
ax.set_xlabel("distance in km (5 kg, a weekday, little rain)")
ax.set_ylabel("chance against another route")
ax.set_title("Which route is faster than the others?", loc="left")
ax.legend(ncols=4, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.2))
figure.savefig("routes.png", dpi=110)
