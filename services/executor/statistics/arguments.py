"""The arguments of `stats.test`."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from mesh.tool import ToolArguments

TestName = Literal[
    "describe",
    "missing",
    "normality",
    "correlation",
    "chi_square",
    "independence",
    "one_sample_t",
    "paired_t",
    "t_test",
    "mann_whitney",
    "anova",
    "kruskal",
    "levene",
    "outliers",
    "linear_regression",
    "logistic_regression",
    "compare",
    "regression",
    "lift",
    "survival",
    "forecast",
]
_PAIRS = ("correlation", "chi_square", "independence", "paired_t", "survival")
_GROUPED = ("t_test", "mann_whitney", "anova", "kruskal", "levene", "compare")
_RULED, _TIMED = "lift", "forecast"
_CLUSTERED = ("compare", "regression", "linear_regression", "logistic_regression")
_CORRELATIONS = ("pearson", "spearman", "kendall")
_SHAPES = ("pearson", "shapiro", "dagostino", "kolmogorov")  # the first is no choice


class TestArguments(ToolArguments):
    """One test over the frame of task `input` (may be left out where there is one).

    `columns` are what is tested: one, or two for a pair; `by` holds the groups, in which
    correlations, outliers and tests of normality are looked for one by one; `groups` names those
    values of it that a test between groups compares, in this order; `label` names the rows
    of outliers. A correlation takes every pair of `columns`, or the first of them with each of
    `predictors`. `ddof` is taken off n in deviations; `threshold` is in deviations (z-score) or
    quartile ranges (iqr). `first` names the statistics of a description that are told first;
    "matrix" adds one of correlations. `total` is the column that says from how many rows a sample
    was taken; with `missing`, the one row of the frame counts all rows there, in `columns` those
    with a value, and in `complete` those that lack none. `held_out` is the share of rows that a
    linear regression is tested on, not fitted to: those that `seed` picks, or the last.

    `cluster` is the column whose rows are alike, as the orders of one customer are. `time` is the
    column that says when: of a forecast, which tells `horizon` steps, or of a lift, whose `by` is
    the rule. Of survival, `columns` are the days of beginning and end, `span` the first and last
    day that was watched. `tried` is how many tests were made over these data, this one among them:
    what is clear has to be so for all of them (Bonferroni; Dunn, 1961).
    """

    __test__ = False  # no test case, whatever its name says

    input: str | None = Field(default=None, min_length=1)
    test: TestName
    columns: tuple[str, ...] = Field(default=(), max_length=50)
    by: str | None = None
    groups: tuple[str, ...] = Field(default=(), max_length=20)
    label: str | None = None
    predictors: tuple[str, ...] = Field(default=(), max_length=20)
    method: Literal[
        "pearson", "spearman", "kendall", "z-score", "iqr", "shapiro", "dagostino", "kolmogorov"
    ] = "pearson"
    expected: float = 0.0
    ddof: Literal[0, 1] = 1
    threshold: float | None = Field(default=None, gt=0)
    equal_variances: bool = False
    confidence: float = Field(default=0.95, gt=0.5, lt=1.0)
    total: str | None = None
    complete: str | None = None
    held_out: float | None = Field(default=None, gt=0, lt=1)
    seed: int | None = Field(default=None, ge=0, lt=2**32)
    first: tuple[str, ...] = Field(default=(), max_length=20)
    cluster: str | None = None
    time: str | None = None
    horizon: int = Field(default=1, ge=1, le=60)
    span: tuple[str, str] = ("", "")
    tried: int = Field(default=1, ge=1)

    @model_validator(mode="after")
    def _enough(self) -> Self:
        if self.test != "missing" and not self.columns:
            raise ValueError(f"{self.test} needs columns")
        if self.test in _PAIRS and len(self.columns) < 2 and not (self.by or self.predictors):
            raise ValueError(f"{self.test} needs two columns")
        if self.test in _GROUPED and not self.by:
            raise ValueError(f"{self.test} needs `by`, the column that holds the groups")
        if self.test == "correlation" and self.method not in _CORRELATIONS:
            raise ValueError("a correlation is pearson, spearman or kendall")
        if self.test == "normality" and self.method not in _SHAPES:
            raise ValueError("a test of normality is shapiro, dagostino or kolmogorov")
        if self.groups and self.test not in _GROUPED:
            raise ValueError(f"{self.test} compares no groups, so `groups` cannot be named")
        if self.test == _RULED and not self.by:
            raise ValueError("a backtest needs `by`, the column that says where the rule holds")
        if self.test == _TIMED and not self.time:
            raise ValueError("a forecast needs `time`, the column that says when")
        if self.cluster and self.test not in _CLUSTERED:
            raise ValueError(f"{self.test} takes no clusters")
        if self.held_out is not None and self.test != "linear_regression":
            raise ValueError("only a linear regression is tested on rows held out")
        return self
