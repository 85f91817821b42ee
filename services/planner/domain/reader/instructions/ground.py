"""What sentences are read over: the table with the columns made so far, and the steps to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from services.planner.domain.catalogue import Column, ColumnRole, DataType, Table
from services.planner.domain.query.defining.terms import (
    Choice,
    Computed,
    Constant,
    Function,
    Overall,
    Reference,
    Term,
    WholeColumn,
)
from services.planner.domain.reader.instructions.analysis import Derive, Keep, Step

_YES = frozenset(("1", "1.0", "yes", "y", "true", "t"))


class UnreadableError(ValueError):
    """A part of the question that cannot be read or done, said to people."""


@dataclass
class Ground:
    """The table as the steps leave it; `meant` says which column a changed one is meant by.

    `current` is the column that was spoken of last, `grouped` the groups that were made last,
    `labels` their names; `spoken` are values of columns that the names of figures speak of.
    """

    table: Table
    steps: list[Step] = field(default_factory=list)
    resolved: dict[str, str] = field(default_factory=dict)
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    spoken: dict[str, tuple[str, ...]] = field(default_factory=dict)
    current: str = ""
    grouped: str = ""
    notes: list[str] = field(default_factory=list)

    def column(self, name: str) -> Column:
        """A column by its name."""
        found = self.table.column(name)
        if found is None:
            raise UnreadableError(f"there is no column {name}.")
        return found

    def meaning(self, name: str) -> str:
        """The column that is meant by a name once it was changed."""
        return self.resolved.get(name, name)

    def reference(self, name: str) -> Reference:
        """A column in a term."""
        return Reference(table=self.table.name, column=name)

    def overall(self, statistic: WholeColumn, name: str, part: float | None = None) -> Overall:
        """A statistic of a whole column, of the rows that are there by then."""
        return Overall(statistic=statistic, of=self.reference(name), part=part)

    def numeric(self, name: str) -> bool:
        """Whether a column holds numbers."""
        return self.column(name).data_type in (DataType.INTEGER, DataType.FLOAT)

    def derive(self, name: str, term: Term, text: str, labels: Sequence[str] = ()) -> None:
        """A step that makes a column."""
        self.steps.append(Derive(column=name, term=term, text=text))
        old = self.table.column(name)
        kept = [column for column in self.table.columns if column.name != name]
        made = Column(
            name=name,
            data_type=DataType.STRING if labels else DataType.FLOAT,
            role=ColumnRole.DIMENSION if labels else ColumnRole.MEASURE,
            nullable=True,
            distinct=len(labels) or (old.distinct if old is not None else self.table.rows),
            samples=tuple(labels),
        )
        if isinstance(term, Choice) and not labels:
            values = {b.then.value for b in term.branches if isinstance(b.then, Constant)}
            other = term.otherwise
            values |= {other.value} if isinstance(other, Constant) else set()
            made = made.model_copy(
                update={"distinct": len(values), "samples": tuple(sorted(map(str, values)))}
            )
        if labels:
            self.labels[name] = tuple(labels)
        self.table = self.table.model_copy(update={"columns": (*kept, made)})
        self.current = name

    def keep(self, term: Term, text: str) -> None:
        """A step that leaves rows out."""
        step = Keep(term=term, text=text)
        if step not in self.steps:
            self.steps.append(step)

    def constant(self, name: str, text: str) -> Constant:
        """A value of a column as that column holds it."""
        if self.numeric(name):
            try:
                number = float(text)
            except ValueError:
                return Constant(value=text)
            return Constant(value=int(number) if number.is_integer() else number)
        return Constant(value=text)

    def flag_value(self, name: str, *, holds: bool) -> str:
        """How a column with two values says yes, or no."""
        column = self.column(name)
        if column.data_type is DataType.BOOLEAN:
            return str(holds)
        texts = [s for s in column.samples if (s.strip().lower() in _YES) == holds]
        return texts[0] if texts else str(holds)

    def flag(self, name: str, *, holds: bool) -> Term | None:
        """That a column with two values says yes (or no); None where it says neither."""
        column = self.column(name)
        if column.data_type is DataType.BOOLEAN:
            here: Term = self.reference(name)
            return here if holds else Computed(function="not", operands=(here,))
        if column.distinct != 2:
            return None
        yes = next((s for s in column.samples if s.strip().lower() in _YES), None)
        if yes is None:
            return None
        sign: Function = "==" if holds else "!="
        return compared(self.reference(name), sign, self.constant(name, yes))


def compared(one: Term, sign: Function, other: Term) -> Computed:
    """Two terms set against one another."""
    return Computed(function=sign, operands=(one, other))


def number(value: float) -> Constant:
    """A number in a term."""
    return Constant(value=int(value) if float(value).is_integer() else value)


def both(terms: Sequence[Term]) -> Term | None:
    """That all of these hold; None without any."""
    if len(terms) < 2:
        return terms[0] if terms else None
    return Computed(function="and", operands=tuple(terms))


def either(terms: Sequence[Term]) -> Term:
    """That one of these holds."""
    return terms[0] if len(terms) == 1 else Computed(function="or", operands=tuple(terms))


def deviations(ground: Ground, name: str) -> Term:
    """How many (sample) deviations a column's values lie from its mean."""
    away = compared(ground.reference(name), "-", ground.overall("mean", name))
    return compared(away, "/", ground.overall("deviation", name))


def inside(ground: Ground, name: str, method: str, limit: float) -> Term:
    """That a value is no outlier: within so many deviations, or ranges beyond the quartiles."""
    here = ground.reference(name)
    if method == "z-score":
        away = Computed(function="absolute", operands=(deviations(ground, name),))
        return compared(away, "<=", number(limit))
    low, high = (ground.overall(s, name) for s in ("lower quartile", "upper quartile"))
    reach = compared(number(limit), "*", compared(high, "-", low))
    ends = compared(low, "-", reach), compared(high, "+", reach)
    return Computed(
        function="and", operands=(compared(here, ">=", ends[0]), compared(here, "<=", ends[1]))
    )
