"""What no method can use is refused in words, and what one cannot use is a rejected row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from mesh.tool import ErrorCategory, ToolError
from services.executor.causal.estimation.arguments import CausalEstimateArguments
from services.executor.tools.causal_estimate import causal_estimate
from tests.thorough import times
from tests.unit.executor.causal_help import assumption, estimate, rows, small
from tests.unit.executor.metric_data import Inputs

N = 300


def refused(table: pa.Table, **asked: object) -> ToolError:
    with pytest.raises(ToolError) as caught:
        estimate(table, **asked)
    return caught.value


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"t": np.ones(N)}, "constant"),
        ({"t": ["only"] * N}, "constant"),
        ({"y": np.ones(N)}, "constant"),
        ({"y": pa.nulls(N, pa.float64())}, "no values"),
        ({"y": np.array([f"word {n % 7}" for n in range(N)])}, "not numeric"),
        ({"y": pa.array(np.arange(N), pa.int32()).cast(pa.date32())}, "is a date"),
        ({"t": np.array([f"arm {n % 5}" for n in range(N)])}, "5 values as text"),
    ],
)
def test_a_treatment_or_outcome_that_says_nothing_is_refused(
    changed: dict[str, object], words: str
) -> None:
    table = small(N)
    for name, values in changed.items():
        table = table.set_column(table.column_names.index(name), name, pa.array(values))
    assert words in refused(table).message


def test_an_outcome_that_copies_the_treatment_is_refused() -> None:
    table = small(N)
    copy = table.set_column(2, "y", pa.array(3 - 2 * table["t"].to_numpy()))
    assert "linear function" in refused(copy).message
    assert "same column" in refused(table, outcome="t").message
    assert "cannot be adjusted for" in refused(table, adjustment=("y",)).message


def test_an_unknown_column_is_named_with_those_there_are() -> None:
    error = refused(small(N), adjustment=("z",))
    assert error.category == ErrorCategory.MISSING_COLUMN
    assert error.details["candidates"] == ["x", "t", "y"]


def test_more_columns_than_rows_are_refused() -> None:
    random = np.random.default_rng(0)
    columns: dict[str, Any] = {f"w{n}": random.normal(size=40) for n in range(60)}
    wide = small(40, **columns)
    error = refused(wide, adjustment=tuple(f"w{n}" for n in range(60)))
    assert "cannot carry" in error.message


def test_an_empty_column_of_adjustment_is_named() -> None:
    assert "z has no values" in refused(small(N, z=pa.nulls(N)), adjustment=("z",)).message


def test_five_thousand_categories_are_folded_and_it_is_told() -> None:
    values = [f"k{n}" for n in range(5000)]
    found = estimate(small(5000, k=values), adjustment=("k", "x"))
    assert rows(found)[0]["status"] == "ok"
    assert any("5,000 values" in note for note in found.notes)


def test_columns_that_repeat_others_change_nothing_and_are_told() -> None:
    table = small(N)
    x = table["x"].to_numpy()
    twice = table.append_column("x2", pa.array(5 - 3 * x)).append_column("one", pa.array([4] * N))
    found = estimate(twice, adjustment=("x", "x2", "one"))
    alone = estimate(table, adjustment=("x",))
    assert rows(found)[0]["estimate"] == pytest.approx(rows(alone)[0]["estimate"])
    assert any("left out of adjustment: one, x2" in note for note in found.notes)


@pytest.mark.parametrize("method", ["OLS", "IPW", "PSM", "AIPW"])
def test_too_few_treated_are_a_rejected_row(method: str) -> None:
    table = small(N).set_column(1, "t", pa.array([1] * 12 + [0] * (N - 12)))
    (row,) = rows(estimate(table, method=method, adjustment=("x",)))
    assert row["status"] == "rejected"
    assert "only 12 rows are treated" in row["reason"]


def test_fifty_rows_are_enough_for_a_wide_interval() -> None:
    row = rows(estimate(small(60, seed=3), method="OLS", adjustment=("x",)))[0]
    assert row["status"] == "ok"
    assert row["ci_upper"] - row["ci_lower"] > 0.8


def test_words_of_two_values_become_zero_and_one_and_it_is_told() -> None:
    table = small(N)
    y = np.where(table["y"].to_numpy() > 0, "recovered", "ill")
    told = estimate(table.set_column(2, "y", pa.array(y)), adjustment=("x",))
    assert any("counts" in note for note in told.notes)
    arms = np.where(table["t"].to_numpy() == 1, "drug", "placebo")
    named = estimate(table.set_column(1, "t", pa.array(arms)), adjustment=("x",))
    assert rows(named)[0]["estimate"] > 0.5
    turned = estimate(
        table.set_column(1, "t", pa.array(arms)), adjustment=("x",), treated="placebo"
    )
    assert rows(turned)[0]["estimate"] == pytest.approx(-rows(named)[0]["estimate"])


def test_a_method_is_told_which_column_it_lacks() -> None:
    assert "IV needs instruments" in refused(small(N), method="IV").message
    assert "RDD needs running" in refused(small(N), method="RDD").message


def test_rows_that_lack_values_are_left_out_and_counted() -> None:
    gaps = pa.array([None if n % 10 == 0 else float(n % 7) for n in range(N)])
    found = estimate(small(N, z=gaps), adjustment=("z",))
    assert rows(found)[0]["rows"] == 270
    assert any("30 of 300 rows lack a value" in note for note in found.notes)


def test_a_numeric_treatment_given_by_the_covariates_is_rejected() -> None:
    table = small(N)
    x = table["x"].to_numpy()
    dose = table.set_column(1, "t", pa.array(x + 1e-3 * np.sin(np.arange(N))))
    (row,) = rows(estimate(dose, adjustment=("x",)))
    assert row["status"] == "rejected"
    assert assumption(row, "overlap")["passed"] is False


def test_numbers_that_are_none_are_missing_and_no_third_value() -> None:
    table = small(N)
    t = table["t"].to_numpy().astype(float)
    t[:10] = np.nan
    found = estimate(table.set_column(1, "t", pa.array(t)))
    assert rows(found)[0]["rows"] == N - 10


def test_a_column_of_lists_is_refused() -> None:
    assert "lists" in refused(small(N, z=pa.array([[1]] * N)), adjustment=("z",)).message


def test_a_modifier_of_five_thousand_values_gives_few_groups() -> None:
    table = small(1200, k=[f"k{n}" for n in range(1200)])
    told = rows(estimate(table, method="causal_forest", adjustment=("x",), modifiers=("k",)))
    groups = [row for row in told if row["estimand"] == "CATE"]
    assert len(groups) <= 8
    assert {row["status"] for row in groups} == {"rejected"}


def test_time_that_is_up_is_told() -> None:
    table = small(N)
    late = Inputs({"data": table}, seconds_left=-1.0)
    asked = CausalEstimateArguments(input="data", treatment="t", outcome="y", method="OLS")
    with pytest.raises(ToolError, match="did not end"):
        causal_estimate.run(asked, late)


@pytest.mark.parametrize("method", ["AIPW", "DML", "stratification"])
@pytest.mark.parametrize("seed", range(1, times(1, 3) + 1))
def test_a_rare_level_throws_no_estimate_out_of_what_the_outcome_can_move(
    method: str, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    x, level = draw.normal(size=500), draw.uniform(size=500)
    kind = np.where(level < 0.02, "rare", np.where(level < 0.5, "one", "other"))
    t = (draw.uniform(size=500) < 1 / (1 + np.exp(-x))).astype(int)
    y = 2.0 * t + x + draw.normal(size=500)
    table = pa.table({"x": x, "t": t, "y": y, "kind": kind})

    found = rows(estimate(table, method=method, adjustment=("x", "kind")))

    assert found
    for row in found:
        if row["status"] == "ok":
            assert abs(row["estimate"] - 2.0) < 1.5
            assert row["std_error"] < 1.0
