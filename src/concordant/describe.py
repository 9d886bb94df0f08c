"""Results and inputs in plain words, the same on the terminal, in reports and on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from concordant.formatting import counted, duration, number, share

if TYPE_CHECKING:
    from concordant.consensus import Consensus
    from concordant.rankings import Rankings
    from concordant.resampling import Bootstrap


def status_words(result: Consensus) -> str:
    """Say what the status of a result means."""
    if result.status == "optimal":
        return "proven, no ranking costs less"
    if result.top_proven:
        first = "first place is" if result.top == 1 else f"first {result.top} places are"
        return f"the {first} proven, some optimal ranking begins so; the rest was left"
    found = "stopped by hand, best so far" if result.interrupted else "the best found"
    return f"{found}; none can cost less than {number(result.lower_bound)}"


def method_words(result: Consensus) -> str:
    """Say how a result was found."""
    words = f"{result.method}, seed {result.seed}, {duration(result.elapsed)}"
    if result.generations:
        words += f", {counted(result.generations, 'generation')}"
    return words


def input_words(result: Consensus, data: Rankings | None) -> str:
    """Describe the input in one line; `data` is None for a bare matrix."""
    words = counted(result.n_items, "item")
    if result.n_rankings is None:
        return f"{words}, a matrix"
    words += f", {counted(result.n_rankings, 'ranking')}"
    if result.total_weight is not None and result.total_weight != result.n_rankings:
        words += f" of total weight {number(result.total_weight)}"
    if data is not None:
        if data.has_ties:
            words += ", with ties"
        if (data.lengths < data.n_items).any():
            meaning = "count as last" if data.unranked == "last" else "say nothing"
            words += f"; unranked items {meaning}"
    return words


def bootstrap_words(firm: Bootstrap) -> str:
    """Say in a line what a bootstrap was made of."""
    words = f"{counted(firm.samples, 'sample')} of {counted(firm.voters, 'voter')}"
    if firm.samples < firm.requested:
        words += f", of {firm.requested:,} asked for"
    words += f", seed {firm.seed}"
    if firm.exact == 1:
        return f"{words}, all solved exactly"
    return f"{words}, {share(firm.exact)} solved exactly, the others by local search"


def count_words(state: Any) -> str:
    """Describe the progress of a count of files (`counting.files.CountProgress`).

    Example:
        >>> from types import SimpleNamespace
        >>> count_words(
        ...     SimpleNamespace(
        ...         bytes_done=1,
        ...         bytes_total=4,
        ...         files_done=0,
        ...         files_total=2,
        ...         n_rankings=1_500_000,
        ...         seconds_left=9.0,
        ...     )
        ... )
        '25 %, 1,500,000 rankings, 0 of 2 files, about 9.0 s left'
    """
    share = state.bytes_done / max(1, state.bytes_total)
    words = [f"{share:.0%}".replace("%", " %"), f"{state.n_rankings:,} rankings"]
    if state.files_total > 1:
        words.append(f"{state.files_done:,} of {state.files_total:,} files")
    if state.seconds_left is not None and state.bytes_done < state.bytes_total:
        words.append(f"about {duration(state.seconds_left)} left")
    return ", ".join(words)
