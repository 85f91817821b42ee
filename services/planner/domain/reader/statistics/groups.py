"""Which test compares groups, and what stands in its way."""

from __future__ import annotations

from collections.abc import Mapping

from services.planner.domain.catalogue import Column, DataType
from services.planner.domain.query.columns import holds_numbers, numeric
from services.planner.domain.query.intent import Field, Statistic
from services.planner.domain.reader.statistics.wish import StatisticWish

Named = Mapping[Field, Column]
"""The columns that a question names."""

FEW_GROUPS = 20
"""Different numbers of a column that may still stand for groups."""

_FEW_CODES = 12
_MOST_GROUPS = 300  # that `stats.test` compares
_DATES = (DataType.DATE, DataType.DATETIME)


def independent(made: Statistic, fields: Named) -> Statistic | str:
    """Whether two columns of kinds go together; or why that cannot be tested."""
    if len(fields) < 2:
        return needs("two columns", fields)
    dates = [f for f, c in fields.items() if c.data_type in _DATES]
    if dates:
        return holds(dates[0], "dates", "a test of groups or of numbers")
    many = _too_many(fields, {})
    if many:
        return many
    test = "chi_square" if made.test == "chi_square" else "independence"
    return made.model_copy(update={"test": test, "columns": tuple(fields)[:2]})


def compared(
    made: Statistic, wish: StatisticWish, fields: Named, either: Mapping[Field, int]
) -> Statistic | str | None:
    """A number between groups; where the test is not named, what is split decides it."""
    chooses = wish.test in ("difference", "relation")
    numbers = [f for f, c in fields.items() if numeric(c.data_type)]
    groups = [f for f, c in fields.items() if f not in numbers and c.data_type not in _DATES]
    groups = groups or numbers[1:]
    if len(groups) > 1 or (groups and groups[0] in numbers):
        groups.sort(key=lambda f: fields[f].distinct)
    measures = [f for f in numbers if f not in groups[:1]]
    if chooses and len(groups) > 1 and not measures:
        return independent(made, {f: fields[f] for f in fields if f in groups})
    if not measures or not groups:
        return None if wish.implied else needs("a number and a column of groups", fields)
    by = groups[0]
    if chooses and fields[measures[0]].distinct == 2:
        return made.model_copy(update={"test": "independence", "columns": (by, measures[0])})
    if chooses and by in numbers and fields[by].distinct > FEW_GROUPS and by not in either:
        return made.model_copy(update={"test": "correlation", "columns": (by, measures[0])})
    many = _too_many({by: fields[by]}, either)
    if many:
        return many
    count = either.get(by, fields[by].distinct)
    test = ("t_test" if count == 2 else "anova") if chooses else made.test
    return made.model_copy(update={"test": test, "columns": (measures[0],), "by": by})


def _too_many(fields: Named, either: Mapping[Field, int]) -> str:
    for target, column in fields.items():
        if either.get(target, column.distinct) > _MOST_GROUPS:
            return (
                f"{target.column} has {column.distinct:,} different values, too many to compare as "
                "groups; name a column with fewer, or two of its values."
            )
    return ""


def needs(what: str, fields: Named) -> str:
    """What is said where too few columns are named for a test."""
    texts = [f.column for f, c in fields.items() if not holds_numbers(c)]
    text = f" ({', '.join(texts)} {'hold' if len(texts) > 1 else 'holds'} none)" if texts else ""
    return f"This test needs {what}{text if 'number' in what else ''}; name the columns meant."


def holds(target: Field, kind: str, test: str) -> str:
    """What is said of a column of the wrong kind."""
    return f"{target.column} holds {kind}, of which {test} cannot be made; name another column."


def is_code(column: Column) -> bool:
    """Whether whole numbers are so few that they may stand for kinds: no straight line is sure."""
    return column.data_type is DataType.INTEGER and column.distinct <= _FEW_CODES
