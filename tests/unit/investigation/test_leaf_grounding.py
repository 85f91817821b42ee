"""Columns of leaves are told by their names, or as is said; what cannot be is refused."""

from __future__ import annotations

from typing import Any

import pytest

from mesh.errors import AssayError
from services.planner.domain.catalogue import Column
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.grounding import ground_of
from services.planner.domain.investigation.hypothesis import Test
from services.planner.domain.investigation.hypothesising import first_hypotheses
from services.planner.domain.investigation.leaves.calls import faults_of_leaves
from tests.unit.investigation.leaves import SIDES, SPLITS, about_leaves, leaves
from tests.unit.investigation.shop import NOW, column


def grounded(*columns: Column, rows: int = 100, **fields: Any) -> Ground:
    found = ground_of(about_leaves(**fields).validated(), leaves(*columns, rows=rows))
    assert found is not None
    return found


def numbers(*names: str) -> tuple[Column, ...]:
    return tuple(column(name, "float", 50, minimum="1.0", maximum="9.0") for name in names)


@pytest.mark.parametrize(
    ("names", "real", "predicted", "label"),
    [
        (("real", "predict"), "real", "predict", "value"),
        (("Actual", "Forecast"), "Actual", "Forecast", "value"),
        (("ACTUAL_SALES", "sales_forecast"), "ACTUAL_SALES", "sales_forecast", "sales"),
        (("revenue", "expectedRevenue"), "revenue", "expectedRevenue", "revenue"),
        (("value", "yhat"), "value", "yhat", "value"),
        (("real", "value", "predicted"), "real", "predicted", "value"),
    ],
)
def test_columns_are_told_by_their_names(
    names: tuple[str, ...], real: str, predicted: str, label: str
) -> None:
    ground = grounded(*SPLITS, *numbers(*names))
    assert ground.leaf is not None
    assert (ground.leaf.real, ground.leaf.predicted, ground.label) == (real, predicted, label)
    assert (ground.baseline, ground.comparison, ground.time) == (None, None, "")
    assert ground.dimensions == ("region", "channel")
    assert any(real in said and predicted in said for said in ground.said), "it tells its guess"


def test_columns_may_be_named_whatever_their_letters_case_and_are_no_guess() -> None:
    ground = grounded(
        *SPLITS, *numbers("Sold", "plan"), real_column="sold", predicted_column="PLAN"
    )
    assert ground.leaf is not None
    assert (ground.leaf.real, ground.leaf.predicted, ground.label) == ("Sold", "plan", "Sold")
    assert ground.said == ()


@pytest.mark.parametrize(
    "asked",
    [
        {"metric_sql": "success / total"},
        {
            "real_column": "real_success / real_total",
            "predicted_column": "predicted_success/predicted_total",
        },
    ],
)
def test_two_measures_are_a_ratio(asked: dict[str, Any]) -> None:
    sides = numbers("real_success", "predicted_success", "real_total", "predicted_total")
    ground = grounded(*SPLITS, *sides, **asked)
    assert ground.ratio and ground.leaf is not None
    assert ground.leaf.real_denominator == "real_total"
    assert ground.leaves["predicted_denominator"] == "assay_predicted_denominator"
    assert '"predicted_total"' in ground.relation


def test_what_tells_no_segments_is_left_out_and_said() -> None:
    further = (
        column("day", "date", 3, minimum="2024-01-01", maximum="2024-01-03"),
        column("number", "integer", 100),
        column("same", "string", 1),
        column("store", "integer", 7),
        *numbers("price"),
    )
    ground = grounded(*SPLITS, *further, *SIDES)
    assert ground.dimensions == ("region", "channel", "store")
    said = " ".join(ground.said)
    assert all(name in said for name in ("day", "number", "same", "price"))


def test_the_suspected_dimension_comes_first_and_dimensions_may_be_named() -> None:
    assert grounded(investigation_prompt="the channels?").suspected == ("channel",)
    assert grounded(dimensions=("CHANNEL",)).dimensions == ("channel",)


def test_a_dimension_that_is_called_like_a_column_of_a_cube_keeps_its_values() -> None:
    ground = grounded(column("bucket", "string", 5), column("region", "string", 5), *SIDES)
    assert ground.dimensions == ("leaves bucket", "region")
    assert '"bucket" AS "leaves bucket"' in ground.relation


