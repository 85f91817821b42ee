"""What is seen on a sheet before there is a table, as doubts."""

from __future__ import annotations

from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import Repair


def doubt_of_merged(table: str, runs: int) -> Doubt:
    """Of cells that were merged over several rows."""
    what = "1 run of cells is" if runs == 1 else f"{runs:,} runs of cells are"
    return Doubt(
        code="merged",
        table=table,
        said=f"{what} merged over several rows: each row has their value",
        changes="groups by such a column, whose other rows are empty",
        repairs=(Repair(kind="fill-down", value="merged"),),
        uses=(Use.GROUPED, Use.FILTERED),
        weight=0.05,
        certain=True,
    )


def doubt_of_days(table: str, numbers: int) -> Doubt:
    """Of numbers in columns of days."""
    what = "1 number stands" if numbers == 1 else f"{numbers:,} numbers stand"
    return Doubt(
        code="day-numbers",
        table=table,
        rows=numbers,
        said=f"{what} among days, as days do whose format was lost",
        changes="whether the column is one of days",
        repairs=(Repair(kind="day-numbers", value="dates"),),
        weight=0.1,
        certain=True,
    )


def doubt_of_parts(table: str, label: str, parts: int) -> Doubt:
    """Of several tables on a sheet."""
    return Doubt(
        code="several-tables",
        table=table,
        said=f"{label} holds {parts} tables, beside or below one another",
        changes="which rows and columns belong together",
        repairs=(Repair(kind="split-sheet", value="yes"),),
        weight=0.1,
        certain=True,
    )
