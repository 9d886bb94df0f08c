"""Votes of trees whose nodes list the training cases that reach them.

The nodes of a tree are in pre-order: the left child of a node follows it. The cases of a tree are
sorted by leaf, so those of any node are a stretch of them. A case stops at the first node with
fewer cases than the least for a split, so one tree serves for leaves of every size.
"""

import numpy as np

from concordant._kernels.jit import kernel

LEAF = -1


@kernel
def gather(X, row, trees, least, bag, share, touched):
    """Add up how much each training case counts for one case; return how many count at all.

    In each tree, the cases of the node at which the case stops have equal shares of 1, by weight.
    With a `bag`, trees that have seen the case (row `row` of the bag) are left out.

    Args:
        X: The features of the case.
        row: The number of the case in `bag`.
        trees: (feature, threshold, right, start, end, nodes, entries, cases, weights).
        least: The least number of cases of a node that is split.
        bag: Cases × trees: whether a tree has seen a case; no rows for no bag.
        share: Written, for the touched cases only: how much each case counts.
        touched: Written: the cases that count.
    """
    feature, threshold, right, start, end, nodes, entries, cases, weights = trees
    n_touched = 0
    for tree in range(nodes.size):
        if bag.shape[0] > 0 and bag[row, tree]:
            continue
        root = nodes[tree]
        at = root
        while feature[at] != LEAF and end[at] - start[at] >= least:
            at = at + 1 if X[feature[at]] <= threshold[at] else root + right[at]
        offset = entries[tree]
        total = 0.0
        for k in range(offset + start[at], offset + end[at]):
            total += weights[k]
        for k in range(offset + start[at], offset + end[at]):
            case = cases[k]
            if share[case] == 0:
                touched[n_touched] = case
                n_touched += 1
            share[case] += weights[k] / total
    return n_touched


@kernel
def add_votes(X, trees, least, bag, signs, votes, known):
    """Add to each case's votes, and to the weight of those that are known, what the trees say.

    Args:
        X: The features of the cases, in single precision.
        trees: See `gather`.
        least: See `gather`.
        bag: See `gather`.
        signs: The signs of the label pairs of each training case; 0 where a pair is not ordered.
        votes: The sum of the signs, for each case and pair.
        known: The sum of the absolute signs.
    """
    share = np.zeros(signs.shape[0], np.float32)
    touched = np.empty(signs.shape[0], np.int32)
    for i in range(X.shape[0]):
        count = gather(X[i], i, trees, least, bag, share, touched)
        vote, sure = votes[i], known[i]
        for t in range(count):
            case = touched[t]
            w = share[case]
            share[case] = 0
            row = signs[case]
            for k in range(row.size):
                vote[k] += w * row[k]
                sure[k] += w * abs(row[k])
