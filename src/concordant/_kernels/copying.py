"""Copies between arrays.

In compiled code `target[:] = source` also compiles the text of the error for shapes that differ,
which takes 2 s in each process that compiles it. A loop takes none and copies as fast.
"""

from concordant._kernels.jit import kernel


@kernel
def copy(source, target):
    """Copy the values of an array of one axis into another one that is at least as long."""
    for i in range(source.size):
        target[i] = source[i]
