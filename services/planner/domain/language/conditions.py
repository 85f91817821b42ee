"""Which rows are meant: comparisons, values, flags, and things that are absent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from services.planner.domain.catalogue import DataType
from services.planner.domain.language.comparisons import Compared, comparisons, target_of
from services.planner.domain.language.cues import NEGATIONS, TEXT_OPERATORS
from services.planner.domain.language.intent import (
    Condition,
    Field,
    Filter,
    Group,
    Operator,
)
from services.planner.domain.language.mention import flag_value, numeric
from services.planner.domain.language.scene import Scene
from services.planner.domain.language.vocabulary import STOP_WORDS

_BE = frozenset(
    """is are was were be been being has have had get got = : as named called""".split()
)
_EMPTY = frozenset(["empty", "missing", "null", "blank", "unknown"])
_COMPARING = frozenset("compare compared comparing comparison versus vs".split())


@dataclass(slots=True)
class Conditions:
    """Filters on rows, comparisons that turn out to be about groups, and columns to be split by.

    A column is split by where every value of it was named, or where some are `compared`.
    """

    filters: list[Filter] = field(default_factory=list)
    grouped: list[Compared] = field(default_factory=list)
    split: list[Field] = field(default_factory=list)
    compared: bool = False


def find_conditions(scene: Scene) -> Conditions:
    """All conditions; the mentions they use get the role "condition"."""
    found = Conditions()
    placed: list[tuple[int, Condition]] = []
    for compared in comparisons(scene):
        if compared.aggregate or _is_table(scene, compared.mention):
            found.grouped.append(compared)
            if compared.mention is not None:
                scene.roles.setdefault(compared.mention, "group condition")
            continue
        target = target_of(scene, compared)
        if target is None:
            continue
        if compared.mention is not None:
            scene.roles[compared.mention] = "condition"
        condition = _condition(target, compared.operator, compared.numbers)
        if not compared.numbers:
            condition = condition.model_copy(update={"than_average": True})
        placed.append((compared.first, condition))
    placed += _emptiness(scene)
    placed += _text_matches(scene)
    placed += _values(scene)
    placed += _flags(scene)
    for wanted in _combine(scene, sorted(placed, key=lambda pair: pair[0])):
        if _names_every_value(scene, wanted):
            found.split.append(_conditions_of(wanted)[0].field)
        elif (either := _compared_values(scene, wanted)) is not None:
            found.split.append(either.field)
            found.filters.append(either)
        else:
            found.filters.append(wanted)
    found.compared = bool(found.split) and is_comparison(scene)
    return found


def is_comparison(scene: Scene) -> bool:
    """True when the question's words set values against each other."""
    return any(token.lower in _COMPARING for token in scene.tokens)


def _compared_values(scene: Scene, wanted: Filter) -> Condition | None:
    """ "Compare Beverages and Seafood": rows of either, to be told apart."""
    conditions = _conditions_of(wanted)
    values = tuple(dict.fromkeys(value for c in conditions for value in c.values))
    alike = len({c.field for c in conditions}) == 1 and len(values) > 1
    if not alike or any(c.operator not in (Operator.EQUAL, Operator.IN) for c in conditions):
        return None
    if not is_comparison(scene):
        return None
    return Condition(field=conditions[0].field, operator=Operator.IN, values=values)


def _conditions_of(wanted: Filter) -> list[Condition]:
    if isinstance(wanted, Condition):
        return [wanted]
    members = wanted.members if isinstance(wanted, Group) else ()
    return [m for m in members if isinstance(m, Condition)]


def _names_every_value(scene: Scene, wanted: Filter) -> bool:
    conditions = _conditions_of(wanted)
    if len({c.field for c in conditions}) != 1:
        return False
    if any(c.operator not in (Operator.EQUAL, Operator.IN) for c in conditions):
        return False
    target = conditions[0].field
    table = scene.catalogue.table(target.table)
    column = table.column(target.column) if table else None
    values = {value for c in conditions for value in c.values}
    if values & {m.chosen.value for m in scene.mentions if m.chosen.written}:
        return False
    return column is not None and column.distinct == len(values) > 1


