"""Ranking trees: grow a tree by the best splits, and add up the votes of many trees.

Rankings are rows of ±1 signs of label pairs, 0 where a pair is not known. `sorted_cases[j]` holds
the cases by rising value of feature j. A node owns the same range of every row. A split divides
these ranges stably, so that the cases are sorted only once.
"""

import numpy as np

from concordant._kernels.copying import copy
from concordant._kernels.jit import kernel, kernel_with_sums
from concordant._kernels.rng import below, uniform

SIMILARITY, ENTROPY = 0, 1
LEAF = -1
# The value of a leaf for a pair that none of its cases orders.
UNKNOWN = -2


@kernel_with_sums
def _add_signs(signs, w, left):
    """Add a case's signs, times its weight, to a sum; return their product with the old sum."""
    inner = 0.0
    for k in range(left.size):
        before = left[k]
        step = w * signs[k]
        inner += before * step
        left[k] = before + step
    return inner


@kernel_with_sums
def _product(signs, total):
    """Return the product of a case's signs with a sum of signs."""
    inner = 0.0
    for k in range(total.size):
        inner += signs[k] * total[k]
    return inner


@kernel
def _similarity_split(
    X, signs, known, weight, count, cases, along, total, feature, min_leaf, best
):  # fmt: skip
    """Find the split of a node on one feature with the highest similarity within parts.

    The similarity within a part is the squared length of its sum of signs divided by its weight:
    n · S, except for a factor of the number of pairs. Two running sums give it for both parts: the
    squared length of the left sum, and its product with the node's sum, to which each case
    contributes `along`. `known` is the number of pairs that each case orders. `best` holds the
    score and the threshold. Returns whether it changed.
    """
    q = signs.shape[1]
    left = np.zeros(q)
    length = 0.0
    product = 0.0
    whole = _product(total, total)
    n_total, w_total = 0, 0.0
    for i in cases:
        n_total += count[i]
        w_total += weight[i]
    n_left, w_left = 0, 0.0
    found = False
    for at in range(cases.size - 1):
        i = cases[at]
        w = weight[i]
        length += 2 * _add_signs(signs[i], w, left) + w * w * known[i]
        product += along[i]
        n_left += count[i]
        w_left += w
        value, following = X[i, feature], X[cases[at + 1], feature]
        if n_left < min_leaf or following <= value:
            continue
        if n_total - n_left < min_leaf:
            break
        score = length / w_left + (whole - 2 * product + length) / (w_total - w_left)
        if score > best[0]:
            best[0] = score
            best[1] = _between(value, following)
            found = True
    return found


@kernel
def _random_split(
    X, signs, weight, count, cases, total, whole, w_total, feature, min_leaf, stream, left, best
):  # fmt: skip
    """Score a random threshold on one feature, and keep it if it is better than `best`.

    The threshold is drawn between the values that leave `min_leaf` cases on both sides (Geurts,
    Ernst and Wehenkel 2006 draw it between all values). The score is that of `_similarity_split`.
    Only the signs of the smaller part are added up, in `left`. `whole` is the squared length of
    `total`, and `w_total` the weight of the node. Returns whether `best` changed.
    """
    low, n_left = 0, count[cases[0]]
    while n_left < min_leaf and low + 1 < cases.size:
        low += 1
        n_left += count[cases[low]]
    high, n_right = cases.size - 1, count[cases[-1]]
    while n_right < min_leaf and high > 0:
        high -= 1
        n_right += count[cases[high]]
    least, most = X[cases[low], feature], X[cases[high], feature]
    if least >= most:
        return False
    u = uniform(stream)
    threshold = (1 - u) * least + u * most
    if not least <= threshold < most:
        threshold = least
    # The cases are sorted: find the first one on the right.
    first, behind = low + 1, high
    while first < behind:
        middle = (first + behind) // 2
        if X[cases[middle], feature] <= threshold:
            first = middle + 1
        else:
            behind = middle
    smaller = cases[:first] if 2 * first <= cases.size else cases[first:]
    left[:] = 0
    w_left = 0.0
    for i in smaller:
        w_left += weight[i]
        _add_signs(signs[i], weight[i], left)
    length, product = _product(left, left), _product(left, total)
    score = length / w_left + (whole - 2 * product + length) / (w_total - w_left)
    if score <= best[0]:
        return False
    best[0], best[1] = score, threshold
    return True


