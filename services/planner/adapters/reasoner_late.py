"""The built-in reasoner, imported with its language when it first decides: lists need none."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from services.planner.adapters.reasoner_rules import RulesReasoner
    from services.planner.domain.analysis.planning import (
        Planning,
        PlanningInput,
        Repair,
        RepairInput,
    )


class LateRules:
    """The Reasoner port by rules; its first decision takes the time of an import longer."""

    name = "rules"

    async def plan(self, given: PlanningInput) -> Planning:
        """As `RulesReasoner.plan`."""
        return await (await _rules()).plan(given)

    async def repair(self, given: RepairInput) -> Repair | None:
        """As `RulesReasoner.repair`."""
        return await (await _rules()).repair(given)


async def _rules() -> RulesReasoner:
    return await asyncio.to_thread(_imported)


def _imported() -> RulesReasoner:
    from services.planner.adapters.reasoner_rules import RulesReasoner

    return RulesReasoner()
