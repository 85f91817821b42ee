"""A group that was looked at beside others, and picked for a test: the others were tried, too.

A test of the best of forty segments finds something by chance as often as forty tests do, though
only one is made: the other thirty-nine were looked at in an earlier frame of the session (the
garden of forking paths: Gelman and Loken 2013).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from services.planner.domain.catalogue import Catalogue


@dataclass(frozen=True)
class Picked:
    """One of `count` values of a column that a `frame` shows, to which a statement is held."""

    column: str
    value: str
    frame: str
    count: int

    @property
    def told(self) -> str:
        """For people."""
        return (
            f"{self.frame} shows {self.count:,} values of {self.column}, of which {self.value} was "
            f"picked: that counts as {self.count:,} tests"
        )


def find_picked(
    statement: str, earlier: Iterable[tuple[str, str, int]], catalogue: Catalogue
) -> Picked | None:
    """What a tested statement picks out of earlier frames of its session, each with its name, its
    statement and its rows; the one of the most values, None where nothing was picked."""
    wanted = dict(_single_values(_parsed(statement)))
    if not wanted:
        return None
    found: list[Picked] = []
    for frame, text, rows in earlier:
        for column in set(_split_by(_parsed(text))) & set(wanted):
            count = min(rows, _distinct(column, catalogue) or rows)
            if count > 1:
                found.append(Picked(column, wanted[column], frame, count))
    return max(found, key=lambda one: one.count, default=None)


def _parsed(text: str) -> exp.Select | None:
    try:
        tree = sqlglot.parse_one(text, dialect="duckdb")
    except SqlglotError:
        return None
    return tree if isinstance(tree, exp.Select) else None


def _single_values(tree: exp.Select | None) -> Iterator[tuple[str, str]]:
    """Columns that a statement holds to one value each, with these."""
    where = tree.args.get("where") if tree is not None else None
    if where is None:
        return
    together = where.this.flatten() if isinstance(where.this, exp.And) else (where.this,)
    for one in together:
        if not isinstance(one, exp.EQ):
            continue
        sides = (one.left, one.right)
        column = next((side for side in sides if isinstance(side, exp.Column)), None)
        literal = next((side for side in sides if isinstance(side, exp.Literal)), None)
        if column is not None and literal is not None:
            yield column.name.casefold(), literal.name


def _split_by(tree: exp.Select | None) -> Iterator[str]:
    """The columns by which a statement splits its rows."""
    group = tree.args.get("group") if tree is not None else None
    if tree is None or group is None:
        return
    selected = [one.unalias() for one in tree.selects]
    for one in selected if group.args.get("all") else group.expressions:
        if isinstance(one, exp.Literal) and one.is_int and 0 < int(one.name) <= len(selected):
            one = selected[int(one.name) - 1]
        if isinstance(one, exp.Column):
            yield one.name.casefold()


def _distinct(column: str, catalogue: Catalogue) -> int:
    """How many values columns of a name have at most; 0 where there is none."""
    return max(
        (
            known.distinct
            for table in catalogue.tables
            for known in table.columns
            if known.name.casefold() == column
        ),
        default=0,
    )
