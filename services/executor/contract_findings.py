"""What the rows of sources show, for the contract."""

from __future__ import annotations

from assay.common.v1 import look_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from services.executor.domain.description import Bin, ColumnFindings, Findings


def findings_to(findings: Findings) -> pb.Findings:
    """Findings for the contract."""
    return pb.Findings(
        tables=[
            pb.TableFindings(table=table.table, columns=[_column_to(c) for c in table.columns])
            for table in findings.tables
        ],
        unfinished=findings.unfinished,
    )


def _column_to(column: ColumnFindings) -> pb.ColumnFindings:
    return pb.ColumnFindings(
        column=column.column,
        mean=column.mean,
        missing=dict(column.missing),
        spellings=[pb.Spellings(values=values) for values in column.spellings],
        bins=[_bin_to(one) for one in column.bins],
    )


def _bin_to(one: Bin) -> look_pb2.Bin:
    value = look_pb2.Bin(to=one.end, rows=one.rows)
    setattr(value, "from", one.start)  # a word of Python's own
    return value
