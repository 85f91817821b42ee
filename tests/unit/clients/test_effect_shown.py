"""A causal job on the screen: groups, what is beside, where it comes from, and few notes."""

from __future__ import annotations

from typing import Any

import pytest

from assay.common.v1 import causal_pb2, job_pb2
from clients.python.cli.effect import (
    beside_lines,
    estimate_lines,
    group_lines,
    origin_parts,
    supposed_line,
)
from clients.python.study import Study
from mesh.errors import AssayError


def effect(estimate: float, **details: Any) -> causal_pb2.TreatmentEffect:
    made = causal_pb2.TreatmentEffect(
        method="AIPW",
        estimand="ATE",
        estimate=estimate,
        ci_lower=estimate - 1,
        ci_upper=estimate + 1,
        treatment_variable="plan",
        outcome_variable="spend",
    )
    made.details.update({"status": "ok", **details})
    return made


def group(name: str, estimate: float, chance: float) -> causal_pb2.TreatmentEffect:
    return effect(estimate, group=name, p_corrected=chance, stands_out=chance <= 0.05)


def test_only_groups_that_stand_out_are_named_the_surest_first() -> None:
    found = group_lines([group("age = 1", 2, 0.04), group("age = 2", 9, 0.9), group("b", 5, 0.001)])

    assert found == ["b 5 [4, 6]", "age = 1 2 [1, 3]", "2 of 3 groups stand out, corrected for all"]
    assert group_lines([group("age = 1", 2, 0.4), group("age = 2", 9, 0.9)]) == [
        "none of 2 groups stands out of the others"
    ]
    assert group_lines([effect(1)]) == []


def test_what_is_beside_is_named_and_is_no_estimate_of_the_study() -> None:
    several = [
        effect(4),
        effect(2, beside=True, contrast="pro against free", p_corrected_beside=0.3),
    ]

    assert estimate_lines(several) == ["AIPW 4 [3, 5]"]
    assert beside_lines(several) == [
        "plan (pro against free) on spend 2 [1, 3] not told from chance",
        "not judged",
    ]


def test_where_a_question_comes_from_is_said() -> None:
    job = job_pb2.Job()
    job.causal.origin.job_id, job.causal.origin.said = "b" * 32, "explanation 1, x = 1; rows of y"

    assert origin_parts(job) == ["investigation bbbbbbbb", "explanation 1, x = 1", "rows of y"]


def test_pairs_are_read_as_arrows_and_anything_else_is_refused() -> None:
    [pair] = Study(pairs=("price -> sales",)).further()
    assert (pair.treatment, pair.outcome) == ("price", "sales")
    for wrong in ("price", "a -> b -> c", "-> sales"):
        with pytest.raises(AssayError, match="is no pair"):
            Study(pairs=(wrong,)).further()


def test_an_explanation_of_no_investigation_is_refused() -> None:
    with pytest.raises(AssayError, match="no investigation"):
        Study(explanation=2).handed_over()
    assert Study().handed_over() is None


def test_what_a_model_supposes_is_told_beside_what_is_adjusted_for() -> None:
    state = causal_pb2.AnalysisState(treatment_variable="promo", outcome_variable="spend")
    assert supposed_line(state) == "", "nobody was asked"

    kinds = [{"kind": "confounder", "column": "town"}, {"kind": "after", "column": "visits"}]
    state.domain_knowledge.update({"proposed": {"by": "openai:m", "suggestions": kinds}})
    again = {"made_by": "openai:m", "kind": "after", "column": "visits"}
    doubt = {"made_by": "openai:m", "column": "", "sceptic": "Loyalty moves both."}
    for turn in (again, doubt, {"sceptic": "No objection is left."}):
        state.debate_history.add().update(turn)
    assert supposed_line(state) == (
        "by openai:m, known from nobody: town moves both, visits follows promo; 1 doubt "
        "(see the report)"
    )
