"""What language models took, kept so that a budget holds across planners, crashes and days.

Every request to a model is stored before it is sent, with the most it may take; what it took takes
that place afterwards. A planner that is killed while it waits leaves its reservation standing.

Reservations are made one after the other, whichever planner makes them: what is left of a budget is
looked at and taken in one transaction, which the database lets no other pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlalchemy import func, select
from sqlalchemy.orm import Session
from sqlalchemy.sql.elements import ColumnElement

from mesh.ids import new_id
from mesh.processes.failpoint import failpoint
from mesh.storage.database import Database
from services.planner.adapters.tables import ModelRequestRow
from services.planner.domain.model_use import ModelUse

_LOCK = int.from_bytes(b"model$", "big")
"""The number of PostgreSQL's advisory lock on reservations."""


class BudgetSpentError(Exception):
    """A request would exceed a budget; says which, for people."""


@dataclass(frozen=True)
class Budget:
    """Most tokens and money of one job and of one day (UTC); zero for no limit."""

    job_tokens: int = 0
    day_tokens: int = 0
    job_cost: float = 0.0
    day_cost: float = 0.0


@dataclass(frozen=True)
class Reservation:
    """A request that is about to be sent, and the most it may take."""

    job_id: str
    purpose: str
    at: datetime
    most: ModelUse


class Spending(Protocol):
    """Keeps what models took."""

    async def reserve(self, wanted: Reservation, budget: Budget) -> str:
        """Store a request before it is sent; returns its id. Raises BudgetSpentError."""
        ...

    async def settle(self, request_id: str, outcome: str, use: ModelUse | None) -> None:
        """Store how a request went. Without `use` what it took is not known: the reservation
        stands."""
        ...


class SqlSpending:
    """The Spending port in the planner's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def reserve(self, wanted: Reservation, budget: Budget) -> str:
        """Store a request before it is sent, unless a budget is spent."""
        request_id, day = new_id(), wanted.at.date().isoformat()
        row = ModelRequestRow(
            request_id=request_id,
            planner_id=wanted.job_id,
            purpose=wanted.purpose,
            model=wanted.most.model,
            day=day,
            asked_at=wanted.at,
            outcome="asked",
            input_tokens=wanted.most.input_tokens,
            output_tokens=wanted.most.output_tokens,
            cost=wanted.most.cost,
            seconds=None,
        )

        def work(session: Session) -> None:
            _one_after_the_other(session)
            of_job = _spent(session, ModelRequestRow.planner_id == wanted.job_id)
            of_day = _spent(session, ModelRequestRow.day == day)
            for what, spent, tokens, cost in (
                ("this question's", of_job, budget.job_tokens, budget.job_cost),
                ("today's", of_day, budget.day_tokens, budget.day_cost),
            ):
                if tokens and spent[0] + wanted.most.tokens > tokens:
                    raise BudgetSpentError(f"{what} budget of {tokens:,} tokens is spent")
                if cost and spent[1] + (wanted.most.cost or 0.0) > cost:
                    unit = wanted.most.currency
                    raise BudgetSpentError(f"{what} budget of {cost:g} {unit} is spent")
            session.add(row)

        await self._database.in_transaction(work)
        failpoint("planner: model asked")
        return request_id

    async def settle(self, request_id: str, outcome: str, use: ModelUse | None) -> None:
        """Store how a request went."""

        def work(session: Session) -> None:
            row = session.get_one(ModelRequestRow, request_id)
            row.outcome = outcome
            if use is not None:
                row.input_tokens, row.output_tokens = use.input_tokens, use.output_tokens
                row.cost, row.seconds = use.cost, use.seconds

        await self._database.in_transaction(work)


def _one_after_the_other(session: Session) -> None:
    """SQLite has one writer at a time anyway; elsewhere a lock is held until the commit."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_advisory_xact_lock(_LOCK)))


def _spent(session: Session, which: ColumnElement[bool]) -> tuple[int, float]:
    tokens = func.sum(ModelRequestRow.input_tokens + ModelRequestRow.output_tokens)
    row = session.execute(select(tokens, func.sum(ModelRequestRow.cost)).where(which)).one()
    return int(row[0] or 0), float(row[1] or 0.0)