def test_missing_and_negative_values_are_told() -> None:
    real = column("real", "float", 90, minimum="-4.0", maximum="9.0", nulls=3)
    said = " ".join(grounded(*SPLITS, real, SIDES[1]).said)
    assert "3 rows of 100 have no real: they count as 0" in said
    assert "real is below 0 in some leaves" in said


@pytest.mark.parametrize(
    ("columns", "asked", "code", "said"),
    [
        (numbers("revenue", "budget"), {}, "LEAF_COLUMNS_NOT_FOUND", "revenue, budget"),
        (numbers("real"), {}, "LEAF_COLUMNS_NOT_FOUND", "what was forecast"),
        (
            SIDES,
            {"real_column": "reel", "predicted_column": "predict"},
            "LEAF_COLUMNS_NOT_FOUND",
            "'reel'",
        ),
        (SIDES, {"real_column": "real"}, "", ""),
        (
            SIDES,
            {"real_column": "real", "predicted_column": "Real"},
            "LEAF_COLUMNS_NOT_FOUND",
            "at once",
        ),
        (
            numbers("real_a", "predict_a", "real_b", "predict_b"),
            {},
            "LEAF_COLUMNS_NOT_FOUND",
            "several measures (a, b)",
        ),
        (
            numbers("real_a", "predict_a"),
            {"metric_sql": "profit"},
            "METRIC_NOT_UNDERSTOOD",
            "they have a",
        ),
        ((column("real", "string", 9), SIDES[1]), {}, "LEAF_VALUES_NOT_USABLE", "texts"),
        (
            (column("real", "float", 0, nulls=100), SIDES[1]),
            {},
            "LEAF_VALUES_NOT_USABLE",
            "no value",
        ),
        (
            (SIDES[0], column("predict", "float", 1, minimum="0.0", maximum="0.0")),
            {},
            "LEAF_VALUES_NOT_USABLE",
            "no forecast to compare with",
        ),
        (SIDES, {"dimensions": ("planet",)}, "NO_DIMENSIONS", "'planet'"),
        (SIDES, {"dimensions": ("real",)}, "NO_DIMENSIONS", "holds values"),
    ],
)
def test_what_cannot_be_investigated_is_refused_by_name(
    columns: tuple[Column, ...], asked: dict[str, Any], code: str, said: str
) -> None:
    if not code:
        assert grounded(*SPLITS, *columns, **asked).leaf is not None
        return
    with pytest.raises(AssayError) as refused:
        grounded(*SPLITS, *columns, **asked)
    assert refused.value.reason.code == code
    assert said in f"{refused.value.message} {refused.value.remedy}"


def test_leaves_without_a_column_to_split_by_are_refused() -> None:
    with pytest.raises(AssayError, match="NO_DIMENSIONS"):
        grounded(*SIDES)


@pytest.mark.parametrize(
    "fields",
    [
        {"time_column": "day"},
        {"leaf": False, "metric_sql": "sum(real)", "real_column": "real"},
    ],
)
def test_days_of_leaves_and_columns_of_leaves_without_leaves_are_refused(
    fields: dict[str, Any],
) -> None:
    with pytest.raises(AssayError, match="INVALID_ARGUMENT"):
        about_leaves(**fields).validated()


def test_hypotheses_speak_of_the_forecast_and_of_no_days() -> None:
    made = first_hypotheses(grounded(), NOW)
    assert [h.test for h in made[:4]] == [Test.QUALITY, Test.CHANGE, Test.SEARCH, Test.ALIKE]
    told = " ".join(f"{h.title} {h.causal_story} {h.expected_pattern}" for h in made)
    assert "forecast" in told
    assert not {"days", "baseline", "periods"} & set(told.split())


@pytest.mark.parametrize(
    ("more", "fields", "complete"),
    [
        ((), {}, True),
        ((column("user", "string", 20_000),), {}, False),
        ((column("row_id", "string", 100),), {}, True),
        ((column("country", "string", 1),), {}, True),
        ((), {"dimensions": ("region",)}, False),
    ],
)
def test_whether_a_leaf_is_told_by_its_dimensions(
    more: tuple[Column, ...], fields: dict[str, Any], complete: bool
) -> None:
    ground = grounded(*SPLITS, *SIDES, *more, **fields)
    assert ground.leaf is not None and ground.leaf.complete is complete
    asked = faults_of_leaves("i01_quality", ground).arguments
    assert asked.get("complete", True) is complete
