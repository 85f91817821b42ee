"""Things that only a column of near meaning stands for."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.catalogue import Catalogue, DataType
from services.planner.domain.language.linking.meanings import SIMILAR
from services.planner.domain.language.linking.mention import Mention
from services.planner.domain.language.resolving.things import as_rows

_NEARLY_ALL = 0.95


def rows_alike(mentions: Sequence[Mention], catalogue: Catalogue) -> list[Mention]:
    """The mentions, with the table for things that only a column of near meaning stands for, of
    which every row has its own: of films with an "imdb" each, "films" are the rows."""
    return [_alike(mention, catalogue) for mention in mentions]


def _alike(mention: Mention, catalogue: Catalogue) -> Mention:
    chosen = mention.chosen
    table = catalogue.table(chosen.table)
    column = table.column(chosen.column) if table is not None else None
    if len(catalogue.tables) != 1 or table is None or column is None:
        return mention
    own = column.distinct >= _NEARLY_ALL * table.rows > 1 and column.data_type is DataType.STRING
    near = chosen.kind == "column" and chosen.reason.startswith(SIMILAR)
    plural = mention.phrase.lower().endswith("s")
    return as_rows(mention, table) if own and near and plural else mention
