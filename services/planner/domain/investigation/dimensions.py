"""By which columns a metric can be split, the ones that were suspected first."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from services.planner.domain.catalogue import Catalogue, Column, Table
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.query.joining.joins import JoinTree, graph_of
from services.planner.domain.semantics.kinds import Kind, is_time, kind_of

MOST_DIMENSIONS = 12
MOST_VALUES = 10_000
_FEW_NUMBERS = 12
_FEW_VALUES = 60
_CONTACT = frozenset(
    stem(word)
    for word in "phone telephone mobile fax email mail address street postal postcode zip zipcode "
    "url website homepage page photo picture".split()
)
"""Words of columns that tell how to reach one thing: where each has its own, they split nothing."""
_REPEATED = 5
"""How often a value comes on average, at least, that tells how to reach more than one thing: the
pages of a site are kinds of visits, the numbers of its customers are not."""
_TAKEN = frozenset(("bucket", "numerator", "denominator", "rows", "squares"))
"""Columns that the cube of a metric has beside its dimensions."""
_SPLITS = frozenset({Kind.FLAG, Kind.CATEGORY, Kind.NAME})


@dataclass(frozen=True, slots=True)
class DimensionColumn:
    """A column to split by, under the name that it has in the rows of the metric."""

    name: str
    table: str
    column: str
    distinct: int
    suspected: bool = False
    proposed: bool = False


def reached(catalogue: Catalogue, base: str) -> JoinTree:
    """The joins to every table of which each row of `base` has at most one row."""
    graph = graph_of(catalogue)
    tables = [
        table.name
        for table in catalogue.tables
        if table.name != base
        and not (tree := graph.tree(base, {table.name})).missing
        and not tree.fans_out
    ]
    return graph.tree(base, tables)


def dimensions_of(
    catalogue: Catalogue,
    base: str,
    taken: frozenset[tuple[str, str]],
    text: str,
    wanted: Sequence[str] = (),
    proposed: AbstractSet[tuple[str, str]] = frozenset(),
) -> tuple[DimensionColumn, ...]:
    """What the rows of `base` can be split by, at most twelve.

    `taken` are columns that the metric or its time is made of, `said` the words in which causes are
    suspected, `wanted` names that were asked for: then these alone, in their order. `proposed` are
    columns that a model would look at: they come before what nobody spoke of.
    """
    within = {base, *reached(catalogue, base).tables}
    tables = [table for table in catalogue.tables if table.name in within]
    found = [
        (table, column)
        for table in tables
        for column in table.stored
        if (table.name, column.name) not in taken
    ]
    if wanted:
        kept = [pair for name in wanted for pair in found if _is_called(name, *pair)]
    else:
        kept = [pair for pair in found if _splits(*pair, catalogue, within)]
    kept = list(dict.fromkeys(kept))
    names = [column.name.casefold() for _, column in kept]
    stems = {stem(word) for word in words_of(text)}
    made = [
        DimensionColumn(
            name=column.name if _is_free(column.name, names) else f"{table.name} {column.name}",
            table=table.name,
            column=column.name,
            distinct=column.distinct,
            suspected=is_mentioned(table, column, stems),
            proposed=(table.name, column.name) in proposed,
        )
        for table, column in kept
    ]
    if wanted:
        return tuple(made)
    away = _hops(catalogue, base)
    made = [d for d in made if d.suspected or not _is_contact(d, catalogue)]
    made = _once_each(made, catalogue)
    made.sort(
        key=lambda d: (
            not d.suspected,
            not d.proposed,
            d.distinct > _FEW_VALUES,
            away[d.table],
            d.distinct,
        )
    )
    return tuple(made[:MOST_DIMENSIONS])


def _once_each(made: list[DimensionColumn], catalogue: Catalogue) -> list[DimensionColumn]:
    """Of columns that each tell the rows of one table apart, the one with a name: the first name,
    the last name and the id of a person all split the same way."""
    kept: list[DimensionColumn] = []
    texts: set[str] = set()
    for one in sorted(made, key=lambda d: (not d.suspected, not _is_name(d.column))):
        table = catalogue.table(one.table)
        tells = table is not None and table.rows > 2 and one.distinct >= table.rows
        if tells and not one.suspected and one.table in texts:
            continue
        texts |= {one.table} if tells else set()
        kept.append(one)
    return [one for one in made if one in kept]


def _hops(catalogue: Catalogue, base: str) -> dict[str, int]:
    """How many joins away each table is."""
    away = {base: 0}
    for relation in reached(catalogue, base).relations:
        away[relation.right.table] = away.get(relation.left.table, 0) + 1
    return away


def _is_contact(one: DimensionColumn, catalogue: Catalogue) -> bool:
    table = catalogue.table(one.table)
    if table is None or not {stem(word) for word in words_of(one.column)} & _CONTACT:
        return False
    return one.distinct > _FEW_VALUES or one.distinct * _REPEATED > table.rows


def _is_name(name: str) -> bool:
    return bool({stem(word) for word in words_of(name)} & {"name", "title"})


def _splits(table: Table, column: Column, catalogue: Catalogue, within: set[str]) -> bool:
    if is_time(column) or not 2 <= column.distinct <= MOST_VALUES:
        return False
    if table.rows > 20 and column.distinct > table.rows / 2 and table.rows == _largest(catalogue):
        return False  # hardly two rows of a value: it tells rows, not segments
    kind = kind_of(column, table)
    if kind in _SPLITS:
        return True
    if kind is Kind.ID:
        own = column.name in table.primary_key or _is_referred_to(table, column, catalogue)
        return not own and not _refers(table, column, catalogue, within)
    return kind is Kind.AMOUNT and column.distinct <= _FEW_NUMBERS and not _is_decimal(column)


def _is_free(name: str, names: Sequence[str]) -> bool:
    """Whether a column can go by its own name in the rows, whose names differ but in case."""
    return names.count(name.casefold()) == 1 and name.casefold() not in _TAKEN


def _largest(catalogue: Catalogue) -> int:
    return max(table.rows for table in catalogue.tables)


def _refers(table: Table, column: Column, catalogue: Catalogue, within: set[str]) -> bool:
    """Whether it points to rows of a table that is joined anyway: their names say more."""
    return any(
        link.from_table == table.name
        and link.from_column == column.name
        and link.to_table in within
        for link in catalogue.relationships
    )


def _is_referred_to(table: Table, column: Column, catalogue: Catalogue) -> bool:
    """Whether it is the key by which rows of other tables point to this one's: the key of a file,
    which declares none."""
    return column.distinct >= table.rows and any(
        link.to_table == table.name and link.to_column == column.name
        for link in catalogue.relationships
    )


def _is_decimal(column: Column) -> bool:
    return any("." in text and not text.endswith(".0") for text in column.samples)


def _is_called(name: str, table: Table, column: Column) -> bool:
    plain = " ".join(words_of(name)).casefold()
    own = " ".join(words_of(column.name)).casefold()
    long = " ".join([*words_of(table.name), *words_of(column.name)]).casefold()
    return plain in (own, long)


def is_mentioned(table: Table, column: Column, stems: set[str]) -> bool:
    """Whether the words name the column, one of its values, or a synonym of it."""
    names = (column.name, *column.synonyms)
    if any({stem(w) for w in words_of(name)} <= stems for name in names if words_of(name)):
        return True
    values = [{stem(word) for word in words_of(text)} for text in column.samples]
    return kind_of(column, table) in _SPLITS and any(v and v <= stems for v in values)
