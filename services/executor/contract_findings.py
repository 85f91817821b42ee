"""What the rows of sources show, for the contract."""

from __future__ import annotations

from assay.executor.v1 import executor_service_pb2 as pb
from services.executor.domain.description import ColumnFindings, Findings


def findings_to(findings: Findings) -> pb.Findings:
    """Findings for the contract."""
    return pb.Findings(
        tables=[
            pb.TableFindings(
                table=table.table, key=table.key, columns=[_column_to(c) for c in table.columns]
            )
            for table in findings.tables
        ],
        matches=[
            pb.Match(
                from_table=match.from_table,
                from_column=match.from_column,
                to_table=match.to_table,
                to_column=match.to_column,
                share=match.share,
            )
            for match in findings.matches
        ],
        unfinished=findings.unfinished,
    )


def _column_to(column: ColumnFindings) -> pb.ColumnFindings:
    return pb.ColumnFindings(
        column=column.column,
        mean=column.mean,
        missing=dict(column.missing),
        spellings=[pb.Spellings(values=values) for values in column.spellings],
    )
