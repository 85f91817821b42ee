"""Comparisons with numbers: "more than 300 hours", "between 5 and 9", "lower than average"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.language.conditions.exact_numbers import (
    number_after,
    number_said,
    owned_exactly,
)
from services.planner.domain.language.intent import Field, Operator
from services.planner.domain.language.linking.mention import numeric
from services.planner.domain.language.normalising.cues import (
    ADJECTIVES,
    AGGREGATE_WORDS,
    BEING,
    COMPARATORS,
    MEASURING_VERBS,
    SUPERLATIVES,
)
from services.planner.domain.language.phrases.compared_numbers import (
    comparable,
    numeric_column_named,
    only_number,
    own_number,
    told_of_things,
    words_of_range,
)
from services.planner.domain.language.scene import Scene

NEGATED = {
    Operator.EQUAL: Operator.NOT_EQUAL,
    Operator.GREATER: Operator.AT_MOST,
    Operator.LESS: Operator.AT_LEAST,
    Operator.AT_LEAST: Operator.LESS,
    Operator.AT_MOST: Operator.GREATER,
    Operator.CONTAINS: Operator.NOT_CONTAINS,
}


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison as found: what is compared (a mention or none), how, with which numbers.

    With `wanted` that number is asked for as well: "freight by country for orders over 100".
    """

    mention: int | None
    operator: Operator
    numbers: tuple[float, ...]
    first: int
    last: int
    aggregate: str = ""
    wanted: bool = False


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
        return _attach(scene, position, number_at + 1, operator, numbers, earlier)
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
    before = _compared_before(scene, first)
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
    return _attach(scene, position, high + 1, Operator.BETWEEN, numbers, earlier)


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
        return _attach(scene, position, position + 3, Operator.AT_LEAST, number, earlier)
    if after in ("or less", "or fewer", "or below", "or lower", "or younger"):
        return _attach(scene, position, position + 3, Operator.AT_MOST, number, earlier)
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


def _attach(
    scene: Scene,
    first: int,
    last: int,
    operator: Operator,
    numbers: tuple[float, ...],
    earlier: Sequence[Compared],
) -> Compared:
    verb = scene.ending(first) if scene.words(last, last + 1) == ["times"] else None
    if verb is not None and scene.mentions[verb].chosen.kind == "table":
        return Compared(verb, operator, numbers, first, last + 1, "count")  # "ordered over 5 times"
    after = scene.starting(last, within=1)
    if after is not None and _counts(scene, after, last):
        return Compared(after, operator, numbers, first, last)
    before = _compared_before(scene, first)
    measured = ADJECTIVES.get(scene.tokens[first].lower, ())
    if before is not None and _measures_another(scene, before, measured):
        return Compared(None, operator, numbers, first, last)
    if before is not None and told_of_things(scene, before, first):
        return Compared(before, operator, numbers, first, last, wanted=True)
    if before is not None:
        mention = scene.mentions[before]
        words = scene.words(mention.first - 3, mention.first)
        aggregate = next((AGGREGATE_WORDS[w] for w in words if w in AGGREGATE_WORDS), "")
        counted = _counted(words) and scene.ending(mention.first, within=1) is None
        grouped = {"with", "having", "whose", "where"} & set(
            scene.words(mention.first - 5, mention.first)
        )
        if counted and not grouped and own_number(scene, mention) is not None:
            return Compared(None, operator, numbers, first, last)  # "number of marks under 50"
        if counted and (mention.chosen.kind == "table" or not aggregate):
            aggregate = "count"
        return Compared(before, operator, numbers, first, last, aggregate)
    if set(scene.words(first - 1, first)) & MEASURING_VERBS.keys():
        return Compared(None, operator, numbers, first - 1, last)
    if earlier and "or" in scene.words(earlier[-1].last, first):
        return Compared(earlier[-1].mention, operator, numbers, first, last, earlier[-1].aggregate)
    return Compared(None, operator, numbers, first, last)


def _measures_another(scene: Scene, before: int, measured: Sequence[str]) -> bool:
    """Whether "taller" speaks of a height, and not of the weight that was named before it."""
    target = numeric_column_named(scene, measured)
    return target is not None and target.column != scene.mentions[before].chosen.column


def _counted(words: Sequence[str]) -> bool:
    joined = " ".join(words)
    return "number of" in joined or "how many" in joined or "count of" in joined


def _counts(scene: Scene, index: int, last: int) -> bool:
    """Whether the words after a number say what it counts: "300 hours", "3 orders"."""
    mention = scene.mentions[index]
    gap = scene.words(last, mention.first)
    if gap and gap != ["different"]:
        return False
    column = scene.column(mention)
    done = mention.phrase.lower().endswith("ed")  # of "passengers over 60 survived" nothing is 60
    amount = column is not None and numeric(column.data_type) and not done
    return mention.chosen.kind == "table" or amount


def _compared_before(scene: Scene, position: int) -> int | None:
    for index in range(len(scene.mentions) - 1, -1, -1):
        mention = scene.mentions[index]
        if mention.last > position:
            continue
        gap = scene.words(mention.last, position)
        if len(gap) > 4 or any(word in (".", "?", ",", "and", "or") for word in gap):
            return None
        column = scene.column(mention)
        if mention.chosen.kind == "revenue":
            return index
        if mention.chosen.kind == "column" and column is not None:
            return index if comparable(column) else only_number(scene, mention, gap)
        if mention.chosen.kind == "table" and _counted(
            scene.words(mention.first - 4, mention.first)
        ):
            return index if set(gap) <= BEING else None  # "how many products that cost over 20"
        if mention.chosen.kind == "table" and not gap:
            return only_number(scene, mention, gap)
    return None


def target_of(scene: Scene, compared: Compared) -> Field | None:
    """The column that is compared, or None when no column of the data can be meant."""
    if compared.mention is not None:
        chosen = scene.mentions[compared.mention].chosen
        return Field(table=chosen.table, column=chosen.column)
    said = scene.words(compared.first, compared.last)
    thing = scene.ending(compared.first, within=1)
    own = own_number(scene, scene.mentions[thing]) if thing is not None else None
    if own is not None:
        return own
    measured = {**MEASURING_VERBS, **ADJECTIVES}
    stems = next((measured[word] for word in said if word in measured), ())
    return numeric_column_named(scene, stems)
