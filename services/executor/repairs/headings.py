"""In how many lines the columns of a text or a sheet are named."""

from __future__ import annotations

from services.executor.domain.source import Repair
from services.executor.repairs.repair import Kind, Mended, refused
from services.executor.sources.manifest import StoredTable

LEVELS = ("1", "2", "3", "4")


def _mend(repair: Repair, table: StoredTable) -> Mended:
    raise refused(repair, f"{table.name} takes {', '.join(LEVELS)} lines, without a column")


HEADINGS = Kind(
    "headings",
    "So many lines name the columns: groups above are joined with the names below them.",
    "how many lines",
    "headings=2",
    of_column=False,
    mend=_mend,
    read=LEVELS,
)