@kernel
def _between(value, following):
    """Return a threshold that sends the one value left and the other right."""
    middle = value / 2 + following / 2
    return middle if value <= middle < following else value


@kernel
def _part_entropy(distinct, logs, alike, w):
    """Return the entropy of the rankings of a part, weighted by their dissimilarity.

    -Σ p·ln(p) over the distinct rankings, times -ln of their mean similarity, which runs from 0 to
    1: de Sá, Soares, Knobbe (2016). As in the authors' program, logarithms are natural, and the
    mean is over all pairs of a case and a distinct ranking. `logs` is the sum of w·ln(w) over the
    distinct rankings.
    """
    if distinct <= 1:
        return 0.0
    return max(np.log(w) - logs / w, 0.0) * -np.log(min(max(alike, 1e-12), 1.0))


@kernel
def _similarity_of_part(once, total, distinct, w):
    """Return the mean similarity of a part's cases and distinct rankings, from 0 to 1.

    `once` is the sum of the signs of the distinct rankings, `total` that of all cases.
    """
    q = once.size
    return (_product(once, total) / (q * max(distinct, 1) * w) + 1) / 2


@kernel
def _entropy_scan(X, kinds, kind_signs, weight, cases, feature, best, parts):
    """Find the split of a node on one feature with the least entropy within its parts.

    `best` holds minus the entropy and the threshold. `parts` holds the number of distinct rankings
    and the entropy of the left part, the right part and both together. Returns whether there is
    a split that is better than `best`.
    """
    q = kind_signs.shape[1]
    weights = np.zeros((2, kind_signs.shape[0]))
    once = np.zeros((2, q))
    sums = np.zeros((2, q))
    distinct = np.zeros(2, np.int64)
    logs = np.zeros(2)
    totals = np.zeros(2)
    left_over = np.zeros(weights.shape[1], np.int64)
    for i in cases:
        kind = kinds[i]
        totals[1] += weight[i]
        if weights[1, kind] == 0:
            distinct[1] += 1
            _add_signs(kind_signs[kind], 1.0, once[1])
        _add_signs(kind_signs[kind], weight[i], sums[1])
        weights[1, kind] += weight[i]
        left_over[kind] += 1
    for kind in range(weights.shape[1]):
        if weights[1, kind] > 0:
            logs[1] += weights[1, kind] * np.log(weights[1, kind])
    w_total = totals[1]
    alike = _similarity_of_part(once[1], sums[1], distinct[1], w_total)
    parts[2, 0] = distinct[1]
    parts[2, 1] = _part_entropy(distinct[1], logs[1], alike, w_total)
    found = False
    for at in range(cases.size - 1):
        i = cases[at]
        kind = kinds[i]
        for side, change in ((0, weight[i]), (1, -weight[i])):
            before = weights[side, kind]
            after = before + change
            enters = side == 0 and before == 0
            leaves = side == 1 and left_over[kind] == 1
            if leaves:
                after = 0.0
            if before > 0:
                logs[side] -= before * np.log(before)
            if after > 0:
                logs[side] += after * np.log(after)
            weights[side, kind] = after
            totals[side] += change
            _add_signs(kind_signs[kind], change, sums[side])
            if enters or leaves:
                sign = 1.0 if enters else -1.0
                distinct[side] += int(sign)
                _add_signs(kind_signs[kind], sign, once[side])
        left_over[kind] -= 1
        value, following = X[i, feature], X[cases[at + 1], feature]
        if following <= value:
            continue
        alike = _similarity_of_part(once[0], sums[0], distinct[0], totals[0])
        first = _part_entropy(distinct[0], logs[0], alike, totals[0])
        alike = _similarity_of_part(once[1], sums[1], distinct[1], totals[1])
        second = _part_entropy(distinct[1], logs[1], alike, totals[1])
        score = -(totals[0] * first + totals[1] * second) / w_total
        if score > best[0]:
            best[0] = score
            best[1] = _between(value, following)
            parts[0, 0], parts[0, 1] = distinct[0], first
            parts[1, 0], parts[1, 1] = distinct[1], second
            found = True
    return found


