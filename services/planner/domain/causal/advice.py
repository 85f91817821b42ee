"""What a language model proposes of causes: assumptions of its own, which bind nobody.

Rules judge without it. What it proposes is tried beside what they chose, and can lower a verdict;
nothing of it can raise one (decision 53). It is told names, kinds and descriptions of columns, and
no value and no result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from mesh.policy import Policy
from services.planner.domain.catalogue import Frozen
from services.planner.domain.causal.knowledge import Knowledge, Pair
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.model_use import ModelUse

PROPOSED_TASK = "react_proposed"
"""The estimate that tries what a model assumes."""
Dimension = Literal[
    "identification", "comparability", "agreement", "calibration", "robustness", "data"
]


class ToldColumn(Frozen):
    """A column as a model is told of it."""

    name: str
    kind: str = ""
    description: str = ""


class AdviceInput(Frozen):
    """What a model is told: the question, columns within the policy, words about the data, and for
    a debate what was adjusted for."""

    job_id: str
    treatment: str
    outcome: str
    columns: tuple[ToldColumn, ...]
    about: str = ""
    adjusted: tuple[str, ...] = ()
    seconds: float = 60.0


class Argument(Frozen):
    """One thing that a defender or a sceptic may say to a dimension."""

    side: Literal["defender", "sceptic"]
    dimension: Dimension
    text: str


class Advice(Frozen):
    """What a model proposed, or why it gave nothing (`failed`).

    `tiers` as in `Knowledge`; `instruments` are columns that move the treatment alone.
    """

    by: str
    tiers: tuple[tuple[str, ...], ...] = ()
    forbidden: tuple[Pair, ...] = ()
    required: tuple[Pair, ...] = ()
    instruments: tuple[str, ...] = ()
    reason: str = ""
    arguments: tuple[Argument, ...] = ()
    failed: str = ""
    model_use: ModelUse | None = None


def told_columns(
    state: AnalysisState, policy: Policy, table: str, descriptions: Mapping[str, str]
) -> tuple[ToldColumn, ...]:
    """The columns that policy lets a model know of, without any of their values."""
    profile = state.data_profile
    if profile is None:
        return ()
    said = {**state.dataset_info.kaggle_column_descriptions, **descriptions}
    return tuple(
        ToldColumn(
            name=name,
            kind=profile.feature_types.get(name, ""),
            description=said.get(name, "") if policy.match(said.get(name, "")) is None else "",
        )
        for name in profile.feature_names
        if policy.column_allowed(table, name)
    )


def accepted(advice: Advice, known: Knowledge, columns: tuple[str, ...]) -> dict[str, Any]:
    """What of a proposal stands beside what people said, as it is recorded: columns that are in the
    data, order where people told none, and edges that contradict nobody."""
    there = set(columns)
    tiers = tuple(tuple(n for n in tier if n in there) for tier in advice.tiers)
    own = Knowledge(tiers=() if known.tiers else tuple(tier for tier in tiers if tier))
    said = {frozenset(pair) for pair in (*known.forbidden, *known.required)}

    def fits(pair: Pair) -> bool:
        return set(pair) <= there and pair[0] != pair[1] and frozenset(pair) not in said

    forbidden = tuple(pair for pair in advice.forbidden if fits(pair))
    required = tuple(
        pair
        for pair in advice.required
        if fits(pair) and pair not in forbidden
        and not known.forbids(*pair) and not own.forbids(*pair)
    )  # fmt: skip
    instruments = () if known.instruments else tuple(n for n in advice.instruments if n in there)
    return {
        "by": advice.by,
        "tiers": [list(tier) for tier in own.tiers],
        "forbidden": [list(pair) for pair in forbidden],
        "required": [list(pair) for pair in required],
        "instruments": list(dict.fromkeys(instruments)),
        "reason": advice.reason,
        "failed": advice.failed,
    }


def proposed_in(state: AnalysisState) -> dict[str, Any]:
    """What a model proposed, as recorded; empty without."""
    return dict((state.domain_knowledge or {}).get("proposed") or {})


def assumed_order(state: AnalysisState) -> Knowledge:
    """Order and edges as a model assumes them."""
    said = proposed_in(state)
    names = ("tiers", "forbidden", "required", "instruments")
    return Knowledge.model_validate({name: said[name] for name in names if name in said})


def assumed_after(state: AnalysisState, columns: list[str]) -> list[str]:
    """Columns that by a model's assumption came after the treatment, or move it alone."""
    treatment, _ = state.get_primary_pair()
    assumed = assumed_order(state)
    tier = assumed.tier_of
    return [
        name
        for name in columns
        if name in assumed.instruments
        or (str(treatment), name) in assumed.required
        or (name in tier and treatment in tier and tier[name] > tier[str(treatment)])
    ]


def assumed_backwards(state: AnalysisState) -> bool:
    """Whether a model assumes that the outcome came before the treatment."""
    treatment, outcome = (str(name) for name in state.get_primary_pair())
    return assumed_order(state).forbids(treatment, outcome)


def assumptions_told(state: AnalysisState) -> str:
    """What a model assumes that bears on the question, in one sentence; empty without."""
    treatment, outcome = state.get_primary_pair()
    adjusted = list((state.confounder_discovery or {}).get("adjustment", []))
    said = []
    if assumed_backwards(state):
        said.append(f"{outcome} came before {treatment}")
    assumed = assumed_order(state)
    for name in assumed_after(state, adjusted):
        alone = name in assumed.instruments
        said.append(f"{name} moves {treatment} alone" if alone else f"{name} follows {treatment}")
    by = proposed_in(state).get("by", "")
    return f"Assumed by {by}, and known from nobody: {'; '.join(said)}" if said else ""


def proposals_told(state: AnalysisState) -> list[str]:
    """All that a model proposed, a line each, with whose it is."""
    said = proposed_in(state)
    by, assumed = said.get("by", ""), assumed_order(state)
    lines = [f"{by} gave nothing: {said['failed']}"] if said.get("failed") else []
    if assumed.tiers:
        order = ", then ".join(" and ".join(tier) for tier in assumed.tiers)
        lines.append(f"{by} assumes this order in time: {order}.")
    for pairs, words in ((assumed.required, "causes"), (assumed.forbidden, "does not cause")):
        lines += [f"{by} assumes that {a} {words} {b}." for a, b in pairs]
    lines += [f"{by} takes {name} for an instrument." for name in assumed.instruments]
    lines += [f"Its reason: {said['reason']}"] if said.get("reason") else []
    lines += [
        f"{turn['made_by']} as {'sceptic' if turn['sceptic'] else 'defender'}, on "
        f"{turn['dimension']}: {turn['sceptic'] or turn['defender']}"
        for turn in state.debate_history
        if turn.get("made_by")
    ]
    return lines
