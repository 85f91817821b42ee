"""Where a causal question comes from, where it is about a finding of an investigation."""

from __future__ import annotations

from services.planner.domain.catalogue import Frozen


class Origin(Frozen):
    """An investigation, and which of its explanations (by rank, 0 for the first that has a segment)
    or findings is asked about. `said` tells what was handed over, once it is; `table` is the one
    whose rows these are, `columns` those of it that the request names beside the
    investigation's; `of_segment` says that the treatment is membership of its segment."""

    job_id: str
    explanation: int = 0
    finding_id: str = ""
    said: str = ""
    table: str = ""
    columns: tuple[str, ...] = ()
    of_segment: bool = True

    @property
    def description(self) -> str:
        """Where the question comes from, as the answer tells it."""
        return f"Asked of investigation {self.job_id[:8]}: {self.said}"
