"""Groups that are named by numbers: "between cylinders 4 and 8", "4 and 8 cylinders"."""

from __future__ import annotations

from services.planner.domain.query.columns import numeric
from services.planner.domain.query.intent import Condition, Field, Operator
from services.planner.domain.reader.statistics.ground import Ground

_BETWEEN = frozenset(("and", "or", "vs", "versus", "with", "to", "from", "than", ","))


def listed_numbers(ground: Ground) -> list[Condition]:
    """Rows of two or more numbers of a column; its mention and the numbers are taken."""
    found: list[Condition] = []
    for index, mention in enumerate(ground.mentions):
        column = ground.column(mention)
        if mention.kind != "column" or column is None or not numeric(column.data_type):
            continue
        for places in (_after(ground, mention.last), _before(ground, mention.first)):
            values = dict.fromkeys(ground.tokens[place].number for place in places)
            numbers = tuple(_plain(value) for value in values if value is not None)
            if len(numbers) < 2 or not ground.free(index):
                continue
            ground.roles[index] = "condition"
            for place in range(min(places), max(places) + 1):
                ground.tokens[place].used = "condition"
            target = Field(table=mention.table, column=mention.column)
            found.append(Condition(field=target, operator=Operator.IN, values=numbers))
    return found


def _after(ground: Ground, start: int) -> list[int]:
    """The places of the numbers that follow, with nothing but "and" and the like between."""
    places: list[int] = []
    for place in range(start, len(ground.tokens)):
        token = ground.tokens[place]
        if token.number is not None and not token.used:
            places.append(place)
        elif token.lower not in _BETWEEN or not places:
            break
    return places


def _before(ground: Ground, end: int) -> list[int]:
    """The places of the numbers that lead up to it."""
    places: list[int] = []
    for place in range(end - 1, -1, -1):
        token = ground.tokens[place]
        if token.number is not None and not token.used:
            places.append(place)
        elif token.lower not in _BETWEEN or not places:
            break
    return places


def _plain(number: float) -> float:
    return int(number) if number.is_integer() else number