def _is_table(scene: Scene, index: int | None) -> bool:
    return index is not None and scene.mentions[index].chosen.kind == "table"


def _condition(target: Field, operator: Operator, values: Sequence[float | str]) -> Condition:
    return Condition(field=target, operator=operator, values=tuple(_plain(v) for v in values))


def _plain(value: float | str) -> float | int | str:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _emptiness(scene: Scene) -> list[tuple[int, Condition]]:
    """ "whose region is empty", "where the date is not missing"."""
    found: list[tuple[int, Condition]] = []
    for position, token in enumerate(scene.tokens):
        if token.lower not in _EMPTY or token.used or token.quoted:
            continue
        before = scene.ending(position, within=3)
        if before is None or scene.mentions[before].chosen.kind != "column":
            continue
        gap = scene.words(scene.mentions[before].last, position)
        if not gap or gap[0] not in _BE:
            continue
        chosen = scene.mentions[before].chosen
        scene.roles[before] = "condition"
        token.used = "condition"
        operator = Operator.NOT_NULL if set(gap) & NEGATIONS else Operator.IS_NULL
        target = Field(table=chosen.table, column=chosen.column)
        found.append((position, _condition(target, operator, ())))
    return found


def _text_matches(scene: Scene) -> list[tuple[int, Condition]]:
    found: list[tuple[int, Condition]] = []
    for position in range(len(scene.tokens)):
        for phrase, sign in TEXT_OPERATORS:
            words = phrase.split()
            end = position + len(words)
            if scene.words(position, end) != words or scene.tokens[position].used:
                continue
            value_at = _text_after(scene, end)
            before = scene.ending(position, within=4)
            if value_at is None or before is None:
                continue
            chosen = scene.mentions[before].chosen
            scene.roles[before] = "condition"
            taken = scene.starting(value_at)
            if taken is not None:
                scene.roles[taken] = "condition"
            target = Field(table=chosen.table, column=chosen.column)
            text = scene.tokens[value_at].text
            found.append((position, _condition(target, Operator(sign), (text,))))
            for token in scene.tokens[position : value_at + 1]:
                token.used = token.used or "condition"
            break
    return [pair for pair in found if pair[1].field.column]


def _text_after(scene: Scene, position: int) -> int | None:
    skip = ("the", "letter", "letters", "word", "a", "string", "substring", "text", "phrase")
    for index in range(position, min(position + 4, len(scene.tokens))):
        token = scene.tokens[index]
        if token.quoted or (token.lower not in skip and not token.mark):
            return index
    return None


def _values(scene: Scene) -> list[tuple[int, Condition]]:
    found: list[tuple[int, Condition]] = []
    for index, mention in enumerate(scene.mentions):
        if mention.chosen.kind != "value" or not scene.free(index):
            continue
        chosen = mention.chosen
        neighbour = _column_beside(scene, index, chosen.table, chosen.column)
        if neighbour is not None:
            scene.roles[neighbour] = "condition"
        scene.roles[index] = "condition"
        target = Field(table=chosen.table, column=chosen.column)
        operator = _value_operator(scene, mention.first, neighbour)
        found.append((mention.first, _condition(target, operator, (chosen.value,))))
    linked = {i for m in scene.mentions for i in range(m.first, m.last)}
    for position, token in enumerate(scene.tokens):
        if token.quoted and token.text and not token.used and position not in linked:
            before = scene.ending(position, within=3)
            column = scene.column(scene.mentions[before]) if before is not None else None
            if before is None or column is None or numeric(column.data_type):
                continue
            if scene.mentions[before].chosen.kind != "column":
                continue
            chosen = scene.mentions[before].chosen
            scene.roles[before] = "condition"
            operator = _value_operator(scene, position, before)
            target = Field(table=chosen.table, column=chosen.column)
            found.append((position, _condition(target, operator, (token.text,))))
    return found


