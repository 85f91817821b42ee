"""What a language model assumes: tried, told as its own, and never a reason to approve."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from services.planner.domain.causal.advice import Advice, Argument, proposals_told
from services.planner.domain.causal.agent import Seen
from services.planner.domain.causal.results import CritiqueDecision
from services.planner.domain.causal.running import Run
from services.planner.domain.causal.telling import words_of
from tests.unit.causal.frames_of_study import World, begun, estimate_row, finished

RANK = {CritiqueDecision.REJECT: 0, CritiqueDecision.ITERATE: 1, CritiqueDecision.APPROVE: 2}
AFTER = Advice(
    by="openai:m",
    tiers=(("age",), ("promo",), ("income",), ("spend",)),
    reason="income is counted at the end",
    arguments=(Argument(side="sceptic", dimension="identification", text="Loyalty moves both."),),
)
BACKWARDS = Advice(by="openai:m", tiers=(("age", "income", "spend"), ("promo",)))


class Advised(World):
    """A world in which a language model proposes the same to whoever asks."""

    def __init__(self, advice: Advice, told: dict[str, list[dict[str, Any]]] | None = None) -> None:
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
    lines = " ".join(proposals_told(run.state))
    assert "openai:m assumes this order in time: age, then promo, then income, then spend." in lines
    assert "openai:m as sceptic, on identification: Loyalty moves both." in lines


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
        {"calibrate": [{"method": "AIPW", "repetitions": 40, "bias": 0.0, "rmse": 0.1,
                        "coverage": 0.3}]},
        {"identify": [{"strategy": "none", "estimand": "ATE", "excluded": "[]", "variables": "[]",
                       "identified": False, "assumptions": "open", "expression": ""}]},
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "advice",
    [
        AFTER,
        BACKWARDS,
        Advice(by="openai:m", tiers=(("age", "income"), ("promo",), ("spend",))),
        Advice(by="openai:m", required=(("promo", "spend"), ("age", "promo"))),
        Advice(by="openai:m", instruments=("age",), forbidden=(("promo", "spend"),)),
        Advice(by="openai:m", failed="it was away"),
    ],
)
def test_no_proposal_ever_raises_a_verdict_or_a_score(
    advice: Advice, told: dict[str, list[dict[str, Any]]]
) -> None:
    alone, with_it = finished(World(told), begun()), finished(Advised(advice, told), begun())
    assert RANK[verdict(with_it)] <= RANK[verdict(alone)]
    before, after = alone.state.newest_critique, with_it.state.newest_critique
    assert before is not None and after is not None
    assert all(after.scores[name] <= score for name, score in before.scores.items())
    first, second = (run.state.proposed_dag for run in (alone, with_it))
    assert first is not None and second is not None and first.edges == second.edges
