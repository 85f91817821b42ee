"""What a statement means, as its author declares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.common.v1.proposals_pb2 import Meaning as Message


@dataclass(frozen=True, slots=True)
class Meaning:
    """The parts of a declaration in names of the data, all of them optional: docs/queries.md."""

    metric: str = ""
    by: tuple[str, ...] = ()
    filter: tuple[str, ...] = ()
    time: str = ""
    period: str = ""
    grain: str = ""

    def message(self) -> Message | None:
        """In the contract's words; None where nothing is declared."""
        # Here, because the contract's code takes its time, and few declare anything.
        from assay.common.v1.proposals_pb2 import Meaning as Message

        if self == Meaning():
            return None
        return Message(
            metric=self.metric,
            by=self.by,
            filter=self.filter,
            time=self.time,
            period=self.period,
            grain=self.grain,
        )
