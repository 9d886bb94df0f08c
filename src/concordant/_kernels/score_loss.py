"""The logistic loss of label scores on all pairs of labels that a case orders, and its gradient.

With e = exp(score), the first label of a pair is before the second with probability e₁ / (e₁ + e₂).
So a case needs one exponential for each label, and one division for each pair. The logarithms of
the loss are taken of products. Several cases are done at a time, one in each lane of the vector
instructions.
"""

import numpy as np

from concordant._kernels.jit import kernel

_LANES = 32
# Scores of a case further than this from their middle count as this far.
_FARTHEST = 600.0
# A product of numbers stays finite while the sum of their logarithms stays below this.
_LARGEST = 700.0


@kernel
def _add_logarithms(product, loss):
    """Add the logarithm of each product to the loss, and set the product to 1."""
    for lane in range(loss.size):
        loss[lane] += np.log(product[lane])
        product[lane] = 1.0


@kernel
def _add_pairs(powers, later, step, product, wrong, slope, loss):
    """Add up the logarithms of e₁ + e₂ over the pairs of each lane, and the slopes.

    Args:
        powers: e of the label at each place, for each lane; 0 at places without a label.
        later: For each place, the first place that counts as behind it.
        step: The number of factors whose product stays finite.
        product: Ones, and ones again in the end.
        wrong: Zeros, and zeros again in the end.
        slope: Changed: the derivative in the score of the label at each place.
        loss: Changed: the sum of the logarithms.
    """
    m = powers.shape[0]
    factors = 0
    for p in range(m - 1):
        for q in range(p + 1, m):
            for lane in range(product.size):
                second = powers[q, lane]
                both = powers[p, lane] + second
                behind = q >= later[p, lane]
                both = both if behind else 1.0
                # Python's division would check for 0, which rules out vector instructions.
                share = np.true_divide(second if behind else 0.0, both)
                wrong[lane] += share
                slope[q, lane] += share
                product[lane] *= both
            factors += 1
            if factors == step:
                _add_logarithms(product, loss)
                factors = 0
        for lane in range(wrong.size):
            slope[p, lane] -= wrong[lane]
            wrong[lane] = 0.0
    _add_logarithms(product, loss)


@kernel
def add_losses(scores, orders, later, weight, slopes):
    """Return the weighted loss of all cases, and fill in its derivative in each score.

    Args:
        scores: The score of each label for each case; the largest is best.
        orders: The ranked labels of each case, best first, then -1.
        later: The place in `orders` of the first label that is behind the label at each place,
            the number of labels if there is none.
        weight: The weight of each case.
        slopes: Written: the derivative.
    """
    n, m = scores.shape
    powers = np.zeros((m, _LANES))
    slope = np.zeros((m, _LANES))
    following = np.zeros((m, _LANES), np.int64)
    product = np.ones(_LANES)
    wrong = np.zeros(_LANES)
    loss = np.zeros(_LANES)
    total = 0.0
    for first in range(0, n, _LANES):
        lanes = min(_LANES, n - first)
        powers[:] = 0.0
        slope[:] = 0.0
        following[:] = m
        loss[:] = 0.0
        reach = 0.0
        for lane in range(lanes):
            i = first + lane
            lowest, highest = np.inf, -np.inf
            count = 0
            while count < m and orders[i, count] >= 0:
                s = scores[i, orders[i, count]]
                lowest, highest = min(lowest, s), max(highest, s)
                count += 1
            middle = lowest / 2 + highest / 2
            for p in range(count):
                s = min(max(scores[i, orders[i, p]] - middle, -_FARTHEST), _FARTHEST)
                powers[p, lane] = np.exp(s)
                following[p, lane] = later[i, p]
                # A place without a label behind this one adds log(e₁ + 0) = s, and nothing else.
                loss[lane] -= (m - later[i, p]) * s
            reach = max(reach, min(highest - middle, _FARTHEST))
        step = int(_LARGEST / (reach + np.log(2.0)))
        _add_pairs(powers, following, step, product, wrong, slope, loss)
        for lane in range(lanes):
            i = first + lane
            slopes[i] = 0
            for p in range(m):
                if orders[i, p] >= 0:
                    slopes[i, orders[i, p]] = weight[i] * slope[p, lane]
            total += weight[i] * loss[lane]
    return total
