"""Comparisons with numbers: "more than 300 hours", "between 5 and 9", "lower than average"."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.language.conditions.compared import (
    Compared,
    attach,
    compared_before,
)
from services.planner.domain.language.conditions.exact_numbers import (
    number_after,
    number_said,
    owned_exactly,
)
from services.planner.domain.language.normalising.cues import (
    BEING,
    COMPARATORS,
    SUPERLATIVES,
)
from services.planner.domain.language.phrases.compared_numbers import (
    told_of_things,
    words_of_range,
)
from services.planner.domain.language.scene import Scene
from services.planner.domain.query.columns import numeric
from services.planner.domain.query.intent import Operator

NEGATED = {
    Operator.EQUAL: Operator.NOT_EQUAL,
    Operator.GREATER: Operator.AT_MOST,
    Operator.LESS: Operator.AT_LEAST,
    Operator.AT_LEAST: Operator.LESS,
    Operator.AT_MOST: Operator.GREATER,
    Operator.CONTAINS: Operator.NOT_CONTAINS,
}


def comparisons(scene: Scene) -> list[Compared]:
    """Every comparison with a number; the tokens that say it are marked as used."""
    found: list[Compared] = []
    position = 0
    while position < len(scene.tokens):
        compared = comparison_at(scene, position, found)
        if compared is None:
            position += 1
            continue
        for token in scene.tokens[compared.first : compared.last]:
            token.used = token.used or "condition"
        found.append(compared)
        position = compared.last
    return found


def comparison_at(scene: Scene, position: int, earlier: Sequence[Compared] = ()) -> Compared | None:
    """The comparison whose words begin at a token, if one does."""
    tokens = scene.tokens
    if tokens[position].used not in ("", "one") or tokens[position].quoted:
        return None
    if tokens[position].lower == "between":
        return _between(scene, position, earlier)
    in_range = words_of_range(scene, position)
    if in_range:
        return _between(scene, position, earlier, in_range)
    for phrase, sign in COMPARATORS:
        words = phrase.split()
        end = position + len(words)
        if scene.words(position, end) != words:
            continue
        average_at = _average_after(scene, end)
        if average_at is not None:
            return _than_average(scene, position, average_at, Operator(sign))
        number_at = number_after(scene, end)
        if number_at is None:
            return _named_between(scene, position, end, Operator(sign))
        operator = _negate(scene, position, Operator(sign))
        numbers = (number_said(tokens[number_at]) or 0.0,)
        return attach(scene, position, number_at + 1, operator, numbers, earlier)
    return _bare_number(scene, position, earlier)


def _named_between(scene: Scene, first: int, end: int, operator: Operator) -> Compared | None:
    """ "Singers above age 30": the column stands between the comparison and its number."""
    named = scene.starting(end)
    column = scene.column(scene.mentions[named]) if named is not None else None
    if named is None or column is None or not numeric(column.data_type):
        return None
    last = scene.mentions[named].last
    number = scene.tokens[last].number if last < len(scene.tokens) else None
    if number is None or scene.tokens[last].used:
        return None
    return Compared(named, _negate(scene, first, operator), (number,), first, last + 1)


def _average_after(scene: Scene, position: int) -> int | None:
    for index in range(position, min(position + 2, len(scene.tokens))):
        if scene.tokens[index].lower in ("average", "mean", "avg"):
            return index
    return None


def _than_average(scene: Scene, first: int, at: int, operator: Operator) -> Compared | None:
    """ "gpa lower than the average gpa of all students": the column against its own average."""
    after = scene.starting(at + 1, within=1)
    column = scene.column(scene.mentions[after]) if after is not None else None
    before = compared_before(scene, first)
    last = at + 1
    if after is not None and column is not None and numeric(column.data_type):
        last = scene.mentions[after].last
        scene.roles[after] = "condition"
        before = after if before is None else before
        owner = scene.starting(last, within=2)
        of_all = owner is not None and scene.words(last, last + 1) == ["of"]
        if of_all and owner is not None and scene.mentions[owner].chosen.kind == "table":
            scene.roles[owner] = "condition"
            last = scene.mentions[owner].last
    told = before is not None and before != after and told_of_things(scene, before, first)
    return Compared(before, operator, (), first, last, "", told) if before is not None else None


def _between(
    scene: Scene, position: int, earlier: Sequence[Compared], size: int = 1
) -> Compared | None:
    low = number_after(scene, position + size)
    if low is None or scene.words(low + 1, low + 2) not in (["and"], ["to"]):
        return None
    high = number_after(scene, low + 2)
    if high is None:
        return None
    numbers = (scene.tokens[low].number or 0.0, scene.tokens[high].number or 0.0)
    return attach(scene, position, high + 1, Operator.BETWEEN, numbers, earlier)


def _bare_number(scene: Scene, position: int, earlier: Sequence[Compared]) -> Compared | None:
    """A column's name directly followed by a number: "supplier id 3", "age is 30", "10 or more"."""
    token = scene.tokens[position]
    owned = owned_exactly(scene, position)
    if owned is not None:
        return Compared(owned[0], Operator.EQUAL, (owned[1],), owned[2], position + 1)
    if token.number is None or token.stem:
        return None
    after = " ".join(scene.words(position + 1, position + 3))
    ranked = set(scene.words(position + 1, position + 2)) & set(SUPERLATIVES)
    if ranked or set(scene.words(position - 1, position)) & {"top", "bottom", "first"}:
        return None
    number = (token.number,)
    if after in ("or more", "or higher", "or above", "or older", "or greater"):
        return attach(scene, position, position + 3, Operator.AT_LEAST, number, earlier)
    if after in ("or less", "or fewer", "or below", "or lower", "or younger"):
        return attach(scene, position, position + 3, Operator.AT_MOST, number, earlier)
    before = scene.ending(position, within=2)
    if before is None or scene.mentions[before].chosen.kind != "column":
        return None
    between = scene.words(scene.mentions[before].last, position)
    things = between[-1:] == ["the"]  # the balances "of the 3 accounts" are not 3
    if things or not all(word in (*BEING, "of", "not", "number", "the") for word in between):
        return None
    operator = Operator.NOT_EQUAL if "not" in between else Operator.EQUAL
    return Compared(before, operator, number, scene.mentions[before].last, position + 1)


def _negate(scene: Scene, position: int, operator: Operator) -> Operator:
    negated = any(word in ("not", "no") for word in scene.words(position - 1, position))
    return NEGATED.get(operator, operator) if negated else operator
