"""The zone in which days and hours of a column of moments are counted."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from services.executor.domain.source import Repair
from services.executor.repairs.repair import Kind, Mended, column_of, refused
from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import literal, quoted

AS_WRITTEN = "as-written"


def _mend(repair: Repair, table: StoredTable) -> Mended:
    column = column_of(repair, table)
    if column.type != "TIMESTAMP":
        raise refused(repair, f"{column.name} holds no moments")
    if repair.value == AS_WRITTEN:  # by the readers of texts, which alone see what was written
        return Mended(f"column {column.name} is told by the clocks that it was written by")
    try:
        ZoneInfo(repair.value)
    except (KeyError, ValueError, OSError):
        why = f"there is no zone {repair.value!r}; such as Europe/Berlin, or as-written"
        raise refused(repair, why) from None
    name = quoted(column.name)
    moved = f"timezone({literal(repair.value)}, {name} AT TIME ZONE 'UTC')"
    text = f"column {column.name} is told by the clocks of {repair.value}, in {{}}"
    return Mended(text, {column.name: moved})


ZONE = Kind(
    "zone",
    "Days and hours of a column of moments are counted in a zone; without it, in UTC.",
    "a zone of the IANA database, or as-written for the clock of each row's own offset",
    "zone.at=Europe/Berlin",
    of_column=True,
    mend=_mend,
)
