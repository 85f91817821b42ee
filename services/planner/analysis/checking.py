"""Checks of what a question was planned as, told before its numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from mesh.remarks import is_found, without_code
from mesh.spelling import shortened
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.evidence import Evidence
from services.planner.domain.plan import FURTHER, PlanDraft
from services.planner.domain.statement import DRAWING_TOOL, QUERYING_TOOL

_UNKNOWN_TO_RULES = frozenset(
    ("A02", "A05", "A08", "D01", "D02", "F04", "F08", "J01", "J03", "J04", "J05")
)
"""What the built-in reader looks at nowhere else; of the rest it has doubts of its own."""
_LONGEST_DOUBT = 110
"""Characters of a doubt beneath a chart: what fits its width."""
_OF_WORDS = "W"
_ORDER = ("low", "medium", "high")


async def with_findings(
    planning: Planning,
    question: str,
    catalogue: Catalogue,
    evidence: Evidence,
    before: Planning | None = None,
) -> Planning:
    """The planning as sure as checks leave it, with what they found among its assumptions; `before`
    is the decision on what was asked before."""
    # Here, because lists of jobs come by this module and judge no statement.
    from services.planner.domain.checks.judging import judge
    from services.planner.domain.proposals.edited import edited
    from services.planner.domain.proposals.proposal import AskedTest, Proposal
    from services.planner.domain.proposals.unbound import told_unbound

    codes: Collection[str] = () if planning.by_model else _UNKNOWN_TO_RULES
    said = question if planning.by_model else ""
    told, sure, found = list(planning.assumptions), planning.confidence, ""
    test: AskedTest | None = None
    if planning.by_model and planning.proposal is not None:
        proposal = Proposal.model_validate(planning.proposal)
        test = proposal.test
        held = edited(proposal.statement, planning.said or (question,), before, catalogue)
        unread = (*told_unbound(held.words, proposal), *held.lost)
        told += unread
        # Of several results no single one has to do all that was said.
        said = held.question if not proposal.further else ""
        sure = min(sure, "medium" if unread else sure, key=_ORDER.index)
    findings = list(planning.findings)
    for query, params in _queries(planning):
        judged = await judge(query, catalogue, evidence, params, said, codes=codes, test=test)
        told += judged.told
        doubts = (one for one in judged.told if is_found(one) and one[0] != _OF_WORDS)
        found = found or next(doubts, "")
        findings += judged.findings
        sure = min(sure, judged.confidence, key=_ORDER.index)
    update = {
        "assumptions": tuple(dict.fromkeys(told)),
        "confidence": sure,
        "draft": _with_doubt(planning.draft, without_code(found)),
        "findings": tuple(findings),
        "checked": tuple(sorted(codes)),
    }
    return planning.model_copy(update=update)


def _with_doubt(draft: PlanDraft | None, doubt: str) -> PlanDraft | None:
    """The plan whose chart says what is doubted of its numbers; a remembered one may say what was
    doubted before."""
    if draft is None:
        return None
    tasks = []
    for task in draft.subtasks:
        if task.tool_name == DRAWING_TOOL:
            kept = {key: value for key, value in task.arguments.items() if key != "doubted"}
            told = {"doubted": shortened(doubt, _LONGEST_DOUBT)} if doubt else {}
            task = task.model_copy(update={"arguments": kept | told})
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
        told = task.task_id in needed or task.task_id.startswith(FURTHER)
        if task.tool_name == QUERYING_TOOL and told:
            yield str(task.arguments.get("query", "")), list(task.arguments.get("params") or ())
