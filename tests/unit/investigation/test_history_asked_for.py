"""How far back an investigation looks, to know what is usual."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from services.planner.domain.investigation.grounding import ground_of
from services.planner.domain.investigation.history import history_of
from tests.unit.investigation.shop import asked, shop


def ground() -> Any:
    return ground_of(asked(), shop())


def test_the_whole_is_held_against_what_was_before_both_periods() -> None:
    early = ground().model_copy(update={"first": date(2019, 1, 1)})

    [call] = history_of(early)

    assert call.arguments["history_start"] == "2020-12-27", "three years and no more"
    assert call.arguments["dimensions"] == ["channel"], "the one of the fewest values"
    assert history_of(ground()) == (), "where the data begin with the periods there is none"
    assert history_of(early.model_copy(update={"distinct": True})) == ()


def test_the_cube_reaches_back_to_what_was_usual_where_there_are_earlier_days() -> None:
    ground = ground_of(asked(), shop())
    assert ground is not None and ground.history_start is None and ground.baseline is not None
    earlier = ground.model_copy(update={"first": date(2023, 11, 20)})
    assert earlier.history_start == date(2023, 11, 20)
    years = ground.model_copy(update={"first": date(2019, 1, 1)})
    assert years.history_start == ground.baseline.start - timedelta(days=364)
    assert years.model_copy(update={"distinct": True}).history_start is None
