"""Effects group by group: by which columns, and which groups stand out of the other rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from services.planner.domain.causal.groups import (
    column_of,
    describe_groups,
    judged,
    left_out,
    standing_out,
)
from services.planner.domain.causal.knowledge import Knowledge
from services.planner.domain.causal.results import TreatmentEffectResult
from tests.unit.causal.frames_of_study import (
    BRIEF,
    World,
    begun,
    estimate_row,
    finished,
    profile_row,
)


def effect(scores: np.ndarray, group: str = "") -> TreatmentEffectResult:
    """The mean of row scores, as a forest tells it."""
    mean, error = float(scores.mean()), float(scores.std(ddof=1) / np.sqrt(len(scores)))
    return TreatmentEffectResult(
        method="causal_forest",
        estimand="CATE" if group else "ATE",
        estimate=mean,
        std_error=error,
        ci_lower=mean - 1.96 * error,
        ci_upper=mean + 1.96 * error,
        details={"group": group, "rows": len(scores), "status": "ok"},
    )


def groups(scores: np.ndarray, number: np.ndarray) -> list[TreatmentEffectResult]:
    return judged(
        [effect(scores), *(effect(scores[number == n], f"shop = {n}") for n in np.unique(number))]
    )


def test_the_rest_and_its_chance_are_those_of_the_rows_themselves() -> None:
    draw = np.random.default_rng(1)
    number, scores = np.repeat([0, 1, 2], [60, 90, 150]), draw.normal(2, 5, 300)

    found = groups(scores, number)[1]

    rest = scores[number != 0]
    assert found.details["rest"] == pytest.approx(rest.mean())
    apart = scores[number == 0].mean() - rest.mean()
    error = np.hypot(found.std_error, rest.std(ddof=1) / np.sqrt(len(rest)))
    from scipy import stats

    alone = 2 * stats.norm.sf(abs(apart) / error)
    assert found.details["p_corrected"] >= alone * 0.999, "and corrected for the others"


def test_a_group_that_differs_stands_out_and_one_that_is_merely_not_nought_does_not() -> None:
    number = np.arange(1200) % 12
    scores = 5 + 4 * np.repeat(np.linspace(-2, 2, 100), 12)  # alike in every group
    scores[number == 3] -= 4

    found = groups(scores, number)

    assert [e.details["group"] for e in standing_out(found)] == ["shop = 3"]
    assert all(e.ci_lower > 0 for e in found if e.details["group"] != "shop = 3")
    assert "12 groups by shop were looked at: 1 stands out" in describe_groups(found)


def test_in_data_of_one_effect_a_group_stands_out_no_more_often_than_once_in_twenty() -> None:
    draw = np.random.default_rng(3)
    number = np.arange(400) % 8

    out = [bool(standing_out(groups(draw.normal(3, 5, 400), number))) for _ in range(400)]

    assert np.mean(out) < 0.05 + 2 * np.sqrt(0.05 * 0.95 / 400)


def test_both_groups_of_a_column_are_one_comparison() -> None:
    draw = np.random.default_rng(4)
    scores = draw.normal(0, 1, 200)
    found = judged([effect(scores), effect(scores[:80], "old = 0"), effect(scores[80:], "old = 1")])

    first, second = (e.details["p_corrected"] for e in found[1:])
    assert first == pytest.approx(second, rel=0.05)
    assert first < 1 or abs(found[1].estimate - found[2].estimate) < 1e-9


@pytest.mark.parametrize(
    ("label", "column"),
    [("age: 23 to 41", "age"), ("a = b = 1", "a = b"), ("x: y = z", "x: y")],
)
def test_a_group_names_its_column(label: str, column: str) -> None:
    assert column_of(label) == column


def _forest(world: World) -> dict[str, Any]:
    [call] = [t for t in world.calls if t.arguments.get("method") == "causal_forest"]
    return dict(call.arguments)


def test_a_few_of_the_columns_adjusted_for_are_looked_at_where_none_is_named() -> None:
    world = World()
    finished(world, begun())

    assert _forest(world)["modifiers"] == ["age", "income"]


def test_what_comes_after_the_treatment_is_no_group_and_is_told() -> None:
    columns = [
        profile_row("age"),
        profile_row("income"),
        profile_row("clicks"),
        profile_row("promo", "binary", treatment_score=0.9, confounder_score=0.0),
        profile_row("spend", outcome_score=0.9, confounder_score=0.0),
    ]
    world = World({"profile": columns})
    known = Knowledge(tiers=(("age", "income"), ("promo",), ("clicks", "spend")))
    brief = replace(BRIEF, modifiers=("clicks", "age"), knowledge=known)

    run = finished(world, begun(), brief)

    assert _forest(world)["modifiers"] == ["age"]
    assert left_out(run.state, brief) == {"clicks": "by its tier"}


def test_groups_that_stand_out_are_drawn_and_speak_for_nothing_else() -> None:
    told_of = {"estimand": "CATE", "rows": 500}
    rows = [
        estimate_row("causal_forest", 4.0, 0.15),
        estimate_row("causal_forest", 2.0, 0.2, group="age = 1", **told_of),
        estimate_row("causal_forest", 6.0, 0.2, group="age = 2", **told_of),
    ]
    world = World({"estimate:causal_forest": rows, "draw:heterogeneity": [{"_row": 0}]})

    run = finished(world, begun())

    out = standing_out(run.state.treatment_effects)
    assert [e.details["group"] for e in out] == ["age = 1", "age = 2"]
    assert run.state.is_approved(), "that groups differ is no disagreement of methods"
    drawn = [t.task_id for t in world.calls if t.tool_name == "causal.draw"]
    assert "draw_heterogeneity" in drawn
    notebook = next(t for t in world.calls if t.tool_name == "causal.notebook")
    assert [g["estimand"] for g in notebook.arguments["groups"]] == ["age = 1", "age = 2"]
