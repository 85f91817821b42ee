"""Which traces are kept: all that OpenTelemetry's variables ask for, and in files those of work.

A program that looks whether its job is done would else leave a file each time that it looks.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace.sampling import Sampler, SamplingResult

# Standard methods that only look (https://google.aip.dev/131, 132), and streams that follow.
_LOOKS = re.compile(r"/?([\w.]+/(Get|List|Watch)[A-Z]\w*|grpc\.(health|reflection)\..*)")


def sampler(exporting: bool) -> Sampler | None:
    """What decides when a span begins; None for what OTEL_TRACES_SAMPLER says, or for all.

    Where spans are kept in files alone, a call that only looks begins no trace; within one that was
    begun by other work, it is kept like the rest of it.
    """
    if exporting or os.environ.get("OTEL_TRACES_SAMPLER"):
        return None
    from opentelemetry.sdk.trace.sampling import Decision, ParentBased, Sampler, SamplingResult

    class WorkAlone(Sampler):
        def should_sample(
            self, parent_context: Context | None, trace_id: int, name: str, *rest: Any, **more: Any
        ) -> SamplingResult:
            looks = _LOOKS.fullmatch(name) is not None
            return SamplingResult(Decision.DROP if looks else Decision.RECORD_AND_SAMPLE)

        def get_description(self) -> str:
            return "WorkAlone"

    return ParentBased(WorkAlone())
