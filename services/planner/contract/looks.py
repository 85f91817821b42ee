"""What a look shows, and what the executor saw in the rows."""

from __future__ import annotations

from collections.abc import Sequence

from assay.common.v1 import data_pb2, look_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb2
from services.planner.contract.doubts import doubt_to
from services.planner.domain.doubt import Doubt
from services.planner.domain.look.kinds import SemanticKind
from services.planner.domain.look.look import (
    Bin,
    ColumnFindings,
    ColumnLook,
    Findings,
    JoinLook,
    Look,
    TableFindings,
    TableLook,
)

_KINDS = {
    SemanticKind.ID: look_pb2.SEMANTIC_KIND_ID,
    SemanticKind.FLAG: look_pb2.SEMANTIC_KIND_FLAG,
    SemanticKind.CATEGORY: look_pb2.SEMANTIC_KIND_CATEGORY,
    SemanticKind.NAME: look_pb2.SEMANTIC_KIND_NAME,
    SemanticKind.TEXT: look_pb2.SEMANTIC_KIND_TEXT,
    SemanticKind.DATE_PART: look_pb2.SEMANTIC_KIND_DATE_PART,
    SemanticKind.TIME: look_pb2.SEMANTIC_KIND_TIME,
    SemanticKind.AMOUNT: look_pb2.SEMANTIC_KIND_AMOUNT,
    SemanticKind.LEVEL: look_pb2.SEMANTIC_KIND_LEVEL,
    SemanticKind.INTENSIVE: look_pb2.SEMANTIC_KIND_INTENSIVE,
    SemanticKind.NUMBER: look_pb2.SEMANTIC_KIND_NUMBER,
}


def findings_from(message: executor_pb2.Findings) -> Findings:
    """What was seen in the rows, from the contract."""
    return Findings(
        tables=tuple(
            TableFindings(
                table=table.table,
                columns=tuple(
                    ColumnFindings(
                        column=column.column,
                        mean=column.mean if column.HasField("mean") else None,
                        missing=tuple(sorted(column.missing.items())),
                        spellings=tuple(tuple(group.values) for group in column.spellings),
                        bins=tuple(map(_bin_from, column.bins)),
                    )
                    for column in table.columns
                ),
            )
            for table in message.tables
        ),
        unfinished=tuple(message.unfinished),
    )


def look_to(look: Look) -> look_pb2.Look:
    """A look for the contract."""
    return look_pb2.Look(
        tables=[_table_to(table, look.doubts) for table in look.tables],
        notes=look.notes,
        questions=look.questions,
        decisions=[data_pb2.ReadDecision(**item.model_dump()) for item in look.decisions],
        left_out=look.left_out,
        proposal=look.proposal,
        doubts=map(doubt_to, look.doubts),
        matches=[look_pb2.ValueMatch(**one.model_dump()) for one in look.matches],
    )


def _table_to(table: TableLook, doubts: Sequence[Doubt]) -> look_pb2.TableLook:
    return look_pb2.TableLook(
        name=table.name,
        source_name=table.source_name,
        rows=table.rows,
        key=table.key,
        key_declared=table.key_declared,
        columns=[_column_to(column) for column in table.columns],
        joins=[_join_to(join) for join in table.joins],
        doubts=[one.said for one in doubts if one.table == table.name and not one.repaired],
        synonyms=table.synonyms,
        description=table.description,
        time_column=table.time_column,
    )


def _column_to(column: ColumnLook) -> look_pb2.ColumnLook:
    return look_pb2.ColumnLook(
        name=column.name,
        kind=_KINDS[column.kind],
        unit=column.unit,
        minimum=column.minimum,
        maximum=column.maximum,
        mean=column.mean,
        distinct=column.distinct,
        empty=column.empty,
        samples=column.samples,
        synonyms=column.synonyms,
        description=column.description,
        formula=column.formula,
        bins=map(_bin_to, column.bins),
    )


def _join_to(join: JoinLook) -> look_pb2.JoinLook:
    further = [look_pb2.JoinedColumns(column=a, to_column=b) for a, b in join.further]
    return look_pb2.JoinLook(**join.model_dump(exclude={"further"}), further=further)


def _bin_from(message: look_pb2.Bin) -> Bin:
    # "from" is a word of Python's own.
    return Bin(start=getattr(message, "from"), end=message.to, rows=message.rows)


def _bin_to(one: Bin) -> look_pb2.Bin:
    value = look_pb2.Bin(to=one.end, rows=one.rows)
    setattr(value, "from", one.start)
    return value
