"""Lengths of time said in one unit and stored in another: "longer than 5 minutes"."""

from __future__ import annotations

from services.planner.domain.catalogue import Column
from services.planner.domain.language.conditions.compared import Compared
from services.planner.domain.language.scene import Scene
from services.planner.domain.lexicon.normalise import name_words, stem
from services.planner.domain.query.columns import numeric
from services.planner.domain.query.intent import Field

UNIT_WORDS = frozenset(
    """millisecond milliseconds ms second seconds sec secs minute minutes min mins hour hours hr hrs
    day days week weeks""".split()
)
_MILLISECONDS = {
    stem(word): size
    for words, size in (
        ("millisecond ms", 1),
        ("second sec secs", 1_000),
        ("minute min mins", 60_000),
        ("hour hr hrs", 3_600_000),
        ("day", 86_400_000),
        ("week", 604_800_000),
    )
    for word in words.split()
}


def lasting(scene: Scene, compared: Compared) -> Field | None:
    """What "longer than 5 minutes" compares where no column is named: the only length of time."""
    kind = scene.mentions[compared.mention].chosen.kind if compared.mention is not None else ""
    if kind == "column" or not {*scene.words(compared.last, compared.last + 1)} & UNIT_WORDS:
        return None
    mentioned = {m.chosen.table for m in scene.mentions}
    found = [
        Field(table=table.name, column=column.name)
        for table in scene.catalogue.tables
        for column in table.columns
        if table.name in mentioned and numeric(column.data_type) and _unit_of(column)
    ]
    return found[0] if len(found) == 1 else None


def in_unit_of(column: Column, compared: Compared, scene: Scene) -> tuple[float, ...]:
    """The numbers of a comparison in the unit that the column is named after.

    As they were said where no unit follows them or the column names none.
    """
    after = scene.words(compared.last, compared.last + 1)
    if after in (["%"], ["percent"]) and _is_fraction(column):
        scene.tokens[compared.last].used = scene.tokens[compared.last].used or "condition"
        return tuple(number / 100 for number in compared.numbers)
    said = [_MILLISECONDS.get(t.stem) for t in scene.tokens[compared.last : compared.last + 1]]
    stored = _unit_of(column)
    if not said or said[0] is None or not stored:
        return compared.numbers
    scene.tokens[compared.last].used = scene.tokens[compared.last].used or "condition"
    return tuple(number * said[0] / stored for number in compared.numbers)


def _is_fraction(column: Column) -> bool:
    """Whether a column holds parts of one, so that 10 % is 0.1 there."""
    try:
        return 0 <= float(column.minimum or "") <= float(column.maximum or "") <= 1
    except ValueError:
        return False


def _unit_of(column: Column) -> int:
    """The milliseconds in what a column counts, by its name; 0 where it does not say."""
    named = {_MILLISECONDS[word] for word in name_words(column.name) if word in _MILLISECONDS}
    return named.pop() if len(named) == 1 else 0
