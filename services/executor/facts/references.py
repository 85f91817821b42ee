"""How many rows refer to each key of another table, and how many to none."""

from __future__ import annotations

from services.executor.domain.description import Relationship, TableDescription
from services.executor.domain.facts import ReferenceFacts
from services.executor.facts.asking import Ask, is_exact, rows_of
from services.executor.sources.sql import quoted


def reference_facts(
    link: Relationship, source: TableDescription, target: TableDescription, ask: Ask
) -> ReferenceFacts:
    """What rows of the one table make of the other's key. Raises UnansweredError."""
    column, key = quoted(link.from_column), quoted(link.to_column)
    row = ask(
        "SELECT coalesce(sum(here.n), 0) AS filled, "
        "coalesce(sum(CASE WHEN there.v IS NULL THEN here.n END), 0) AS orphans, "
        "count(*) AS different, count(there.v) AS used, "
        "coalesce(max(CASE WHEN there.v IS NOT NULL THEN here.n END), 0) AS most, "
        f"(SELECT count(DISTINCT {key}) FROM {quoted(target.name)}) AS keys FROM "
        f"(SELECT {column} AS v, count(*) AS n FROM {rows_of(source, sampled=True)} "
        f"WHERE {column} IS NOT NULL GROUP BY {column}) AS here LEFT JOIN "
        f"(SELECT DISTINCT {key} AS v FROM {quoted(target.name)}) AS there ON here.v = there.v",
        1,
    )[0]
    filled, orphans, different, used, most, keys = (int(cell) for cell in row)
    return ReferenceFacts(
        from_table=link.from_table,
        from_column=link.from_column,
        to_table=link.to_table,
        to_column=link.to_column,
        declared=link.declared,
        filled=filled,
        orphans=orphans,
        share=used / different if different else 0.0,
        keys=keys,
        used=used,
        most=most,
        exact=is_exact(source),
    )
