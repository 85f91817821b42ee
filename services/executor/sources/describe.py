"""Describes sources to a planner: tables, columns, statistics, relationships, after policy."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence

from mesh.policy import Policy
from mesh.recognising.columns import KINDS
from services.executor.databases.digits import ROWS
from services.executor.databases.live import live
from services.executor.domain.description import (
    ColumnDescription,
    ReadDecision,
    Relationship,
    SourceDescription,
    TableDescription,
)
from services.executor.domain.doubt import Doubt
from services.executor.doubts.order import gravest_first, within
from services.executor.engines.workspace import FlatTable, WorkspacePool
from services.executor.sources.digits import VALUES, is_number, may_be_digits
from services.executor.sources.prepared import PreparedSource, triples_fingerprint
from services.executor.sources.relationships import Statistics, relationships
from services.executor.sources.roles import role
from services.executor.sources.statistics import statistics
from services.executor.sources.stored_types import data_type

_KEPT = 64
# Of an expression that matches words alone, numbers need not be spoken of.
_MAY_MATCH_DIGITS = re.compile(r"\d|\\[dwDWS]|\.|\[\^")
_NAMED = 8  # columns that one note names


class Describer:
    """Describes each set of sources under each policy once."""

    def __init__(self, pool: WorkspacePool) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, ...], SourceDescription] = OrderedDict()

    def describe(self, sources: Sequence[PreparedSource], policy: Policy) -> SourceDescription:
        """Everything a planner may know. Raises AssayError for an impossible policy."""
        key = (policy.key, *(source.digest for source in sources))
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        description = self._describe(sources, policy)
        with self._lock:
            self._kept[key] = description
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return description

    def _describe(self, sources: Sequence[PreparedSource], policy: Policy) -> SourceDescription:
        workspace = self._pool.get(sources, policy)
        with workspace.cursor() as cursor:
            found = {table.name: statistics(cursor, table, policy) for table in workspace.tables}
            related = relationships(cursor, workspace.tables, found)
        tables = tuple(_table(table, found, related, policy) for table in workspace.tables)
        return SourceDescription(
            tables=tables,
            relationships=related,
            schema_fingerprint=triples_fingerprint(
                (table.name, column.name, column.data_type.value)
                for table in tables
                for column in table.columns
            ),
            notes=tuple(
                note for source in sources for note in _notes(source, workspace.tables, policy)
            ),
            decisions=tuple(
                decision
                for source in sources
                for decision in _decisions(source, workspace.tables, policy)
            ),
            doubts=tuple(
                gravest_first(
                    doubt
                    for source in sources
                    for doubt in _doubts(source, workspace.tables, policy)
                )
            ),
        )


def _notes(source: PreparedSource, tables: Sequence[FlatTable], policy: Policy) -> Iterator[str]:
    """What there is to know of how a source was read, without what policy hides."""
    shown = {
        column.name for t in tables if t.source.digest == source.digest for column in t.columns
    }
    for note in source.notes:
        if source.note_columns.get(note, "") in ("", *shown):
            yield policy.masked(f"{source.label}: {note}")
    own = [table for table in tables if table.source.digest == source.digest]
    for note in _notes_on_digits(own, policy):
        yield policy.masked(f"{source.label}: {note}")


def _notes_on_digits(tables: Sequence[FlatTable], policy: Policy) -> Iterator[str]:
    """Which columns of digits are told by pseudonyms, and what was not looked for in numbers."""
    for table in tables:
        for column in table.columns:
            if column.digits:
                yield (
                    f"{table.name}: {column.name} holds digits that policy blocks "
                    f"({', '.join(column.digits)}); it is text here, such cells by pseudonyms"
                )
    if looked := [kind for kind in KINDS if kind in policy.blocked_patterns]:
        partly = [f"{table.name}.{name}" for table in tables for name in _looked_at_in_part(table)]
        if partly:
            yield (
                f"some values of columns of digits were looked at for {', '.join(looked)}, not "
                f"all, and none found: {', '.join(partly[:_NAMED])}"
                + (f" and {len(partly) - _NAMED} more" if len(partly) > _NAMED else "")
            )
    numbers = any(is_number(column.type) for table in tables for column in table.columns)
    if numbers and any(map(_MAY_MATCH_DIGITS.search, policy.own_expressions)):
        yield (
            "the blocked expressions were tried on the smallest, the largest and a few other "
            "numbers of each column; columns in which they match none of these are shown"
        )


def _looked_at_in_part(table: FlatTable) -> Iterator[str]:
    """Columns that may hold personal digits and were not found to, not all of them looked at."""
    for column in table.columns:
        known = table.stored.statistics.get(column.name)
        if known is None or column.digits or not any(may_be_digits(column, known)):
            continue
        asked = live(table.source) is None or (known.minimum and table.stored.rows <= ROWS)
        if known.distinct > VALUES or not asked:
            yield column.name


def _decisions(
    source: PreparedSource, tables: Sequence[FlatTable], policy: Policy
) -> Iterator[ReadDecision]:
    """What was decided while a source was read, under its tables' names in the request."""
    flat = {table.stored.name: table for table in tables if table.source.digest == source.digest}
    columns = {name: {column.name for column in table.columns} for name, table in flat.items()}
    for decision in source.decisions:
        table = flat.get(decision.table)
        if table is not None and (
            not decision.column or decision.column in columns[decision.table]
        ):
            value = decision.model_dump() | {"table": table.name}
            for name in ("because", "value"):
                value[name] = policy.masked(value[name])
            yield ReadDecision(source_name=policy.masked(source.label), **value)


def _doubts(source: PreparedSource, tables: Sequence[FlatTable], policy: Policy) -> Iterator[Doubt]:
    """What was seen in a source, under its tables' names in the request; nothing of what policy
    hides."""
    flat = {table.stored.name: table for table in tables if table.source.digest == source.digest}
    for doubt in source.doubts:
        table = flat.get(doubt.table)
        shown = {"", *(column.name for column in table.columns)} if table is not None else set()
        if table is None or doubt.column not in shown:
            continue
        yield within(doubt, policy).model_copy(
            update={"table": table.name, "source_name": policy.masked(source.label)}
        )


def _table(
    table: FlatTable, found: Statistics, related: Sequence[Relationship], policy: Policy
) -> TableDescription:
    keys = {r.from_column for r in related if r.from_table == table.name}
    keys |= {r.to_column for r in related if r.to_table == table.name}
    primary = table.stored.primary_key
    keys |= set(primary)
    columns = []
    for column in table.columns:
        known = found[table.name][column.name]
        kind = data_type(column.type)
        is_key = column.name in keys
        columns.append(
            ColumnDescription(
                name=column.name,
                data_type=kind,
                role=role(column.name, kind, known, rows=table.stored.rows, is_key=is_key),
                nullable=known.nulls > 0,
                distinct=known.distinct,
                nulls=known.nulls,
                minimum=known.minimum,
                maximum=known.maximum,
                samples=known.samples,
                comment=policy.masked(column.comment),
                unread=not column.read,
            )
        )
    visible = {column.name for column in table.columns}
    return TableDescription(
        name=table.name,
        source_name=policy.masked(table.source.label),
        rows=table.stored.rows,
        columns=tuple(columns),
        primary_key=primary if set(primary) <= visible else (),
        comment=policy.masked(table.stored.comment),
    )
