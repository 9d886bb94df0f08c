"""A leaderboard of language models, from battles and from benchmarks.

Two kinds of evidence say which model is better. In battles, a person sees two answers and picks
one. In benchmarks, each model has a score for each task. All data here is generated, so we know
the true order: the models are called A to H, and A is the best.
"""

# %%
import numpy as np

import concordant as cc

random = np.random.default_rng(3)
models = [f"model {letter}" for letter in "ABCDEFGH"]
skill = np.array([1.6, 1.3, 1.2, 0.8, 0.4, 0.3, -0.2, -0.6])

battles = []
for _ in range(1200):
    a, b = random.choice(len(models), 2, replace=False)
    a_wins = random.random() < 1 / (1 + np.exp(skill[b] - skill[a]))
    battles.append((models[a], models[b]) if a_wins else (models[b], models[a]))

data = cc.Rankings.from_battles(battles)
strengths = cc.aggregate(data, "bradley-terry")
print("Bradley-Terry:", " > ".join(name[-1] for name in strengths.ranking))
consensus = cc.aggregate(data)
print("Kemeny:       ", " > ".join(name[-1] for name in consensus.ranking), f"({consensus.status})")

# %% [markdown]
# Which of these places can be trusted? The bootstrap draws the battles again and again. Its
# `ranks` hold for all models at the same time, with 95 % confidence:

# %%
firm = cc.bootstrap(data, 200, method="bradley-terry", seed=1)
for model, (first, last) in zip(firm.items, firm.ranks):
    print(f"{model}: place {first}" + (f" to {last}" if last > first else ""))

# %% [markdown]
# Benchmarks have scales that cannot be added: accuracy in percent, points, seconds. Each task
# therefore votes by its order only.

# %%
tasks = 12
scores = (10 ** random.integers(0, 3, tasks))[:, None] * (
    skill + random.normal(0, 0.6, (tasks, len(models)))
)
ranks = (-scores).argsort(axis=1).argsort(axis=1) + 1
benchmarks = cc.Rankings.from_ranks(ranks, items=models)
result = cc.aggregate(benchmarks)
print("benchmarks:", " > ".join(name[-1] for name in result.ranking), f"({result.status})")
tau = cc.kendall_tau(result.ranking, strengths.ranking)
print(f"Kendall tau of the two leaderboards: {tau:.2f}")

# %% [markdown]
# ![Strengths of the models with intervals, and where the tasks put each model](../images/gallery/leaderboard.png)

# %%
from matplotlib.figure import Figure

figure = Figure(figsize=(11, 4.2), layout="constrained")
left, right = figure.subplots(1, 2)
score, low, high = (np.array(strengths.details[key]) for key in ("scores", "low", "high"))
places = range(len(models), 0, -1)
left.errorbar(score, places, xerr=[score - low, high - score], fmt="o", capsize=3)
left.set_yticks(places, strengths.ranking)
left.set_xlabel("strength (logarithm of the odds), with 95 % interval")
left.set_title("From 1,200 battles", loc="left")
cc.plot.positions(benchmarks, result, ax=right)
figure.savefig("leaderboard.png", dpi=110)
