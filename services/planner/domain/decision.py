"""Decisions: typed values with a reason and a maker, recorded before they take effect."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from mesh.ids import derived_id
from services.planner.domain.catalogue import Frozen

DecisionKind = Literal[
    "plan",
    "repair",
    "narrate",
    "end",
    "investigate",
    "next_step",
    "finding",
    "begin",
    "dispatch",
    "patch",
    "advise",
    "turn",
    "suggest",
    "merge",
]


class Decision(Frozen):
    """A recorded judgement: what was decided from what, by whom, and why."""

    decision_id: str
    job_id: str
    kind: DecisionKind
    reasoner: str
    reason: str
    given: dict[str, Any]
    decided: dict[str, Any]
    timestamp: datetime

    @property
    def plan_id(self) -> str:
        """The id of the plan that a planning decision makes."""
        return derived_id(self.decision_id, "plan")
