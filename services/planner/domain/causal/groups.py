"""Effects group by group: by which columns they are asked for, and which groups stand out.

A group stands out where its effect differs from that of all other rows by more than chance, after
correction for every group that was looked at. That its own interval leaves nought out says nothing:
of an effect that is the same for all, most groups' intervals do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from services.planner.domain.causal.agent import Brief
from services.planner.domain.causal.agents.domain_knowledge import known_of
from services.planner.domain.causal.graph import descendants
from services.planner.domain.causal.results import TreatmentEffectResult
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.study import adjustment_of

MOST_CHOSEN = 3
"""Columns by which an effect is told where its user names none: each is a further question."""
_FEW = 8
ALPHA = 0.05


def modifiers_of(state: AnalysisState, brief: Brief) -> list[str]:
    """Columns by which the effect is told, by name: those that were asked for, else a few of those
    adjusted for, columns of few values first. What comes after the treatment is none of them: the
    treatment may have moved rows from group to group."""
    after = after_treatment(state, brief)
    pair = {name for name in state.get_primary_pair() if name}
    if brief.modifiers:
        return sorted({n for n in brief.modifiers if n not in after and n not in pair})
    profile = state.data_profile
    if profile is None:
        return []
    ranks = {name: place for place, name in enumerate(profile.potential_confounders)}
    chosen = [n for n in adjustment_of(state, brief) if n not in after and n not in pair]

    def standing(name: str) -> tuple[Any, ...]:
        values = len(profile.categorical_stats.get(name, {}))
        return (not 2 <= values <= _FEW, ranks.get(name, len(ranks)), name)

    return sorted(sorted(chosen, key=standing)[:MOST_CHOSEN])


def after_treatment(state: AnalysisState, brief: Brief) -> dict[str, str]:
    """Columns that come after the treatment, each with what says so."""
    treatment, outcome = state.get_primary_pair()
    tier = known_of(state, brief).tier_of
    found = {}
    if treatment in tier:
        found = {n: "by its tier" for n, t in tier.items() if t > tier[treatment]}
    if state.proposed_dag is not None:
        for name in sorted(descendants(state.proposed_dag.edges, str(treatment))):
            if name not in tier:  # what is known of time goes before what a graph guesses
                found.setdefault(name, "by the graph")
    found.pop(str(outcome), None)
    return found


def left_out(state: AnalysisState, brief: Brief) -> dict[str, str]:
    """Columns that were asked for and are no groups of one effect, each with why."""
    after = after_treatment(state, brief)
    return {name: after[name] for name in brief.modifiers if name in after}


def grouped(effects: Sequence[TreatmentEffectResult]) -> list[TreatmentEffectResult]:
    """Accepted estimates of groups."""
    return [e for e in effects if e.accepted and e.details.get("group")]


def standing_out(effects: Sequence[TreatmentEffectResult]) -> list[TreatmentEffectResult]:
    """Groups whose effect is not that of the other rows."""
    return [e for e in grouped(effects) if e.details.get("stands_out")]


def judged(effects: Sequence[TreatmentEffectResult]) -> list[TreatmentEffectResult]:
    """All estimates, those of groups with how they compare with the other rows in their details:
    `rest` (the others' effect), `p_corrected` (Holm 1979), `stands_out`, `groups` (how many)."""
    whole = {e.method: e for e in effects if not e.details.get("group") and e.estimand == "ATE"}
    found: dict[int, tuple[float, float]] = {}
    for place, effect in enumerate(effects):
        of = whole.get(effect.method) if grouped([effect]) else None
        compared = _against_rest(effect, of) if of is not None else None
        if compared is not None:
            found[place] = compared
    corrected = _corrected(effects, found)
    return [
        effect.model_copy(
            update={
                "details": {
                    **effect.details,
                    "rest": found[place][0],
                    "p_corrected": corrected[place],
                    "stands_out": corrected[place] <= ALPHA,
                    "groups": len(found),
                }
            }
        )
        if place in found
        else effect
        for place, effect in enumerate(effects)
    ]


def column_of(group: str) -> str:
    """The column that a group is by: `region = north`, `age: 23 to 41`."""
    name, sign, _ = group.rpartition(" = ")
    return name if sign else group.rpartition(": ")[0]


def describe_groups(effects: Sequence[TreatmentEffectResult]) -> str:
    """How many groups were looked at and how many stand out, in words; nothing without groups."""
    looked = [e for e in grouped(effects) if "p_corrected" in e.details]
    if not looked:
        return ""
    columns = ", ".join(dict.fromkeys(column_of(str(e.details["group"])) for e in looked))
    out = len(standing_out(effects))
    text = f"{out} of them stand out" if out > 1 else "1 stands out" if out else "none stands out"
    return (
        f"{len(looked)} groups by {columns} were looked at: {text} of the other rows, corrected "
        "for all of them."
    )


def _against_rest(
    group: TreatmentEffectResult, whole: TreatmentEffectResult
) -> tuple[float, float] | None:
    """The effect on all other rows, and the chance of so large a difference without any.

    Both estimates are means of one score a row, so that mean and spread of the other rows follow
    from those of all: sums of squares add up (of the group, of the rest, and between both).
    """
    n, m = int(group.details["rows"]), int(whole.details["rows"])
    if n < 2 or m - n < 2:
        return None
    rest = (m * whole.estimate - n * group.estimate) / (m - n)
    squares = (m - 1) * m * whole.std_error**2
    squares -= (n - 1) * n * group.std_error**2
    squares -= n * (group.estimate - whole.estimate) ** 2 + (m - n) * (rest - whole.estimate) ** 2
    spread = group.std_error**2 + max(squares, 0.0) / (m - n - 1) / (m - n)
    if squares <= 0 or spread <= 0:
        return None  # of imputed data, where errors hold more than the rows' spread
    return rest, math.erfc(abs(group.estimate - rest) / math.sqrt(2 * spread))


def _corrected(
    effects: Sequence[TreatmentEffectResult], found: dict[int, tuple[float, float]]
) -> dict[int, float]:
    """Each chance corrected for all comparisons (Holm 1979), by place. Of a column with two groups
    both make one comparison."""
    columns = {place: column_of(str(effects[place].details["group"])) for place in found}
    named = list(columns.values())
    keys = {p: (name, -1 if named.count(name) == 2 else p) for p, name in columns.items()}
    chances: dict[tuple[str, int], float] = {}
    for place, key in keys.items():
        chances[key] = max(chances.get(key, 0.0), found[place][1])
    corrected: dict[tuple[str, int], float] = {}
    largest = 0.0
    for done, key in enumerate(sorted(chances, key=lambda each: (chances[each], each))):
        largest = max(largest, min(1.0, chances[key] * (len(chances) - done)))
        corrected[key] = largest
    return {place: corrected[key] for place, key in keys.items()}
