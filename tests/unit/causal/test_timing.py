"""Order in time as people told it: what comes later moves nothing, the unknown is said."""

from __future__ import annotations

import json
from typing import Any

import pytest

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
        "If spend came after promo and age, income before it, and nothing unseen links both among "
        "rows alike in age, income"
    )
    ordered = finished(World(), begun(), knowing(("age", "income"), ("promo",), ("spend",)))
    said = condition_of(ordered.state, effect)
    assert said == "If nothing unseen links both among rows alike in age, income"


@pytest.mark.parametrize(
    "instruments, told",
    [
        (
            ("distance",),
            "If distance acts on spend through promo alone, and nothing unseen links it ",
        ),
        (
            ("distance", "draw"),
            "If distance and draw act on spend through promo alone, and nothing unseen links them ",
        ),
    ],
)
def test_an_instrument_stands_behind_its_own_condition_by_name(
    instruments: tuple[str, ...], told: str
) -> None:
    world = World(
        {
            "profile": [*World().told["profile"], *(profile_row(name) for name in instruments)],
            "estimate:IV": [estimate_row("IV", 3.0, estimand="LATE")],
        }
    )
    known = knowing(("age", "income"), ("promo",), ("spend",), instruments=instruments)
    run = finished(world, begun(), known)
    effect = spoken_for(run.state.treatment_effects, {})
    assert effect is not None and effect.method == "IV"
    assert condition_of(run.state, effect) == f"{told}with spend among rows alike in age, income"


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
    told = {
        "profile": [
            *usual()["profile"],
            profile_row("shop", "categorical", mean=None, values=shops),
        ]
    }
    known = knowing(("age", "income", "shop"), ("promo",), ("spend",))
    run = finished(World(told), begun(), known)
    newest = run.state.newest_critique
    assert newest is not None and newest.decision is CritiqueDecision.ITERATE
    assert "shop came before and cannot be wholly adjusted for" in newest.reasoning


def test_a_design_is_not_told_as_adjusted_for_what_it_did_not_take() -> None:
    panel = {
        "estimate:DiD": [
            estimate_row("DiD", 4.0, estimand="ATT", details=json.dumps({"adjusted": []}))
        ]
    }
    run = finished(World(panel), begun(), knowing(unit="age", time="income"))
    effect = spoken_for(run.state.treatment_effects, {})
    assert effect is not None and by_what(run.state, effect) == "ATT by DiD, adjusted for nothing"
    newest = run.state.newest_critique
    assert newest is not None
    assert newest.scores["comparability"] == 4, "treated and untreated need not be alike"
    assert newest.scores["robustness"] == 4, "its design was tested, and nothing else was"


def test_what_its_name_puts_after_the_treatment_is_warned_of_and_left_out() -> None:
    rows = [*usual()["profile"], profile_row("final_score", post_treatment=True)]
    run = finished(World({"profile": rows}), begun())
    found = run.state.confounder_discovery or {}
    assert "final_score" not in found["adjustment"]
    assert "came after" in found["excluded"]["final_score"]


def test_people_may_say_that_a_name_misleads() -> None:
    rows = [*usual()["profile"], profile_row("final_score", post_treatment=True)]
    brief = knowing(("age", "income", "final_score"), ("promo",), ("spend",))
    run = finished(World({"profile": rows}), begun(), brief)
    assert "final_score" not in (run.state.domain_knowledge or {}).get("after_by_name", [])


def test_a_column_of_too_many_values_is_named_where_nothing_else_could_be_adjusted_for() -> None:
    many = json.dumps({f"z{place}": 5 for place in range(50)})
    rows = [row for row in usual()["profile"] if row["column"] in ("promo", "spend")]
    rows.append(
        profile_row(
            "zip",
            "categorical",
            usable=False,
            why_not="too many levels",
            values=many,
            confounder_score=0.0,
            mean=None,
            std=None,
        )
    )
    run = finished(World({"profile": rows, "confounders": []}), begun())
    newest = run.state.newest_critique
    assert newest is not None and newest.decision is CritiqueDecision.REJECT
    assert "zip cannot be adjusted for" in newest.reasoning


@pytest.mark.parametrize("randomised", [False, True])
def test_a_column_of_too_many_values_is_named_beside_others_that_are_adjusted_for(
    randomised: bool,
) -> None:
    """It may move both, and nobody looked: unless chance assigned the treatment."""
    many = json.dumps({f"z{place}": 5 for place in range(50)})
    row = profile_row(
        "zip",
        "categorical",
        usable=False,
        why_not="too many levels",
        values=many,
        confounder_score=0.0,
        mean=None,
        std=None,
    )
    world = World({"profile": [*usual()["profile"], row]})
    run = finished(world, begun(), knowing(randomised=randomised))
    newest = run.state.newest_critique
    assert newest is not None
    told = "zip may move both and cannot be wholly adjusted for" in newest.reasoning
    assert told is not randomised
    assert (newest.decision is CritiqueDecision.APPROVE) is randomised


def test_rows_of_one_unit_are_counted_as_one_and_ids_that_are_numbers_are_no_measure() -> None:
    row = profile_row("student_id", units=80, treated_as_a_whole=True)
    world = World({"profile": [*usual()["profile"], row]})
    run = finished(world, begun())
    estimates = [call for call in world.calls if call.tool_name == "causal.estimate"]
    assert estimates and all(call.arguments["unit"] == "student_id" for call in estimates)
    assert "student_id" not in (run.state.confounder_discovery or {})["adjustment"]
    assert not any(call.arguments.get("method") == "rosenbaum" for call in world.calls)


