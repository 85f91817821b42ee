"""The arguments of `stats.test`."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from mesh.tool import ToolArguments

TestName = Literal[
    "describe", "missing", "normality", "correlation", "chi_square", "independence",
    "one_sample_t", "paired_t", "t_test", "mann_whitney", "anova", "kruskal", "outliers",
    "linear_regression", "logistic_regression",
]  # fmt: skip
_PAIRS = ("correlation", "chi_square", "independence", "paired_t")
_GROUPED = ("t_test", "mann_whitney", "anova", "kruskal")


class TestArguments(ToolArguments):
    """One test over the frame of task `input` (may be left out where there is one).

    `columns` are what is tested: one, or two for a pair; `by` holds the groups, in which
    correlations, outliers and tests of normality are looked for one by one; `label` names the rows
    of outliers. A correlation takes every pair of `columns`, or the first of them with each of
    `predictors`. `ddof` is taken off n in deviations; `threshold` is in deviations (z-score) or
    quartile ranges (iqr). `first` names the statistics of a description that are told first;
    "matrix" adds one of correlations. `total` is the column that says from how many rows a sample
    was taken; with `missing`, the one row of the frame counts all rows there, in `columns` those
    with a value, and in `complete` those that lack none.
    """

    __test__ = False  # no test case, whatever its name says

    input: str | None = Field(default=None, min_length=1)
    test: TestName
    columns: tuple[str, ...] = Field(default=(), max_length=50)
    by: str | None = None
    label: str | None = None
    predictors: tuple[str, ...] = Field(default=(), max_length=20)
    method: Literal["pearson", "spearman", "kendall", "z-score", "iqr"] = "pearson"
    expected: float = 0.0
    ddof: Literal[0, 1] = 1
    threshold: float | None = Field(default=None, gt=0)
    equal_variances: bool = False
    confidence: float = Field(default=0.95, gt=0.5, lt=1.0)
    total: str | None = None
    complete: str | None = None
    first: tuple[str, ...] = Field(default=(), max_length=20)

    @model_validator(mode="after")
    def _enough(self) -> Self:
        if self.test != "missing" and not self.columns:
            raise ValueError(f"{self.test} needs columns")
        if self.test in _PAIRS and len(self.columns) < 2 and not (self.by or self.predictors):
            raise ValueError(f"{self.test} needs two columns")
        if self.test in _GROUPED and not self.by:
            raise ValueError(f"{self.test} needs `by`, the column that holds the groups")
        if self.test == "correlation" and self.method in ("z-score", "iqr"):
            raise ValueError("a correlation is pearson, spearman or kendall")
        return self
