"""The semantic model itself: what its YAML may say, and nothing of how it is read or used.

The fields are the documentation of the form (docs/semantic_model.md); names stand as in the data.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from mesh.repairs import KINDS, repair_of
from services.planner.domain.semantics.kinds import Kind

Name = Annotated[str, StringConstraints(min_length=1, max_length=255, strip_whitespace=True)]
Words = Annotated[str, StringConstraints(min_length=1, max_length=100, strip_whitespace=True)]
Description = Annotated[str, StringConstraints(max_length=1_000, strip_whitespace=True)]
UnitName = Annotated[str, StringConstraints(min_length=1, max_length=40, strip_whitespace=True)]
Formula = Annotated[str, StringConstraints(min_length=1, max_length=2_000, strip_whitespace=True)]
_MOST_SYNONYMS = 50


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class ColumnModel(_Part):
    """What a column means; what is not said is guessed as ever.

    `kind` says what may be done with the values: an `amount` may be added, a `level` not over
    time, an `intensive` number only averaged. `values` gives values other names: each value with
    the words that people say for it. One that is `hidden` does not exist for questions.
    """

    synonyms: tuple[Words, ...] = Field(default=(), max_length=_MOST_SYNONYMS)
    description: Description = ""
    kind: Kind | None = None
    unit: UnitName | None = None
    values: dict[Name, tuple[Words, ...]] = Field(default_factory=dict)
    hidden: bool = False


class MetricModel(_Part):
    """A number that is computed: a `formula` in SQL over columns of its table, and of tables that
    its rows refer to, written "table.column".

    A formula of one row ("price * quantity") is added up or averaged as `kind` says. One that
    aggregates itself ("sum(profit) / sum(price)") is computed for each group as it stands.
    """

    formula: Formula
    kind: Kind | None = None
    unit: UnitName | None = None
    description: Description = ""
    synonyms: tuple[Words, ...] = Field(default=(), max_length=_MOST_SYNONYMS)


class JoinModel(_Part):
    """Each row of the table belongs to at most one row of table `to`: where `on`, own columns with
    those of the other table, are all equal."""

    to: Name
    on: dict[Name, Name] = Field(min_length=1, max_length=8)


class TableModel(_Part):
    """What a table means. `key` are columns that tell its rows apart, `time` the date that they
    are told by: a column of its own, or "table.column" of a table that it refers to. `no_joins` are
    joins that names and values suggest and that there are not."""

    synonyms: tuple[Words, ...] = Field(default=(), max_length=_MOST_SYNONYMS)
    description: Description = ""
    key: tuple[Name, ...] = Field(default=(), max_length=16)
    time: Name | None = None
    hidden: bool = False
    columns: dict[Name, ColumnModel] = Field(default_factory=dict)
    metrics: dict[Words, MetricModel] = Field(default_factory=dict)
    joins: tuple[JoinModel, ...] = Field(default=(), max_length=100)
    no_joins: tuple[JoinModel, ...] = Field(default=(), max_length=100)


def _known(option: str) -> str:
    if repair_of(option) is None:
        raise ValueError(f'"{option}" is no repair; there are {", ".join(KINDS)}')
    return option


RepairOption = Annotated[
    str, StringConstraints(min_length=1, max_length=2_100), AfterValidator(_known)
]
"""A repair as a person writes it: `nothing.CO=-200` (docs/repairs.md)."""


class SemanticModel(_Part):
    """What is said of tables, by their names, and how files are repaired while they are read, by
    the names of the files. `fiscal_year_starts` is the month, 1 to 12, in which fiscal years begin.
    """

    tables: dict[Name, TableModel] = Field(default_factory=dict)
    repairs: dict[Name, tuple[RepairOption, ...]] = Field(default_factory=dict)
    fiscal_year_starts: int | None = Field(default=None, ge=1, le=12)
