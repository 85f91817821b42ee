"""What a model says of tables, columns and joins, held against a catalogue and put into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mesh.policy import Policy
from services.planner.domain.catalogue import (
    Alias,
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
    Unrelated,
)
from services.planner.domain.query.columns import holds_numbers
from services.planner.domain.query.joining.joins import graph_of
from services.planner.domain.semantic_model.model import (
    ColumnModel,
    JoinModel,
    SemanticModel,
    TableModel,
)
from services.planner.domain.semantic_model.places import Mistakes, Path, Places, unlisted
from services.planner.domain.semantics.kinds import Kind, adds_up, kind_of
from services.planner.domain.semantics.units import unit_of_name

_ROLES = {
    Kind.ID: ColumnRole.ID,
    Kind.TIME: ColumnRole.TIMESTAMP,
    Kind.AMOUNT: ColumnRole.MEASURE,
    Kind.LEVEL: ColumnRole.MEASURE,
    Kind.INTENSIVE: ColumnRole.MEASURE,
}
NUMBERS = frozenset({Kind.AMOUNT, Kind.LEVEL, Kind.INTENSIVE})
_DATES = (DataType.DATE, DataType.DATETIME)
_UNIQUE = 0.9  # of rows: numbers of different values may be estimates


@dataclass(frozen=True)
class LocatedModel:
    """A model with the places of its text, and what turns out to be wrong with it.

    What is said of what `policy` hides is passed over. `files` are tables by the names of their
    files, where a source has a name of its own and its table is called by that.
    """

    model: SemanticModel
    places: Places
    mistakes: Mistakes
    policy: Policy
    files: Mapping[str, str]

    def named(self, name: str, catalogue: Catalogue) -> Table | None:
        """The table of that name, whatever its case; None where there is none."""
        text = name.casefold()
        names = {table.name.casefold(): table for table in catalogue.tables}
        return names.get(text) or names.get(self.files.get(text, "").casefold())

    def table(self, name: str, catalogue: Catalogue, path: Path, *, of_value: bool) -> Table | None:
        """The table of that name, whatever its case; None, and a mistake, where there is none."""
        found = self.named(name, catalogue)
        gone = self.policy.allowed_columns or self.policy.match(name)
        if found is None and not gone:
            names = [table.name for table in catalogue.tables]
            text = unlisted(f'the data has no table "{name}"', name, names)
            self.mistakes.add(self._place(path, of_value), text)
        return found

    def column(self, name: str, table: Table, path: Path, *, of_value: bool) -> Column | None:
        """The column of that name, whatever its case; None, and a mistake, where there is none."""
        found = next((c for c in table.columns if c.name.casefold() == name.casefold()), None)
        if found is None and self.policy.column_allowed(table.name, name):
            names = [column.name for column in table.columns]
            text = unlisted(f'{table.name} has no column "{name}"', name, names)
            self.mistakes.add(self._place(path, of_value), text)
        return found

    def wrong(self, path: Path, text: str) -> None:
        """Note a mistake at a value."""
        self.mistakes.add(self.places.of_value(path), text)

    def _place(self, path: Path, of_value: bool) -> Any:
        return self.places.of_value(path) if of_value else self.places.of_key(path)


def with_tables(catalogue: Catalogue, located_model: LocatedModel) -> Catalogue:
    """The catalogue with what is said of tables and columns, without tables that are hidden."""
    tables = {table.name: table for table in catalogue.tables}
    for name, table_model in located_model.model.tables.items():
        path: Path = ("tables", name)
        known = located_model.table(name, catalogue, path, of_value=False)
        if known is None:
            continue
        if table_model.hidden:
            del tables[known.name]
            continue
        table = tables[known.name]
        tables[known.name] = table.model_copy(
            update=_changes(table, table_model, path, located_model)
        )
    kept = set(tables)
    return catalogue.model_copy(
        update={
            "tables": tuple(tables.values()),
            "relationships": tuple(
                link
                for link in catalogue.relationships
                if link.from_table in kept and link.to_table in kept
            ),
        }
    )


def _changes(
    table: Table, table_model: TableModel, path: Path, located_model: LocatedModel
) -> dict[str, Any]:
    columns = {column.name: column for column in table.columns}
    for name, of_column in table_model.columns.items():
        here = (*path, "columns", name)
        known = located_model.column(name, table, here, of_value=False)
        if known is not None:
            columns[known.name] = _resolve_column(
                columns[known.name], table, of_column, here, located_model
            )
    key = [
        located_model.column(name, table, (*path, "key", at), of_value=True)
        for at, name in enumerate(table_model.key)
    ]
    found: dict[str, Any] = {"columns": tuple(columns.values())}
    if key and all(key):
        found["primary_key"] = tuple(column.name for column in key if column is not None)
    if table_model.synonyms:
        found["synonyms"] = table_model.synonyms
    if table_model.description:
        found["comment"] = table_model.description
    return found


def _resolve_column(
    column: Column, table: Table, column_model: ColumnModel, path: Path, located_model: LocatedModel
) -> Column:
    """The column with what is said of it, once its values bear that out.

    What would be taken for granted anyway is left as it is, so that saying it changes nothing.
    """
    changes: dict[str, Any] = {}
    guessed = kind_of(column, table)
    sure = guessed is not Kind.AMOUNT or adds_up(column)
    if column_model.kind is not None and (column_model.kind is not guessed or not sure):
        if why := _cannot_be(column, column_model.kind):
            located_model.wrong((*path, "kind"), why)
        changes |= {
            "kind": column_model.kind.value,
            "role": _ROLES.get(column_model.kind, ColumnRole.DIMENSION),
        }
    named = unit_of_name(column.name)
    if column_model.unit is not None and (named is None or column_model.unit != named.name):
        changes["unit"] = column_model.unit
    if column_model.synonyms:
        changes["synonyms"] = column_model.synonyms
    if column_model.description:
        changes["comment"] = column_model.description
    if column_model.values:
        whole = 0 < column.distinct <= len(column.samples)
        for value in column_model.values:
            if whole and value not in column.samples:
                why = unlisted(f'{column.name} has no value "{value}"', value, column.samples)
                located_model.mistakes.add(
                    located_model.places.of_key((*path, "values", value)), why
                )
        changes["aliases"] = tuple(
            Alias(said=word, value=value)
            for value, words in column_model.values.items()
            for word in words
        )
    return column.model_copy(update=changes)


def _cannot_be(column: Column, kind: Kind) -> str:
    """Why a column's values are not of a kind; empty where they may be."""
    if kind in NUMBERS and not holds_numbers(column):
        return f"{column.name} holds no numbers ({column.data_type}): it cannot be {_a(kind)}"
    dated = column.data_type in _DATES or column.data_type is DataType.STRING
    if kind is Kind.TIME and not dated:
        return f"{column.name} holds no dates ({column.data_type}): it cannot be a time"
    return ""


