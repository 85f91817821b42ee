"""Whether files or sheets of the same columns are one table."""

from __future__ import annotations

from services.executor.domain.source import Repair
from services.executor.repairs.repair import Kind, Mended, refused
from services.executor.sources.manifest import StoredTable


def _mend(repair: Repair, table: StoredTable) -> Mended:
    raise refused(repair, f"{table.name} takes yes or no, without a column")


ONE_TABLE = Kind(
    "one-table",
    "Files of a folder or archive, sheets of a workbook, or several files that are named one by "
    "one, that have the same columns are one table; `source_file` says which one a row is from.",
    "`yes` or `no`",
    "one-table=yes",
    of_column=False,
    mend=_mend,
    read=("yes", "no"),
)
