"""What checks find in a model's statement, given back to it: once, for it may know better."""

from __future__ import annotations

from collections.abc import Sequence

from mesh.policy import Disclosure
from services.planner.adapters.llm.forms import ProposedAnswer
from services.planner.adapters.llm.proposing import list_texts, proposal_of
from services.planner.domain.analysis.edited import edited
from services.planner.domain.analysis.planning import PlanningInput
from services.planner.domain.checks.finding import Finding, Severity
from services.planner.domain.checks.judging import judge
from services.planner.domain.proposals.unbound import describe_unbound

_MOST_TIMES = 1
_LONGEST = 600


class GivenBack:
    """Judges proposals of one decision. What is proposed again all the same stands, with the doubt
    that checks leave."""

    def __init__(self, given: PlanningInput, by: str, level: Disclosure) -> None:
        self._given = given
        self._by = by
        self._level = level
        self._times = 0

    async def __call__(self, form: ProposedAnswer) -> Sequence[str]:
        """What must be mended, in words; nothing once it was said."""
        if self._times >= _MOST_TIMES or form.kind != "answer":
            return ()
        given, problems = self._given, list[str]()
        texts = list_texts(form, given)
        held = edited(form.statement, texts, given.in_sight, given.catalogue)
        proposal = proposal_of(form, self._by)
        if given.evidence is not None:  # without, suspicions of what is right could not be laid
            judgement = await judge(
                form.statement,
                given.catalogue,
                given.evidence,
                question="" if form.further else held.question,
                bindings=proposal.bindings,
            )
            wrong = [one for one in judgement.findings if one.severity is Severity.ERROR]
            problems += [_describe_finding(one, self._level) for one in wrong]
        unread = describe_unbound(held.words, proposal, taken=False)
        problems += [f"{one}; bind it to its fragment" for one in unread]
        problems += [f"{one}: keep it, unless the words take it back" for one in held.lost]
        self._times += bool(problems)
        return problems


def _describe_finding(found: Finding, level: Disclosure) -> str:
    """A finding for whoever wrote the statement; its numbers are facts of results."""
    if not level.allows(Disclosure.SHAPES):
        return f"{found.code} {found.name}, at {found.at}"[:_LONGEST]
    return f"{found.code} {found.name}: {found.said}; {found.mend or found.fix}"[:_LONGEST]
