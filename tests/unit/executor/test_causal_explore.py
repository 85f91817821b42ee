"""causal.explore gives every part of an exploration, right on data of known truth."""

from __future__ import annotations

import io
import json
from collections import defaultdict
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from mesh.tool import ErrorCategory, ToolError, ToolResult
from services.executor.tools.causal_explore import causal_explore
from tests.unit.executor.causal_data import called, clinic, frame_of

SECTIONS = (
    "summary",
    "distribution",
    "correlation",
    "high_correlation",
    "outliers",
    "vif",
    "balance",
    "quality",
)


def rich(rows: int = 1_000) -> pa.Table:
    """Months are years times twelve; income is skewed; one height is wrong; some is missing."""
    random = np.random.default_rng(0)
    years = random.normal(45, 10, rows)
    height = random.normal(170, 8, rows)
    height[17] = 1_700.0
    treated = random.uniform(size=rows) < 1 / (1 + np.exp(-(years - 45) / 8))
    return pa.table(
        {
            "years": years,
            "months": 12 * years + random.normal(0, 1, rows),
            "income": pa.array(random.lognormal(10, 1, rows), mask=random.uniform(size=rows) < 0.1),
            "height": height,
            "city": np.where(years > 45, "Ulm", random.choice(["Bonn", "Kiel"], rows)),
            "treated": treated,
            "joined": pa.array(np.datetime64("2020-01-01") + random.integers(0, 900, rows)),
            "y": years + 5 * treated + random.normal(size=rows),
        }
    )


def explored(frame: pa.Table, **arguments: Any) -> dict[str, dict[tuple[str, str], Any]]:
    """Values by section, then by column and statistic."""
    found: dict[str, dict[tuple[str, str], Any]] = defaultdict(dict)
    for row in frame_of(called(causal_explore, frame, plots=False, **arguments)).to_pylist():
        name = f"{row['name']}~{row['other']}" if row["other"] else row["name"]
        found[row["section"]][name, row["statistic"]] = row
    return found


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[tuple[str, str], Any]]:
    return explored(rich(), treatment="treated", outcome="y")


def test_all_parts_are_there(rows: dict[str, Any]) -> None:
    assert set(rows) == set(SECTIONS)


def test_correlations_are_by_the_kinds_of_the_columns(rows: dict[str, Any]) -> None:
    frame = rich()
    years, height = frame["years"].to_numpy(), frame["height"].to_numpy()
    correlation = rows["correlation"]
    pearson = correlation["years~height", "pearson"]["value"]
    assert pearson == pytest.approx(stats.pearsonr(years, height).statistic)
    spearman = correlation["years~height", "spearman"]["value"]
    assert spearman == pytest.approx(stats.spearmanr(years, height).statistic)
    assert correlation["years~city", "correlation_ratio"]["value"] > 0.7
    assert 0 < correlation["city~treated", "cramers_v"]["value"] < 1
    assert ("years~months", "pearson") in rows["high_correlation"]
    assert ("years~height", "pearson") not in rows["high_correlation"]


def test_distributions_are_described(rows: dict[str, Any]) -> None:
    found = rows["distribution"]
    income = rich()["income"].drop_null().to_numpy()
    assert found["income", "skewness"]["value"] == pytest.approx(stats.skew(income, bias=False))
    assert found["income", "kurtosis"]["value"] == pytest.approx(stats.kurtosis(income, bias=False))
    assert found["income", "normality_p"]["text"] == "not normal, skewed to the right"
    assert found["years", "normality_p"]["text"] == "could be normal"
    assert found["years", "normality"]["text"] == "Shapiro-Wilk"


def test_outliers_are_named_by_their_rows(rows: dict[str, Any]) -> None:
    found = rows["outliers"]
    assert 17 in json.loads(found["height", "indices"]["text"])
    assert found["height", "count"]["text"].startswith("modified z-score")


def test_rows_are_named_by_the_numbers_they_were_loaded_with() -> None:
    frame = rich().append_column("_row", pa.array(np.arange(1_000) * 50))
    found = explored(frame)["outliers"]
    assert 17 * 50 in json.loads(found["height", "indices"]["text"])


