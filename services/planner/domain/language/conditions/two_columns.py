"""Two columns of a row set against each other: "stock below the reorder level".

Also "shipped after the required date", where the verb names the date that is compared.
"""

from __future__ import annotations

from services.planner.domain.catalogue import Column, DataType
from services.planner.domain.language.conditions.comparisons import NEGATED
from services.planner.domain.language.linking.mention import Candidate, Mention, flag_value
from services.planner.domain.language.normalising.cues import AGGREGATE_WORDS, BEING, COMPARATORS
from services.planner.domain.language.scene import Scene
from services.planner.domain.lexicon.normalise import name_words
from services.planner.domain.query.columns import holds_numbers
from services.planner.domain.query.intent import Against, Field, Operator

# The longer phrase first.
_SIGNS = (
    ("not the same as", "!="), ("the same as", "="), ("same as", "="), ("identical to", "="),
    ("differs from", "!="), ("differ from", "!="), ("on or after", ">="), ("on or before", "<="),
    ("is not", "!="), ("are not", "!="), ("was not", "!="),
    ("later than", ">"), ("earlier than", "<"), ("after", ">"), ("before", "<"), ("past", ">"),
    *COMPARATORS,
)  # fmt: skip
_FACTORS = {"twice": 2.0, "double": 2.0, "triple": 3.0, "half": 0.5}
_LEADING = frozenset("the their its his her own a an of to in".split())
_LINKING = BEING | frozenset("that which do does did not no falls fell goes went".split())
_SAYING = BEING | frozenset("whose where with that which who if when".split())
_SAID_REACH = 6
_LEFT_REACH, _RIGHT_REACH = 4, 5
_DATES = (DataType.DATE, DataType.DATETIME)


def columns_against_each_other(scene: Scene) -> list[tuple[int, Against]]:
    """Each such condition with where it is said; its words and mentions are taken."""
    found: list[tuple[int, Against]] = []
    for position, token in enumerate(scene.tokens):
        if token.used or token.quoted:
            continue
        for phrase, sign in _SIGNS:
            words = phrase.split()
            if scene.words(position, position + len(words)) != words:
                continue
            if phrase == "over" and not _SAYING & set(
                scene.words(position - _SAID_REACH, position)
            ):
                break  # "the change of cows over the year" draws one along the other
            against = _against(scene, position, position + len(words), Operator(sign))
            if against is not None:
                found.append((position, against))
            break
    return found


def _against(scene: Scene, first: int, last: int, operator: Operator) -> Against | None:
    right = _right(scene, last)
    if right is None:
        return None
    place, factor = right
    other = scene.column(scene.mentions[place])
    if other is None or _is_aggregated(scene, scene.mentions[place].first):
        return None
    left = _left_mention(scene, first, other)
    target = _field(scene.mentions[left]) if left is not None else _done(scene, first, place)
    compared = _field(scene.mentions[place])
    if target is None or target == compared:
        return None
    if left is not None:
        if _is_aggregated(scene, scene.mentions[left].first):
            return None
        scene.roles[left] = "condition"
    scene.roles[place] = "condition"
    for token in scene.tokens[first : scene.mentions[place].first]:
        token.used = token.used or "condition"
    for index, mention in enumerate(scene.mentions):  # "after" is no track called After Midnight
        if first <= mention.first and mention.last <= last:
            scene.roles[index] = "condition"
    negated = bool({"not", "no"} & set(scene.words(first - 2, first)))
    sign = NEGATED.get(operator, operator) if negated else operator
    return Against(field=target, operator=sign, other=compared, factor=factor)


def _right(scene: Scene, last: int) -> tuple[int, float] | None:
    """The column that is compared with, and how many times it is taken."""
    following = scene.starting(last, within=_RIGHT_REACH)
    if following is None or scene.mentions[following].chosen.kind != "column":
        return None
    factor = 1.0
    gap = scene.tokens[last : scene.mentions[following].first]
    for index, token in enumerate(gap):
        if token.lower in _FACTORS:
            factor *= _FACTORS[token.lower]
        elif token.number is not None and [t.lower for t in gap[index + 1 : index + 2]] == [
            "times"
        ]:
            factor *= token.number
        elif token.lower != "times" and token.lower not in _LEADING:
            return None
    return (following, factor) if scene.free(following) else None


def _left_mention(scene: Scene, first: int, other: Column) -> int | None:
    """The column said before the comparison, where it can be set against the other one."""
    place = scene.ending(first, within=_LEFT_REACH)
    if place is None or not scene.free(place):
        return None
    mention = scene.mentions[place]
    gap = set(scene.words(mention.last, first))
    column = scene.column(mention)
    if mention.chosen.kind != "column" or column is None or not gap <= _LINKING:
        return None
    # A flag is not set against anything: "the stock of products that are not discontinued".
    return place if _alike(column, other) and not _is_flag(other) else None


def _is_flag(column: Column) -> bool:
    return column.distinct <= 2 and flag_value(column.samples) is not None


def _alike(one: Column, other: Column) -> bool:
    """Whether the values of two columns can be set against each other."""
    dates = {one.data_type in _DATES, other.data_type in _DATES}
    if True in dates:
        return len(dates) == 1
    return holds_numbers(one) == holds_numbers(other)


def _done(scene: Scene, first: int, right: int) -> Field | None:
    """The date of the verb before the comparison, in the table of the date it is set against."""
    other = scene.column(scene.mentions[right])
    table = scene.catalogue.table(scene.mentions[right].chosen.table)
    verb = scene.tokens[first - 1] if first else None
    if other is None or table is None or verb is None or other.data_type not in _DATES:
        return None
    dates = [
        column.name for column in table.columns
        if column.data_type in _DATES and verb.stem in name_words(column.name)
    ]  # fmt: skip
    if not verb.stem or len(dates) != 1 or dates[0] == other.name:
        return None
    _free_verb(scene, first - 1)
    verb.used = verb.used or "condition"
    return Field(table=table.name, column=dates[0])


def _free_verb(scene: Scene, position: int) -> None:
    """Takes the verb out of "orders shipped", which was read as one name."""
    for index, mention in enumerate(scene.mentions):
        if not mention.first <= position < mention.last or not scene.free(index):
            continue
        if mention.last - mention.first == 1:
            scene.roles[index] = "condition"
            return
        words = " ".join(scene.words(mention.first, position))
        thing = Candidate("table", mention.chosen.table, score=0.9, reason="name")
        stems = tuple(token.stem for token in scene.tokens[mention.first : position])
        scene.mentions = [
            Mention(mention.first, position, words, stems, (thing,)) if place == index else other
            for place, other in enumerate(scene.mentions)
        ]
        return


def _is_aggregated(scene: Scene, first: int) -> bool:
    """Whether a number of many rows is meant: "whose average price is below …"."""
    return bool(set(scene.words(first - 2, first)) & AGGREGATE_WORDS.keys())


def _field(mention: Mention) -> Field:
    return Field(table=mention.chosen.table, column=mention.chosen.column)
