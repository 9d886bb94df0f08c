"""Lower bounds and proofs: dual ascent, cutting planes, branch and bound."""
