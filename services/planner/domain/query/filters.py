"""Columns, what is made of them, and the conditions on them: the leaves of an intent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Annotated, Literal

from pydantic import Field as Spec

from services.planner.domain.catalogue import Frozen
from services.planner.domain.query.kinds import (
    Operator,
)


class Field(Frozen):
    """A column of a table."""

    kind: Literal["field"] = "field"
    table: str
    column: str


class Relation(Frozen):
    """One step of a join: `left` refers to `right`; `fans_out` when one may match several.

    An `optional` one keeps what nothing matches. `further` are more pairs of columns, of the left
    and of the right table, that must be equal too.
    """

    left: Field
    right: Field
    fans_out: bool = False
    optional: bool = False
    further: tuple[tuple[str, str], ...] = ()


class Copy(Frozen):
    """A table read a second time under a name of its own, for rows that others of it refer to."""

    name: str
    table: str


class FullName(Frozen):
    """The parts of a person's name, to be shown with spaces between them."""

    kind: Literal["full_name"] = "full_name"
    parts: tuple[Field, ...]


class Product(Frozen):
    """The factors multiplied; each of `discounts` is a fraction taken off (times 1 - d)."""

    kind: Literal["product"] = "product"
    factors: tuple[Field, ...]
    discounts: tuple[Field, ...] = ()


class Condition(Frozen):
    """One comparison with given values, or with the column's own average over all its rows.

    That average is told of the rows `among` all, where it is not of every one. `note` is how to
    say it to people, where its own words are not best.
    """

    kind: Literal["condition"] = "condition"
    field: Field
    operator: Operator
    values: tuple[str | float | int | bool | date, ...] = ()
    than_average: bool = False
    among: Filter | None = None
    note: str = ""


class Against(Frozen):
    """One column set against another of the same row: units in stock below the reorder level.

    With a `factor` it is set against so many times the other. Rows that lack either value do not
    fit.
    """

    kind: Literal["against"] = "against"
    field: Field
    operator: Operator
    other: Field
    factor: float = 1.0


class Group(Frozen):
    """Conditions that hold together ("and") or in the alternative ("or")."""

    kind: Literal["group"] = "group"
    connective: Literal["and", "or"]
    members: tuple[Filter, ...]


class Membership(Frozen):
    """Keeps rows of `table` that have (or, when `absent`, have no) related row in `related`.

    `where` narrows which related rows count; `path` says how the tables are joined. `note` says to
    people what goes before `where`.
    """

    kind: Literal["membership"] = "membership"
    table: str
    related: str
    absent: bool = True
    where: Filter | None = None
    note: str = ""
    path: tuple[Relation, ...] = ()


Expression = Annotated[Field | FullName | Product, Spec(discriminator="kind")]
Filter = Annotated[Condition | Against | Group | Membership, Spec(discriminator="kind")]
Condition.model_rebuild()
Group.model_rebuild()
Membership.model_rebuild()


def conditions_of(filters: Iterable[Filter]) -> Iterator[Condition]:
    """The conditions on columns with values, also within groups; not those on related rows."""
    for wanted in filters:
        if isinstance(wanted, Condition):
            yield wanted
        elif isinstance(wanted, Group):
            yield from conditions_of(wanted.members)
