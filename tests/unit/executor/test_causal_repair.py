"""causal.repair makes repairs in a frame of its own, and keeps what imputation leaves unsure."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from mesh.tool import ErrorCategory, ToolError
from services.executor.tools.causal_repair import RepairArguments, causal_repair
from services.executor.tools.causal_repairs import causal_repairs
from tests.thorough import times
from tests.unit.executor.causal_data import called, frame_of, steps
from tests.unit.executor.metric_data import Inputs

IMPUTE = [
    {"repair_id": "rep_001", "column": "x", "method": "impute"},
    {"repair_id": "rep_002", "column": "group", "method": "impute"},
]
TRUTH = {"t": 1.0, "x": 2.0, "group": 1.5}


def study(seed: int, rows: int = 400) -> pa.Table:
    """y = t + 2 x + 1.5 [group b] + noise. Where y is high, x is often missing (MAR); group is
    missing by chance."""
    random = np.random.default_rng(seed)
    x = random.normal(size=rows)
    group = np.where(random.uniform(size=rows) < 1 / (1 + np.exp(-x)), "b", "a")
    t = (random.uniform(size=rows) < 1 / (1 + np.exp(-x))).astype(int)
    y = t + 2 * x + 1.5 * (group == "b") + random.normal(size=rows)
    often = random.uniform(size=rows) < 0.6 / (1 + np.exp(1.5 - y))
    rarely = random.uniform(size=rows) < 0.2
    return pa.table(
        {"t": t, "x": pa.array(x, mask=often), "group": pa.array(group, mask=rarely), "y": y}
    )


def regression(rows: pa.Table) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Coefficients of t, x and group, and their variances."""
    group = pc.equal(rows["group"], "b").to_numpy().astype(float)
    design = np.column_stack([np.ones(rows.num_rows), rows["t"], rows["x"], group])
    y = rows["y"].to_numpy()
    inverse = np.linalg.inv(design.T @ design)
    found = inverse @ (design.T @ y)
    noise = float(((y - design @ found) ** 2).sum()) / (len(y) - 4)
    return found[1:], noise * np.diag(inverse)[1:]


def pooled(stack: pa.Table) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Estimates and half widths of 95 % intervals by Rubin's rules (1987)."""
    from scipy.stats import t

    count = int(pc.max(stack["_imputation"]).as_py()) + 1
    parts = [regression(stack.filter(pc.equal(stack["_imputation"], i))) for i in range(count)]
    means = np.array([part[0] for part in parts])
    within = np.mean([part[1] for part in parts], axis=0)
    between = means.var(axis=0, ddof=1) * (1 + 1 / count)
    freedom = (count - 1) * (1 + within / between) ** 2
    return means.mean(axis=0), t.ppf(0.975, freedom) * np.sqrt(within + between)


def test_pooled_imputations_recover_a_regression_with_the_coverage_they_claim() -> None:
    estimates, covered = [], []
    for seed in range(times(20, 60)):
        repaired = frame_of(called(causal_repair, study(seed), repairs=IMPUTE, seed=seed))
        middle, half = pooled(repaired)
        estimates.append(middle)
        covered.append(np.abs(middle - list(TRUTH.values())) <= half)
    assert np.abs(np.mean(estimates, axis=0) - list(TRUTH.values())).max() < 0.06
    assert times(0.85, 0.88) <= float(np.mean(covered)) <= times(1.0, 0.99)


def test_imputed_values_are_drawn_and_the_rest_stays_as_it_was() -> None:
    frame = study(1)
    stack = frame_of(called(causal_repair, frame, repairs=IMPUTE, imputations=3))
    assert stack.num_rows == 3 * frame.num_rows
    gaps = frame["x"].is_null().to_numpy()
    values = stack["x"].to_numpy().reshape(3, -1)
    assert stack["x"].null_count == stack["group"].null_count == 0
    assert (values[:, ~gaps] == frame["x"].drop_null().to_numpy()).all()
    assert (values[0, gaps] != values[1, gaps]).mean() > 0.8
    assert set(values[:, gaps].ravel()) <= set(frame["x"].drop_null().to_pylist())
    assert set(stack["group"].to_pylist()) == {"a", "b"}


def messy() -> pa.Table:
    random = np.random.default_rng(3)
    count = 200
    rows = {
        "order_id": list(range(count)),
        "price": [f"${v:,.2f}" for v in random.uniform(900, 5_000, count)],
        "age": np.where(random.uniform(size=count) < 0.1, -999, random.integers(18, 90, count)),
        "paid": random.choice(["Yes", "No"], count).tolist(),
        "y": [None if v < 0.1 else v for v in random.uniform(size=count)],
    }
    return pa.table({name: [*values, *values[:5]] for name, values in rows.items()})


