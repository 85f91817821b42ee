"""What to do next, as it follows from what was found."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.investigation.cited_sentences import named, recorded
from services.planner.domain.investigation.explaining import ExplanationText
from services.planner.domain.investigation.hypothesis import Hypothesis, HypothesisStatus
from services.planner.domain.investigation.leaves.reporting import OF_LEAVES, step_of_leaves
from services.planner.domain.investigation.proceedings import was_searched
from services.planner.domain.investigation.state import Investigation
from services.planner.domain.investigation.wording import day_called
from services.planner.domain.reporting.prose import Prose

_MOST = 4
_MOST_TITLES = 3


def next_steps(explanations: Sequence[ExplanationText], state: Investigation) -> tuple[Prose, ...]:
    """At least one sentence; the first follow from the explanations in their order."""
    leaf = state.grounded is not None and state.grounded.ground.leaf is not None
    found = [_step(explanation_text, leaf=leaf) for explanation_text in explanations[:_MOST]]
    causal = [
        t
        for t in explanations
        if t.explanation.segment and t.explanation.kind not in ("mix", "fault")
    ]
    if causal:
        found.append(
            Prose.of(
                "If a cause is suspected in ",
                named(causal[0].explanation.segment),
                ", test it as the treatment of a causal analysis: this one is associational.",
            )
        )
    if not explanations or any(t.doubt or t.explanation.kind == "alike" for t in explanations):
        found.append(_by_year(state))
    untried = state.untried
    open_ones = [h for h in state.hypotheses if h.status is HypothesisStatus.PENDING]
    if looked_at := [h for h in open_ones if h not in untried]:
        found.append(
            Prose.of(
                OF_LEAVES.settle
                if leaf
                else "Settle what is open with more history or a longer period: ",
                recorded(_titles(looked_at)),
                ".",
            )
        )
    if untried:
        found.append(
            Prose.of(
                "Ask again with a focus on what was not looked at: ",
                recorded(_titles(untried)),
                ".",
            )
        )
    if not explanations and was_searched(state):
        found.append(
            Prose.of(
                "Look at what the data does not hold: dimensions that are not among its "
                "columns, or a cause that touches everything by too little to be told from "
                "chance."
            )
        )
        found.append(
            Prose.of(
                OF_LEAVES.again
                if leaf
                else "Ask again over a longer period: smaller causes stand out of more days."
            )
        )
    elif not explanations:
        found.append(Prose.of("Ask again, or with fewer dimensions: the search did not end."))
    return tuple(step for step in found if step)


def _titles(hypotheses: Sequence[Hypothesis]) -> str:
    return "; ".join(h.title[:1].lower() + h.title[1:] for h in hypotheses[:_MOST_TITLES])


def _by_year(state: Investigation) -> Prose:
    """To leave the season out by comparing with the year before; nothing where the data do not
    reach, or that is what was compared."""
    ground = state.grounded.ground if state.grounded is not None else None
    if ground is None or ground.baseline is None or ground.comparison is None:
        return Prose()
    earlier = ground.comparison.year_before
    if ground.first is None or ground.first > earlier.start or ground.baseline.overlaps(earlier):
        return Prose()
    return Prose.of(
        "Leave the season out: compare with the same days a year earlier (",
        recorded(f"--baseline {earlier.start}..{earlier.end}"),
        ").",
    )


def _step(explanation_text: ExplanationText, *, leaf: bool) -> Prose:
    one = explanation_text.explanation
    if leaf and one.kind != "fault":
        return step_of_leaves(one)
    segment = named(one.segment)
    onset = Prose.of(" around ", recorded(day_called(one.onset))) if one.onset else Prose()
    if one.kind == "fault":
        return Prose.of(
            "Mend the data first, then ask again: ",
            recorded(one.title.removeprefix("The data: ")),
            ".",
        )
    if one.kind == "alike":
        return Prose.of(
            "Look for what touches everything",
            onset,
            ": prices, seasons, rules, outages, how it is counted.",
        )
    if one.kind == "mix":
        return Prose.of(
            "Ask why ",
            segment,
            " has another weight in the whole",
            onset,
            ": who came, who left, what was sold to whom.",
        )
    if one.kind == "new":
        return Prose.of(
            "Find out where ",
            segment,
            " comes from",
            onset,
            ": something launched, or another name for what was there.",
        )
    if one.kind == "vanished":
        return Prose.of(
            "Find out where ",
            segment,
            " went",
            onset,
            ": stopped, lost on the way into the data, or renamed.",
        )
    return Prose.of("Ask whoever knows ", segment, " what changed", onset, ", and only there.")
