"""What moved as it usually does is told as that, and what repeats a year is told with a doubt."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from services.planner.domain.investigation.cited_sentences import number, recorded, states
from services.planner.domain.investigation.hypothesis import HypothesisStatus, Test
from services.planner.domain.investigation.hypothesising import first_hypotheses
from services.planner.domain.investigation.judging import judged
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.investigation.seasons import habits_in, repeated
from services.planner.domain.reporting.stating import UnstatedError
from tests.unit.investigation.frames import CHANCE, NORTH, NOW, TEAMS, change, ground, search
from tests.unit.investigation.test_told import Case

ALIKE: dict[str, Any] = {"kind": "alike", "p_corrected": 0.4, "baseline": 5.0, "comparison": 6.0}
HABIT = {**NORTH, "kind": "usual", "p_corrected": 1.0, "p_at_most": False}
NEVER = {"year_baseline": None, "year_comparison": None}
SAME = {"year_baseline": 17_000.0, "year_comparison": 11_000.0}
OTHER_WAY = {"year_baseline": 11_000.0, "year_comparison": 17_000.0}


def test_where_nothing_stands_out_it_is_told_what_moved_as_it_usually_does() -> None:
    case = Case(change(), search({**HABIT, **NEVER}, CHANCE, ALIKE))
    case.check(case.text)
    said = case.text.plain
    assert "No segment stands out of chance. Within what earlier periods differ by: " in said
    assert "channel web with region North, which fell from 18,224" in said
    assert "79 % of the change" in said and "season" not in said


@pytest.mark.parametrize(("year", "told"), [(SAME, True), (OTHER_WAY, False), (NEVER, False)])
def test_an_explanation_that_repeats_a_year_is_told_after_that_doubt(
    year: dict[str, Any], told: bool
) -> None:
    case = Case(change(), search({**NORTH, **year}))
    case.check(case.text)
    doubt = "A year earlier channel web with region North went the same way, from 17,000 to 11,000"
    assert (f"{doubt}: it may be the season. Most likely" in case.text.plain) is told
    evidence = " ".join(part.plain for part in case.explanations[0].evidence)
    assert ("a year earlier it went from" in evidence) is (year is not NEVER)


def test_a_mix_repeats_nothing_as_its_rates_are_not_what_moved() -> None:
    case = Case(change(), search({**TEAMS, "year_baseline": 300.0, "year_comparison": 250.0}))
    assert not repeated(case.rows[0])


def test_a_year_that_went_another_way_is_no_season() -> None:
    case = Case(change(), search({**NORTH, **OTHER_WAY}))
    ends = [
        number(case.speaker, case.rows[0], f"year_{side}") for side in ("baseline", "comparison")
    ]
    lie = states(
        "last_year",
        case.rows[:1],
        "A year earlier ",
        recorded("channel"),
        " ",
        recorded("web"),
        " with ",
        recorded("region"),
        " ",
        recorded("North"),
        " went the same way, from ",
        ends[0],
        " to ",
        ends[1],
        ": it may be the season.",
    )
    with pytest.raises(UnstatedError, match="it moved by"):
        case.check(lie)


def test_what_is_news_is_not_told_as_a_habit() -> None:
    case = Case(change(), search(NORTH))
    lie = states(
        "habit",
        case.rows[:1],
        "Within what earlier periods differ by: ",
        recorded("channel"),
        " ",
        recorded("web"),
        " with ",
        recorded("region"),
        " ",
        recorded("North"),
        ": an effect of ",
        number(case.speaker, case.rows[0], "effect"),
        ".",
    )
    with pytest.raises(UnstatedError, match="it is of kind"):
        case.check(lie)


def test_a_dimension_of_a_habit_matters_and_everything_did_not_move_alike() -> None:
    every = tuple(
        h.model_copy(update={"status": HypothesisStatus.RULED_OUT}) if h.test is Test.CHANGE else h
        for h in first_hypotheses(ground(), NOW)
    )
    [one] = [h for h in every if h.test is Test.SEARCH]
    table = search(HABIT, ALIKE)
    told = judged(one, every, {table.task_id: table}, ground())
    assert "No further than between earlier periods: channel web with region North" in told.summary
    after = {c.hypothesis: c.after for c in told.changes}
    of = {h.test: h.hypothesis_id for h in every} | {
        h.dimensions: h.hypothesis_id for h in every if h.test is Test.DIMENSION
    }
    assert after[of[Test.SEARCH]] is HypothesisStatus.RULED_OUT
    assert after[of[Test.ALIKE]] is HypothesisStatus.RULED_OUT
    assert after[of[("region",)]] is HypothesisStatus.CONFIRMED
    assert not told.standing_out and len(habits_in(Case(table).rows)) == 1


@pytest.mark.parametrize(
    ("days", "earlier"),
    [
        (("2024-02-01", "2024-02-29"), "2023-02-01 to 2023-02-28"),
        (("2023-02-01", "2023-02-28"), "2022-02-01 to 2022-02-28"),
        (("2025-02-01", "2025-02-28"), "2024-02-01 to 2024-02-29"),
        (("2024-03-05", "2024-03-11"), "2023-03-05 to 2023-03-11"),
        (("2024-12-15", "2025-01-14"), "2023-12-15 to 2024-01-14"),
    ],
)
def test_the_year_before_is_the_same_days_of_the_calendar(
    days: tuple[str, str], earlier: str
) -> None:
    start, end = (date.fromisoformat(day) for day in days)
    assert str(DateRange(start=start, end=end).year_before) == earlier
