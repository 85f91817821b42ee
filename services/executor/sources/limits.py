"""How much one source may be: beyond, it is refused with the limit's name, before it costs time."""

from __future__ import annotations

from collections.abc import Sized

from mesh.errors import RESOURCE_EXHAUSTED, AssayError
from services.executor.domain.source import Frozen

BYTES_PER_VALUE = 8
"""What a value of a column takes at least once it is read, however it is written in a file."""
SMALL_ENOUGH = 1 << 30
"""Bytes to which any column-wise file may be unpacked, however small it is."""
COLUMNS_LIMIT = "ASSAY_EXECUTOR_COLUMNS"
_TIMES_AS_WIDE = 10  # as wide a line may be of which few columns are read


class ReadingLimits(Frozen):
    """What a table, a JSON text and a compressed file may be at most.

    `columns` are those of one table, and the different names in one JSON text; `depth` is how deep
    objects and arrays may be in one another; a compressed file may unpack to `unpacked_bytes` and
    `unpacked_times` its own size.
    """

    columns: int = 10_000
    depth: int = 100
    unpacked_bytes: int = 16 << 30
    unpacked_times: int = 100

    def most_unpacked(self, packed: int) -> int:
        """The bytes to which a column-wise file of `packed` bytes may unpack."""
        return min(self.unpacked_bytes, max(SMALL_ENOUGH, packed * self.unpacked_times))

    def check_values(self, label: str, packed: int, unpacked: int, where: str = "") -> None:
        """Raise AssayError(RESOURCE_EXHAUSTED) for a file of `packed` bytes that stands for too
        many `unpacked`: values that are written once, or not at all, and repeated."""
        most = self.most_unpacked(packed)
        if unpacked <= most:
            return
        limit = f"ASSAY_EXECUTOR_UNPACKED_{'BYTES' if most == self.unpacked_bytes else 'TIMES'}"
        raise AssayError(
            RESOURCE_EXHAUSTED,
            f"{label} has {packed:,} bytes and unpacks to more than {most:,}{where}.",
            hint=f"Split the file; the limit is {limit}.",
            metadata={"limit": limit},
        )

    def check_columns(self, label: str, columns: int | Sized) -> None:
        """Raise AssayError(RESOURCE_EXHAUSTED) for a table that is too wide."""
        number = columns if isinstance(columns, int) else len(columns)
        if number > self.columns:
            raise AssayError(
                RESOURCE_EXHAUSTED,
                f"{label} has {number:,} columns; {self.columns:,} is the most.",
                hint="Name the columns you ask about (--allow-column), or write them as rows; the "
                f"limit is {COLUMNS_LIMIT}.",
                metadata={"limit": COLUMNS_LIMIT},
            )

    def check_width(self, label: str, columns: int, *, some: bool) -> None:
        """As `check_columns`, of a line of which only `some` columns are read: it may be wider."""
        if not some or columns > _TIMES_AS_WIDE * self.columns:
            self.check_columns(label, columns)
