"""What a language model suggests of causes: held against what is known, tried, and told as its own.

Rules judge without it. A column that it takes for a confounder, for a consequence of the treatment
or for an instrument is tried beside what they chose, and can lower a verdict; nothing of it can
raise one (docs/decisions/0100-a-model-suggests-in-one-form.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from services.planner.domain.causal.graph import descendants
from services.planner.domain.causal.knowledge import Knowledge
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.units import no_covariates
from services.planner.domain.causal.variables import describe_later_columns, varying_columns
from services.planner.domain.suggestions import OF_COLUMNS, Suggestion, Suggestions

PROPOSED_TASK = "react_proposed"
"""The estimate that tries what a model suggests."""
_BEHIND = ("post_treatment", "collider_risk")
"""What `causal.confounders` says of columns that lie behind the treatment, or may."""


def accepted(
    given: Suggestions, known: Knowledge, columns: Sequence[str], pair: tuple[str, str]
) -> dict[str, Any]:
    """What of a model's suggestions stands beside what people said, as it is recorded: columns that
    are in the data and no part of the question, where nobody told another order."""
    kept, left_out = [], list(given.left_out)
    for one in given.suggestions:
        if why := _against(one, known, columns, pair):
            left_out.append(why)
        elif one.kind != "doubt":
            kept.append({"kind": one.kind, "column": one.name, "because": one.because})
    return {
        "by": given.by,
        "suggestions": kept,
        "left_out": list(dict.fromkeys(left_out)),
        "failed": given.failed,
    }


def _against(
    one: Suggestion, known: Knowledge, columns: Sequence[str], pair: tuple[str, str]
) -> str:
    """What speaks against a suggestion before anything is measured; empty where nothing does."""
    treatment, outcome = pair
    name, tier = one.name, known.tier_of
    if one.kind == "backwards":
        ordered = treatment in tier and outcome in tier
        is_mentioned = ordered or (treatment, outcome) in known.required
        return f"people said which of {treatment} and {outcome} came first" if is_mentioned else ""
    if one.kind not in OF_COLUMNS:
        return ""
    if name not in columns:
        return "it named a column that is not among the rows of the study"
    if name in pair:
        return f"{name} is what is asked about"
    later = name in tier and treatment in tier and tier[name] > tier[treatment]
    if one.kind == "confounder" and (later or known.forbids(name, treatment)):
        return f"{name} came after {treatment} by what people said, so it confounds nothing"
    if one.kind == "after" and known.comes_before(name, treatment):
        return f"{name} came before {treatment} by what people said"
    if one.kind == "instrument" and (known.instruments or later):
        return f"{name} is no instrument by what people said"
    return ""


def turns_of(
    given: Suggestions | None, known: Knowledge, state: AnalysisState, iteration: int
) -> list[dict[str, Any]]:
    """Turns of the debate that a language model added: each is a doubt, with the column that it is
    about where tools can try it."""
    if given is None:
        return []
    columns = state.data_profile.feature_names if state.data_profile else ()
    stands = accepted(given, known, columns, _pair(state))["suggestions"]
    turns = [
        {"dimension": one.topic, "sceptic": one.because, "column": one.name}
        for one in given.of("doubt")
    ]
    turns += [
        {"dimension": "identification", "sceptic": one["because"] or _assumed(one, state), **one}
        for one in stands
    ]
    for turn in turns:
        turn.pop("because", None)
    return [{"iteration": iteration, "defender": "", "made_by": given.by, **t} for t in turns]


def proposed_in(state: AnalysisState) -> dict[str, Any]:
    """What a model suggested before anything was estimated, as recorded; empty without."""
    return dict((state.domain_knowledge or {}).get("proposed") or {})


def without_proposals(state: AnalysisState) -> AnalysisState:
    """The state as it were had no language model suggested anything."""
    known = {k: v for k, v in (state.domain_knowledge or {}).items() if k != "proposed"}
    effects = tuple(
        e
        for e in state.treatment_effects
        if not str(e.details.get("task", "")).endswith(PROPOSED_TASK)
    )
    debate = tuple(turn for turn in state.debate_history if not turn.get("made_by"))
    update = {"domain_knowledge": known, "treatment_effects": effects, "debate_history": debate}
    return state.model_copy(update=update)


def suggested(state: AnalysisState, *kinds: str) -> list[str]:
    """The columns that a model suggested as one of these kinds, before the study or in its
    debate."""
    return list(dict.fromkeys(str(one["column"]) for one in _all(state) if one["kind"] in kinds))


def suggested_by(state: AnalysisState) -> str:
    """Whose suggestions there are."""
    made = [turn["made_by"] for turn in state.debate_history if turn.get("made_by")]
    return str(proposed_in(state).get("by", "") or next(iter(made), ""))


def assumed_after(state: AnalysisState, adjusted: Sequence[str]) -> list[str]:
    """Columns adjusted for that by a model's assumption came after the treatment, or move it
    alone."""
    doubted = suggested(state, "after", "instrument")
    return [name for name in adjusted if name in doubted]


def assumed_confounders(state: AnalysisState, adjusted: Sequence[str]) -> list[str]:
    """Columns that a model takes for confounders, that are not adjusted for, and that nothing which
    was measured speaks against."""
    doubted = suggested(state, "after", "instrument")
    return [
        name
        for name in suggested(state, "confounder")
        if name not in adjusted and name not in doubted and not why_no_confounder(state, name)
    ]


def why_no_confounder(state: AnalysisState, name: str) -> str:
    """Why a column cannot be tried as a confounder, by what was measured; empty where it can."""
    treatment, _ = _pair(state)
    rows = (state.confounder_discovery or {}).get("candidates", [])
    row = next((row for row in rows if row["column"] == name), None)
    if name in describe_later_columns(state):
        return "its name says that it came after the treatment"
    graph = state.proposed_dag
    if graph is not None and name in descendants(graph.edges, treatment):
        return f"it lies behind {treatment} in the graph"
    if row is not None and row["verdict"] in _BEHIND:
        return str(row["reason"])
    if name not in varying_columns(state) or name in no_covariates(state):
        return "its values compare no rows with one another"
    return ""


def assumed_backwards(state: AnalysisState) -> bool:
    """Whether a model assumes that the outcome came before the treatment."""
    return bool(suggested(state, "backwards"))


def describe_assumptions(state: AnalysisState) -> str:
    """What a model assumes that bears on the question, in one sentence; empty without."""
    treatment, outcome = _pair(state)
    adjusted = list((state.confounder_discovery or {}).get("adjustment", []))
    texts = [f"{outcome} came before {treatment}"] if assumed_backwards(state) else []
    alone = suggested(state, "instrument")
    for name in assumed_after(state, adjusted):
        moves = f"{name} moves {treatment} alone"
        texts.append(moves if name in alone else f"{name} follows {treatment}")
    texts += [f"{name} moves both" for name in assumed_confounders(state, adjusted)]
    by = suggested_by(state)
    return f"Assumed by {by}, and known from nobody: {'; '.join(texts)}" if texts else ""


def as_knowledge(state: AnalysisState) -> str:
    """The order that a model assumes as a person could say it, a line of YAML; empty where it
    assumes none or people told one."""
    treatment, outcome = _pair(state)
    if (state.domain_knowledge or {}).get("tiers") or not _all(state):
        return ""
    if assumed_backwards(state):
        tiers = [[outcome], [treatment]]
    else:
        before = [n for n in suggested(state, "confounder") if not why_no_confounder(state, n)]
        after = [n for n in suggested(state, "after") if n not in before]
        tiers = [before, [treatment], after, [outcome]]
        if not before and not after:
            return ""
    return f"tiers: {json.dumps([tier for tier in tiers if tier], ensure_ascii=False)}"


def describe_proposals(state: AnalysisState) -> list[str]:
    """All that a model suggested, a line each, with whose it is and what came of it."""
    values = proposed_in(state)
    by = suggested_by(state)
    lines = [f"{by} gave nothing: {values['failed']}"] if values.get("failed") else []
    adjusted = list((state.confounder_discovery or {}).get("adjustment", []))
    for one in _all(state):
        why = str(one.get("because") or "").rstrip(".")
        text = f"{by} assumes that {_assumed(one, state)}" + (f" ({why})" if why else "")
        lines.append(f"{text}: {_came_to(one, state, adjusted)}.")
    lines += [
        f"{turn['made_by']} as sceptic, on {turn['dimension']}: {turn['sceptic']}"
        for turn in state.debate_history
        if turn.get("made_by") and not turn.get("kind")
    ]
    lines += [f"Left out: {why}." for why in values.get("left_out", ())]
    return list(dict.fromkeys(lines))


def _came_to(one: dict[str, Any], state: AnalysisState, adjusted: Sequence[str]) -> str:
    """What became of a suggestion."""
    name, kind = str(one["column"]), one["kind"]
    if kind == "backwards":
        return "the study stays open until a person says which came first"
    there = name in adjusted
    tried = any(
        str(e.details.get("task", "")).endswith(PROPOSED_TASK) for e in state.treatment_effects
    )
    if kind == "confounder" and there:
        return "it is adjusted for anyway"
    if kind == "confounder" and (why := why_no_confounder(state, name)):
        return f"not tried, because {why.rstrip('.')}"
    if kind != "confounder" and not there:
        return "it is not adjusted for"
    how = "with it" if kind == "confounder" else "without it"
    return f"the effect was estimated {how}, too" if tried else f"not tried {how}"


def _assumed(one: dict[str, Any], state: AnalysisState) -> str:
    """A suggestion in words."""
    treatment, outcome = _pair(state)
    name = one["column"]
    words = {
        "confounder": f"{name} came first and moves {treatment} and {outcome}",
        "after": f"{name} follows {treatment}",
        "instrument": f"{name} moves {treatment} alone",
        "backwards": f"{outcome} came before {treatment}",
    }
    return words[one["kind"]]


def _all(state: AnalysisState) -> list[dict[str, Any]]:
    """Every suggestion that tools or rules can try, each once."""
    return list(_each_once(state))


def _each_once(state: AnalysisState) -> Iterator[dict[str, Any]]:
    seen: set[tuple[str, str]] = set()
    turns = [
        {"kind": t["kind"], "column": t["column"], "because": t["sceptic"]}
        for t in state.debate_history
        if t.get("made_by") and t.get("kind")
    ]
    for one in (*proposed_in(state).get("suggestions", ()), *turns):
        if (key := (one["kind"], one["column"])) not in seen:
            seen.add(key)
            yield one


def _pair(state: AnalysisState) -> tuple[str, str]:
    treatment, outcome = state.get_primary_pair()
    return str(treatment or ""), str(outcome or "")
