"""What was looked into and what it came to: for the report of an investigation."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.investigation.cited_sentences import recorded
from services.planner.domain.investigation.explanation import Explanation
from services.planner.domain.investigation.hypothesis import (
    Approach,
    Hypothesis,
    HypothesisStatus,
    Test,
)
from services.planner.domain.investigation.hypothesising import in_words
from services.planner.domain.investigation.leaves.reporting import alike_of_leaves
from services.planner.domain.investigation.sources import why_unnamed
from services.planner.domain.investigation.state import Investigation
from services.planner.domain.investigation.wording import words_of_name
from services.planner.domain.reporting.prose import Prose

_MOVES = {
    "ANALYZE": "analysed",
    "DRILL_DOWN": "drilled down",
    "PIVOT": "changed course",
    "CONCLUDE": "concluded",
}
_HEADINGS = (
    (HypothesisStatus.RULED_OUT, "Ruled out:"),
    (HypothesisStatus.CONFIRMED, "Borne out:"),
    (HypothesisStatus.PENDING, "Not settled:"),
    (HypothesisStatus.INVESTIGATING, "Not settled:"),
)


def settled(
    state: Investigation, explanations: Sequence[Explanation] = ()
) -> tuple[tuple[str, tuple[Prose, ...]], ...]:
    """Every hypothesis with its reason, under how it came out; of those that were borne out, too,
    why no explanation names them, where none does."""
    found: dict[str, list[Prose]] = {}
    for status, heading in _HEADINGS:
        for one in state.hypotheses:
            if one.status is status:
                unnamed = why_unnamed(one, explanations)
                prose = Prose.of(
                    recorded(one.title),
                    ": ",
                    recorded(reason_of(one, state)),
                    " ",
                    *((recorded(unnamed), " ") if unnamed else ()),
                    *((recorded(whose), " ") if (whose := _whose(one)) else ()),
                    recorded(f"({one.hypothesis_id})"),
                )
                found.setdefault(heading, []).append(prose)
    return tuple((heading, tuple(lines)) for heading, lines in found.items())


def _whose(one: Hypothesis) -> str:
    """Which language model a hypothesis is of, with its words; empty for those of rules."""
    if not one.made_by:
        return ""
    if not (words := one.supposed.rstrip(".")):
        return f"{one.made_by} named it."
    return f"{one.made_by} named it and supposes, which these data do not show: “{words}”."


def was_searched(state: Investigation) -> bool:
    """Whether a search over everything came to an end: only then nothing is there."""
    return any(
        one.test is Test.SEARCH
        and one.status in (HypothesisStatus.CONFIRMED, HypothesisStatus.RULED_OUT)
        for one in state.hypotheses
    )


def reason_of(hypothesis: Hypothesis, state: Investigation) -> str:
    """Why it came out so: what the iteration found that settled it."""
    identity = hypothesis.hypothesis_id
    own = [f for f in state.findings if f.hypothesis_affected == identity]
    if own and hypothesis.test is not Test.DIMENSION:
        return own[-1].summary
    settling = [
        log
        for log in state.iterations
        if any(c.hypothesis == identity for c in log.hypothesis_status_changes)
    ]
    if own and (not settling or settling[-1].iteration == own[-1].iteration):
        return own[-1].summary
    confirmed = hypothesis.status is HypothesisStatus.CONFIRMED
    if hypothesis.test is Test.DIMENSION and settling:
        return (
            "A segment that moved unlike the rest has it."
            if confirmed
            else "No segment that stands out has it."
        )
    if hypothesis.test is Test.ALIKE and settling:
        if state.grounded is not None and state.grounded.ground.leaf is not None:
            return alike_of_leaves(ruled_out=hypothesis.status is HypothesisStatus.RULED_OUT)
        return _of_the_whole(hypothesis, state)
    if settling:
        return settling[-1].compressed_summary
    if hypothesis.test is Test.DIMENSION and was_searched(state):
        return "No segment that stands out has it; by itself it was not looked at."
    return "It was not looked at."


def _of_the_whole(hypothesis: Hypothesis, state: Investigation) -> str:
    """Why it is so that everything moved alike, or is not, or is not known."""
    if hypothesis.status is HypothesisStatus.CONFIRMED:
        return "Segments moved by the same part, and by more than chance moves all of them."
    if hypothesis.status is HypothesisStatus.PENDING:
        return (
            "The whole moved further than it usually does, but no further than so wide a search "
            "finds by chance."
        )
    found = any(
        one.test is Test.SEARCH and one.status is HypothesisStatus.CONFIRMED
        for one in state.hypotheses
    )
    if found:
        return "Beside the segments that stand out, the rest did not move beyond chance."
    if any(
        h.test is Test.CHANGE and h.status is HypothesisStatus.RULED_OUT for h in state.hypotheses
    ):
        return "Beside the segments that always move so, the rest did not move beyond chance."
    return "The whole did not move beyond chance either."


def hints_of(state: Investigation) -> tuple[str, ...]:
    """Values that stand out only where one looks at their dimension by itself: no explanations."""
    showed = {log.iteration for log in state.iterations if log.showed}
    about = {f.hypothesis_affected for f in state.findings if f.iteration in showed}
    open_ones = [
        one
        for one in state.hypotheses
        if one.approach is Approach.SINGLE
        and one.status is HypothesisStatus.PENDING
        and one.hypothesis_id in about
    ]
    texts = []
    for one in open_ones:
        parts = [h.segment for h in state.hypotheses if h.test is Test.WITHIN]
        values = [
            in_words(part) for part in parts if {name for name, _ in part} == {*one.dimensions}
        ]
        named = f": {', '.join(values)}" if values else ""
        texts.append(
            f"a hint, and no explanation: {words_of_name(one.dimensions[0])} looked at by itself "
            f"stands out{named}; among all that was searched it does not"
        )
    return tuple(texts)


def looked_into(state: Investigation) -> tuple[Prose, ...]:
    """The iterations in order: what was done, why, and what was seen."""
    return tuple(
        Prose.of(
            recorded(f"Iteration {log.iteration} "),
            _MOVES.get(log.decision.value, "looked"),
            ": ",
            recorded(log.compressed_summary),
        )
        for log in state.iterations
    )
