"""Facts as the executor measures them, made up."""

from __future__ import annotations

from services.planner.domain.facts import ReferenceFacts


def referring(
    from_table: str,
    from_column: str,
    to_table: str,
    to_column: str,
    *,
    share: float = 1.0,
    orphans: int = 0,
    filled: int = 100,
) -> ReferenceFacts:
    """Rows that refer to ten keys, ten rows each but for the orphans."""
    return ReferenceFacts(
        from_table=from_table,
        from_column=from_column,
        to_table=to_table,
        to_column=to_column,
        declared=False,
        filled=filled,
        orphans=orphans,
        share=share,
        keys=10,
        used=10,
        most=10,
    )
