"""Whether a plan needs what was not read of a large file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.analysis.planning import Planning
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.evidence import (
    Evidence,
    Outcome,
    ProbedQuery,
    ProbeLimits,
    ProbeState,
)

_ON_FRAMES = frozenset(
    (
        "df.transform",
        "plot.render",
        "table.write",
        "stats.test",
        "figures.collect",
        "python.run",
        "profiler.analyze",
    )
)
"""Tools that see nothing but what earlier steps gave."""
_STARS = re.compile(r"(?:\bselect|\bdistinct|\ball|,|\.)\s*\*", re.IGNORECASE)

_UNTRIED = Outcome(state=ProbeState.NOT_PROBED, reason="unread")


def unread_of(catalogue: Catalogue) -> list[str]:
    """The columns that are known by a sample alone."""
    return [c.name for table in catalogue.tables for c in table.columns if c.unread]


def of_what_is_read(evidence: Evidence, catalogue: Catalogue) -> Evidence:
    """Evidence for a choice among readings: one that needs what was not read is not tried. Where it
    is chosen all the same, the file is read whole and the choice made anew."""
    unread = unread_of(catalogue)
    if not unread:
        return evidence

    async def asked(
        queries: Sequence[ProbedQuery], limits: ProbeLimits | None = None
    ) -> Sequence[Outcome]:
        tried = [query for query in queries if not _may_touch(unread, query.sql)]
        found = iter(
            await (evidence(tried, limits) if limits else evidence(tried)) if tried else ()
        )
        return [_UNTRIED if _may_touch(unread, query.sql) else next(found) for query in queries]

    return asked


def uses_unread(planning: Planning, catalogue: Catalogue) -> bool:
    """Whether a planning over columns that are known by a sample alone uses one of them, is
    doubtful or found to be at fault without them, or comes to no plan: the file is to be read whole
    then, and the question anew."""
    unread = unread_of(catalogue)
    if not unread:
        return False
    doubted = planning.findings or planning.confidence == "low"
    if planning.draft is None or planning.parts or doubted:
        return True
    for task in planning.draft.subtasks:
        if task.tool_name in _ON_FRAMES:
            continue
        statement = task.arguments.get("query")
        if task.tool_name != "sql.run" or not isinstance(statement, str):
            return True
        if _may_touch(unread, statement):
            return True
    return False


def _may_touch(unread: Sequence[str], statement: str) -> bool:
    text = statement.casefold()
    return bool(_STARS.search(statement)) or any(name.casefold() in text for name in unread)
