"""The kinds of work, as jobs hold them: what is asked, and what is handed over.

A new kind is one arm of each union, told apart by its `kind`; its use case is named in
`services.planner.kinds`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from services.planner.domain.answer import Answer
from services.planner.domain.causal.request import CausalRequest
from services.planner.domain.causal.result import CausalResult
from services.planner.domain.investigation.request import InvestigationRequest
from services.planner.domain.investigation.result import InvestigationResult
from services.planner.domain.question import AnalysisRequest

Work = Annotated[
    AnalysisRequest | InvestigationRequest | CausalRequest, Field(discriminator="kind")
]
"""What a job was asked for."""
Result = Annotated[Answer | InvestigationResult | CausalResult, Field(discriminator="kind")]
"""What a job handed over."""
