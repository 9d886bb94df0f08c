"""Answers with ties: an optimal weak order, its lower bound and its certificate."""
