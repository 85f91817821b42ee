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
class Told:
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
        said = name.casefold()
        names = {table.name.casefold(): table for table in catalogue.tables}
        return names.get(said) or names.get(self.files.get(said, "").casefold())

    def table(self, name: str, catalogue: Catalogue, path: Path, *, of_value: bool) -> Table | None:
        """The table of that name, whatever its case; None, and a mistake, where there is none."""
        found = self.named(name, catalogue)
        gone = self.policy.allowed_columns or self.policy.match(name)
        if found is None and not gone:
            names = [table.name for table in catalogue.tables]
            said = unlisted(f'the data has no table "{name}"', name, names)
            self.mistakes.add(self._place(path, of_value), said)
        return found

    def column(self, name: str, table: Table, path: Path, *, of_value: bool) -> Column | None:
        """The column of that name, whatever its case; None, and a mistake, where there is none."""
        found = next((c for c in table.columns if c.name.casefold() == name.casefold()), None)
        if found is None and self.policy.column_allowed(table.name, name):
            names = [column.name for column in table.columns]
            said = unlisted(f'{table.name} has no column "{name}"', name, names)
            self.mistakes.add(self._place(path, of_value), said)
        return found

    def wrong(self, path: Path, said: str) -> None:
        """Note a mistake at a value."""
        self.mistakes.add(self.places.of_value(path), said)

    def _place(self, path: Path, of_value: bool) -> Any:
        return self.places.of_value(path) if of_value else self.places.of_key(path)


def with_tables(catalogue: Catalogue, told: Told) -> Catalogue:
    """The catalogue with what is said of tables and columns, without tables that are hidden."""
    tables = {table.name: table for table in catalogue.tables}
    for name, said in told.model.tables.items():
        path: Path = ("tables", name)
        known = told.table(name, catalogue, path, of_value=False)
        if known is None:
            continue
        if said.hidden:
            del tables[known.name]
            continue
        table = tables[known.name]
        tables[known.name] = table.model_copy(update=_changes(table, said, path, told))
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


def _changes(table: Table, said: TableModel, path: Path, told: Told) -> dict[str, Any]:
    columns = {column.name: column for column in table.columns}
    for name, of_column in said.columns.items():
        here = (*path, "columns", name)
        known = told.column(name, table, here, of_value=False)
        if known is not None:
            columns[known.name] = _meant(columns[known.name], table, of_column, here, told)
    key = [told.column(name, table, (*path, "key", at), of_value=True)
           for at, name in enumerate(said.key)]  # fmt: skip
    found: dict[str, Any] = {"columns": tuple(columns.values())}
    if key and all(key):
        found["primary_key"] = tuple(column.name for column in key if column is not None)
    if said.synonyms:
        found["synonyms"] = said.synonyms
    if said.description:
        found["comment"] = said.description
    return found


def _meant(column: Column, table: Table, said: ColumnModel, path: Path, told: Told) -> Column:
    """The column with what is said of it, once its values bear that out.

    What would be taken for granted anyway is left as it is, so that saying it changes nothing.
    """
    changes: dict[str, Any] = {}
    guessed = kind_of(column, table)
    sure = guessed is not Kind.AMOUNT or adds_up(column)
    if said.kind is not None and (said.kind is not guessed or not sure):
        if why := _cannot_be(column, said.kind):
            told.wrong((*path, "kind"), why)
        changes |= {"kind": said.kind.value, "role": _ROLES.get(said.kind, ColumnRole.DIMENSION)}
    named = unit_of_name(column.name)
    if said.unit is not None and (named is None or said.unit != named.name):
        changes["unit"] = said.unit
    if said.synonyms:
        changes["synonyms"] = said.synonyms
    if said.description:
        changes["comment"] = said.description
    if said.values:
        whole = 0 < column.distinct <= len(column.samples)
        for value in said.values:
            if whole and value not in column.samples:
                why = unlisted(f'{column.name} has no value "{value}"', value, column.samples)
                told.mistakes.add(told.places.of_key((*path, "values", value)), why)
        changes["aliases"] = tuple(
            Alias(said=word, value=value) for value, words in said.values.items() for word in words
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


def with_joins(catalogue: Catalogue, told: Told) -> Catalogue:
    """The catalogue with declared joins in place of guessed ones, without those that are denied,
    and with each table's date."""
    catalogue = catalogue.denying(_denied(catalogue, told))
    declared: list[Relationship] = []
    for name, said in told.model.tables.items():
        table = told.named(name, catalogue)
        for at, join in enumerate(said.joins):
            link = _link(table, join, ("tables", name, "joins", at), catalogue, told)
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
    for name, said in told.model.tables.items():
        table = told.named(name, catalogue)
        if table is not None and said.time is not None:
            dated = _dated(said.time, table, ("tables", name, "time"), catalogue, told)
            changed = table.model_copy(update={"time_column": dated})
            tables = tuple(changed if t.name == table.name else t for t in catalogue.tables)
            catalogue = catalogue.model_copy(update={"tables": tables})
    return catalogue


def _denied(catalogue: Catalogue, told: Told) -> list[Unrelated]:
    """The pairs of columns that a model says do not join their tables."""
    found: list[Unrelated] = []
    for name, said in told.model.tables.items():
        table = told.named(name, catalogue)
        for at, join in enumerate(said.no_joins):
            path: Path = ("tables", name, "no_joins", at)
            other = told.table(join.to, catalogue, (*path, "to"), of_value=True)
            if table is None or other is None:
                continue
            for here, there in join.on.items():
                own = told.column(here, table, (*path, "on", here), of_value=False)
                its = told.column(there, other, (*path, "on", here), of_value=True)
                if own is not None and its is not None:
                    found.append(
                        Unrelated(
                            table=table.name, column=own.name,
                            other_table=other.name, other_column=its.name,
                        )
                    )  # fmt: skip
    return found


def _link(
    table: Table | None, join: JoinModel, path: Path, catalogue: Catalogue, told: Told
) -> Relationship | None:
    other = told.table(join.to, catalogue, (*path, "to"), of_value=True)
    if table is None or other is None:
        return None
    pairs: list[tuple[Column, Column]] = []
    for here, there in join.on.items():
        place = (*path, "on", here)
        own = told.column(here, table, place, of_value=False)
        its = told.column(there, other, place, of_value=True)
        if own is None or its is None:
            return None
        pairs.append((own, its))
    own, its = pairs[0]
    if len(pairs) == 1 and its.distinct < other.rows * _UNIQUE and other.primary_key != (its.name,):
        told.wrong(
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


def _dated(name: str, table: Table, path: Path, catalogue: Catalogue, told: Told) -> str:
    """The date of a table's rows in full where it is another table's; empty for what cannot be."""
    owner, _, column = name.rpartition(".")
    of: Table | None = table
    if owner and owner.casefold() != table.name.casefold():
        of = told.table(owner, catalogue, path, of_value=True)
        tree = graph_of(catalogue).tree(table.name, [of.name]) if of is not None else None
        if of is not None and tree is not None and (tree.missing or tree.fans_out):
            told.wrong(path, f"a row of {table.name} does not belong to one row of {of.name}")
    found = told.column(column, of, path, of_value=True) if of is not None else None
    if found is None or of is None:
        return ""
    if found.data_type not in _DATES:
        told.wrong(path, f"{found.name} holds no dates ({found.data_type})")
    return found.name if of.name == table.name else f"{of.name}.{found.name}"