@kernel
def _gain_pays(parts, entropy_after, n):
    """Return whether a split shortens the description of a node (Fayyad and Irani 1993).

    Logarithms are natural, as in the program of de Sá and others; the base does not cancel.
    """
    k, before = parts[2, 0], parts[2, 1]
    # ln(3^k - 2), without the large power.
    code = k * np.log(3.0) + np.log(max(1 - 2 * 3.0**-k, 1e-300))
    delta = code - (k * before - parts[0, 0] * parts[0, 1] - parts[1, 0] * parts[1, 1])
    return before - entropy_after > (np.log(max(n - 1, 1)) + delta) / n


@kernel
def grow(
    X, sorted_cases, signs, kinds, kind_signs, weight, count,
    criterion, gamma, min_leaf, max_depth, max_features, random_thresholds, stream,
    feature, threshold, children, first, last,
):  # fmt: skip
    """Grow a tree; return how many nodes it has, and how many of them are leaves.

    Args:
        X: The features of the cases.
        sorted_cases: A row per feature: the cases of the tree by rising value. Divided in place.
        signs: The signs of the label pairs of each case.
        kinds: The number of each case's ranking among the distinct ones, `kind_signs`.
        kind_signs: The signs of each distinct ranking.
        weight: The weight of each case, all its copies together.
        count: The number of copies of each case.
        criterion: SIMILARITY or ENTROPY.
        gamma: How similar parts must be: split only while gamma · (1 + Q) > 1 + S.
        min_leaf: The least number of cases of a part; the entropy has none.
        max_depth: The largest depth of a leaf.
        max_features: The number of features that are tried, drawn for each node; more where none
            of those can be split.
        random_thresholds: Whether one random threshold of each feature is tried instead of all;
            for SIMILARITY only.
        stream: A random stream.
        feature: Written: the feature of each node, LEAF for none.
        threshold: Written: cases up to this value go left.
        children: Written: the left child of each node, which the right one follows; of a leaf,
            its number among the leaves.
        first: Written: where the cases of each leaf begin in each row of `sorted_cases`.
        last: Written: where they end.
    """
    n, d = sorted_cases.shape[1], sorted_cases.shape[0]
    q = signs.shape[1]
    known = np.zeros(X.shape[0])
    for i in range(X.shape[0]):
        known[i] = _product(signs[i], signs[i])
    along = np.zeros(X.shape[0])
    goes_left = np.zeros(X.shape[0], np.bool_)
    spare = np.empty(n, sorted_cases.dtype)
    features = np.arange(d)
    best, here = np.zeros(2), np.zeros(2)
    parts = np.zeros((3, 2))
    total, left = np.zeros(q), np.zeros(q)
    starts, ends = np.zeros(2 * n, np.int64), np.zeros(2 * n, np.int64)
    depths = np.zeros(2 * n, np.int64)
    ends[0] = n
    n_nodes, n_leaves = 1, 0
    node = 0
    while node < n_nodes:
        start, end = starts[node], ends[node]
        cases = sorted_cases[0, start:end]
        # The node is a leaf unless a split is found below.
        feature[node] = LEAF
        children[node] = n_leaves
        first[n_leaves], last[n_leaves] = start, end
        n_leaves += 1
        total[:] = 0
        n_here, w_here, w_squares, own = 0, 0.0, 0.0, 0.0
        for i in cases:
            n_here += count[i]
            w_here += weight[i]
            square = weight[i] * weight[i] / count[i]
            w_squares += square
            own += square * known[i]
            for k in range(q):
                total[k] += weight[i] * signs[i, k]
        node += 1
        too_small = criterion == SIMILARITY and n_here < 2 * min_leaf
        if too_small or depths[node - 1] >= max_depth or cases.size < 2:
            continue
        length = _product(total, total)
        if not random_thresholds:
            for i in cases:
                along[i] = weight[i] * _product(signs[i], total)
        best[0] = -np.inf
        chosen = -1
        for tried in range(d):
            if tried >= max_features and chosen >= 0:
                break
            if max_features < d:
                other = tried + below(stream, d - tried)
                features[tried], features[other] = features[other], features[tried]
            j = features[tried]
            stretch = sorted_cases[j, start:end]
            if X[stretch[0], j] == X[stretch[-1], j]:
                continue
            if criterion == SIMILARITY and random_thresholds:
                found = _random_split(
                    X, signs, weight, count, stretch, total, length, w_here, j, min_leaf,
                    stream, left, best,
                )  # fmt: skip
            elif criterion == SIMILARITY:
                found = _similarity_split(
                    X, signs, known, weight, count, stretch, along, total, j, min_leaf, best
                )
            else:
                # Each feature has to pay for its split before the best one is taken.
                here[0] = -np.inf
                found = _entropy_scan(
                    X, kinds, kind_signs, weight, stretch, j, here, parts
                ) and here[0] > best[0] and _gain_pays(parts, -here[0], n_here)  # fmt: skip
                if found:
                    copy(here, best)
            if found:
                chosen = j
        if chosen < 0:
            continue
        if criterion == SIMILARITY:
            after = best[0] / (q * w_here)
            alike = (length - own) / (q * max(w_here * w_here - w_squares, 1e-300))
            if gamma * (1 + after) <= 1 + alike + 1e-12:
                continue
        n_leaves -= 1
        feature[node - 1] = chosen
        threshold[node - 1] = best[1]
        middle = start
        for i in cases:
            goes_left[i] = X[i, chosen] <= best[1]
            middle += goes_left[i]
        for j in range(d):
            into, kept = start, 0
            for at in range(start, end):
                i = sorted_cases[j, at]
                if goes_left[i]:
                    sorted_cases[j, into] = i
                    into += 1
                else:
                    spare[kept] = i
                    kept += 1
            for at in range(kept):
                sorted_cases[j, into + at] = spare[at]
        children[node - 1] = n_nodes
        starts[n_nodes], ends[n_nodes] = start, middle
        starts[n_nodes + 1], ends[n_nodes + 1] = middle, end
        depths[n_nodes] = depths[n_nodes + 1] = depths[node - 1] + 1
        n_nodes += 2
    return n_nodes, n_leaves


