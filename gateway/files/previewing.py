"""What an uploaded file holds, for people to look at: schemas and first rows (seed 002)."""

from __future__ import annotations

from collections.abc import Sequence

from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.executor.v1 import executor_service_pb2_grpc
from assay.gateway.v1 import file_service_pb2 as pb
from gateway.domain.session import SessionFile
from mesh.transport.patience import patient

_MOST_TABLES = 200
"""Candidates of one probe: tables behind these are listed without rows."""


async def previewed(
    executor: executor_service_pb2_grpc.ExecutorServiceStub, file: SessionFile, shown: pb.File
) -> pb.PreviewFileResponse:
    """The tables of a file of the caller. Raises AssayError(SOURCE_NOT_READABLE and the like)."""
    sources = [executor_pb.Source(content_digest=file.content.digest, name=file.original_name)]
    described = await patient(
        "executor", executor.DescribeSource, executor_pb.DescribeSourceRequest(sources=sources)
    )
    tables = [_table(table) for table in described.tables]
    rows = await _rows(executor, sources, [table.name for table in tables[:_MOST_TABLES]])
    for table, seen in zip(tables, rows, strict=False):
        table.rows.extend(seen)
    return pb.PreviewFileResponse(file=shown, tables=tables, notes=described.notes)


async def _rows(
    executor: executor_service_pb2_grpc.ExecutorServiceStub,
    sources: Sequence[executor_pb.Source],
    tables: Sequence[str],
) -> list[list[pb.FileRow]]:
    """The first rows of each table; none of one that could not be read in time."""
    wanted = executor_pb.ProbeQueriesRequest(sources=sources)
    for table in tables:
        wanted.queries.add(sql=f"SELECT * FROM {_quoted(table)} LIMIT 3")
    outcomes = (await patient("executor", executor.ProbeQueries, wanted)).outcomes
    return [
        [pb.FileRow(cells=map(_cell, row.cells)) for row in outcome.glimpse] for outcome in outcomes
    ]


def _table(table: executor_pb.TableDescription) -> pb.FileTable:
    return pb.FileTable(
        name=table.name, row_count=table.rows, columns=[_column(one) for one in table.columns]
    )


def _column(column: executor_pb.ColumnDescription) -> pb.FileColumn:
    """Both contracts number seed 002's types alike, which a test holds."""
    return pb.FileColumn(
        name=column.name,
        inferred_type=pb.ColumnInferredType.ValueType(column.inferred_type),
        data_type=pb.ColumnDataType.ValueType(column.data_type),
        cardinality=column.cardinality,
        sample_values=column.sample_values,
        nullable=column.nullable,
    )


def _cell(cell: executor_pb.Cell) -> pb.FileCell:
    kind = cell.WhichOneof("value")
    if kind is None:
        return pb.FileCell()
    value = getattr(cell, kind)
    return pb.FileCell(text=str(value).lower() if kind == "truth" else str(value))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
