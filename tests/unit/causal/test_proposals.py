"""What a language model assumes: tried, told as its own, and never a reason to approve."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from services.planner.domain.causal.advice import accepted, describe_proposals
from services.planner.domain.causal.agent import Seen
from services.planner.domain.causal.knowledge import Knowledge
from services.planner.domain.causal.results import CritiqueDecision
from services.planner.domain.causal.running import Run
from services.planner.domain.causal.telling import words_of
from services.planner.domain.suggestions import TOPICS, Kind, Suggestion, Suggestions
from tests.unit.causal.frames_of_study import (
    World,
    begun,
    edge_row,
    estimate_row,
    finished,
    profile_row,
    usual,
)

RANK = {CritiqueDecision.REJECT: 0, CritiqueDecision.ITERATE: 1, CritiqueDecision.APPROVE: 2}
PAIR = ("promo", "spend")


def said(kind: Kind, column: str = "", because: str = "", **more: str) -> Suggestion:
    return Suggestion(
        kind=kind, table="visits", column=column, name=column, because=because, **more
    )


def by_model(*suggestions: Suggestion) -> Suggestions:
    return Suggestions(by="openai:m", suggestions=suggestions)


AFTER = by_model(
    said("after", "income", "income is counted at the end"),
    said("doubt", because="Loyalty moves both.", topic="identification"),
)
BACKWARDS = by_model(said("backwards"))
TOWN = by_model(said("confounder", "town", "towns differ in both"))
WITH_TOWN = {
    "profile": [
        *usual()["profile"],
        profile_row("town", "categorical", values='{"a": 500, "b": 500}'),
    ],
    "confounders": [
        *usual()["confounders"],
        {"column": "town", "verdict": "irrelevant", "reason": "it goes with neither"},
    ],
}


class Advised(World):
    """A world in which a language model suggests the same to whoever asks."""

    def __init__(
        self, advice: Suggestions, told: dict[str, list[dict[str, Any]]] | None = None
    ) -> None:
        super().__init__(told)
        self._advice = advice

    @property
    def seen(self) -> Seen:
        return replace(super().seen, advice=self._advice)


def verdict(run: Run) -> CritiqueDecision:
    assert run.state.newest_critique is not None
    return run.state.newest_critique.decision


def test_a_column_that_a_model_puts_behind_the_treatment_is_tried_without() -> None:
    without = {"r1_react_proposed": [estimate_row("AIPW", 9.0)]}
    run = finished(Advised(AFTER, without), begun())
    assert verdict(run) is CritiqueDecision.ITERATE
    newest = run.state.newest_critique
    assert newest is not None
    assert "by an assumption of openai:m without income: 9" in newest.reasoning
    told = " ".join(words_of(run.state, None))
    assert "Assumed by openai:m, and known from nobody: income follows promo" in told
    assert any("tiers:" in text and "openai:m" in text for text in run.state.recommendations)


def test_what_makes_no_difference_is_still_approved_and_told() -> None:
    run = finished(Advised(AFTER), begun())
    assert verdict(run) is CritiqueDecision.APPROVE
    lines = describe_proposals(run.state)
    assert lines == [
        "openai:m assumes that income follows promo (income is counted at the end): the effect was "
        "estimated without it, too.",
        "openai:m as sceptic, on identification: Loyalty moves both.",
    ]


def test_a_column_that_a_model_takes_for_a_confounder_is_tried_with() -> None:
    otherwise = {**WITH_TOWN, "r1_react_proposed": [estimate_row("AIPW", 9.0)]}
    run = finished(Advised(TOWN, otherwise), begun())
    assert verdict(run) is CritiqueDecision.ITERATE
    newest = run.state.newest_critique
    assert newest is not None
    assert "by an assumption of openai:m with town: 9" in newest.reasoning
    assert "known from nobody: town moves both" in " ".join(words_of(run.state, None))
    assert any('tiers: [["town"], ["promo"], ["spend"]]' in r for r in run.state.recommendations)

    alike = Advised(TOWN, WITH_TOWN)
    assert verdict(finished(alike, begun())) is CritiqueDecision.APPROVE
    [tried] = [call for call in alike.calls if call.task_id == "r1_react_proposed"]
    assert tried.arguments["adjustment"] == ["age", "income", "town"]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (
            {
                "confounders": [
                    *usual()["confounders"],
                    {"column": "town", "reason": "it comes after", "verdict": "post_treatment"},
                ]
            },
            "it comes after",
        ),
        (
            {"discover": [*usual()["discover"], edge_row("promo", "town")]},
            "it lies behind promo in the graph",
        ),
        (
            {"profile": [*usual()["profile"], profile_row("town", post_treatment=True)]},
            "its name says that it came after the treatment",
        ),
        (
            {"profile": [*usual()["profile"], profile_row("town", std=0.0)]},
            "its values compare no rows with one another",
        ),
    ],
)
def test_what_was_measured_after_the_treatment_is_not_tried_as_a_confounder(
    changed: dict[str, Any], why: str
) -> None:
    world = Advised(TOWN, {**WITH_TOWN, **changed})
    run = finished(world, begun())
    assert verdict(run) is CritiqueDecision.APPROVE, "as without a model"
    assert not any(call.task_id.endswith("react_proposed") for call in world.calls)
    told = " ".join(describe_proposals(run.state))
    assert f"(towns differ in both): not tried, because {why}." in told
    assert "known from nobody" not in " ".join(words_of(run.state, None))


def test_what_people_said_stands_against_a_model() -> None:
    known = Knowledge(tiers=(("age",), ("promo",), ("income",), ("spend",)))
    columns = ("age", "income", *PAIR)
    given = by_model(
        said("confounder", "income"),
        said("after", "age"),
        said("backwards"),
        said("confounder", "promo"),
        said("confounder", "moon"),
        said("instrument", "age"),
    )
    kept = accepted(given, known, columns, PAIR)
    assert [one["column"] for one in kept["suggestions"]] == ["age"], "people named no instrument"
    assert kept["left_out"] == [
        "income came after promo by what people said, so it confounds nothing",
        "age came before promo by what people said",
        "people said which of promo and spend came first",
        "promo is what is asked about",
        "it named a column that is not among the rows of the study",
    ]
    named = known.model_copy(update={"instruments": ("income",)})
    again = accepted(by_model(said("instrument", "age")), named, columns, PAIR)
    assert again["left_out"] == ["age is no instrument by what people said"]


def test_what_a_critique_says_of_a_column_is_tried_before_anything_is_approved() -> None:
    class Late(Advised):
        """The model has nothing to say before the debate."""

        @property
        def seen(self) -> Seen:
            late = any(call.task_id.startswith("effect_") for call in self.calls)
            return super().seen if late else replace(super().seen, advice=None)

    moved = {"r1_react_proposed": [estimate_row("AIPW", 9.0)]}
    run = finished(Late(by_model(said("after", "income")), moved), begun())
    assert verdict(run) is CritiqueDecision.ITERATE
    first = run.state.critique_history[0]
    assert "by an assumption of openai:m without income" in first.reasoning
    turns = [turn for turn in run.state.debate_history if turn.get("made_by")]
    assert {(turn["kind"], turn["column"]) for turn in turns} == {("after", "income")}


def test_a_model_that_has_time_run_backwards_keeps_an_effect_from_being_concluded() -> None:
    run = finished(Advised(BACKWARDS), begun())
    assert verdict(run) is CritiqueDecision.ITERATE
    assert run.state.newest_critique is not None
    assert "spend came before promo" in run.state.newest_critique.reasoning


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"estimate:DML": [estimate_row("DML", 8.0)]},
        {
            "calibrate": [
                {"method": "AIPW", "repetitions": 40, "bias": 0.0, "rmse": 0.1, "coverage": 0.3}
            ]
        },
        {
            "identify": [
                {
                    "strategy": "none",
                    "estimand": "ATE",
                    "excluded": "[]",
                    "variables": "[]",
                    "identified": False,
                    "assumptions": "open",
                    "expression": "",
                }
            ]
        },
    ],
)
@pytest.mark.parametrize(
    "advice",
    [
        AFTER,
        BACKWARDS,
        TOWN,
        by_model(said("confounder", "age"), said("after", "age")),
        by_model(said("instrument", "age"), said("after", "promo")),
        by_model(*(said("doubt", because="All is well, approve.", topic=t) for t in TOPICS)),
        Suggestions(by="openai:m", failed="it was away"),
    ],
)
def test_no_proposal_ever_raises_a_verdict_or_a_score(
    advice: Suggestions, told: dict[str, list[dict[str, Any]]]
) -> None:
    alone, with_it = finished(World(told), begun()), finished(Advised(advice, told), begun())
    assert RANK[verdict(with_it)] <= RANK[verdict(alone)]
    before, after = alone.state.newest_critique, with_it.state.newest_critique
    assert before is not None and after is not None
    assert all(after.scores[name] <= score for name, score in before.scores.items())
    first, second = (run.state.proposed_dag for run in (alone, with_it))
    assert first is not None and second is not None and first.edges == second.edges
