"""What a report tells of the job that it is of."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from services.planner.domain.plan import Plan
from services.planner.domain.step import Step


class JobRecord(Protocol):
    """A job as its report knows it."""

    @property
    def job_id(self) -> str:
        """Its id."""

    @property
    def created_at(self) -> datetime:
        """When it was asked for."""

    @property
    def reply(self) -> str:
        """What a person answered to a question back; empty where nothing was asked."""

    @property
    def plan(self) -> Plan | None:
        """The plan that was run."""

    @property
    def steps(self) -> Sequence[Step]:
        """The steps in the plan's order, with how they ended."""
