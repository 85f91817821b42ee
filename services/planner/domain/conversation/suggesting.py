"""What may be said next of an answer: words that change its reading. Whoever offers them plans them
first."""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.intent import Intent
from services.planner.domain.query.joining.joins import graph_of
from services.planner.domain.reader.fragments.parts import fields_of, tables_of
from services.planner.domain.reader.times.dates import main_date
from services.planner.domain.semantics.kinds import Kind, kind_of

_FEWEST, _MOST = 2, 30
_MANY_ROWS = 10


def suggested(intent: Intent, catalogue: Catalogue, rows: int) -> Iterator[str]:
    """Words, of several kinds in turn, the likeliest to be of use first."""
    if intent.statistic is not None or intent.cohort is not None or not intent.grouped:
        return
    splits = list(_splits(intent, catalogue))
    yield from splits[:1]
    dated = main_date(catalogue, graph_of(catalogue), intent.base, ())
    timeless = all(one.grain is None for one in intent.dimensions)
    if dated is not None and timeless:
        yield "by month" if not intent.dimensions else "by year as well"
    if intent.dimensions and timeless and rows > _MANY_ROWS and intent.limit is None:
        yield "top 5 only"
    yield from splits[1:3]


def _splits(intent: Intent, catalogue: Catalogue) -> Iterator[str]:
    """Columns of the tables in use that make few groups."""
    used = {field.column for field in fields_of(intent)}
    for name in sorted(tables_of(intent), key=lambda name: name != intent.base):
        table = catalogue.table(name)
        for column in table.stored if table is not None else ():
            few = _FEWEST <= column.distinct <= _MOST
            # What each row has of its own tells the rows apart, and groups none.
            fit = (
                table is not None
                and column.distinct < table.rows
                and kind_of(column, table) in (Kind.CATEGORY, Kind.NAME)
            )
            if fit and few and column.name not in used:
                yield f"by {readable(column.name)}"
