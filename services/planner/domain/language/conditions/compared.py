"""What a comparison with a number is of: "orders over 300", "taller than 180", "over 5 times"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.language.normalising.cues import (
    ADJECTIVES,
    AGGREGATE_WORDS,
    BEING,
    MEASURING_VERBS,
)
from services.planner.domain.language.phrases.compared_numbers import (
    comparable,
    numeric_column_named,
    only_number,
    own_number,
    told_of_things,
)
from services.planner.domain.language.scene import Scene
from services.planner.domain.query.columns import numeric
from services.planner.domain.query.intent import Field, Operator


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


def attach(
    scene: Scene,
    first: int,
    last: int,
    operator: Operator,
    numbers: tuple[float, ...],
    earlier: Sequence[Compared],
) -> Compared:
    """The comparison with what it is of: what the number counts, else what is named before it."""
    verb = scene.ending(first) if scene.words(last, last + 1) == ["times"] else None
    if verb is not None and scene.mentions[verb].chosen.kind == "table":
        return Compared(verb, operator, numbers, first, last + 1, "count")  # "ordered over 5 times"
    after = scene.starting(last, within=1)
    if after is not None and _counts(scene, after, last):
        return Compared(after, operator, numbers, first, last)
    before = compared_before(scene, first)
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


def compared_before(scene: Scene, position: int) -> int | None:
    """The mention before a comparison that a number can be set against."""
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
