"""Counting pairs: of rankings in memory, in batches, in files of any size, on a cluster."""
