"""The tables of the data as a study has them: the columns that its rows keep, under what names."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.statements.parsing import statement


def frame_columns(relation: str, catalogue: Catalogue) -> dict[str, str]:
    """What each column of the data is called in the rows of a relation, by "table.column". Columns
    that are worked out from others have no place in the data, and are left out."""
    select = statement(relation)
    if not isinstance(select, exp.Select):
        return {}
    called = {node.alias_or_name: node.name for node in select.find_all(exp.Table) if node.name}
    found: dict[str, str] = {}
    for item in select.expressions:
        node = item.unalias()
        while isinstance(node, exp.Cast | exp.Paren):
            node = node.this
        if isinstance(node, exp.Column):
            place = _place(node, called, catalogue)
            if place is not None:
                found.setdefault(place, item.alias_or_name)
    return found


def _place(node: exp.Column, called: Mapping[str, str], catalogue: Catalogue) -> str | None:
    """The "table.column" that a column of the relation is."""
    tables = [called[node.table]] if node.table in called else list(dict.fromkeys(called.values()))
    for name in tables:
        table = catalogue.table(name)
        if table is not None and table.column(node.name) is not None:
            return f"{name}.{node.name}"
    return None


def of_frame(names: Mapping[str, str], catalogue: Catalogue, texts: Mapping[str, str]) -> Catalogue:
    """The catalogue with the columns of a study alone, and with what people `said` of them, by
    their names in its rows."""
    tables = []
    for table in catalogue.tables:
        columns = tuple(
            column.model_copy(update={"comment": texts.get(name) or column.comment})
            for column in table.columns
            if (name := names.get(f"{table.name}.{column.name}"))
        )
        if columns:
            tables.append(table.model_copy(update={"columns": columns}))
    return catalogue.model_copy(update={"tables": tuple(tables)})
