"""Lower bounds and proofs: cycles packed and charged, triangles, branch and bound."""
