"""What sources hold and where values are found in them, for the contract."""

from __future__ import annotations

from collections.abc import Sequence

from assay.common.v1 import data_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from services.executor.contract_doubts import doubt_to
from services.executor.domain.description import (
    ColumnRole,
    DataType,
    SourceDescription,
    ValueHit,
)
from services.executor.sources.prepared import PreparedSource
from services.executor.sources.underway import ReadingProgress

_TYPES = {
    DataType.STRING: pb.DATA_TYPE_STRING,
    DataType.INTEGER: pb.DATA_TYPE_INTEGER,
    DataType.FLOAT: pb.DATA_TYPE_FLOAT,
    DataType.BOOLEAN: pb.DATA_TYPE_BOOLEAN,
    DataType.DATE: pb.DATA_TYPE_DATE,
    DataType.DATETIME: pb.DATA_TYPE_DATETIME,
}
_ROLES = {
    ColumnRole.DIMENSION: pb.COLUMN_ROLE_DIMENSION,
    ColumnRole.MEASURE: pb.COLUMN_ROLE_MEASURE,
    ColumnRole.ID: pb.COLUMN_ROLE_ID,
    ColumnRole.TIMESTAMP: pb.COLUMN_ROLE_TIMESTAMP,
}


def description_to(
    description: SourceDescription, sources: Sequence[PreparedSource], hidden: list[str]
) -> pb.DescribeSourceResponse:
    """What the sources hold, for the contract."""
    return pb.DescribeSourceResponse(
        tables=[
            pb.TableDescription(
                name=table.name,
                source_name=table.source_name,
                rows=table.rows,
                columns=[
                    pb.ColumnDescription(
                        name=column.name,
                        data_type=_TYPES[column.data_type],
                        inferred_type=_ROLES[column.role],
                        nullable=column.nullable,
                        cardinality=column.distinct,
                        nulls=column.nulls,
                        minimum=column.minimum,
                        maximum=column.maximum,
                        sample_values=column.samples,
                        comment=column.comment,
                        unread=column.unread,
                    )
                    for column in table.columns
                ],
                primary_key=table.primary_key,
                comment=table.comment,
            )
            for table in description.tables
        ],
        relationships=[
            pb.Relationship(
                from_table=link.from_table,
                from_column=link.from_column,
                to_table=link.to_table,
                to_column=link.to_column,
                relationship_type=pb.RELATIONSHIP_TYPE_FOREIGN_KEY
                if link.declared
                else pb.RELATIONSHIP_TYPE_SIMILAR_VALUES,
                confidence=link.confidence,
            )
            for link in description.relationships
        ],
        schema_fingerprint=description.schema_fingerprint,
        notes=description.notes,
        decisions=[data_pb2.ReadDecision(**item.model_dump()) for item in description.decisions],
        source_digests=[source.content_digest for source in sources],
        source_seals=[source.seal for source in sources],
        source_fingerprints=[source.schema_fingerprint for source in sources],
        blocked_columns=hidden,
        doubts=map(doubt_to, description.doubts),
    )


def hit_to(hit: ValueHit) -> pb.ValueHit:
    """A matching value, for the contract."""
    return pb.ValueHit(
        phrase=hit.phrase, table=hit.table, column=hit.column, value=hit.value, score=hit.score
    )


def progress_to(progress: ReadingProgress) -> pb.ReadingProgress:
    """How far a reading is, for the contract."""
    value = pb.ReadingProgress(
        source_name=progress.label,
        rows=progress.rows,
        of_rows=progress.of_rows,
        bytes=progress.bytes,
        of_bytes=progress.of_bytes,
    )
    value.elapsed.FromMilliseconds(round(progress.seconds * 1e3))
    return value
