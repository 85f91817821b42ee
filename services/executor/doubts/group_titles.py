"""Rows that hold a name and nothing else, above the rows that they speak of."""

from __future__ import annotations

from collections.abc import Iterator

from services.executor.domain.description import DataType
from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import Repair
from services.executor.doubts.seen import Kind, SeenTable
from services.executor.facts.asking import Ask
from services.executor.sources.sql import quoted

_FEWEST, _MOST = 2, 200
_SHARE = 0.34
"""The most of all rows that may be titles: each has two below it, or more."""


def _find(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    first, *others = table.columns
    if first.data_type is not DataType.STRING or first.nulls or not others:
        return
    if min(other.nulls for other in others) < _FEWEST:
        return
    name = quoted(first.name)
    alone = " AND ".join(f"{quoted(other.name)} IS NULL" for other in others)
    some = " OR ".join(f"{quoted(other.name)} IS NULL" for other in others)
    titles, other_gaps, begins = ask(
        f"SELECT count(*) FILTER ({alone}), count(*) FILTER (({some}) AND NOT ({alone})), "
        f"first({alone}) FROM {quoted(table.name)}",
        1,
    )[0]
    if not begins or not _FEWEST <= titles <= min(_MOST, _SHARE * table.rows) or other_gaps:
        return
    found = [
        str(row[0]) for row in ask(f"SELECT {name} FROM {quoted(table.name)} WHERE {alone}", _MOST)
    ]
    if len(set(found)) < len(found):
        return
    yield Doubt(
        code="group-titles",
        table=table.name,
        column=first.name,
        rows=len(found),
        share=len(found) / table.rows,
        examples=tuple(found[:3]),
        said=f"{len(found):,} rows hold a {first.name} and nothing else, such as "
        f'"{found[0]}", the first row one of them: they may be titles of the rows below',
        changes="counts, if they are no rows, and what the rows below belong to",
        repairs=tuple(
            Repair(kind="leave-out", column=first.name, value=one.strip()) for one in found[:20]
        ),
        uses=(Use.ROWS, Use.GROUPED),
        weight=0.4,
    )


GROUP_TITLES = Kind(
    "group-titles",
    "titles among the rows",
    "Reports name a group in a row of its own, above its rows. Such a row has a name and no "
    "values; counted as a row it is one too many.",
    _find,
)
