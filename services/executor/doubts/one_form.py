"""Tables of several sources that have the same columns, and may be the parts of one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import Repair
from services.executor.doubts.seen import SeenTable


def of_one_form(tables: Sequence[SeenTable]) -> Iterator[Doubt]:
    """Tables of sources that are read apart; within one source, its reader says it."""
    alike: dict[tuple[tuple[str, str], ...], list[SeenTable]] = defaultdict(list)
    for table in tables:
        alike[tuple((c.name, c.data_type.value) for c in table.columns)].append(table)
    for parts in (parts for parts in alike.values() if len(parts) > 1):
        names = [part.name for part in parts]
        which = f"{names[0]} to {names[-1]}" if len(names) > 2 else " and ".join(names)
        for part in parts:
            yield Doubt(
                code="one-form",
                table=part.name,
                rows=part.rows,
                share=1.0,
                examples=tuple(names[:3]),
                said=f"{len(parts)} tables have the same columns, {which}, and may be one",
                changes="whether an answer is of all their rows or of one table's; with --read "
                "one-table=yes all of them are one",
                repairs=(Repair(kind="one-table", value="yes"),),
                uses=(Use.ROWS,),
                weight=0.3,
            )
