"""What models name that there is not for questions: hidden by them or the policy, or made of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.semantic_model.model import TableModel
from services.planner.domain.semantic_model.tables import LocatedModel


def list_missing_names(
    catalogue: Catalogue, located_models: Sequence[LocatedModel]
) -> tuple[str, ...]:
    """All names of tables, columns and metrics of these models that the catalogue has not."""
    known = {table.name.casefold() for table in catalogue.tables}
    found: set[str] = set()
    for one in located_models:
        for name, table_model in one.model.tables.items():
            table = one.named(name, catalogue)
            columns = {c.name.casefold() for c in table.columns} if table is not None else set()
            if table is None:
                found.update((name, *table_model.synonyms))
            else:
                known.update(columns, map(str.casefold, table.synonyms))
                known.update(s.casefold() for c in table.columns for s in c.synonyms)
            for own, synonyms in _named(table_model):
                if own.casefold() not in columns:
                    found.update((own, *synonyms))
    return tuple(sorted(name for name in found if name.casefold() not in known))


def _named(table_model: TableModel) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What a model says of a table by name, with its other names."""
    yield from ((name, column.synonyms) for name, column in table_model.columns.items())
    yield from ((name, metric.synonyms) for name, metric in table_model.metrics.items())
