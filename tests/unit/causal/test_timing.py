"""Order in time as people told it: what comes later moves nothing, the unknown is said."""

from __future__ import annotations

import json

from services.planner.domain.causal.agent import Brief
from services.planner.domain.causal.effects import spoken_for
from services.planner.domain.causal.knowledge import Knowledge
from services.planner.domain.causal.results import CritiqueDecision
from services.planner.domain.causal.telling import by_what, condition_of
from tests.unit.causal.frames_of_study import (
    World,
    begun,
    estimate_row,
    finished,
    profile_row,
    usual,
)

RELATION = 'SELECT * FROM "visits"'


def knowing(*tiers: tuple[str, ...], **more: object) -> Brief:
    return Brief(relation=RELATION, knowledge=Knowledge.model_validate({"tiers": tiers, **more}))


def test_a_treatment_that_came_after_the_outcome_is_rejected() -> None:
    world = World()
    run = finished(world, begun(), knowing(("age", "income"), ("spend",), ("promo",)))
    newest = run.state.newest_critique
    assert newest is not None and newest.decision is CritiqueDecision.REJECT
    assert "promo came after spend" in newest.reasoning
    graph = run.state.proposed_dag
    assert graph is not None
    assert all((edge.source, edge.target) != ("promo", "spend") for edge in graph.edges)


def test_without_an_order_the_answer_stands_behind_the_order_it_supposes() -> None:
    run = finished(World(), begun())
    effect = spoken_for(run.state.treatment_effects, {})
    assert effect is not None
    assert condition_of(run.state, effect) == (
        "If spend came after promo and age, income before it, and nothing unseen beyond age, "
        "income moves both"
    )
    ordered = finished(World(), begun(), knowing(("age", "income"), ("promo",), ("spend",)))
    said = condition_of(ordered.state, effect)
    assert said == "If nothing unseen beyond age, income moves both"


def test_tiers_that_do_not_name_the_question_settle_no_order() -> None:
    run = finished(World(), begun(), knowing(("age",), ("income",)))
    newest = run.state.newest_critique
    assert newest is not None and newest.scores["identification"] == 3


def test_what_is_known_to_come_before_is_weighed_however_little_it_shows() -> None:
    told = {"profile": [*usual()["profile"], profile_row("town", confounder_score=0.1)]}
    world = World(told)
    finished(world, begun(), knowing(("age", "income", "town"), ("promo",), ("spend",)))
    (asked,) = [call for call in world.calls if call.task_id == "confounders"]
    assert "town" in asked.arguments["candidates"]


def test_a_column_of_too_many_values_to_adjust_for_keeps_the_study_open() -> None:
    shops = json.dumps({f"shop {n}": 20 for n in range(50)})
    told = {"profile": [*usual()["profile"],
                        profile_row("shop", "categorical", mean=None, values=shops)]}  # fmt: skip
    known = knowing(("age", "income", "shop"), ("promo",), ("spend",))
    run = finished(World(told), begun(), known)
    newest = run.state.newest_critique
    assert newest is not None and newest.decision is CritiqueDecision.ITERATE
    assert "shop came before and cannot be wholly adjusted for" in newest.reasoning


def test_a_design_is_not_told_as_adjusted_for_what_it_did_not_take() -> None:
    panel = {"estimate:DiD": [estimate_row("DiD", 4.0, estimand="ATT",
                                           details=json.dumps({"adjusted": []}))]}  # fmt: skip
    run = finished(World(panel), begun(), knowing(unit="age", time="income"))
    effect = spoken_for(run.state.treatment_effects, {})
    assert effect is not None and by_what(run.state, effect) == "ATT by DiD, adjusted for nothing"
    newest = run.state.newest_critique
    assert newest is not None
    assert newest.scores["comparability"] == 4, "treated and untreated need not be alike"
    assert newest.scores["robustness"] == 4, "its design was tested, and nothing else was"
