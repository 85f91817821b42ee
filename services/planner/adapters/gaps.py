"""Gaps in what a tenant was answered, counted in the store."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, case, func, literal, select, union_all
from sqlalchemy.orm import Session

from services.planner.adapters.tables import GapRow, PlannerRow
from services.planner.domain.jobs.gaps import Gap, GapExample, GapKind, Gaps
from services.planner.domain.jobs.job import JobState

MOST_OF_A_KIND = 50
EXAMPLES = 3
_QUESTION_LETTERS = 200
_ENDED = [state.value for state in JobState if state.final]
_REFUSED = PlannerRow.state == JobState.FAILED.value
_DOUBTED = PlannerRow.confidence.in_(("low", "medium"))


def gaps_of(session: Session, tenant: str, since: datetime) -> Gaps:
    """Those of the jobs that a tenant asked for since then and that have ended."""
    of_time = and_(
        PlannerRow.tenant == tenant,
        PlannerRow.created_at >= since,
        PlannerRow.state.in_(_ENDED),
    )
    ended, refused, doubted = session.execute(
        select(func.count(), _sum(_REFUSED), _sum(_DOUBTED)).where(of_time)
    ).one()
    found = _seen(of_time)
    counted = (
        select(found.c.kind, found.c.subject, func.count(), _sum(found.c.refused == 1))
        .group_by(found.c.kind, found.c.subject)
        .order_by(func.count().desc(), found.c.kind, found.c.subject)
    )
    kept: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    for kind, subject, jobs, unanswered in session.execute(counted):
        if len(kept[kind]) < MOST_OF_A_KIND:
            kept[kind].append((subject, jobs, unanswered))
    shown = _examples(session, found)
    gaps = tuple(
        Gap(kind, subject, unanswered, jobs - unanswered, tuple(shown[kind, subject]))
        for kind in GapKind
        for subject, jobs, unanswered in kept[kind]
    )
    return Gaps(ended, int(refused or 0), int(doubted or 0), gaps)


def _sum(condition: Any) -> Any:
    return func.sum(case((condition, 1), else_=0))


def _seen(of_time: Any) -> Any:
    """A line for each gap of each job that was not answered, or not for sure."""
    refused = case((_REFUSED, 1), else_=0).label("refused")
    job = (PlannerRow.planner_id, PlannerRow.created_at, refused)
    reasons: Select[Any] = select(
        literal(GapKind.REASON.value).label("kind"),
        PlannerRow.failure_reason.label("subject"),
        *job,
    ).where(of_time, _REFUSED, PlannerRow.failure_reason != "")
    others: Select[Any] = (
        select(GapRow.kind, GapRow.subject, *job)
        .join(PlannerRow, PlannerRow.planner_id == GapRow.planner_id)
        .where(of_time, _REFUSED | _DOUBTED)
    )
    return union_all(reasons, others).subquery()


def _examples(session: Session, found: Any) -> dict[tuple[str, str], list[GapExample]]:
    """The newest jobs of each gap."""
    place = func.row_number().over(
        partition_by=(found.c.kind, found.c.subject),
        order_by=(found.c.created_at.desc(), found.c.planner_id),
    )
    numbered = select(found, place.label("place")).subquery()
    query = (
        select(
            numbered.c.kind,
            numbered.c.subject,
            numbered.c.refused,
            PlannerRow.planner_id,
            func.substr(PlannerRow.user_question, 1, _QUESTION_LETTERS),
            PlannerRow.asked_by,
            PlannerRow.created_at,
        )
        .join(PlannerRow, PlannerRow.planner_id == numbered.c.planner_id)
        .where(numbered.c.place <= EXAMPLES)
        .order_by(numbered.c.place)
    )
    shown: dict[tuple[str, str], list[GapExample]] = defaultdict(list)
    for kind, subject, refused, job_id, question, asked_by, asked_at in session.execute(query):
        example = GapExample(job_id, question, asked_by, asked_at, bool(refused))
        shown[kind, subject].append(example)
    return shown
