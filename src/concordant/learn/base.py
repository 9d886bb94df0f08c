"""The base of all label rankers: input, prediction by votes on label pairs, and the score."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, Literal, Self, Unpack

import narwhals as nw
import numpy as np
from joblib import Parallel
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from concordant._checks import between, one_of
from concordant._types import Float, Int64
from concordant.constraints import Constraints, Rules
from concordant.errors import InputError, show
from concordant.learn.confidence import cut_into_tiers
from concordant.learn.consensus import AGGREGATIONS, Aggregation, Orders, consensus_orders
from concordant.learn.targets import (
    as_frame,
    check_ranks,
    check_weights,
    label_frame,
    match_columns,
    mean_tau,
    pair_signs,
    pairs_of,
    rank_rows,
)


def check_columns(X: Any) -> None:
    """Raise `InputError` for a frame with columns of text, categories or dates, or two of one name.

    Example:
        >>> check_columns([[1.0]])
    """
    frame = as_frame(X, "X")
    if frame is None:
        if isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame):
            raise InputError("X is a lazy frame: call collect() first")
        return
    for name, kind in frame.schema.items():
        if not (kind.is_numeric() or kind in (nw.Boolean, nw.Object, nw.Unknown)):
            raise InputError(
                f"column {show(name)} of X is not numeric ({str(kind).lower()}): encode it first, "
                "such as with ColumnTransformer and OneHotEncoder in a Pipeline"
            )


def find_text(X: Any) -> str:
    """Return the place of the first value of a table that is not a number, for messages.

    Example:
        >>> find_text([[1, "u"]])
        "row 0, column 1 ('u')"
    """
    frame = as_frame(X, "X")
    table = np.asarray(X, object)
    for row, column in np.ndindex(table.shape):
        try:
            float(table[row, column])
        except (TypeError, ValueError):
            name = column if frame is None else show(frame.columns[column])
            return f"row {row}, column {name} ({show(str(table[row, column]))})"
    return "a column"


def check_finite(X: Float, names: Any) -> None:
    """Raise `InputError` if a feature is missing or infinite.

    Example:
        >>> check_finite(np.ones((2, 1)), None)
    """
    bad = ~np.isfinite(X)
    if not bad.any():
        return
    row, column = np.argwhere(bad)[0].tolist()
    where = f"row {row}, column {column if names is None else show(names[column])}"
    if np.isnan(X[row, column]):
        raise InputError(
            f"Input X contains NaN in {where}: fill missing values first, such as with "
            "SimpleImputer(add_indicator=True) in a Pipeline"
        )
    raise InputError(
        f"Input X contains infinity in {where}: replace infinite values or leave the row out"
    )


class BaseLabelRanker(BaseEstimator):  # type: ignore[misc]
    """A model that predicts, from features, the order in which a case ranks a fixed set of labels.

    A subclass learns votes on the pairs of labels (`_learn`) and predicts them for new cases
    (`_vote`); the predicted ranking of a case is the order that agrees best with its votes.

    Attributes:
        labels_: The labels: the columns of the frame `y`, else the numbers from 0.
        n_labels_: The number of labels.
        n_features_in_: The number of features.
        feature_names_in_: The names of the features, if `X` was a frame with names.
    """

    # How votes become an order; estimators with this setting set it in __init__.
    aggregation: Aggregation = "exact"

    # -- for subclasses ---------------------------------------------------------------------

    def _check_settings(self) -> None:
        """Raise `SettingError` for invalid settings."""

    def _learn(self, X: Float, ranks: Float, weight: Float) -> None:
        """Learn from cases of positive weight that order at least one pair of labels."""
        raise NotImplementedError

    def _vote(self, X: Float) -> Float:
        """Return for each case and pair of labels a vote from -1 to 1: 1 for the first label."""
        raise NotImplementedError

    def _say(self, step: str) -> None:
        """Write a step of a long fit to stderr, if `verbose` is set."""
        if getattr(self, "verbose", 0):
            sys.stderr.write(f"[{type(self).__name__}] {step}\n")
            sys.stderr.flush()

    def _run(self, tasks: Iterable[Any], total: int, what: str, **settings: Any) -> list[Any]:
        """Return the results of joblib's tasks, and say after each quarter how many are done."""
        follow = bool(getattr(self, "verbose", 0))
        n_jobs = getattr(self, "n_jobs", None)
        # Not all of joblib's backends return results one by one.
        found = Parallel(n_jobs, return_as="generator" if follow else "list", **settings)(tasks)
        results: list[Any] = []
        for result in found:
            results.append(result)
            done = len(results)
            if done * 4 // total > (done - 1) * 4 // total:
                self._say(f"{done} of {total} {what}")
        return results

    # -- for users -------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rankings of cases with known features.

        Args:
            X: The features, a row for each case: an array or a frame of numbers.
            y: The rank of each label, a row for each case: 1 = best; any real numbers, the least is
                best; equal numbers are ties; NaN = not ranked. The columns of a frame name the
                labels.
            sample_weight: The weight of each case; cases of weight 0 are left out.

        Raises:
            InputError: If a label is never ranked, or no case orders two labels.
        """
        one_of("aggregation", self.aggregation, AGGREGATIONS)
        self._check_settings()
        ranks, labels = check_ranks(y)
        X = self._features(X, reset=True)
        if len(X) != len(ranks):
            raise InputError(
                f"Found input variables with inconsistent numbers of samples: X has {len(X)} "
                f"rows and y has {len(ranks)}"
            )
        if not labels:
            raise InputError("y has no column: give one for each label")
        weight = check_weights(sample_weight, len(X))
        if not weight.any():
            raise InputError("all sample weights are zero: there is nothing to learn from")
        unranked = np.isnan(ranks).all(0)
        if unranked.any():
            raise InputError(
                f"label {labels[int(np.argmax(unranked))]!r} is never ranked: leave its column out"
            )
        self.labels_ = np.empty(len(labels), object)
        self.labels_[:] = labels
        if all(isinstance(label, type(labels[0])) for label in labels):
            self.labels_ = np.array(labels)
        self.n_labels_ = len(labels)
        if len(labels) == 1:
            # A single label is always first.
            return self
        useful = (weight > 0) & pair_signs(ranks).any(1)
        if not useful.any():
            raise InputError(
                "no row of y with a positive weight orders two labels: there is nothing to learn"
            )
        self._learn(X[useful], rank_rows(ranks[useful]), weight[useful])
        return self

    def _features(self, X: Any, reset: bool) -> Float:
        """Return the features as an array, after checks; a fit resets what is known of them."""
        check_columns(X)
        try:
            values: Float = validate_data(
                self, X, dtype=np.float64, ensure_all_finite=False, reset=reset
            )
        except ValueError as error:
            if "could not convert string" not in str(error):
                raise
            raise InputError(
                f"X has text in {find_text(X)}: encode it first, such as with ColumnTransformer "
                "and OneHotEncoder in a Pipeline"
            ) from None
        check_finite(values, getattr(self, "feature_names_in_", None))
        return values

    def _votes_for(self, X: Any) -> Float:
        check_is_fitted(self)
        X = self._features(X, reset=False)
        return self._vote(X) if self.n_labels_ > 1 else np.zeros((len(X), 0))

    def _decision(self) -> Aggregation:
        """Return how the votes on a case become an order."""
        return self.aggregation

    def _decide(self, votes: Float, rules: Rules | None = None) -> Orders:
        found = Constraints.of(**(rules or {}))
        forced = None if found is None else found.relation(self.labels_.tolist())
        return consensus_orders(votes, self._decision(), forced, getattr(self, "n_jobs", None))

    def _chances(self, votes: Float) -> Float:
        """Return the probability that one label is before another: cases × labels × labels."""
        first, second = pairs_of(self.n_labels_)
        pairs = np.full((len(votes), self.n_labels_, self.n_labels_), 0.5)
        pairs[:, first, second] = (1 + np.clip(votes, -1, 1)) / 2
        pairs[:, second, first] = (1 - np.clip(votes, -1, 1)) / 2
        return pairs

    def set_output(
        self, *, transform: Literal["default", "pandas", "polars"] | None = None
    ) -> Self:
        """Choose what `predict` and `predict_tiers` return.

        Args:
            transform: "pandas" or "polars" for a frame with a column for each label, "default" for
                an array; None changes nothing. A pandas frame has the index of `X`. The argument
                has the name that it has in scikit-learn. `Pipeline.set_output` is for transformers
                and leaves predictions as they are: use `pipeline[-1].set_output`.

        Example:
            >>> from concordant.learn import ConstraintClassification
            >>> model = ConstraintClassification().set_output(transform="polars")
            >>> model.fit([[0.0], [1.0]], [[1, 2], [2, 1]]).predict([[1.5]]).to_dicts()
            [{'0': 2, '1': 1}]
        """
        if transform is not None:
            one_of("transform", transform, ("default", "pandas", "polars"))
            # `clone` of scikit-learn copies this attribute.
            self._sklearn_output_config = {"transform": transform}
        return self

    def _framed(self, ranks: Int64, X: Any) -> Any:
        kind = getattr(self, "_sklearn_output_config", {}).get("transform", "default")
        if kind == "default":
            return ranks
        return label_frame(ranks, self.labels_.tolist(), kind, getattr(X, "index", None))

    def predict(self, X: Any, **rules: Unpack[Rules]) -> Any:
        """Return the predicted rank of each label, 1 = best, a row for each case.

        Args:
            X: The features.
            rules: Constraints on each ranking, as of `concordant.aggregate`: `before`, `first`,
                `last`, `groups_in_order`. For up to 18 labels, with exact aggregation.

        Returns:
            An array of whole numbers, or a frame after `set_output`.
        """
        return self._framed(self._decide(self._votes_for(X), rules).ranks, X)

    def predict_order(self, X: Any, **rules: Unpack[Rules]) -> np.ndarray[Any, np.dtype[Any]]:
        """Return the labels in their predicted order, best first; `rules` as for `predict`."""
        orders = self._decide(self._votes_for(X), rules).orders
        named: np.ndarray[Any, np.dtype[Any]] = self.labels_[orders]
        return named

    def predict_pairs(self, X: Any) -> Float:
        """Return the probability that one label is before another: cases × labels × labels.

        Entry [i, a, b] is between 0 and 1, 0.5 where the votes tie and on the diagonal.
        """
        return self._chances(self._votes_for(X))

    def predict_partial(
        self, X: Any, confidence: float = 0.8
    ) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return which label is surely before which: cases × labels × labels.

        Pairs with a probability of at least `confidence` that the predicted ranking confirms, and
        what follows from them: if a is before b and b before c, a is before c. Other pairs are
        left open (Cheng, Rademaker, De Baets and Hüllermeier 2010). `partial_curve` shows how many
        pairs a confidence keeps, and how many of them are right.
        """
        between("confidence", confidence, 0.5, 1)
        votes = self._votes_for(X)
        ranks = self._decide(votes).ranks
        sure = (self._chances(votes) >= confidence) & (ranks[:, :, None] < ranks[:, None, :])
        for label in range(self.n_labels_):
            sure |= sure[:, :, label, None] & sure[:, None, label, :]
        found: np.ndarray[Any, np.dtype[np.bool_]] = sure
        return found

    def predict_tiers(self, X: Any, confidence: float = 0.6) -> Any:
        """Return the tier of each label, 1 = best: labels of one tier are tied.

        The tiers are parts of the predicted order. A pair is undecided if neither label is before
        the other with a probability of at least `confidence`, and all pairs within a tier are
        undecided. Undecided pairs need not be tied: if a and b are undecided and b and c too, but
        a is surely before c, then b can be tied with one of them only. Of all such tiers, those of
        least expected cost are taken: an ordered pair costs its probability of being wrong,
        and a tied pair 1 - `confidence`.

        Args:
            X: The features.
            confidence: From 0.5, for no ties, to 1, which ties all pairs that are not certain.

        Returns:
            An array of whole numbers, or a frame after `set_output`.

        Example:
            >>> from concordant.learn import NeighboursRanker
            >>> model = NeighboursRanker(3).fit([[0.0]] * 3, [[1, 2, 3], [2, 1, 3], [1, 2, 3]])
            >>> model.predict_tiers([[0.0]], confidence=0.7).tolist()
            [[1, 1, 2]]
        """
        between("confidence", confidence, 0.5, 1)
        votes = self._votes_for(X)
        orders = self._decide(votes).orders
        return self._framed(cut_into_tiers(orders, self._chances(votes), confidence), X)

    def predict_tied(self, X: Any, **rules: Unpack[Rules]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return for each case whether another order agrees equally well; `rules` as above."""
        return self._decide(self._votes_for(X), rules).tied

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the mean Kendall tau between the rankings `y` and the predicted ones.

        Only pairs that `y` orders strictly count; cases without one are left out. The columns of a
        frame are matched to the labels by name.
        """
        check_is_fitted(self)
        ranks, names = check_ranks(y)
        if len(names) == self.n_labels_:
            ranks = match_columns(ranks, names, self.labels_.tolist())
        predicted = self._decide(self._votes_for(X)).ranks
        return mean_tau(ranks, predicted, check_weights(sample_weight, len(ranks)))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.two_d_labels = True
        tags.target_tags.single_output = False
        return tags