def test_columns_that_tell_one_another_are_warned_of(rows: dict[str, Any]) -> None:
    vif = rows["vif"]
    assert vif["years", "vif"]["value"] > 100 and vif["months", "vif"]["text"]
    assert vif["height", "vif"]["value"] < 1.2 and not vif["height", "vif"]["text"]
    assert ("y", "vif") not in vif


def test_vif_is_what_a_regression_on_the_others_gives() -> None:
    random = np.random.default_rng(0)
    a, b = random.normal(size=500), random.normal(size=500)
    c = a + 2 * b + random.normal(size=500)
    design = np.column_stack([np.ones(500), a, b])
    left = c - design @ np.linalg.lstsq(design, c, rcond=None)[0]
    expected = c.var() / left.var()
    found = explored(pa.table({"a": a, "b": b, "c": c}))["vif"]
    assert found["c", "vif"]["value"] == pytest.approx(expected)


def test_a_column_that_others_tell_wholly_has_no_finite_vif() -> None:
    random = np.random.default_rng(0)
    a, b = random.normal(size=100), random.normal(size=100)
    found = explored(pa.table({"a": a, "b": b, "sum": a + b}))["vif"]["sum", "vif"]
    assert found["value"] is None and "wholly" in found["text"]


def test_balance_is_the_standardised_difference(rows: dict[str, Any]) -> None:
    frame = rich()
    years, treated = frame["years"].to_numpy(), frame["treated"].to_numpy(zero_copy_only=False)
    one, other = years[treated], years[~treated]
    expected = (one.mean() - other.mean()) / np.sqrt((one.var() + other.var()) / 2)
    balance = rows["balance"]
    assert balance["years", "smd"]["value"] == pytest.approx(expected)
    p = stats.ttest_ind(one, other, equal_var=False).pvalue
    assert balance["years", "p_value"]["value"] == pytest.approx(p)
    assert "The groups differ in" in balance["", "summary"]["text"]
    assert ("y", "smd") not in balance


def test_a_treatment_without_two_groups_is_told_not_guessed() -> None:
    result = called(causal_explore, rich(), treatment="height", plots=False)
    assert any("Balance is not told" in note and "number" in note for note in result.notes)


def test_quality_falls_with_each_fault(rows: dict[str, Any]) -> None:
    random = np.random.default_rng(0)
    good = explored(pa.table({"a": random.normal(size=300), "b": random.normal(size=300)}))
    assert good["quality"]["", "score"]["value"] == 1.0
    bad = pa.table({"a": ["1", "2", "?"] * 100, "b": pa.nulls(300, pa.int64()), "c": [1] * 300})
    assert explored(bad)["quality"]["", "score"]["value"] < 0.5
    assert 0.9 < rows["quality"]["", "score"]["value"] < 1


def _drawn() -> ToolResult:
    return called(causal_explore, rich(), treatment="treated", outcome="y")


def test_charts_are_drawn_the_same_every_time() -> None:
    from PIL import Image

    first, second = _drawn(), _drawn()
    assert [file.name for file in first.files] == [
        "eda_correlations.png",
        "eda_distributions.png",
        "eda_missingness.png",
    ]
    for one, other in zip(first.files, second.files, strict=True):
        assert one.content == other.content
        picture = np.asarray(Image.open(io.BytesIO(one.content)).convert("L"))
        assert picture.shape[1] == 1_200 and picture.std() > 10


def test_hard_columns_are_explored_all_the_same() -> None:
    frame = pa.table(
        {
            "nothing": pa.nulls(50, pa.float64()),
            "same": ["x"] * 50,
            "many": [f"level {i}" for i in range(50)],
            "endless": [float("inf"), float("nan"), 1.0, 2.0, 3.0] * 10,
            "$odd_name^": list(range(0, 100, 2)),
        }
    )
    result = called(causal_explore, frame, treatment="same")
    assert result.files
    assert frame_of(result).num_rows


def test_a_column_that_is_not_there_is_told() -> None:
    with pytest.raises(ToolError) as caught:
        called(causal_explore, clinic(rows=60), outcome="pain")
    assert caught.value.category is ErrorCategory.MISSING_COLUMN
