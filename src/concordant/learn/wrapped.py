"""Label rankers at the end of pipelines and searches, which have only `predict` and `score`."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from concordant.errors import InputError


def last_step(model: Any, X: Any = None) -> tuple[Any, Any]:
    """Return the label ranker at the end of a pipeline or a search, and the features it gets.

    So all its methods can be used: `ranker, Z = last_step(pipeline, X)`, then
    `ranker.predict_partial(Z)`. A label ranker is returned as it is.

    Args:
        model: A fitted label ranker, or a pipeline or search of scikit-learn that ends with one.
        X: The features of cases, as for the whole pipeline; None if only the ranker is needed.

    Raises:
        InputError: If the model does not end with a label ranker.
        NotFittedError: If it is not fitted.

    Example:
        >>> from sklearn.pipeline import make_pipeline
        >>> from sklearn.preprocessing import StandardScaler
        >>> from concordant.learn import ConstraintClassification
        >>> model = make_pipeline(StandardScaler(), ConstraintClassification())
        >>> ranker, Z = last_step(model.fit([[0.0], [1.0]], [[1, 2], [2, 1]]), [[0.5]])
        >>> Z.tolist(), ranker.predict_pairs(Z).shape
        ([[0.0]], (1, 2, 2))
    """
    while not hasattr(model, "predict_pairs"):
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif isinstance(model, Pipeline):
            if X is not None:
                check_is_fitted(model)
                X = model[:-1].transform(X) if len(model) > 1 else X
            model = model[-1]
        elif hasattr(model, "estimator"):
            raise NotFittedError(f"this {type(model).__name__} is not fitted yet: call fit first")
        else:
            raise InputError(
                f"a {type(model).__name__} is not a label ranker: give one, or a pipeline or a "
                "search that ends with one"
            )
    check_is_fitted(model)
    return model, X


def labels_of(model: Any) -> list[Any]:
    """Return the labels of a fitted label ranker, or of a pipeline or search that ends with one."""
    labels: list[Any] = last_step(model)[0].labels_.tolist()
    return labels


def predict_order(model: Any, X: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the labels in their predicted order, best first.

    `model` is a fitted label ranker, or a scikit-learn pipeline or search that ends with one. Those
    have `predict`, but not `predict_order`.

    Example:
        >>> from sklearn.pipeline import make_pipeline
        >>> from sklearn.preprocessing import StandardScaler
        >>> from concordant.learn import ConstraintClassification
        >>> model = make_pipeline(StandardScaler(), ConstraintClassification())
        >>> predict_order(model.fit([[0.0], [1.0]], [[1, 2], [2, 1]]), [[1.5]]).tolist()
        [[1, 0]]
    """
    labels = np.array(labels_of(model))
    orders = np.argsort(np.asarray(model.predict(X)), axis=1, kind="stable")
    named: np.ndarray[Any, np.dtype[Any]] = labels[orders]
    return named
