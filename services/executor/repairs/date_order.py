"""Whether the day or the month comes first, where no cell tells."""

from __future__ import annotations

from services.executor.domain.source import DateOrder, Repair
from services.executor.repairs.repair import Kind, Mended, refused
from services.executor.sources.manifest import StoredTable

_ORDER_TEXTS = {
    DateOrder.DAY_FIRST: "the day first",
    DateOrder.MONTH_FIRST: "the month first",
    DateOrder.YEAR_FIRST: "the year first",
}


def _mend(repair: Repair, table: StoredTable) -> Mended:
    """Nothing here: readers of texts, which alone see what was written, have read it so."""
    try:
        order = DateOrder(repair.value)
    except ValueError:
        raise refused(repair, f"there are {', '.join(DateOrder)}") from None
    of = f"of column {repair.column} " if repair.column else ""
    return Mended(f"dates {of}are read with {_ORDER_TEXTS[order]}")


DATE_ORDER = Kind(
    "date-order",
    "Dates are read with the day or the month first; of one column, or of all.",
    "dmy, mdy or ymd",
    "date-order.seen=dmy",
    of_column=False,
    mend=_mend,
)
