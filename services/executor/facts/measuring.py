"""Measures what a request's tables hold, as far as the time goes, small tables first."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress

from services.executor.domain.description import SourceDescription, TableDescription
from services.executor.domain.doubt import Doubt
from services.executor.domain.facts import (
    ColumnFacts,
    Facts,
    Key,
    ReferenceFacts,
    TableFacts,
    TimeFacts,
)
from services.executor.facts.asking import SAMPLE_ROWS, Ask, UnansweredError, is_exact
from services.executor.facts.columns import column_facts
from services.executor.facts.keys import keys_of, repeated_rows
from services.executor.facts.periods import time_facts
from services.executor.facts.references import reference_facts


def measured(description: SourceDescription, ask: Ask, computed: Collection[str] = ()) -> Facts:
    """Facts of every described table and relationship; what cannot be asked in time is left out,
    and its table is named as unfinished. Sources that are `computed`, by their labels, are no parts
    of others."""
    by_name = {table.name: table for table in description.tables}
    found: dict[str, TableFacts] = {}
    unfinished: list[str] = []
    for table in sorted(description.tables, key=lambda one: one.rows):
        found[table.name], complete = _table(table, ask)
        if not complete:
            unfinished.append(table.name)
    references: list[ReferenceFacts] = []
    for link in description.relationships:
        try:
            ends = by_name[link.from_table], by_name[link.to_table]
            references.append(reference_facts(link, *ends, ask))
        except UnansweredError:
            unfinished.append(link.from_table)
    return Facts(
        tables=tuple(found[table.name] for table in description.tables),
        references=tuple(references),
        unfinished=tuple(dict.fromkeys(unfinished)),
        doubts=tuple(_between_sources(description, ask, computed)),
    )


def _between_sources(
    description: SourceDescription, ask: Ask, computed: Collection[str]
) -> Iterator[Doubt]:
    """What is seen between tables of several sources; within one it was when that was read."""
    source = {table.name: table.source_name for table in description.tables}
    if len(set(source.values())) < 2:
        return
    # Here, because the executor is put together without what measures.
    from services.executor.doubts.finding import doubts_between, seen_described
    from services.executor.doubts.one_form import of_one_form

    seen = [seen_described(table) for table in description.tables]
    apart = {name: [one for one in seen if source[one.name] == name] for name in source.values()}
    single = [
        tables[0] for name, tables in apart.items() if len(tables) == 1 and name not in computed
    ]
    for doubt in (*doubts_between(seen, ask), *of_one_form(single)):
        yield doubt.model_copy(update={"certain": False, "source_name": source[doubt.table]})


def _table(table: TableDescription, ask: Ask) -> tuple[TableFacts, bool]:
    """What could be measured of a table, and whether that is all."""
    keys: tuple[Key, ...] = ()
    columns: list[ColumnFacts] = []
    times: list[TimeFacts] = []
    repeated: int | None = None
    complete = False
    with suppress(UnansweredError):
        keys = keys_of(table, ask)
        if table.rows:
            columns.extend(column_facts(table, ask))
            times.extend(time_facts(table, ask))
            if not keys and is_exact(table):
                repeated = repeated_rows(table, ask)
        complete = True
    exact = is_exact(table)
    facts = TableFacts(
        table=table.name,
        rows=table.rows,
        measured_rows=table.rows if exact else SAMPLE_ROWS,
        exact=exact,
        keys=keys,
        columns=tuple(columns),
        times=tuple(times),
        repeated_rows=repeated,
    )
    return facts, complete
