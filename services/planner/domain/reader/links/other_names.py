"""Names of columns that nobody gave them and people use: by what they hold or stand beside."""

from __future__ import annotations

from functools import lru_cache

from services.planner.domain.catalogue import Catalogue, Table
from services.planner.domain.reader.links.countries import named_by_values
from services.planner.domain.reader.links.price_bars import named_in_bar


@lru_cache(maxsize=16)
def with_other_names(catalogue: Catalogue) -> Catalogue:
    """The catalogue with what columns are called by their values and by those beside them."""
    changed: dict[str, Table] = {}
    for table in catalogue.tables:
        named = {c.name: named_by_values(c, table) or named_in_bar(c, table) for c in table.columns}
        if any(named.values()):
            columns = tuple(
                c.model_copy(update={"synonyms": named[c.name]}) if named[c.name] else c
                for c in table.columns
            )
            changed[table.name] = table.model_copy(update={"columns": columns})
    if not changed:
        return catalogue
    tables = tuple(changed.get(table.name, table) for table in catalogue.tables)
    return catalogue.model_copy(update={"tables": tables})
