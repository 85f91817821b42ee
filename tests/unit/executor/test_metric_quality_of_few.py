"""Faults of segments of few rows are found, in the right segment, and chance is called none."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from services.executor.metric.arguments import QualityArguments
from services.executor.tools.metric_quality import metric_quality
from tests.thorough import times
from tests.unit.executor.metric_business import context_of

ARGUMENTS: dict[str, Any] = {
    "relation": "SELECT * FROM rows",
    "time": "at",
    "numerator": "amount",
    "dimensions": ["city", "country", "channel"],
    "baseline": {"start": "2024-03-01", "end": "2024-03-14"},
    "comparison": {"start": "2024-03-15", "end": "2024-03-28"},
}


def shop(seed: int, rows: int = 900) -> pd.DataFrame:
    """Four weeks of few sales: 30 cities of 6 countries, 4 channels, amounts with cents."""
    random = np.random.default_rng(seed)
    city = random.choice(30, rows, p=random.dirichlet([2.0] * 30))
    at = [date(2024, 3, 1) + timedelta(int(day)) for day in random.integers(0, 28, rows)]
    return pd.DataFrame(
        {
            "at": pd.to_datetime(at),
            "city": [f"city {one:02}" for one in city],
            "country": [f"country {one % 6}" for one in city],
            "channel": random.choice(["web", "shop", "phone", "post"], rows),
            "amount": np.round(random.lognormal(3, 0.8, rows), 2),
        }
    )


def faults(rows: pd.DataFrame, folder: Path) -> list[dict[str, Any]]:
    arguments = QualityArguments(**ARGUMENTS)
    frame = metric_quality.run(arguments, context_of(rows, folder)).frame
    assert frame is not None
    return [row for row in frame.to_pylist() if row["severity"] == "fault"]


def segments(found: list[dict[str, Any]], check: str) -> set[tuple[str, str | None]]:
    assert {row["check"] for row in found} == {check}
    return {(row["segment_dimension"], row["segment_value"]) for row in found}


@pytest.mark.parametrize("factor", [100.0, 0.001])
@pytest.mark.parametrize("seed", range(times(1, 3)))
def test_another_unit_in_a_country_of_few_rows_is_found(
    seed: int, factor: float, tmp_path: Path
) -> None:
    rows = shop(seed)
    hit = (rows["country"] == "country 2") & (rows["at"] >= "2024-03-15")
    rows.loc[hit, "amount"] = np.round(rows.loc[hit, "amount"] * factor, 5)
    found = faults(rows, tmp_path)
    assert segments(found, "unit_change") == {("country", "country 2")}
    assert str(found[0]["bucket"]) == "2024-03-15"


@pytest.mark.parametrize("seed", range(times(1, 3)))
def test_a_load_of_a_country_that_came_twice_is_found(seed: int, tmp_path: Path) -> None:
    rows = shop(seed)
    hit = (rows["country"] == "country 2") & (rows["at"] >= "2024-03-19")
    found = faults(pd.concat([rows, rows[hit]], ignore_index=True), tmp_path)
    assert segments(found, "duplicate_load") == {("country", "country 2")}


def test_a_missing_value_is_a_segment_too(tmp_path: Path) -> None:
    rows = shop(4)
    rows.loc[rows["channel"] == "web", "channel"] = None
    hit = rows["channel"].isna() & (rows["at"] >= "2024-03-19")
    found = faults(pd.concat([rows, rows[hit]], ignore_index=True), tmp_path)
    assert segments(found, "duplicate_load") == {("channel", None)}


def test_the_whole_is_told_where_all_of_few_rows_are_in_another_unit(tmp_path: Path) -> None:
    rows = shop(5, rows=120)
    rows.loc[rows["at"] >= "2024-03-15", "amount"] *= 100
    assert segments(faults(rows, tmp_path), "unit_change") == {("", None)}


def test_few_rows_without_a_fault_have_none(tmp_path: Path) -> None:
    told = {
        seed: faults(shop(seed, rows=300 + 60 * seed), tmp_path / str(seed))
        for seed in range(20, 20 + times(6, 20))
    }
    assert not any(told.values()), told


def test_prices_that_double_and_a_basket_entered_twice_are_no_fault(tmp_path: Path) -> None:
    rows = shop(6)
    hit = (rows["country"] == "country 1") & (rows["at"] >= "2024-03-15")
    rows.loc[hit, "amount"] *= 3
    again = rows[(rows["city"] == rows["city"].iloc[0])].head(4)
    assert faults(pd.concat([rows, again], ignore_index=True), tmp_path) == []


def test_a_day_of_one_visit_whose_rows_repeat_is_no_load(tmp_path: Path) -> None:
    rows = shop(7)
    alone = (rows["at"] == "2024-03-20") & (rows["country"] == "country 3")
    visit = rows[rows["country"] == "country 3"].head(7).assign(at=pd.Timestamp("2024-03-20"))
    assert faults(pd.concat([rows[~alone], visit, visit], ignore_index=True), tmp_path) == []
