"""What was measured of sources, for the contract."""

from __future__ import annotations

from assay.executor.v1 import executor_service_pb2 as pb
from services.executor.domain.facts import Facts, TableFacts


def facts_to(facts: Facts) -> pb.Facts:
    """Facts for the contract."""
    return pb.Facts(
        tables=map(_table_to, facts.tables),
        references=[pb.ReferenceFacts(**one.model_dump()) for one in facts.references],
        unfinished=facts.unfinished,
    )


def _table_to(table: TableFacts) -> pb.TableFacts:
    parts = {"keys", "columns", "times"}
    return pb.TableFacts(
        **table.model_dump(exclude=parts),
        keys=[pb.KeyFacts(**key.model_dump()) for key in table.keys],
        columns=[pb.ColumnFacts(**column.model_dump()) for column in table.columns],
        times=[pb.TimeFacts(**time.model_dump()) for time in table.times],
    )
