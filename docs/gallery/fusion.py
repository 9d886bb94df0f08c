"""Fusing the results of several search systems.

Four systems answer the same forty queries with twenty documents each. One system is good, two are
fair, and one is poor. A fused list should be better than the best of them, although nobody knows
in advance which one that is. The runs are generated, so the relevant documents are known.
"""

# %%
from pathlib import Path

import numpy as np

import concordant as cc

random = np.random.default_rng(2)
noise = {"dense": 0.9, "bm25": 1.2, "sparse": 1.2, "titles": 2.5}
queries = [f"q{number}" for number in range(1, 41)]
relevance = {query: random.choice([0, 0, 0, 0, 1, 2, 3], 60) for query in queries}
for system, spread in noise.items():
    lines = []
    for query in queries:
        score = relevance[query] + random.normal(0, spread, 60)
        for place, document in enumerate(np.argsort(-score)[:20], start=1):
            lines.append(f"{query} Q0 d{document} {place} {score[document]:.4f} {system}\n")
    Path(f"{system}.run").write_text("".join(lines))
print(Path("bm25.run").read_text().splitlines()[0])

# %% [markdown]
# The files are in the format of TREC. `read_many` makes a problem of each query, with a ranking
# from each system. A document that a system does not return counts as behind those that it
# returns.

# %%
problems = cc.read_many([f"{system}.run" for system in noise])
fused = {
    "Borda": cc.aggregate_many(problems, "borda"),
    "RRF": cc.aggregate_many(problems, "rrf"),
    "Kemeny": cc.aggregate_many(problems, "insertion"),
}
fused["RRF"].save("fused.run", depth=20, tag="rrf")

# %% [markdown]
# How good are the lists? NDCG at 10 compares the relevance of the first ten documents with the
# best order possible.


# %%
def ndcg(query, documents, depth=10):
    gain = 2.0 ** relevance[query] - 1
    weight = 1 / np.log2(np.arange(2, depth + 2))
    found = gain[[int(document[1:]) for document in documents[:depth]]]
    return (found @ weight) / (np.sort(gain)[::-1][:depth] @ weight)


alone = {
    system: [
        ndcg(query, [line.split()[2] for line in lines if line.split()[0] == query])
        for query in queries
    ]
    for system in noise
    for lines in [Path(f"{system}.run").read_text().splitlines()]
}
together = {
    name: [ndcg(query, results[query].ranking) for query in queries]
    for name, results in fused.items()
}
for name, values in {**alone, **together}.items():
    print(f"{name:7} {np.mean(values):.2f}")

# %% [markdown]
# All three ways of fusing beat the best single system, although one of the four is poor.
# `insertion` is a fast local search for the Kemeny order. Use `auto` instead if a proof matters.
#
# ![NDCG of the four systems and of the fused lists](../images/gallery/fusion.png)

# %%
from matplotlib.figure import Figure

figure = Figure(figsize=(6.4, 3), layout="constrained")
ax = figure.subplots()
for names, colour in ((alone, "tab:gray"), (together, "tab:blue")):
    means = [np.mean(values) for values in names.values()]
    errors = [np.std(values) / len(queries) ** 0.5 for values in names.values()]
    ax.barh(list(names), means, xerr=errors, color=colour, capsize=3)
ax.invert_yaxis()
ax.set_xlim(0, 1)
ax.set_xlabel("NDCG at 10, mean of 40 queries with its standard error")
ax.set_title("Single systems (grey) and fused lists (blue)", loc="left")
figure.savefig("fusion.png", dpi=110)
