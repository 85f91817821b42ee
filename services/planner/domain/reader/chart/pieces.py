"""What readings are made of: conditions that may be meant, and the roles that mentions may play."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from services.planner.domain.query.filters import Against, Condition
from services.planner.domain.query.kinds import Aggregate, Operator
from services.planner.domain.reader.links.schema import Place


class Role(StrEnum):
    """What a mention of a column is for."""

    UNUSED = "unused"
    SHOWN = "shown"
    GROUPED = "grouped"  # shown, and what numbers are split by
    SPLIT = "split"  # split by, and not shown
    AVERAGE = "average"
    SUM = "sum"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    DISTINCT = "distinct"
    ORDERED = "ordered"
    FILTERED = "filtered"


AGGREGATES: dict[Role, Aggregate] = {
    Role.AVERAGE: Aggregate.AVERAGE,
    Role.SUM: Aggregate.SUM,
    Role.MINIMUM: Aggregate.MINIMUM,
    Role.MAXIMUM: Aggregate.MAXIMUM,
    Role.DISTINCT: Aggregate.COUNT_DISTINCT,
}


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """A condition that tokens `first` to `last` may state.

    Without a `place` it is on the number of rows of each group; with an `aggregate` on that of the
    group's values. `source` says what kind of evidence proposed it, `distance` and `coverage` how
    far and how well its column is spoken of, `denied` that a word of negation stands before,
    `rule` which rule of comparison was found. With `against` the column is compared with that one,
    or with as many times it as its only value says. `rows` is the table whose rows are counted,
    where it is told. `note` says, for people, what was taken for granted of it.
    """

    place: Place | None
    operator: Operator
    values: tuple[str | float | int, ...]
    first: int
    last: int
    source: str
    quality: float
    distance: int = 0
    coverage: float = 1.0
    table_distance: int = 0
    denied: bool = False
    aggregate: Aggregate | None = None
    than_average: bool = False
    rule: str = ""
    against: Place | None = None
    note: str = ""
    rows: str = ""

    @property
    def of_groups(self) -> bool:
        """Whether it is asked of groups, not of rows."""
        return self.place is None or self.aggregate is not None

    @property
    def condition(self) -> Condition | Against:
        """As a filter of rows. Raises ValueError for one of groups."""
        if self.place is None:
            raise ValueError("a condition on groups is no filter of rows")
        if self.against is not None:
            return Against(
                field=self.place.field,
                operator=self.operator,
                other=self.against.field,
                factor=float(self.values[0]) if self.values else 1.0,
            )
        return Condition(
            field=self.place.field,
            operator=self.operator,
            values=self.values,
            than_average=self.than_average,
        )
