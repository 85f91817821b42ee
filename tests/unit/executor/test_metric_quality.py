"""Faults of the data are found where there are some, and none are said of what a business does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mesh.tool import ErrorCategory, ToolError
from services.executor.metric.arguments import QualityArguments
from services.executor.tools.metric_quality import metric_quality
from tests.thorough import times
from tests.unit.executor.metric_business import ARGUMENTS, business, context_of

SEEDS = range(100, 100 + times(2, 5))
BUSINESSES = times(12, 50)
VARIED = [seed for seed in range(100, 118) if business(seed)["amount"].nunique() > 200]


def checked(rows: pd.DataFrame, folder: Path, **changes: Any) -> list[dict[str, Any]]:
    arguments = QualityArguments(**{**ARGUMENTS, **changes})
    result = metric_quality.run(arguments, context_of(rows, folder))
    assert result.frame is not None
    found: list[dict[str, Any]] = result.frame.to_pylist()
    return found


def faults(rows: pd.DataFrame, folder: Path, **changes: Any) -> list[dict[str, Any]]:
    return [f for f in checked(rows, folder, **changes) if f["severity"] == "fault"]


def days(rows: pd.DataFrame) -> pd.Series:
    return pd.to_datetime(rows["at"]).dt.strftime("%Y-%m-%d")


def between(rows: pd.DataFrame, first: str, last: str) -> pd.Series:
    return (days(rows) >= first) & (days(rows) <= last)


def said_of(seeds: range, folder: Path) -> dict[int, list[str]]:
    told = {seed: faults(business(seed), folder / str(seed)) for seed in seeds}
    return {seed: [fault["detail"] for fault in found] for seed, found in told.items() if found}


def test_an_ordinary_business_has_no_faults(tmp_path: Path) -> None:
    assert said_of(range(times(3, 6)), tmp_path) == {}


@pytest.mark.timeout(600)
def test_one_ordinary_business_in_fifty_is_misjudged_at_most(tmp_path: Path) -> None:
    told = said_of(range(50, 50 + BUSINESSES), tmp_path)
    assert len(told) <= 1, told


@pytest.mark.parametrize("seed", SEEDS)
def test_days_without_rows_are_missed(seed: int, tmp_path: Path) -> None:
    rows = business(seed)
    found = faults(rows[~between(rows, "2024-03-12", "2024-03-14")], tmp_path)
    assert [f["check"] for f in found] == ["missing_days"]
    assert str(found[0]["bucket"]) == "2024-03-12"
    assert found[0]["comparison"] == 3
    assert found[0]["baseline"] == 0


def test_the_end_of_the_data_is_told(tmp_path: Path) -> None:
    rows = business(101)
    found = faults(rows[~between(rows, "2024-03-21", "2024-03-31")], tmp_path)
    assert [f["check"] for f in found] == ["missing_days"]
    assert "the data end on 2024-03-20" in found[0]["detail"]


@pytest.mark.parametrize("seed", SEEDS)
def test_days_that_came_twice_are_found(seed: int, tmp_path: Path) -> None:
    rows = business(seed)
    again = rows[between(rows, "2024-03-05", "2024-03-09")]
    found = faults(pd.concat([rows, again], ignore_index=True), tmp_path)
    assert [f["check"] for f in found] == ["duplicate_load"]
    assert "2024-03-05" <= str(found[0]["bucket"]) <= "2024-03-06"
    assert found[0]["comparison"] > (found[0]["baseline"] or 0)


def test_a_whole_period_that_came_twice_is_found(tmp_path: Path) -> None:
    rows = business(104)
    again = rows[between(rows, "2024-03-01", "2024-03-31")]
    found = faults(pd.concat([rows, again], ignore_index=True), tmp_path)
    assert {f["check"] for f in found} == {"duplicate_load"}


def test_a_part_of_a_load_that_came_twice_is_found_by_its_times(tmp_path: Path) -> None:
    seed = next(s for s in range(100, 200) if len(str(business(s)["at"].iloc[0])) > 10)
    rows = business(seed)
    again = rows[between(rows, "2024-03-11", "2024-03-15")].sample(frac=0.6, random_state=1)
    found = faults(pd.concat([rows, again], ignore_index=True), tmp_path)
    assert {f["check"] for f in found} == {"duplicate_load"}


def test_a_segment_that_came_twice_is_named(tmp_path: Path) -> None:
    rows = business(next(seed for seed in VARIED if len(business(seed)) > 15_000))
    hit = between(rows, "2024-03-11", "2024-03-15") & (rows["region"] == "South")
    found = faults(pd.concat([rows, rows[hit]], ignore_index=True), tmp_path)
    assert [f["check"] for f in found] == ["duplicate_load"] * len(found)
    assert ("region", "South") in {(f["segment_dimension"], f["segment_value"]) for f in found}


def test_rows_with_a_key_repeat_where_the_key_does(tmp_path: Path) -> None:
    rows = business(103)
    rows["id"] = np.arange(len(rows))
    again = rows[between(rows, "2024-03-11", "2024-03-15")].sample(frac=0.5, random_state=1)
    both = pd.concat([rows, again], ignore_index=True)
    assert "duplicate_load" in {f["check"] for f in faults(both, tmp_path, key=["id"])}


@pytest.mark.parametrize("seed", SEEDS)
def test_cells_that_go_missing_are_found(seed: int, tmp_path: Path) -> None:
    rows = business(seed)
    random = np.random.default_rng(seed)
    lost = between(rows, "2024-03-18", "2024-03-24") & (random.random(len(rows)) < 0.9)
    rows.loc[lost, "amount"] = np.nan
    found = faults(rows, tmp_path)
    assert [(f["check"], f["column"]) for f in found] == [("null_flood", "amount")]
    assert "2024-03-18" <= str(found[0]["bucket"]) <= "2024-03-19"


@pytest.mark.parametrize("factor", [100.0, 1 / 1_000, 60.0])
@pytest.mark.parametrize("seed", VARIED[: times(1, 3)])
def test_another_unit_is_found(seed: int, factor: float, tmp_path: Path) -> None:
    rows = business(seed)
    rows.loc[between(rows, "2024-03-10", "2024-03-31"), "amount"] *= factor
    found = [f for f in faults(rows, tmp_path) if f["check"] == "unit_change"]
    assert len(found) == 1
    assert found[0]["column"] == "amount"
    assert "2024-03-08" <= str(found[0]["bucket"]) <= "2024-03-12"
    assert found[0]["segment_dimension"] == ""


def test_another_unit_in_one_segment_is_found(tmp_path: Path) -> None:
    rows = business(100)
    hit = between(rows, "2024-03-01", "2024-03-31") & (rows["region"] == "North")
    rows.loc[hit, "amount"] *= 100
    found = [f for f in faults(rows, tmp_path) if f["check"] == "unit_change"]
    assert [(f["segment_dimension"], f["segment_value"]) for f in found] == [("region", "North")]


def test_what_is_so_in_both_periods_is_no_fault(tmp_path: Path) -> None:
    rows = business(101)
    wednesdays = pd.to_datetime(rows["at"]).dt.day_of_week == 2
    rows.loc[wednesdays, "region"] = None
    closed = between(rows, "2024-02-29", "2024-02-29") | between(rows, "2024-03-28", "2024-03-28")
    found = checked(rows[~closed], tmp_path)
    assert not [f for f in found if f["severity"] == "fault"]
    assert ("null_flood", "note") in {(f["check"], f["severity"]) for f in found}
    assert ("missing_days", "doubt") in {(f["check"], f["severity"]) for f in found}


def test_another_spelling_is_found(tmp_path: Path) -> None:
    rows = business(102)
    hit = between(rows, "2024-03-01", "2024-03-31") & (rows["region"] == "North")
    rows.loc[hit, "region"] = "NORTH "
    found = faults(rows, tmp_path)
    assert [(f["check"], f["segment_value"]) for f in found] == [("respelt_value", "NORTH ")]


def test_new_and_vanished_values_are_notes(tmp_path: Path) -> None:
    rows = business(103)
    hit = between(rows, "2024-03-01", "2024-03-31") & (rows["region"] == "North")
    rows.loc[hit, "region"] = "Centre"
    notes = {f["check"] for f in checked(rows, tmp_path) if f["severity"] == "note"}
    assert {"new_value", "vanished_value"} <= notes


def test_columns_are_those_named(tmp_path: Path) -> None:
    rows = business(101)
    rows.loc[between(rows, "2024-03-18", "2024-03-24"), "region"] = None
    assert "null_flood" in {f["check"] for f in faults(rows, tmp_path / "all")}
    assert "null_flood" not in {
        f["check"] for f in faults(rows, tmp_path / "one", columns=["amount"])
    }
    with pytest.raises(ToolError) as caught:
        checked(rows, tmp_path / "none", columns=["nothing"])
    assert caught.value.category is ErrorCategory.MISSING_COLUMN


@pytest.mark.parametrize("times", [3, 4, 5])
def test_a_month_that_came_several_times_is_found_whatever_their_number(
    times: int, tmp_path: Path
) -> None:
    rows = business(7)
    again = rows[between(rows, "2024-03-01", "2024-03-31")]
    found = faults(pd.concat([rows, *[again] * (times - 1)], ignore_index=True), tmp_path)
    assert {row["check"] for row in found} == {"duplicate_load"}
    assert f"{times} times" in found[0]["detail"]
