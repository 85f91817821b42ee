"""The kinds of work, as jobs hold them: what is asked, and what is handed over.

A new kind is one arm of each union, told apart by its `kind`; its use case is named in
`services.planner.kinds`.
"""

from __future__ import annotations

from services.planner.domain.analysis.answer import Answer
from services.planner.domain.analysis.request import AnalysisRequest

Work = AnalysisRequest
"""What a job was asked for. With a second kind: Annotated[A | B, Field(discriminator="kind")]."""
Result = Answer
"""What a job handed over."""