def test_all_repairs_that_are_proposed_are_made_and_can_be_taken_back() -> None:
    frame = messy()
    asked = steps(called(causal_repairs, frame, outcome="y"))
    result = called(causal_repair, frame, repairs=asked, imputations=2)
    repaired = frame_of(result)
    assert repaired.schema.field("price").type == pa.float64()
    assert repaired.schema.field("paid").type == pa.bool_()
    assert repaired["y"].null_count == 0 and pc.min(repaired["age"]).as_py() >= 18
    ids = repaired["order_id"].to_pylist()
    assert len(set(ids)) == len(ids) / 2
    original = frame.take(repaired["_row"])
    read = [float(text.strip("$").replace(",", "")) for text in original["price"].to_pylist()]
    assert read == repaired["price"].to_pylist()
    left_out = set(range(frame.num_rows)) - set(repaired["_row"].to_pylist())
    assert all(frame["y"][row].as_py() is None or row >= 200 for row in left_out)
    assert sum("left out" in note for note in result.notes) == 2


def test_the_order_in_which_repairs_are_named_does_not_matter() -> None:
    frame = messy()
    asked = steps(called(causal_repairs, frame, outcome="y"))
    one = frame_of(called(causal_repair, frame, repairs=asked, imputations=2))
    other = frame_of(called(causal_repair, frame, repairs=asked[::-1], imputations=2))
    assert one.equals(other)


def test_equal_calls_give_equal_frames_and_other_seeds_others() -> None:
    first, second, third = (
        frame_of(called(causal_repair, study(2), repairs=IMPUTE, seed=seed)) for seed in (5, 5, 6)
    )
    assert first.equals(second)
    assert not first.equals(third)


def test_without_gaps_there_is_one_frame_without_imputations() -> None:
    frame = pa.table({"x": [1.0, 2.0, 3.0], "group": ["a", "b", "a"], "y": [1, 2, 3]})
    repaired = frame_of(called(causal_repair, frame, repairs=IMPUTE))
    assert repaired.column_names == ["x", "group", "y", "_row"]


@pytest.mark.parametrize("rows", [15, 50])
def test_more_columns_than_rows_are_imputed_all_the_same(rows: int) -> None:
    random = np.random.default_rng(0)
    columns: dict[str, Any] = {f"x{i}": random.normal(size=rows) for i in range(60)}
    columns["x"] = pa.array(random.normal(size=rows), mask=random.uniform(size=rows) < 0.3)
    repaired = frame_of(called(causal_repair, pa.table(columns), repairs=IMPUTE[:1]))
    assert repaired["x"].null_count == 0


def test_a_column_of_5000_levels_is_filled_by_chance_and_said() -> None:
    random = np.random.default_rng(0)
    names = [f"shop {i}" for i in random.integers(0, 5_000, 8_000)]
    frame = pa.table(
        {
            "group": pa.array(names, mask=random.uniform(size=8_000) < 0.1),
            "z": random.normal(size=8_000),
        }
    )
    result = called(causal_repair, frame, repairs=IMPUTE[1:], imputations=2)
    assert frame_of(result)["group"].null_count == 0
    assert any("by chance" in note for note in result.notes)


def test_a_treatment_that_is_missing_everywhere_leaves_nothing_and_is_refused() -> None:
    frame = pa.table({"t": pa.nulls(5, pa.int64()), "x": [1, 2, 3, 4, 5]})
    drop = [{"repair_id": "rep_001", "column": "t", "method": "drop_rows"}]
    with pytest.raises(ToolError, match="no row is left"):
        called(causal_repair, frame, repairs=drop)


def test_a_way_of_repairing_that_there_is_not_is_told() -> None:
    wrong = [{"repair_id": "rep_001", "column": "x", "method": "guess"}]
    with pytest.raises(ToolError, match="called 'guess'") as caught:
        called(causal_repair, study(0), repairs=wrong)
    assert caught.value.category is ErrorCategory.INVALID_ARGUMENTS


def test_it_stops_when_it_is_cancelled() -> None:
    context = Inputs({"data": study(0)})
    context.cancelled.set()
    asked = {"input": "data", "repairs": IMPUTE}
    with pytest.raises(ToolError) as caught:
        causal_repair.run(RepairArguments.model_validate(asked), context)
    assert caught.value.category is ErrorCategory.CANCELLED


def test_the_order_of_columns_does_not_matter() -> None:
    frame = study(4)
    turned = frame.select(frame.column_names[::-1])
    one = frame_of(called(causal_repair, frame, repairs=IMPUTE))
    other = frame_of(called(causal_repair, turned, repairs=IMPUTE))
    assert one.equals(other.select(one.column_names))
