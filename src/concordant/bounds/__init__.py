"""Lower bounds and their proofs: packed cycles, dual ascent, and branch and bound."""
