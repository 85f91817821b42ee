"""How conversations came by jobs, in SQL: a link each, made once and never changed."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.conversation_tables import RouterMessageRow, RouterPlannerLinkRow
from gateway.domain.conversation import Link, Message


def link(transaction: Transaction, conversation_id: str, message: Message) -> None:
    """Note how the conversation first came by a job: a link never changes."""
    assert message.link is not None
    known = transaction.scalar(
        select(RouterPlannerLinkRow).where(
            RouterPlannerLinkRow.router_id == conversation_id,
            RouterPlannerLinkRow.planner_id == message.job_id,
        )
    )
    if known is None:
        transaction.add(
            RouterPlannerLinkRow(
                router_id=conversation_id,
                planner_id=message.job_id,
                relationship_type=message.link.value,
                created_at=message.timestamp,
            )
        )


def links_of(
    transaction: Transaction, conversation_id: str, rows: Sequence[RouterMessageRow]
) -> dict[int, Link]:
    """How the conversation came by the job of each message, by position: by the link, and from the
    job's second message on because it went on with it."""
    jobs = {row.job_id for row in rows if row.job_id}
    links = transaction.scalars(
        select(RouterPlannerLinkRow).where(
            RouterPlannerLinkRow.router_id == conversation_id,
            RouterPlannerLinkRow.planner_id.in_(jobs),
        )
    )
    first_link = {row.planner_id: Link(row.relationship_type) for row in links}
    firsts = transaction.execute(
        select(RouterMessageRow.job_id, func.min(RouterMessageRow.position))
        .where(RouterMessageRow.agent_id == conversation_id, RouterMessageRow.job_id.in_(jobs))
        .group_by(RouterMessageRow.job_id)
    )
    first = {job_id: position for job_id, position in firsts}
    return {
        row.position: first_link[row.job_id]
        if row.position == first[row.job_id]
        else Link.CONTINUED
        for row in rows
        if row.job_id in first_link
    }
