"""Random numbers for kernels; a stream is an array of one 64-bit word.

The generator is SplitMix64 (Steele, Lea and Flood 2014). It gives the same numbers on every
machine.
"""

import numpy as np

from concordant._kernels.copying import copy
from concordant._kernels.jit import kernel


@kernel
def draw(stream):
    """Return the next 64 random bits of a stream."""
    stream[0] += np.uint64(0x9E3779B97F4A7C15)
    z = stream[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def below(stream, n):
    """Return a random whole number from 0 to n - 1."""
    return np.int64(((draw(stream) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@kernel
def uniform(stream):
    """Return a random number in [0, 1)."""
    return (draw(stream) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def shuffle(stream, values):
    """Shuffle values in place."""
    for i in range(values.size - 1, 0, -1):
        j = below(stream, i + 1)
        values[i], values[j] = values[j], values[i]


@kernel
def sort_by(key, order):
    """Sort `order` by rising `key[order]`, in place and stably (merge sort)."""
    n = order.size
    other = np.empty_like(order)
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle = min(start + width, n)
            end = min(middle + width, n)
            left, right = start, middle
            for into in range(start, end):
                if right >= end or (left < middle and key[order[left]] <= key[order[right]]):
                    other[into] = order[left]
                    left += 1
                else:
                    other[into] = order[right]
                    right += 1
        copy(other, order)
        width *= 2
