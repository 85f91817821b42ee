"""What an investigation of leaves answers: forecast and actual, each word held to the cells."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from mesh.proof.assertions import TITLE
from services.planner.domain.investigation.cited_sentences import level, recorded, states
from services.planner.domain.investigation.comparing import compared
from services.planner.domain.investigation.hypothesis import HypothesisStatus, Test
from services.planner.domain.investigation.hypothesising import first_hypotheses
from services.planner.domain.investigation.judging import judged
from services.planner.domain.investigation.leaves.judging import JUDGES_OF_LEAVES
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.prose import Prose
from services.planner.domain.reporting.stating import UnstatedError
from tests.unit.investigation.frames import CHANCE, NOW, search
from tests.unit.investigation.leaves import NORTH_WEB, beside_forecast, ground_of_values
from tests.unit.investigation.test_told import Case


def leaf_case(*tables: Any, **changed: Any) -> Case:
    return Case(*tables, of=ground_of_values(**changed))


def test_the_whole_is_told_beside_its_forecast_then_what_explains_it() -> None:
    case = leaf_case(beside_forecast(), search(NORTH_WEB))
    assert case.title.plain == "Value is below its forecast: forecast 601, actual 523"
    assert case.text.plain == (
        "Value is below its forecast: forecast 601, actual 523, a difference of -78 or -13 %. "
        "Most likely: channel web with region North, which is below its forecast (forecast 100, "
        "actual 20): an effect of -80.40 or 103 % of the difference (p 0.025). This is "
        "associational."
    )
    case.check(case.text)
    case.check(case.title, TITLE)
    [told] = case.explanations
    assert told.explanation.title == "channel web with region North below forecast"
    words = " ".join([case.text.plain, *(line.plain for line in told.evidence)])
    assert "baseline" not in words and "period" not in words


@pytest.mark.parametrize(
    ("actual", "said"), [(700.0, "is above its forecast"), (601.0, "is as forecast")]
)
def test_each_side_of_the_forecast_has_its_words(actual: float, said: str) -> None:
    case = leaf_case(beside_forecast(actual=actual), search(CHANCE))
    assert said in case.title.plain
    case.check(case.title, TITLE)
    case.check(case.text)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"kind": "new", "baseline": 0.0}, "which is new (forecast 0, actual 20)"),
        ({"kind": "vanished", "comparison": 0.0}, "which is gone (forecast 100, actual 0)"),
        ({"kind": "alike", "segment": "{}"}, "everything alike: an effect"),
        ({"comparison": 130.0, "effect": 30.0}, "which is above its forecast (forecast 100"),
    ],
)
def test_each_kind_of_explanation_is_borne_out(changed: dict[str, Any], said: str) -> None:
    case = leaf_case(beside_forecast(), search(NORTH_WEB | changed))
    assert said in case.text.plain
    case.check(case.text)


@pytest.mark.parametrize(
    ("text", "way", "why"),
    [
        (None, "below its forecast", "no forecast"),
        ("forecast", "above its forecast", "the change is -78"),
    ],
)
def test_neither_another_way_nor_a_baseline_is_told_as_a_forecast(
    text: str | None, way: str, why: str
) -> None:
    case = leaf_case(beside_forecast(text=text))
    before, after = case.told["baseline"], case.told["comparison"]
    lie = states(
        "off_forecast",
        [before, after],
        recorded("value"),
        f" is {way}: forecast ",
        level(case.speaker, case.ground, before, "value"),
        ", actual ",
        level(case.speaker, case.ground, after, "value"),
    )
    with pytest.raises(UnstatedError, match=why):
        case.check(Prose.of(lie, "."))


def test_a_segment_on_the_other_side_of_its_forecast_is_refused() -> None:
    case = leaf_case(search(NORTH_WEB))
    [row] = [row for row in case.rows if row.stands_out]
    lie = states(
        "explained",
        [row],
        "Most likely: ",
        recorded("channel"),
        " ",
        recorded("web"),
        " with ",
        recorded("region"),
        " ",
        recorded("North"),
        ", which is above its forecast (forecast ",
        level(case.speaker, case.ground, row, "baseline"),
        ", actual ",
        level(case.speaker, case.ground, row, "comparison"),
        ")",
    )
    with pytest.raises(UnstatedError, match="the change is -80"):
        case.check(Prose.of(lie, "."))


def test_where_nothing_stands_out_what_comes_closest_is_told_with_its_chance() -> None:
    near = CHANCE | {"p_corrected": 0.3, "baseline": 5.0, "comparison": 6.0}
    case = leaf_case(beside_forecast(), search(near))
    lines = compared(case.ground, case.told, case.speaker, explained=False, searched=case.rows)
    assert "region South, forecast 5, actual 6" in lines[-1].plain and "30 %" in lines[-1].plain
    told = compared(case.ground, case.told, case.speaker, explained=True, searched=case.rows)
    assert len(told) == len(lines) - 1


@pytest.mark.parametrize("alike", [True, False])
def test_the_search_settles_whether_all_is_off_alike_with_or_without_segments(alike: bool) -> None:
    of = ground_of_values()
    hypotheses = first_hypotheses(of, NOW)
    [one] = [h for h in hypotheses if h.test is Test.SEARCH]
    row = {"kind": "alike", "p_corrected": 0.01 if alike else 0.9, "effect": -70.0}
    table = search(row)
    found = judged(one, hypotheses, {table.task_id: table}, of, judges=JUDGES_OF_LEAVES)
    after = {c.hypothesis: c.after for c in found.changes}
    [whole] = [h for h in hypotheses if h.test is Test.ALIKE]
    wanted = HypothesisStatus.CONFIRMED if alike else HypothesisStatus.RULED_OUT
    assert after[whole.hypothesis_id] is wanted
    assert after[one.hypothesis_id] is HypothesisStatus.RULED_OUT


def test_dimensions_that_stand_out_matter_and_no_suspicion_is_ruled_out_early() -> None:
    of = ground_of_values(suspected=("channel",))
    hypotheses = first_hypotheses(of, NOW)
    [one] = [h for h in hypotheses if h.test is Test.SEARCH]
    by_name = {h.dimensions: h for h in hypotheses if h.test is Test.DIMENSION}
    table = search(NORTH_WEB)
    out = judged(one, hypotheses, {table.task_id: table}, of, judges=JUDGES_OF_LEAVES)
    after = {c.hypothesis: c.after for c in out.changes}
    assert after[by_name["region",].hypothesis_id] is HypothesisStatus.CONFIRMED

    rows = pa.table({"kind": ["value"], "value": ["web"], "p_corrected": [0.7]})
    alone = EvidenceTable("i03_contribution", "call", "d", rows)
    suspected = by_name["channel",]
    early = judged(suspected, hypotheses, {alone.task_id: alone}, of, judges=JUDGES_OF_LEAVES)
    assert early.changes[0].after is HypothesisStatus.PENDING and not early.showed
