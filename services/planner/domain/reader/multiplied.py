"""What is told of a reading whose numbers are of rows that its joins repeat."""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.confidence import thresholds
from services.planner.domain.query.intent import Intent, Understood
from services.planner.domain.query.joining.entities import counts_rows, repeated_ids
from services.planner.domain.query.planning.counted_once import (
    counted_once,
    counts_once,
    describe_repeats,
    parts_overlap,
    repeated,
)
from services.planner.domain.query.planning.summary import summarise

_OVERLAPPING = 0.7  # of groups that share things: whoever asked may want these shared out
_ADDED_SEVERAL_TIMES = thresholds.DOUBTFUL


def with_repeat_notes(found: Understood, catalogue: Catalogue) -> Understood:
    """The reading with what must be known of its numbers before they are read."""
    texts = [
        *describe_repeats(found.intent, catalogue),
        *_describe_repeated_rows(found.intent, catalogue),
    ]
    sentences = [one for one in texts if one not in found.assumptions]
    return (
        found.model_copy(update={"assumptions": (*sentences, *found.assumptions)})
        if sentences
        else found
    )


def _describe_repeated_rows(intent: Intent, catalogue: Catalogue) -> Iterator[str]:
    """That a count is of rows, where a column tells the things apart that its table is named
    for."""
    table = catalogue.table(intent.base)
    if table is None or not any(counts_rows(m, table) and m.shown for m in intent.measures):
        return
    for column in repeated_ids(table):
        yield (
            f"counted are the {table.rows:,} rows of {table.name} and not what they are of: "
            f"there are {column.distinct:,} different {column.name}"
        )


def each_once(found: Understood, catalogue: Catalogue) -> Understood:
    """The reading, after a change, with each row in its numbers once."""
    intent = counted_once(counts_once(found.intent, catalogue), catalogue)
    if intent == found.intent:
        return found
    return found.model_copy(update={"intent": intent, "summary": summarise(intent, catalogue)})


def no_surer(found: Understood, catalogue: Catalogue) -> Understood:
    """The reading as no surer than its repeated rows allow."""
    if repeated(found.intent, catalogue):
        most = _ADDED_SEVERAL_TIMES
    elif parts_overlap(found.intent, catalogue) or any(
        _describe_repeated_rows(found.intent, catalogue)
    ):
        most = _OVERLAPPING
    else:
        return found
    return found.model_copy(update={"confidence": min(found.confidence, most)})
