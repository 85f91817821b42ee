"""What tells the rows of a source apart, and so whether a join repeats the rows of another.

An order joined with its lines comes once for each line ("fan trap", and with two sets of lines
"chasm trap"; Adamson, Star Schema, 2010, ch. 4).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, Table
from services.planner.domain.checks.statement import Block, parts

Keys = tuple[frozenset[str], ...]


@dataclass(frozen=True)
class Edge:
    """Conditions that tie two aliases; of each, the columns whose values they settle."""

    one: str
    other: str
    equal: dict[str, set[str]] = field(default_factory=dict)

    def across(self, alias: str) -> str:
        """The alias at the other end."""
        return self.other if alias == self.one else self.one


def keys_of(table: Table, catalogue: Catalogue) -> Keys:
    """Sets of columns, in lower case, each of which tells the rows of a table apart: those that
    were measured, and before anything was those that the description shows."""
    found = [frozenset(map(str.casefold, table.primary_key))] if table.primary_key else []
    found += [
        frozenset((column.name.casefold(),))
        for column in table.columns
        if table.rows > 0 and not column.nulls and column.distinct >= table.rows
    ]
    measured = catalogue.facts.of(table.name)
    found += [
        frozenset(map(str.casefold, key.columns))
        for key in (measured.keys if measured is not None else ())
        if not key.nulls
    ]
    for link in catalogue.relationships:
        if link.to_table == table.name:
            further = (there.casefold() for _, there in link.further)
            found.append(frozenset((link.to_column.casefold(), *further)))
    return tuple(dict.fromkeys(found))


def keys_of_source(source: Table | Block | None, catalogue: Catalogue) -> Keys:
    """As `keys_of`, for whatever a SELECT reads; none where nothing is known."""
    if isinstance(source, Table):
        return keys_of(source, catalogue)
    return _keys_given(source, catalogue) if source is not None else ()


def _keys_given(block: Block, catalogue: Catalogue) -> Keys:
    """Columns that tell apart the rows that a SELECT gives, by the names it gives them."""
    given = {item.unalias().sql(): item.alias_or_name for item in block.select.expressions}
    if not block.groups and block.aggregates:
        return (frozenset(),)
    if block.groups:
        names = [given.get(group.sql()) for group in block.groups]
        return (frozenset(n for n in names if n),) if None not in names else ()
    if block.select.args.get("distinct") is not None:
        return (frozenset(given.values()),)
    limit = block.select.args.get("limit")
    if limit is not None and limit.expression is not None and limit.expression.sql() == "1":
        return (frozenset(),)
    tied, found = edges(block), []
    for alias, source in block.sources.items():
        if repeating(alias, tied, block) is not None:
            continue
        for key in keys_of_source(source, catalogue):
            names = [given.get(exp.column(name, table=alias).sql()) for name in key]
            if None not in names:
                found.append(frozenset(n for n in names if n))
    return tuple(found)


def edges(block: Block) -> list[Edge]:
    """What ties the sources of a SELECT; columns held at one value settle theirs, too."""
    found: dict[frozenset[str], Edge] = {}
    fixed: dict[str, set[str]] = {alias: set() for alias in block.sources}
    for node in conditions(block):
        if not isinstance(node, exp.EQ | exp.NullSafeEQ):
            continue
        left, right = node.left.unnest(), node.right.unnest()
        one, other = _of(left, block), _of(right, block)
        if one and other and one[0] != other[0]:
            edge = found.setdefault(frozenset((one[0], other[0])), Edge(one[0], other[0]))
            edge.equal.setdefault(one[0], set()).add(one[1])
            edge.equal.setdefault(other[0], set()).add(other[1])
        for side, value in ((one, right), (other, left)):
            if side and isinstance(value, exp.Literal | exp.Boolean):
                fixed[side[0]].add(side[1])
    first, *others = apart(block)
    for alias in (alias for group in others for alias in group):
        for far in first:  # every row goes with every other
            found.setdefault(frozenset((alias, far)), Edge(alias, far))
    for edge in found.values():
        for alias in (edge.one, edge.other):
            edge.equal.setdefault(alias, set()).update(fixed[alias])
    return list(found.values())


def apart(block: Block) -> list[list[str]]:
    """The sources in groups that conditions tie together, and no condition to another group."""
    groups = [[alias] for alias in block.sources]
    for node in conditions(block):
        aliases = {c.table for c in node.find_all(exp.Column)} & set(block.sources)
        met = [group for group in groups if aliases & set(group)]
        if len(met) > 1:
            place = groups.index(met[0])
            groups = [group for group in groups if group not in met]
            groups.insert(place, [alias for group in met for alias in group])
    return groups or [[]]


def repeating(start: str, tied: list[Edge], block: Block) -> Edge | None:
    """The join by which rows of a source may come several times; None where none does."""
    catalogue = block.judged.catalogue
    reached, waiting = {start}, [start]
    while waiting:
        here = waiting.pop(0)
        for edge in tied:
            if here not in (edge.one, edge.other) or edge.across(here) in reached:
                continue
            there = edge.across(here)
            keys = keys_of_source(block.sources[there], catalogue)
            if not any(key <= edge.equal[there] for key in keys):
                return edge
            reached.add(there)
            waiting.append(there)
    return None


def conditions(block: Block) -> Iterator[exp.Expr]:
    """What ties sources or narrows them: of WHERE and of every ON, the parts that AND joins."""
    yield from block.conditions
    for join in block.joins:
        on = join.args.get("on")
        if on is not None and join.side:
            yield from parts(on)


def _of(node: exp.Expr, block: Block) -> tuple[str, str] | None:
    """The alias and name of a column of a source; None for anything else."""
    if isinstance(node, exp.Column) and node.table in block.sources:
        return node.table, node.name
    return None
