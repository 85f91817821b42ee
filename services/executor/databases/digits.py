"""Which columns of digits of a database hold personal data: by its first rows, within two seconds.

The same is asked of the same columns as of those of files (`sources.digits`), of up to 2,000
different values in the first 10,000 rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from mesh.recognising.columns import kinds
from services.executor.sources.digits import may_be_digits
from services.executor.sources.manifest import StoredTable

ROWS = 10_000
SECONDS = 2


def judged(
    table: StoredTable, asked_for: Callable[[list[str]], dict[str, list[str]]], until: float
) -> StoredTable:
    """The table with what its columns of digits hold.

    `asked_for` gives different values of columns as text, of the first `ROWS` rows at most
    `VALUES` of each; nothing where they cannot be had in time. Then, or where it is later than
    `until` by the monotonic clock, the values among its statistics are looked at.
    """
    names = [
        column.name
        for column in table.columns
        if any(may_be_digits(column, table.statistics[column.name]))
    ]
    if not names:
        return table
    asked = asked_for(names) if time.monotonic() < until else {}
    values = asked or {
        name: [text for text in (s.minimum, s.maximum, *s.samples) if text]
        for name in names
        for s in [table.statistics[name]]
    }
    return table.model_copy(
        update={
            "columns": tuple(
                column.model_copy(
                    update={
                        "digits": kinds(
                            column.name,
                            values[column.name],
                            table.statistics[column.name].distinct,
                        )
                    }
                )
                if column.name in values
                else column
                for column in table.columns
            )
        }
    )
