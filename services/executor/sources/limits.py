"""How much one source may be: beyond, it is refused with the limit's name, before it costs time."""

from __future__ import annotations

from collections.abc import Sized

from mesh.errors import RESOURCE_EXHAUSTED, AssayError
from services.executor.domain.source import Frozen


class ReadingLimits(Frozen):
    """What a table, a JSON text and a compressed file may be at most.

    `columns` are those of one table, and the different names in one JSON text; `depth` is how deep
    objects and arrays may be in one another; a compressed file may unpack to `unpacked_bytes` and
    `unpacked_times` its own size.
    """

    columns: int = 4_000
    depth: int = 100
    unpacked_bytes: int = 16 << 30
    unpacked_times: int = 100

    def check_columns(self, label: str, columns: int | Sized) -> None:
        """Raise AssayError(RESOURCE_EXHAUSTED) for a table that is too wide."""
        number = columns if isinstance(columns, int) else len(columns)
        if number > self.columns:
            raise AssayError(
                RESOURCE_EXHAUSTED,
                f"{label} has {number:,} columns; {self.columns:,} is the most.",
                hint="Keep the columns you ask about, or write them as rows; the limit is "
                "ASSAY_EXECUTOR_COLUMNS.",
                metadata={"limit": "ASSAY_EXECUTOR_COLUMNS"},
            )
