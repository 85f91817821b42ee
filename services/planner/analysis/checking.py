"""Checks of what was planned, told before its numbers, and how sure these are told by them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from mesh import sureness
from mesh.remarks import OF_READING, is_found, without_code
from mesh.text.spelling import shortened
from services.planner.domain.analysis.planning import (
    GOES_ON_FROM,
    Confidence,
    Planning,
    PlanningInput,
)
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.confidence.telling import find_level, may_gain_by_sample
from services.planner.domain.evidence import Evidence
from services.planner.domain.plan import FURTHER, PlanDraft
from services.planner.domain.statements.readable import DRAWING_TOOL, QUERYING_TOOL, filled_in
from services.planner.ports import Reasoner

if TYPE_CHECKING:
    from services.planner.domain.checks.judging import Judgement
    from services.planner.domain.confidence.seen import Seen

_OF_READING = re.compile(
    rf"^{OF_READING}(?:likely(?:, not sure)?|doubtful)(?P<measured> \(0\.\d+\))?(?=: )"
)
_UNKNOWN_TO_RULES = frozenset(
    "A02 A05 A07 A08 D01 D02 D03 D04 F03 F04 F07 F08 J01 J03 J04 J05".split()
)
"""What the built-in reader looks at nowhere else; of the rest it has doubts of its own, and where
a model agrees, whose statement is judged by all, what these say makes the answer less sure."""
_TOLD_HERE_ALONE = frozenset(("A07",))
"""Notes that nothing else tells: what a repair did is told where it was made."""
_LONGEST_DOUBT = 360
"""Characters of a doubt beneath a chart: what fits three lines of its width."""
_OF_WORDS, _TESTING = "W", "stats.test"


async def checked(planning: Planning, given: PlanningInput, reasoner: Reasoner) -> Planning:
    """The planning with what checks found and as sure as was measured of such ones; where another
    proposal could make it sure, one is asked for first. Raises AssayError, as the reasoner does."""
    question, evidence = given.request.intent, given.evidence
    known_planning = await with_findings(
        planning, question, given.catalogue, evidence, given.in_sight
    )
    if not may_gain_by_sample(known_planning.seen):
        return known_planning
    again = await reasoner.again(known_planning, given)
    return again.model_copy(update={"confidence": find_level(again.seen)})


async def with_findings(
    planning: Planning,
    question: str,
    catalogue: Catalogue,
    evidence: Evidence | None,
    before: Planning | None = None,
) -> Planning:
    """The planning with what checks found among its assumptions, as sure as is measured of such;
    `before` is the decision on what was asked before."""
    if planning.draft is None:
        return planning
    # Here, because lists of jobs come by this module and judge no statement.
    from services.planner.domain.analysis.edited import edited
    from services.planner.domain.checks.judging import Judgement, judge
    from services.planner.domain.confidence.plainly import Plainly, plainly
    from services.planner.domain.proposals.unbound import describe_unbound
    from services.planner.domain.statements.proposal import AskedTest, Binding, Proposal

    own = planning.seen.kind in ("rules", "agreed")
    codes: Collection[str] = _UNKNOWN_TO_RULES if planning.seen.kind == "rules" else ()
    asked = _held_words(planning, question)
    text = "" if codes else asked
    texts, unread, found = list(planning.assumptions), tuple[str, ...](), ""
    test: AskedTest | None = None
    bindings: Sequence[Binding] = ()
    if planning.by_model and planning.proposal is not None:
        proposal = Proposal.model_validate(planning.proposal)
        test, bindings = proposal.test, proposal.bindings
        held = edited(proposal.statement, planning.said or (question,), before, catalogue)
        unread = (*describe_unbound(held.words, proposal), *held.lost)
        texts += unread
        text = held.question
    if any(task.task_id.startswith(FURTHER) for task in planning.draft.subtasks):
        text = ""  # of several results, remembered ones too, no single one has to do all of it
    judgements, findings = list[Judgement](), list(planning.findings)
    goes_on = bool(planning.edit) or len(planning.said) > 1 or planning.seen.corrected
    plain, first = Plainly(), "" if goes_on else question
    for query, params in _queries(planning):
        here = plainly(first, filled_in(query, params), catalogue)
        plain = Plainly(plain.words or here.words, max(plain.joins, here.joins))
        judged = await judge(
            query, catalogue, evidence, params, text, codes=codes, test=test, bindings=bindings
        )
        judgements.append(judged)
        judged = judged.only(_UNKNOWN_TO_RULES) if own else judged
        texts += (*judged.caveats, *judged.only(_TOLD_HERE_ALONE).notes)
        doubts = (one for one in judged.caveats if is_found(one) and one[0] != _OF_WORDS)
        found = found or next(doubts, "")
        findings += judged.findings
    seen = seen_of(planning, judgements, question, len(unread))
    seen = seen.model_copy(update={"unread": plain.words, "undeclared": plain.joins})
    sure = find_level(seen)
    update = {
        "assumptions": tuple(dict.fromkeys(filter(None, (_in_its_word(o, sure) for o in texts)))),
        "seen": seen,
        "confidence": sure,
        "draft": _with_doubt(planning.draft, without_code(found)),
        "findings": tuple(findings),
        "checked": tuple(sorted(_UNKNOWN_TO_RULES)) if own else (),
    }
    return planning.model_copy(update=update)


def _held_words(planning: Planning, question: str) -> str:
    """The words that checks hold a plan to: of a reading that a person corrected the correction,
    since words of the question may be what it takes back; empty where it is not on record."""
    if planning.by_model or not planning.seen.corrected:
        return question
    return planning.settled.corrections[-1] if planning.settled.corrections else ""


def _in_its_word(text: str, sure: Confidence) -> str:
    """What is told of the reading in the word that the whole answer is told in: two measures of one
    answer would be read as a contradiction. Empty of what tells no more than how sure the rules
    were of a reading that is sure."""
    of_reading = _OF_READING.match(text)
    if sure == "high" and of_reading is not None and of_reading["measured"]:
        return ""
    return _OF_READING.sub(f"{OF_READING}{sureness.describe_level(sure)}", text)


def seen_of(
    planning: Planning, judgements: Sequence[Judgement], question: str = "", unread: int = 0
) -> Seen:
    """What is seen of a plan whose statements were judged so, and whose proposal says nothing of
    `unread` words of the question."""
    from services.planner.domain.checks.finding import Severity
    from services.planner.domain.proposals.alternatives import is_alternative

    own = planning.seen.proposer == "rules"
    every = [finding for judged in judgements for finding in judged.findings]
    found = [one.severity for one in every if not own or one.code in _UNKNOWN_TO_RULES]
    steps = planning.draft.subtasks if planning.draft is not None else ()
    doubtful = any(one.startswith(GOES_ON_FROM) for one in planning.assumptions)
    update = {
        "level": planning.seen.level or (planning.confidence if own else None),
        "errors": found.count(Severity.ERROR),
        "doubts": found.count(Severity.DOUBT) + unread,
        "notes": found.count(Severity.NOTE),
        "alarms": sum(one.severity is not Severity.NOTE for one in every) if own else 0,
        "unanswered": any(judged.unasked for judged in judgements),
        "joins": max((judged.joins for judged in judgements), default=0),
        "words": len(question.split()),
        "assumptions": len(planning.assumptions),
        "alternatives": sum(map(is_alternative, planning.caveats)),
        "tested": any(step.tool_name == _TESTING for step in steps),
        "follow_up": bool(planning.edit) or len(planning.said) > 1,
        "of_doubtful": planning.seen.of_doubtful or doubtful,
    }
    return planning.seen.model_copy(update=update)


def _with_doubt(draft: PlanDraft | None, doubt: str) -> PlanDraft | None:
    """The plan whose chart says what is doubted of its numbers; a remembered one may say what was
    doubted before."""
    if draft is None:
        return None
    tasks = []
    for task in draft.subtasks:
        if task.tool_name == DRAWING_TOOL:
            kept = {key: value for key, value in task.arguments.items() if key != "doubted"}
            texts = {"doubted": shortened(doubt, _LONGEST_DOUBT)} if doubt else {}
            task = task.model_copy(update={"arguments": kept | texts})
        tasks.append(task)
    return draft.model_copy(update={"subtasks": tuple(tasks)})


def _queries(planning: Planning) -> Iterator[tuple[str, list[Any]]]:
    """The statements that the answer rests on, each with its parameters; not those of what is told
    beside it."""
    draft = planning.draft
    if draft is None:
        return
    by_id = {task.task_id: task for task in draft.subtasks}
    needed, waiting = (
        set[str](),
        [draft.answer_task, *(part.answer_task for part in planning.parts)],
    )
    while waiting:
        if (here := by_id.get(waiting.pop())) is not None and here.task_id not in needed:
            needed.add(here.task_id)
            waiting += here.dependencies
    for task in draft.subtasks:
        is_mentioned = task.task_id in needed or task.task_id.startswith(FURTHER)
        if task.tool_name == QUERYING_TOOL and is_mentioned:
            yield str(task.arguments.get("query", "")), list(task.arguments.get("params") or ())
