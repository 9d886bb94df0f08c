"""Label ranking data: rank matrices, files, frames and made sets."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import kendalltau
from sklearn.datasets import load_diabetes, load_iris, load_wine

import concordant as cc
from concordant.errors import InputError, SettingError
from concordant.learn import RankingTree, kendall_tau, mean_tau
from concordant.learn.datasets import from_frame, make_semisynthetic, read_label_ranking
from concordant.learn.targets import check_ranks, n_labels_of, pair_signs, rank_rows

HEADER = "A1\tA2\tL1\tL2\tL3\r\nDOUBLE\tDOUBLE\tNUMERIC\tNUMERIC\tNUMERIC\r\n\r\n"


def write(folder: Path, text: str) -> Path:
    path = folder / "a.txt"
    path.write_bytes(text.encode())
    return path


class TestRanks:
    @settings(max_examples=40, deadline=None)
    @given(arrays(float, (2, 5), elements=st.integers(1, 9).map(float), unique=False))
    def test_tau_is_kendalls(self, ranks: np.ndarray) -> None:
        truth, guess = (row[None] + np.arange(5) / 100 for row in ranks)
        expected = kendalltau(truth[0], guess[0]).statistic
        assert kendall_tau(truth, guess)[0] == pytest.approx(expected)

    def test_columns_of_frames_are_matched_by_name(self) -> None:
        truth = pl.DataFrame({"a": [1, 2], "b": [2, 1], "c": [3, 3]})
        assert mean_tau(truth, truth.select("c", "b", "a")) == 1
        # An array has no names.
        assert mean_tau(truth, truth.to_numpy()) == 1
        with pytest.raises(InputError, match="the columns of y are not the labels: 'd'"):
            mean_tau(truth, truth.rename({"c": "d"}))

    def test_the_score_matches_the_columns_too(self) -> None:
        X = pl.DataFrame({"x": [0.0, 1.0, 2.0, 3.0]})
        y = pl.DataFrame({"a": [1, 1, 2, 2], "b": [2, 2, 1, 1]})
        tree = RankingTree(min_samples_leaf=1).fit(X, y)
        assert tree.score(X, y) == tree.score(X, y.select("b", "a")) == 1
        with pytest.raises(InputError, match="the columns of y are not the labels"):
            tree.score(X, y.rename({"a": "z"}))

    def test_columns_that_are_numbers_are_matched_too(self) -> None:
        X = np.arange(6.0)[:, None]
        y = pd.DataFrame(np.where(X < 3, [1, 2, 3], [3, 1, 2]))
        numbered = RankingTree(min_samples_leaf=1).fit(X, y)
        assert numbered.score(X, y[[2, 1, 0]]) == 1
        assert numbered.score(X, y.to_numpy()) == 1
        # Columns with names, for labels without: taken in order.
        assert numbered.score(X, y.set_axis(list("abc"), axis=1)) == 1
        # An array has no names: its columns are in the order of the labels.
        turned = RankingTree(min_samples_leaf=1).fit(X, y[[2, 1, 0]])
        assert turned.score(X, y) == turned.score(X, y.to_numpy()[:, ::-1]) == 1
        # The names of polars are text.
        text = pl.DataFrame(y.to_numpy(), schema=["0", "1", "2"])
        assert turned.score(X, text) == 1
        with pytest.raises(InputError, match="the columns of y are not the labels"):
            turned.score(X, y.set_axis(list("abc"), axis=1))

    def test_open_pairs_do_not_count(self) -> None:
        tau = kendall_tau([[1, 2, np.nan], [1, 1, 2], [np.nan] * 3], [[1, 2, 3]] * 3)
        assert tau[:2].tolist() == [1, 1]
        assert np.isnan(tau[2])
        assert mean_tau([[1, 2], [2, 1], [1, 1]], [[1, 2]] * 3, [3, 1, 5]) == 0.5
        assert np.isnan(mean_tau([[1.0]], [[1.0]]))
        assert kendall_tau([[1, 2]], [[1, 1]])[0] == 0

    def test_sizes_must_agree(self) -> None:
        with pytest.raises(InputError, match="cannot be compared"):
            kendall_tau([[1, 2, 3]], [[1, 2]])

    def test_rows_are_ranked(self) -> None:
        assert rank_rows(np.array([[-3.5, 0, 1e9]])).tolist() == [[1, 2, 3]]

    def test_number_of_labels(self) -> None:
        assert [n_labels_of(m * (m - 1) // 2) for m in range(1, 40)] == list(range(1, 40))

    def test_frames_name_the_labels(self) -> None:
        values = {"tea": [1, 2], "milk": [2, None]}
        for frame in (pl.DataFrame(values), pd.DataFrame(values)):
            ranks, labels = check_ranks(frame)
            assert labels == ["tea", "milk"]
            assert np.array_equal(ranks, [[1, 2], [2, np.nan]], equal_nan=True)

    @pytest.mark.parametrize(
        ("y", "message"),
        [
            (None, "target y is None"),
            ([1, 2], "1 dimension:"),
            ([[["a"]]], "not a matrix of numbers"),
            ([["first", "second"]], "not a matrix of numbers"),
            ([[1, np.inf]], "row 0, column 1"),
            (pl.DataFrame({"tea": [1.0], "milk": [np.inf]}), "row 0, column 'milk'"),
            ([[1, 2j]], "Complex"),
            ([[1, 2], [1]], "not a matrix of numbers"),
            (pl.DataFrame({"tea": ["first"]}), "column 'tea' of y is not numeric"),
        ],
    )
    def test_bad_targets(self, y: object, message: str) -> None:
        with pytest.raises(InputError, match=message):
            check_ranks(y)


class TestFiles:
    def test_features_and_ranks(self, tmp_path: Path) -> None:
        path = write(tmp_path, HEADER + "0.5\t-1\t3\t1\t2\r\n1e-3\t?\t1\t0\t\r\n")
        data = read_label_ranking(path)
        assert np.array_equal(data.X, [[0.5, -1], [0.001, np.nan]], equal_nan=True)
        assert np.array_equal(data.y, [[3, 1, 2], [1, np.nan, np.nan]], equal_nan=True)
        assert (data.feature_names, data.labels) == (("A1", "A2"), ("L1", "L2", "L3"))
        assert repr(data) == "<LabelRankingData: 2 cases, 2 features, 3 labels>"

    def test_same_rankings_as_the_format(self, tmp_path: Path) -> None:
        path = write(tmp_path, HEADER + "1\t2\t3\t1\t2\n1\t2\t1\t?\t2\n1\t2\t1\t2\t2\n")
        ranks = read_label_ranking(path).y
        assert cc.read(path) == cc.Rankings.from_ranks(ranks, items=["L1", "L2", "L3"])

    def test_other_columns_and_orders(self, tmp_path: Path) -> None:
        data = read_label_ranking(write(tmp_path, "O1\tage\tO2\nNUMERIC\tDOUBLE\tNUMERIC\n2\t9\t1"))
        assert (data.feature_names, data.labels) == (("age",), ("O1", "O2"))
        assert (data.X.tolist(), data.y.tolist()) == ([[9]], [[2, 1]])

    @pytest.mark.parametrize(
        ("text", "line", "message"),
        [
            (HEADER + "1\t2\t1\t2\t3\n1\tx\t1\t2\t3\n", 5, "'A2' is 'x', which is not a number"),
            (HEADER + "1\t2\t1\tfirst\t3\n", 4, "'L2' is 'first', which is not a number"),
            (HEADER + "1\t2\t1\t2\t-3\n", 4, "'L3' is '-3', which is not a rank"),
            (HEADER + "inf\t2\t1\t2\t3\n", 4, "'A1' is 'inf', which is not finite"),
            (HEADER + "1_0\t2\t1\t2\t3\n", 4, "'A1' is '1_0', which is not a number"),
            (HEADER + "1\t2\t1\n", 4, "this row has 3 values for 5 columns"),
            (HEADER, None, "there is no sample"),
            ("L1\tL2\nNUMERIC\tNUMERIC\n1\t2\n", 1, "there is no feature"),
            ("A\tA\tL1\nDOUBLE\tDOUBLE\tNUMERIC\n1\t2\t1\n", 1, "two features have the same name"),
            ("just text", 1, "no column is a label"),
        ],
    )
    def test_faults(self, tmp_path: Path, text: str, line: int | None, message: str) -> None:
        path = write(tmp_path, text)
        with pytest.raises(InputError) as caught:
            read_label_ranking(path)
        assert caught.value.message.startswith(message)
        assert (caught.value.path, caught.value.line) == (str(path), line)


class TestFrames:
    VALUES: ClassVar = {"age": [20.0, 60.0], "L1": [1, 2], "L2": [2, 1]}

    def test_columns_are_distinguished(self) -> None:
        for frame in (pl.DataFrame(self.VALUES), pd.DataFrame(self.VALUES)):
            data = from_frame(frame)
            assert (data.X.tolist(), data.y.tolist()) == ([[20], [60]], [[1, 2], [2, 1]])
            assert (data.feature_names, data.labels) == (("age",), ("L1", "L2"))
            chosen = from_frame(frame, ["L2"], ["L1"])
            assert (chosen.feature_names, chosen.labels) == (("L1",), ("L2",))

    def test_there_and_back(self) -> None:
        data = make_semisynthetic(*load_iris(return_X_y=True))
        X, y = data.frames()
        again = from_frame(pl.concat([X, y], how="horizontal"))
        assert (again.X == data.X).all()
        assert (again.y == data.y).all()

    def test_faults(self) -> None:
        with pytest.raises(InputError, match="not a data frame"):
            from_frame([[1, 2]])
        with pytest.raises(InputError, match="no column 'tea'"):
            from_frame(pl.DataFrame(self.VALUES), ["tea"])
        with pytest.raises(InputError, match="name the columns of the labels"):
            from_frame(pl.DataFrame({"a": [1]}))
        with pytest.raises(InputError, match="column 'a' is not numeric"):
            from_frame(pl.DataFrame({"a": ["x"], "L1": [1]}))


class TestMade:
    @pytest.mark.parametrize("load", [load_iris, load_wine])
    def test_the_class_is_mostly_first(self, load: object) -> None:
        X, classes = load(return_X_y=True)  # type: ignore[operator]
        data = make_semisynthetic(X, classes)
        assert (data.X == X).all()
        assert (np.sort(data.y, axis=1) == [1, 2, 3]).all()
        assert (data.y[np.arange(len(X)), classes] == 1).mean() > 0.9

    def test_removed_attributes_are_ranked(self) -> None:
        X = load_diabetes().data
        data = make_semisynthetic(X, labels=3)
        assert (X[:, :-3] == data.X).all()
        scores = (X[:, -3:] - X[:, -3:].mean(0)) / X[:, -3:].std(0)
        assert (pair_signs(data.y) == pair_signs(-scores)).all()
        same = make_semisynthetic(X, labels=[7, 8, 9])
        assert (same.y == data.y).all()

    @pytest.mark.parametrize("labels", [0, 10, [10], [-1], list(range(10))])
    def test_labels_that_cannot_be(self, labels: object) -> None:
        with pytest.raises(SettingError, match="labels must leave some of the 10"):
            make_semisynthetic(load_diabetes().data, labels=labels)  # type: ignore[arg-type]

    def test_one_of_both(self) -> None:
        with pytest.raises(SettingError, match="give the classes"):
            make_semisynthetic([[1.0]])
