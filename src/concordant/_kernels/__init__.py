"""Numba kernels: arrays in, arrays out. No kernel knows a Rankings, a clock or a console."""
