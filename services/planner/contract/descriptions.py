"""What the executor says of sources: tables, columns, keys, and how their files were read."""

from __future__ import annotations

from assay.common.v1 import data_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from services.planner.contract.doubts import doubt_from
from services.planner.contract.facts import facts_from
from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
)
from services.planner.domain.reading import ReadDecision

_TYPES = {
    pb.DATA_TYPE_STRING: DataType.STRING,
    pb.DATA_TYPE_INTEGER: DataType.INTEGER,
    pb.DATA_TYPE_FLOAT: DataType.FLOAT,
    pb.DATA_TYPE_BOOLEAN: DataType.BOOLEAN,
    pb.DATA_TYPE_DATE: DataType.DATE,
    pb.DATA_TYPE_DATETIME: DataType.DATETIME,
}
_ROLES = {
    pb.COLUMN_ROLE_DIMENSION: ColumnRole.DIMENSION,
    pb.COLUMN_ROLE_MEASURE: ColumnRole.MEASURE,
    pb.COLUMN_ROLE_ID: ColumnRole.ID,
    pb.COLUMN_ROLE_TIMESTAMP: ColumnRole.TIMESTAMP,
}


def catalogue_from(answer: pb.DescribeSourceResponse) -> Catalogue:
    """The tables of sources and how they are related, as the domain knows them."""
    return Catalogue(
        tables=tuple(_table(table) for table in answer.tables),
        relationships=tuple(
            Relationship(
                from_table=link.from_table,
                from_column=link.from_column,
                to_table=link.to_table,
                to_column=link.to_column,
                confidence=link.confidence,
                declared=link.relationship_type == pb.RELATIONSHIP_TYPE_FOREIGN_KEY,
            )
            for link in answer.relationships
        ),
        fingerprint=answer.schema_fingerprint,
        facts=facts_from(answer.facts),
        doubts=tuple(map(doubt_from, answer.doubts)),
    )


def _table(table: pb.TableDescription) -> Table:
    return Table(
        name=table.name,
        source_name=table.source_name,
        rows=table.rows,
        columns=tuple(_column(column) for column in table.columns),
        primary_key=tuple(table.primary_key),
        comment=table.comment,
    )


def _column(column: pb.ColumnDescription) -> Column:
    return Column(
        name=column.name,
        data_type=_TYPES[column.data_type],
        role=_ROLES[column.inferred_type],
        nullable=column.nullable,
        distinct=column.cardinality,
        nulls=column.nulls,
        minimum=column.minimum if column.HasField("minimum") else None,
        maximum=column.maximum if column.HasField("maximum") else None,
        samples=tuple(column.sample_values),
        comment=column.comment,
        unread=column.unread,
    )


def read_decision_from(message: data_pb2.ReadDecision) -> ReadDecision:
    """What was decided while a file was read, from the contract."""
    return ReadDecision(
        source_name=message.source_name,
        table=message.table,
        subject=message.subject,
        value=message.value,
        column=message.column,
        because=message.because,
        certain=message.certain,
    )
