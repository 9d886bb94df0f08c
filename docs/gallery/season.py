"""A racing season.

Ten drivers race sixteen times. A championship usually adds points for the first places, so one
lucky win is worth many solid finishes. The consensus of the races asks something else: which
order of the drivers contradicts the race results least? The results are generated; a driver who
does not finish is not ranked in that race.
"""

# %%
import numpy as np

import concordant as cc

random = np.random.default_rng(8)
drivers = ["Adams", "Bruno", "Chen", "Diaz", "Egger", "Fofana", "Gruber", "Hall", "Ito", "Jansen"]
pace = np.linspace(2.0, -2.0, 10)
spread = np.array([0.8, 0.8, 3.0, 0.8, 0.8, 0.8, 2.5, 0.8, 0.8, 0.8])
races = []
for _ in range(16):
    result = pace + random.normal(0, spread)
    finished = random.random(10) > 0.12
    races.append([drivers[d] for d in np.argsort(-result) if finished[d]])
season = cc.Rankings.from_orders(races, items=drivers)
print(f"{season.n_rankings} races; the first: {', '.join(races[0][:3])} ...")

# %% [markdown]
# The table of points, and the consensus with its proof:

# %%
worth = [25, 18, 15, 12, 10, 8, 6, 4, 2, 1]
points = {
    driver: sum(worth[race.index(driver)] for race in races if driver in race) for driver in drivers
}
table = sorted(drivers, key=lambda driver: -points[driver])
consensus = cc.aggregate(season)
print("by points:   ", ", ".join(table))
print("by consensus:", ", ".join(consensus.ranking))
print(consensus.status, "with cost", consensus.cost)

# %% [markdown]
# How many pairwise results does each order contradict? And how certain is the consensus? The
# bootstrap draws sixteen races again, with replacement.

# %%
pairs = cc.Pairwise.from_rankings(season)
print("contradicted by points:   ", pairs.cost(table))
print("contradicted by consensus:", consensus.cost)
firm = cc.bootstrap(season, 500, seed=1)
print(f"{consensus.ranking[0]} is first in {firm.first[0]:.0%} of the samples")

# %% [markdown]
# ![The place of each driver in each race, and in the consensus](../images/gallery/season.png)

# %%
ax = cc.plot.bump(season, consensus)
ax.figure.savefig("season.png", dpi=110)
