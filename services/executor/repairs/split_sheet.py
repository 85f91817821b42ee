"""Whether tables that share a sheet are read apart."""

from __future__ import annotations

from services.executor.domain.source import Repair
from services.executor.repairs.repair import Kind, Mended, refused
from services.executor.sources.manifest import StoredTable


def _mend(repair: Repair, table: StoredTable) -> Mended:
    raise refused(repair, f"{table.name} takes yes or no, without a column")


SPLIT_SHEET = Kind(
    "split-sheet",
    "Tables beside or below one another on a sheet are tables of their own.",
    "`yes` or `no`",
    "split-sheet=yes",
    of_column=False,
    mend=_mend,
    read=("yes", "no"),
)