def _a(kind: Kind) -> str:
    return f"an {kind}" if kind.value[0] in "aei" else f"a {kind}"


def with_joins(catalogue: Catalogue, located_model: LocatedModel) -> Catalogue:
    """The catalogue with declared joins in place of guessed ones, without those that are denied,
    and with each table's date."""
    catalogue = catalogue.denying(_denied(catalogue, located_model))
    declared: list[Relationship] = []
    for name, table_model in located_model.model.tables.items():
        table = located_model.named(name, catalogue)
        for at, join in enumerate(table_model.joins):
            link = _link(table, join, ("tables", name, "joins", at), catalogue, located_model)
            declared += [link] if link is not None else []
    pairs = {frozenset((link.from_table, link.to_table)) for link in declared}
    ends = {(link.from_table, link.from_column) for link in declared}
    kept = tuple(
        link
        for link in catalogue.relationships
        if (link.from_table, link.from_column) not in ends
        and (link.declared or frozenset((link.from_table, link.to_table)) not in pairs)
    )
    catalogue = catalogue.model_copy(update={"relationships": (*declared, *kept)})
    for name, table_model in located_model.model.tables.items():
        table = located_model.named(name, catalogue)
        if table is not None and table_model.time is not None:
            dated = _dated(
                table_model.time, table, ("tables", name, "time"), catalogue, located_model
            )
            changed = table.model_copy(update={"time_column": dated})
            tables = tuple(changed if t.name == table.name else t for t in catalogue.tables)
            catalogue = catalogue.model_copy(update={"tables": tables})
    return catalogue


