"""What the executor measured of the rows, from the contract."""

from __future__ import annotations

from assay.executor.v1 import executor_service_pb2 as pb
from services.planner.domain.facts import (
    ColumnFacts,
    Coverage,
    Facts,
    Key,
    ReferenceFacts,
    TableFacts,
    TimeFacts,
    ValueCount,
)


def facts_from(message: pb.Facts) -> Facts:
    """Facts as the domain knows them."""
    return Facts(
        tables=tuple(map(_table, message.tables)),
        references=tuple(map(_reference, message.references)),
        unfinished=tuple(message.unfinished),
    )


def _table(table: pb.TableFacts) -> TableFacts:
    return TableFacts(
        table=table.table,
        rows=table.rows,
        measured_rows=table.measured_rows,
        exact=table.exact,
        keys=tuple(
            Key(columns=tuple(key.columns), declared=key.declared, nulls=key.nulls)
            for key in table.keys
        ),
        columns=tuple(map(_column, table.columns)),
        times=tuple(map(_time, table.times)),
        repeated_rows=table.repeated_rows if table.HasField("repeated_rows") else None,
    )


def _column(column: pb.ColumnFacts) -> ColumnFacts:
    return ColumnFacts(
        column=column.column,
        whole=column.whole,
        values=tuple(ValueCount(value=each.value, rows=each.rows) for each in column.values),
        labels=column.labels,
        spelled_apart=column.spelled_apart,
    )


def _time(time: pb.TimeFacts) -> TimeFacts:
    return TimeFacts(
        column=time.column,
        first=time.first,
        last=time.last,
        days=time.days,
        coverage=tuple(
            Coverage(
                grain=each.grain,
                periods=each.periods,
                missing=each.missing,
                examples=tuple(each.examples),
                first_whole=each.first_whole,
                last_whole=each.last_whole,
            )
            for each in time.coverage
        ),
    )


def _reference(one: pb.ReferenceFacts) -> ReferenceFacts:
    return ReferenceFacts(
        from_table=one.from_table,
        from_column=one.from_column,
        to_table=one.to_table,
        to_column=one.to_column,
        declared=one.declared,
        filled=one.filled,
        orphans=one.orphans,
        share=one.share,
        keys=one.keys,
        used=one.used,
        most=one.most,
        exact=one.exact,
    )