@kernel
def leaf_sums(cases, first, last, weight, signs, sums, known):
    """Fill in the weighted sum of each leaf's signs, and the weight of the cases that have one."""
    for leaf in range(first.size):
        for at in range(first[leaf], last[leaf]):
            i = cases[at]
            for k in range(signs.shape[1]):
                sums[leaf, k] += weight[i] * signs[i, k]
                known[leaf, k] += weight[i] * abs(signs[i, k])


@kernel
def add_votes(X, roots, leaves, feature, threshold, children, values, seen, votes, known):
    """Add to each case's votes the values of its leaf in every tree, and count what is known.

    `roots` and `leaves` are the indices at which the nodes and the leaf values of each tree start.
    Values that are `UNKNOWN` count nothing. `seen` has, for each case and tree, whether the tree
    has seen the case and does not vote on it; it has no rows if all trees vote.
    """
    q = votes.shape[1]
    for tree in range(roots.size):
        root, first = roots[tree], leaves[tree]
        for i in range(X.shape[0]):
            if seen.shape[0] > 0 and seen[i, tree]:
                continue
            node = root
            while feature[node] != LEAF:
                right = X[i, feature[node]] > threshold[node]
                node = root + children[node] + right
            leaf = first + children[node]
            for k in range(q):
                value = values[leaf, k]
                if value != UNKNOWN:
                    votes[i, k] += value
                    known[i, k] += 1
