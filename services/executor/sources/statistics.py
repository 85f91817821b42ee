"""Types and statistics of the columns that a policy leaves."""

from __future__ import annotations

import duckdb

from mesh.policy import Policy
from services.executor.databases.live import live
from services.executor.databases.statistics import within_policy, without_values
from services.executor.engines.workspace import FlatTable
from services.executor.sources.manifest import ColumnStatistics
from services.executor.sources.measuring import column_statistics
from services.executor.sources.sql import quoted


def statistics(
    cursor: duckdb.DuckDBPyConnection, table: FlatTable, policy: Policy
) -> dict[str, ColumnStatistics]:
    """Statistics of every column a policy leaves, by column name.

    Where cells may be masked, they are taken of what is left to see, else those taken when the
    source was read serve.
    """
    known = table.stored.statistics
    if live(table.source) is not None:
        known_column_statistics = {
            c.name: without_values(known[c.name]) if c.digits else known[c.name]
            for c in table.columns
        }
        return within_policy(known_column_statistics, policy)
    if known and not policy.blocked_patterns:
        return {column.name: known[column.name] for column in table.columns}
    return column_statistics(cursor, quoted(table.name), table.columns, table.stored.rows)
