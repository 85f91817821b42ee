"""Which messages of a conversation stand, in SQL: what was taken back stays, and stands no more.

A reply to a question back goes with the message that was asked about: both are one job, which
knows but one answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.conversation_tables import RouterMessageRow, RouterRow
from gateway.conversations.ports import Taking
from gateway.domain.conversation import Role
from gateway.domain.session import absent
from mesh.errors import CONVERSATION_CHANGED, AssayError

Move = Callable[[Transaction, RouterRow, Taking], tuple[int, ...]]
"""Changes which messages stand; returns the users' messages of which it did."""


def take_back(transaction: Transaction, router: RouterRow, taking: Taking) -> tuple[int, ...]:
    """Have a message stand no more, with all after it. Raises NOT_FOUND, CONVERSATION_CHANGED."""
    said = _said(transaction, router.router_id, taking.message_id)
    if said.taken_back_at is not None:
        return ()
    check_last(transaction, router.router_id, taking.after)
    first, _ = _of_its_job(transaction, said)
    wanted = _messages(router.router_id).where(
        RouterMessageRow.position >= first, RouterMessageRow.taken_back_at.is_(None)
    )
    rows = transaction.scalars(wanted).all()
    for row in rows:
        row.taken_back_at = taking.at
    return _changed(transaction, router, rows)


def bring_back(transaction: Transaction, router: RouterRow, taking: Taking) -> tuple[int, ...]:
    """Have a message stand again, with those before it that were taken back with it. Raises as
    `take_back`."""
    said = _said(transaction, router.router_id, taking.message_id)
    if said.taken_back_at is None:
        return ()
    check_last(transaction, router.router_id, taking.after)
    _, last = _of_its_job(transaction, said)
    wanted = _messages(router.router_id).where(
        RouterMessageRow.position <= last, RouterMessageRow.taken_back_at == said.taken_back_at
    )
    rows = transaction.scalars(wanted).all()
    for row in rows:
        row.taken_back_at = None
    return _changed(transaction, router, rows)


def check_last(transaction: Transaction, conversation_id: str, known: int | None) -> None:
    """Raises AssayError(CONVERSATION_CHANGED) where another of the user's messages stands last than
    the caller knows of; None is whatever it is, 0 none."""
    if known is None:
        return
    last = _last_said(transaction, conversation_id)
    if known != (last.message_id if last is not None else 0):
        raise AssayError(
            CONVERSATION_CHANGED,
            f"in conversation {conversation_id[:8]} something was said or taken back meanwhile",
        )


def positions_taken_back(transaction: Transaction, conversation_id: str) -> tuple[int, ...]:
    """The positions of users' messages that do not stand, in order."""
    wanted = (
        select(RouterMessageRow.position)
        .where(
            RouterMessageRow.agent_id == conversation_id,
            RouterMessageRow.role == Role.USER.value,
            RouterMessageRow.taken_back_at.is_not(None),
        )
        .order_by(RouterMessageRow.position)
    )
    return tuple(transaction.scalars(wanted))


def terms_in(router: RouterRow) -> str:
    """The terms that the next message is said under, if it brings none."""
    return str((router.agent_metadata or {}).get("terms", ""))


def use_terms(router: RouterRow, terms: str) -> None:
    """Have the next message said under these terms."""
    router.agent_metadata = {**(router.agent_metadata or {}), "terms": terms}


def _changed(
    transaction: Transaction, router: RouterRow, rows: Sequence[RouterMessageRow]
) -> tuple[int, ...]:
    """The users' messages among those that changed. The next is said under the terms of the last
    that stands: what a message that was taken back was about is not what the next is about."""
    transaction.flush()
    last = _last_said(transaction, router.router_id)
    if last is not None and last.terms:
        use_terms(router, last.terms)
    return tuple(row.message_id for row in rows if row.role == Role.USER.value)


def _said(transaction: Transaction, conversation_id: str, message_id: int) -> RouterMessageRow:
    row = transaction.get(RouterMessageRow, message_id)
    if row is None or row.agent_id != conversation_id or row.role != Role.USER.value:
        raise absent("message", str(message_id))
    return row


def _of_its_job(transaction: Transaction, said: RouterMessageRow) -> tuple[int, int]:
    """The positions of the first and the last message that have to do with the job that answered a
    message: of itself and its answer, or of a question, what was asked back, and the reply."""
    conversation_id, position = said.agent_id, RouterMessageRow.position
    answers = _messages(conversation_id).where(RouterMessageRow.role == Role.ASSISTANT.value)
    answer = transaction.scalar(answers.where(position > said.position).limit(1))
    if answer is None or not answer.job_id:
        return said.position, answer.position if answer is not None else said.position
    of_job = [
        row.position
        for row in transaction.scalars(answers.where(RouterMessageRow.job_id == answer.job_id))
    ]
    asked = select(func.max(position)).where(
        RouterMessageRow.agent_id == conversation_id,
        RouterMessageRow.role == Role.USER.value,
        position < of_job[0],
    )
    return transaction.scalar(asked) or said.position, of_job[-1]


def _last_said(transaction: Transaction, conversation_id: str) -> RouterMessageRow | None:
    """The last of the user's messages that stands."""
    return transaction.scalar(
        _messages(conversation_id)
        .where(RouterMessageRow.role == Role.USER.value, RouterMessageRow.taken_back_at.is_(None))
        .order_by(None)
        .order_by(RouterMessageRow.position.desc())
        .limit(1)
    )


def _messages(conversation_id: str) -> Select[RouterMessageRow]:
    return (
        select(RouterMessageRow)
        .where(RouterMessageRow.agent_id == conversation_id)
        .order_by(RouterMessageRow.position)
    )
