"""The settings of all methods by name and type, so that type checkers find a misspelt one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict


class SearchSettings(TypedDict, total=False):
    """The settings of methods that have nothing to do with ties."""

    alpha: float
    ants: int
    beam: int | None
    beta: float
    children: int
    climb: bool
    crossover: str
    crossover_rate: float
    descent: str | None
    diversity: float
    duplicates: str
    evaluator: str
    evaporation: float
    history_length: int
    idle: str
    k: float
    kick: int
    least_pheromone: float
    max_idle: int
    max_idle_generations: int
    max_rounds: int
    max_shake: int
    mutation: str
    mutation_rate: float
    neighbourhood: str
    plan: Sequence[int]
    population: int | None
    prior: float
    proof: bool
    runs: int
    scaling: float
    start: str
    strength: str
    tolerance: float
    tournament: int
    until_limit: bool
    visibility_power: float


class MethodSettings(SearchSettings, total=False):
    """What `aggregate` passes on to a method; each method takes those that it documents."""

    tie_penalty: float
    ties: str | bool
