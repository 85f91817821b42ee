"""Values that are one thing in several spellings: USA, U.S.A. and usa."""

from __future__ import annotations

from collections.abc import Iterator

from services.executor.domain.description import DataType
from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import Repair
from services.executor.doubts.seen import Kind, SeenColumn, SeenTable
from services.executor.facts.asking import Ask
from services.executor.repairs.merge import alike
from services.executor.sources.sql import quoted

_MOST_VALUES = 20_000
_REPEATED = 0.7
"""The share of rows with a value of their own from which on a column is one of names."""
_HARDLY = 0.01
"""The share of rows spelled otherwise below which it changes hardly anything."""
_SHOWN, _SPELLINGS_SHOWN = 2, 4


def _find(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    for column in table.columns:
        texts = column.data_type is DataType.STRING and 1 < column.distinct <= _MOST_VALUES
        if texts and (column.distinct < table.rows - column.nulls):
            yield from _spelled(table, column, ask)


def _spelled(table: SeenTable, column: SeenColumn, ask: Ask) -> Iterator[Doubt]:
    name = quoted(column.name)
    counted = (
        f"SELECT {name} AS v, {alike(name)} AS k, count(*) AS n FROM {quoted(table.name)} "
        f"WHERE trim({name}) <> '' GROUP BY 1"
    )
    different, entities = ask(
        f"SELECT count(*), count(DISTINCT k) FROM (SELECT DISTINCT {name} AS v, {alike(name)} AS k "
        f"FROM {quoted(table.name)} WHERE trim({name}) <> '')",
        1,
    )[0]
    if different == entities or entities > _REPEATED * (table.rows - column.nulls):
        return
    several = (
        "SELECT list(v ORDER BY n DESC, v) AS spellings, sum(n) AS rows, sum(n) - max(n) AS other, "
        r"count(DISTINCT lower(trim(regexp_replace(v, '\s+', ' ', 'g')))) > 1 AS far "
        f"FROM ({counted}) GROUP BY k HAVING count(*) > 1"
    )
    found = ask(
        f"SELECT spellings, sum(other) OVER (), count(*) OVER () FROM ({several}) "
        "ORDER BY far DESC, rows DESC, spellings",
        _SHOWN,
    )
    # Those that differ in more than case and spaces come first, and are the examples: a statement
    # that passes over case and spaces is right about the rest (D04).
    rows, groups = int(found[0][1]), int(found[0][2])
    share = rows / table.rows
    text = "; ".join(", ".join(map(_shown, one[0][:_SPELLINGS_SHOWN])) for one in found)
    more = f" and {groups - len(found):,} more" if groups > len(found) else ""
    values = "1 value" if groups == 1 else f"{groups:,} values"
    yield Doubt(
        code="spellings",
        table=table.name,
        column=column.name,
        rows=rows,
        share=share,
        examples=tuple(str(one) for one in found[0][0][:_SPELLINGS_SHOWN]),
        said=f"{column.name} has {values} in several spellings: {text}{more}",
        changes=f"each spelling is a group of its own, and {rows:,} rows are not in the commonest",
        repairs=(Repair(kind="merge", column=column.name, value="commonest"),),
        uses=(Use.GROUPED, Use.FILTERED),
        weight=min(0.8, 0.4 + share) if share >= _HARDLY else 0.2,
    )


def _shown(value: object) -> str:
    text = str(value)
    return text if text == " ".join(text.split()) else f'"{text}"'


SPELLINGS = Kind(
    "spellings",
    "one value in several spellings",
    "USA, U.S.A. and usa are three groups of one country. Values that differ in case, accents, "
    "spaces and punctuation alone are told, and may be read as the commonest of them; those with "
    "digits in them only where case, accents and spaces differ.",
    _find,
)
