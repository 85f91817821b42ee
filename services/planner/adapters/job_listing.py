"""Jobs by a filter, newest first: each page from the beginning of an index, also an empty one.

An index that begins with what is filtered by and goes on with the order of the list gives a page
without reading more than it. Kinds and states are few, so that a filter by some of them is the
newest of each pair, merged; one by a session, a conversation or a user has few jobs to choose
from.
"""

from __future__ import annotations

from datetime import datetime
from itertools import product
from typing import Any

from sqlalchemy import ColumnElement, Select, literal, select, tuple_, union_all
from sqlalchemy.orm import defer

from mesh.storage.columns import UtcTime
from services.planner.adapters.tables import PlannerRow
from services.planner.domain.jobs.job import JobFilter, JobState
from services.planner.domain.request import JobKind

NEWEST = (PlannerRow.created_at, PlannerRow.planner_id)
Place = tuple[datetime, str]


def listed(tenant: str, wanted: JobFilter, after: Place | None, size: int) -> Select[Any]:
    """The query of the newest `size` jobs of a tenant, or of the newest that come `after` one.

    Plan and answer are not read with them.
    """
    conditions = [PlannerRow.tenant == tenant]
    if after is not None:
        last = (literal(after[0], UtcTime), literal(after[1]))
        conditions.append(tuple_(*NEWEST) < tuple_(*last))
    if wanted.session_id:
        conditions.append(PlannerRow.session_id == wanted.session_id)
    if wanted.conversation_id:
        conditions.append(PlannerRow.conversation_id == wanted.conversation_id)
    if wanted.asked_by:
        conditions.append(PlannerRow.asked_by == wanted.asked_by)
    merged = union_all(
        *(_newest([*conditions, *more], size) for more in _of_kind_and_state(wanted))
    ).subquery()
    chosen = select(merged.c.planner_id)
    chosen = chosen.order_by(merged.c.created_at.desc(), merged.c.planner_id.desc()).limit(size)
    unread = (defer(PlannerRow.answer), defer(PlannerRow.plan))
    query = select(PlannerRow).where(PlannerRow.planner_id.in_(chosen)).options(*unread)
    return query.order_by(*(column.desc() for column in NEWEST))


def _of_kind_and_state(wanted: JobFilter) -> list[list[ColumnElement[bool]]]:
    """What each list to be merged is limited to."""
    kind, states = wanted.kind, [state.value for state in wanted.states]
    of_few = wanted.session_id or wanted.conversation_id or wanted.asked_by
    if of_few or (kind is None and not states):
        return [
            [
                *([PlannerRow.kind == kind.value] if kind is not None else []),
                *([PlannerRow.state.in_(states)] if states else []),
            ]
        ]
    kinds = [kind] if kind is not None else list(JobKind)
    return [
        [PlannerRow.kind == one.value, PlannerRow.state == state]
        for one, state in product(kinds, states or [state.value for state in JobState])
    ]


def _newest(conditions: list[ColumnElement[bool]], size: int) -> Select[Any]:
    order = (column.desc() for column in NEWEST)
    return select(select(*NEWEST).where(*conditions).order_by(*order).limit(size).subquery())