def _column_beside(scene: Scene, index: int, table: str, column: str) -> int | None:
    """The mention of that very column next to a value, which then only says whose value it is."""
    value = scene.mentions[index]
    for other in (index - 1, index + 1):
        if not 0 <= other < len(scene.mentions) or not scene.free(other):
            continue
        mention = scene.mentions[other]
        same = (mention.chosen.table, mention.chosen.column) == (table, column)
        gap = scene.words(min(mention.last, value.last), max(mention.first, value.first))
        if same and mention.chosen.kind == "column" and len(gap) <= 4:
            linking = all(w in _BE or w in STOP_WORDS or w in NEGATIONS for w in gap)
            split = set(gap) | set(scene.words(mention.first - 1, mention.first) if gap else ())
            if other < index and linking and not {"by", "per", "each"} & split:
                return other
            if other > index and not gap:
                return other
    return None


def _value_operator(scene: Scene, position: int, neighbour: int | None) -> Operator:
    before_it = neighbour is not None and scene.mentions[neighbour].last <= position
    start = scene.mentions[neighbour].last if neighbour is not None and before_it else position - 5
    words = scene.words(min(start, position - 1), position)
    for mark in (",", ".", "and", "but"):
        if mark in words:
            words = words[words.index(mark) + 1 :]
    before = " ".join(words)
    negated = any(word in NEGATIONS for word in words) or re.search(
        r"other than|different from|!", before
    )
    return Operator.NOT_EQUAL if negated else Operator.EQUAL


def _flags(scene: Scene) -> list[tuple[int, Condition]]:
    found: list[tuple[int, Condition]] = []
    for index, mention in enumerate(scene.mentions):
        column = scene.column(mention)
        if not scene.free(index) or mention.chosen.kind != "column" or column is None:
            continue
        yes = "true" if column.data_type is DataType.BOOLEAN else flag_value(column.samples)
        before = scene.words(mention.first - 3, mention.first)
        said = before[-1:] and before[-1] in (
            "been",
            "is",
            "are",
            "was",
            "were",
            "not",
            "have",
            "has",
        )
        if yes is None or not said or column.distinct > 2:
            continue
        scene.roles[index] = "condition"
        operator = Operator.NOT_EQUAL if set(before) & NEGATIONS else Operator.EQUAL
        value: float | str = float(yes) if numeric(column.data_type) else yes
        target = Field(table=mention.chosen.table, column=mention.chosen.column)
        found.append((mention.first, _condition(target, operator, (value,))))
    return found


def _combine(scene: Scene, placed: Sequence[tuple[int, Condition]]) -> list[Filter]:
    """Neighbouring conditions become alternatives where "or", or one column, ties them."""
    groups: list[list[tuple[int, Condition]]] = []
    for position, condition in placed:
        if groups:
            before, last = groups[-1][-1]
            words = scene.words(before, position)
            same = (
                last.field == condition.field
                and Operator.EQUAL == condition.operator == last.operator
            )
            if "or" in words or same:
                groups[-1].append((position, condition))
                continue
        groups.append([(position, condition)])
    return [_as_filter(scene, group) for group in groups]


def _as_filter(scene: Scene, group: Sequence[tuple[int, Condition]]) -> Filter:
    conditions = [condition for _, condition in group]
    if len(conditions) == 1:
        return conditions[0]
    first = conditions[0]
    same = all(c.field == first.field and c.operator is Operator.EQUAL for c in conditions)
    if same and all(c.values for c in conditions):
        words = scene.words(group[0][0] - 2, group[-1][0])
        values = tuple(dict.fromkeys(c.values[0] for c in conditions))
        if len(values) == 1:
            return first
        if len({isinstance(value, str) for value in values}) > 1:
            return Group(connective="or", members=tuple(conditions))
        if "and" in words and "or" not in words:
            return Group(connective="and", members=tuple(dict.fromkeys(conditions)))
        return Condition(field=first.field, operator=Operator.IN, values=values)
    return Group(connective="or", members=tuple(conditions))