def _denied(catalogue: Catalogue, located_model: LocatedModel) -> list[Unrelated]:
    """The pairs of columns that a model says do not join their tables."""
    found: list[Unrelated] = []
    for name, table_model in located_model.model.tables.items():
        table = located_model.named(name, catalogue)
        for at, join in enumerate(table_model.no_joins):
            path: Path = ("tables", name, "no_joins", at)
            other = located_model.table(join.to, catalogue, (*path, "to"), of_value=True)
            if table is None or other is None:
                continue
            for here, there in join.on.items():
                own = located_model.column(here, table, (*path, "on", here), of_value=False)
                its = located_model.column(there, other, (*path, "on", here), of_value=True)
                if own is not None and its is not None:
                    found.append(
                        Unrelated(
                            table=table.name,
                            column=own.name,
                            other_table=other.name,
                            other_column=its.name,
                        )
                    )
    return found


def _link(
    table: Table | None,
    join: JoinModel,
    path: Path,
    catalogue: Catalogue,
    located_model: LocatedModel,
) -> Relationship | None:
    other = located_model.table(join.to, catalogue, (*path, "to"), of_value=True)
    if table is None or other is None:
        return None
    pairs: list[tuple[Column, Column]] = []
    for here, there in join.on.items():
        place = (*path, "on", here)
        own = located_model.column(here, table, place, of_value=False)
        its = located_model.column(there, other, place, of_value=True)
        if own is None or its is None:
            return None
        pairs.append((own, its))
    own, its = pairs[0]
    if len(pairs) == 1 and its.distinct < other.rows * _UNIQUE and other.primary_key != (its.name,):
        located_model.wrong(
            (*path, "on", next(iter(join.on))),
            f"{other.name}.{its.name} does not tell the rows of {other.name} apart "
            f"({its.distinct:,} different in {other.rows:,} rows), and a join leads to one row at "
            "most: name more columns, or declare it at the other table",
        )
    return Relationship(
        from_table=table.name,
        from_column=own.name,
        to_table=other.name,
        to_column=its.name,
        further=tuple((a.name, b.name) for a, b in pairs[1:]),
        by_model=True,
    )


def _dated(
    name: str, table: Table, path: Path, catalogue: Catalogue, located_model: LocatedModel
) -> str:
    """The date of a table's rows in full where it is another table's; empty for what cannot be."""
    owner, _, column = name.rpartition(".")
    of: Table | None = table
    if owner and owner.casefold() != table.name.casefold():
        of = located_model.table(owner, catalogue, path, of_value=True)
        tree = graph_of(catalogue).tree(table.name, [of.name]) if of is not None else None
        if of is not None and tree is not None and (tree.missing or tree.fans_out):
            located_model.wrong(
                path, f"a row of {table.name} does not belong to one row of {of.name}"
            )
    found = located_model.column(column, of, path, of_value=True) if of is not None else None
    if found is None or of is None:
        return ""
    if found.data_type not in _DATES:
        located_model.wrong(path, f"{found.name} holds no dates ({found.data_type})")
    return found.name if of.name == table.name else f"{of.name}.{found.name}"