def test_of_nested_units_those_count_to_which_the_treatment_is_given() -> None:
    units = [
        profile_row("student_id", units=80, treated_as_a_whole=True),
        profile_row("class_id", units=20, treated_as_a_whole=True),
        profile_row("school_id", units=12, treated_as_a_whole=False),
    ]
    run = finished(World({"profile": [*usual()["profile"], *units]}), begun())
    assert (run.state.domain_knowledge or {})["units"]["column"] == "class_id"
    named = finished(
        World({"profile": [*usual()["profile"], *units]}), begun(), knowing(unit="age")
    )
    assert (named.state.domain_knowledge or {})["units"]["column"] == "age"


def gaps(rows: int, mechanism: str) -> dict[str, object]:
    return {
        "repair_id": "rep_002",
        "column": "spend",
        "kind": "missing",
        "mechanism": mechanism,
        "p_value": 0.001,
        "method": "drop_rows",
        "rows": rows,
        "before": "{}",
        "after": "{}",
        "applied": True,
        "reason": "the outcome is never imputed",
    }


def test_outcomes_that_are_missing_and_not_by_chance_settle_nothing() -> None:
    decided = {}
    for rows, mechanism in ((340, "MAR"), (340, "MNAR?"), (340, "MCAR"), (20, "MAR")):
        world = World({"repairs": [gaps(rows, mechanism)]})
        newest = finished(world, begun()).state.newest_critique
        assert newest is not None
        decided[rows, mechanism] = newest.scores["data"], newest.decision
    assert decided[340, "MAR"] == decided[340, "MNAR?"] == (2, CritiqueDecision.ITERATE)
    assert decided[340, "MCAR"][0] > 2 and decided[20, "MAR"][0] > 2


def test_what_people_put_before_is_adjusted_for_though_few_rows_tie_it_to_little() -> None:
    little: list[dict[str, Any]] = [
        {
            "column": "age",
            "verdict": "confounder",
            "reason": "moves both",
            "with_treatment": 0.3,
            "with_outcome": 0.4,
        },
        {
            "column": "income",
            "verdict": "irrelevant",
            "reason": "goes with neither",
            "with_treatment": 0.05,
            "with_outcome": 0.04,
        },
        {
            "column": "town",
            "verdict": "instrument_like",
            "reason": "goes with promo alone",
            "with_treatment": 0.4,
            "with_outcome": 0.02,
        },
        {"column": "id", "verdict": "irrelevant", "reason": "is constant", "with_treatment": None},
    ]
    rows = {"profile": [*usual()["profile"], profile_row("town")], "confounders": little}
    told = knowing(("age", "income", "town"), ("promo",), ("spend",))

    world = World(rows)
    found = finished(world, begun(), told).state.confounder_discovery or {}
    untold = finished(World(rows), begun()).state.confounder_discovery or {}

    assert found["adjustment"] == ["age", "income", "town"]
    assert "income, town, said to have come before" in found["rule"]
    tried = [c for c in world.calls if c.task_id.endswith("react_amplified")]
    assert [c.arguments["adjustment"] for c in tried] == [["age", "income"]]
    assert untold["adjustment"] == ["age"]


def test_there_is_room_for_a_column_in_every_twenty_rows() -> None:
    names = [f"x{number:02d}" for number in range(60)]
    rows = {
        "profile": [*usual()["profile"], *(profile_row(name) for name in names)],
        "confounders": [
            {
                "column": name,
                "verdict": "irrelevant",
                "reason": "little",
                "with_outcome": 0.0,
                "with_treatment": number / 1000,
            }
            for number, name in enumerate(names)
        ],
    }

    run = finished(World(rows), begun(), knowing(tuple(names), ("promo",), ("spend",)))

    assert (run.state.confounder_discovery or {})["adjustment"] == names[10:]  # 1,000 rows


def test_few_rows_of_which_nobody_told_an_order_settle_nothing() -> None:
    rows = {"profile": [{**row, "rows": 60} for row in usual()["profile"]]}

    newest = finished(World(rows), begun()).state.newest_critique
    told = finished(
        World(rows), begun(), knowing(("age", "income"), ("promo",), ("spend",))
    ).state.newest_critique

    assert newest is not None and newest.decision is CritiqueDecision.ITERATE
    assert "60 rows are too few to show which columns go with both" in newest.reasoning
    assert told is not None and "too few" not in told.reasoning


def test_a_column_that_goes_with_others_by_a_curve_alone_is_weighed_too() -> None:
    rows = [
        *usual()["profile"],
        profile_row("bent", confounder_score=0.0),
        profile_row("day", confounder_score=0.0, is_time=True),
        profile_row("id", confounder_score=0.0, usable=False, why_not="identifier"),
        profile_row("final_score", confounder_score=0.0, post_treatment=True),
    ]
    world = World({"profile": rows})

    finished(world, begun())

    (asked,) = [call for call in world.calls if call.task_id == "confounders"]
    assert asked.arguments["candidates"] == ["age", "bent", "income"]
