"""Which rows are meant: comparisons, values, flags, and things that are absent."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field

from services.planner.domain.language.conditions.alternatives import Placed, combined
from services.planner.domain.language.conditions.compared import Compared, target_of
from services.planner.domain.language.conditions.comparisons import comparisons
from services.planner.domain.language.conditions.durations import in_unit_of, lasting
from services.planner.domain.language.conditions.flags import flags
from services.planner.domain.language.conditions.happened import happened
from services.planner.domain.language.conditions.stock import stock
from services.planner.domain.language.conditions.text_conditions import (
    condition_of,
    emptiness,
    letters_within,
    text_matches,
)
from services.planner.domain.language.conditions.told_apart import are_told_apart
from services.planner.domain.language.conditions.two_columns import columns_against_each_other
from services.planner.domain.language.conditions.undone import undone
from services.planner.domain.language.normalising.cues import BEING, NEGATIONS
from services.planner.domain.language.scene import Scene
from services.planner.domain.lexicon.vocabulary import STOP_WORDS
from services.planner.domain.query.columns import numeric
from services.planner.domain.query.intent import (
    Condition,
    Field,
    Filter,
    Group,
    Operator,
)

_COMPARING = frozenset("compare compared comparing comparison versus vs".split())


@dataclass(slots=True)
class Conditions:
    """Filters on rows, comparisons that turn out to be about groups, and columns to be split by.

    A column is split by where every value of it was named, or where some are `compared`. What is
    `unplaced` compares nothing that could be found.
    """

    filters: list[Filter] = field(default_factory=list)
    grouped: list[Compared] = field(default_factory=list)
    split: list[Field] = field(default_factory=list)
    compared: bool = False
    unplaced: list[Compared] = field(default_factory=list)


def find_conditions(scene: Scene) -> Conditions:
    """All conditions; the mentions they use get the role "condition"."""
    found = Conditions()
    placed: list[tuple[int, Placed]] = [*columns_against_each_other(scene)]
    for compared in comparisons(scene):
        long = lasting(scene, compared)
        if long is None and (compared.aggregate or _of_groups(scene, compared.mention)):
            if not compared.numbers:  # "spent more than the average"
                found.unplaced.append(compared)
                continue
            found.grouped.append(compared)
            if compared.mention is not None:
                scene.roles.setdefault(compared.mention, "group condition")
            continue
        target = long or target_of(scene, compared)
        if target is None:
            found.unplaced.append(compared)
            continue
        if compared.mention is not None and long is None and not compared.wanted:
            scene.roles[compared.mention] = "condition"
        table = scene.catalogue.table(target.table)
        column = table.column(target.column) if table is not None else None
        numbers = in_unit_of(column, compared, scene) if column is not None else compared.numbers
        condition = condition_of(target, compared.operator, numbers)
        if not compared.numbers:
            condition = condition.model_copy(update={"than_average": True})
        placed.append((compared.first, condition))
    placed += emptiness(scene)
    placed += letters_within(scene)
    placed += text_matches(scene)
    placed += _values(scene)
    placed += flags(scene)
    placed += undone(scene)
    placed += happened(scene)
    placed += stock(scene)
    for wanted in combined(scene, sorted(placed, key=lambda pair: pair[0])):
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
    """True when the question's words set values against each other.

    "How many were cancelled and how many completed" asks for two numbers.
    """
    words = [token.lower for token in scene.tokens]
    if sum(pair == ("how", "many") for pair in itertools.pairwise(words)) > 1:
        return True
    return any(token.lower in _COMPARING for token in scene.tokens)


def _compared_values(scene: Scene, wanted: Filter) -> Condition | None:
    """ "Compare Beverages and Seafood": rows of either, to be told apart."""
    conditions = _conditions_of(wanted)
    values = tuple(dict.fromkeys(value for c in conditions for value in c.values))
    alike = len({c.field for c in conditions}) == 1 and len(values) > 1
    if not alike or any(c.operator not in (Operator.EQUAL, Operator.IN) for c in conditions):
        return None
    if not is_comparison(scene) and not are_told_apart(scene, conditions):
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


def _of_groups(scene: Scene, index: int | None) -> bool:
    """Whether what is compared is a number of things, or money, of each group."""
    return index is not None and scene.mentions[index].chosen.kind in ("table", "revenue")


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
        found.append((mention.first, condition_of(target, operator, (chosen.value,))))
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
            found.append((position, condition_of(target, operator, (token.text,))))
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
            linking = all(w in BEING or w in STOP_WORDS or w in NEGATIONS for w in gap)
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
