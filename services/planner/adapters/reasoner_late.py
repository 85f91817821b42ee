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
    from services.planner.domain.catalogue import Catalogue
    from services.planner.domain.investigation.iteration import NextStep
    from services.planner.domain.investigation.metric_words import WordedMetric
    from services.planner.domain.investigation.request import InvestigationRequest
    from services.planner.domain.investigation.step_calls import StepInput
    from services.planner.domain.suggestions import Suggestions, SuggestionsInput
    from services.planner.ports import RequestLookup


class LateRules:
    """The Reasoner port by rules; its first decision takes the time of an import longer."""

    name = "rules"

    @property
    def rules(self) -> LateRules:
        """Itself."""
        return self

    async def plan(self, given: PlanningInput) -> Planning:
        """As `RulesReasoner.plan`."""
        return await (await _rules()).plan(given)

    async def again(self, planning: Planning, given: PlanningInput) -> Planning:
        """As `RulesReasoner.again`."""
        return planning

    async def repair(self, given: RepairInput) -> Repair | None:
        """As `RulesReasoner.repair`."""
        return await (await _rules()).repair(given)

    async def next_step(self, given: StepInput) -> NextStep:
        """As `RulesReasoner.next_step`, without the language that it needs none of."""
        from services.planner.domain.investigation.next_step import next_step

        return next_step(given)

    async def metric(
        self, request: InvestigationRequest, catalogue: Catalogue, lookup: RequestLookup
    ) -> WordedMetric | None:
        """As `RulesReasoner.metric`."""
        return await (await _rules()).metric(request, catalogue, lookup)

    async def suggest(self, given: SuggestionsInput) -> Suggestions | None:
        """None: rules try what is there in their own order, and know of causes what people say."""
        return None


async def _rules() -> RulesReasoner:
    return await asyncio.to_thread(_imported)


def _imported() -> RulesReasoner:
    from services.planner.adapters.reasoner_rules import RulesReasoner

    return RulesReasoner()
