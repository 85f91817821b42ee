"""Which column a comparison with a number can be about."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.catalogue import Column, DataType
from services.planner.domain.language.linking.mention import Mention
from services.planner.domain.language.scene import Scene
from services.planner.domain.lexicon.normalise import name_words
from services.planner.domain.query.columns import holds_numbers, is_measure, numeric
from services.planner.domain.query.intent import Field

# The longer phrase first.
_RANGES = (
    ("in", "the", "range", "of"), ("in", "the", "range", "from"), ("in", "the", "range"),
    ("in", "a", "range", "of"), ("within", "the", "range", "of"), ("within", "the", "range"),
    ("ranging", "from"), ("ranges", "from"), ("range", "from"),
)  # fmt: skip


def words_of_range(scene: Scene, position: int) -> int:
    """How many words say "in the range of" before two numbers; none where they do not."""
    for words in _RANGES:
        if scene.words(position, position + len(words)) == list(words):
            return len(words)
    return 0


def comparable(column: Column) -> bool:
    """Whether a column can be compared with a number: names cannot."""
    return column.data_type is not DataType.STRING or holds_numbers(column)


def only_number(scene: Scene, mention: Mention, gap: Sequence[str]) -> int | None:
    """The freight of "freight by country for orders over 100": the table's only number named."""
    found = []
    for index, other in enumerate(scene.mentions):
        column = scene.column(other)
        named = other.chosen.kind == "column" and other.chosen.table == mention.chosen.table
        if named and column is not None and is_measure(column.role, column.data_type):
            found.append(index)
    return found[0] if len(found) == 1 and not gap else None


def _ends_with_owner(scene: Scene, index: int) -> bool:
    """Whether it is orders that are over 100, in "average freight of orders over 100"."""
    mention = scene.mentions[index]
    linking = set(scene.words(mention.first + 1, mention.last - 1)) & {"for", "of"}
    last = scene.tokens[mention.last - 1].stem
    return bool(linking) and last not in name_words(mention.chosen.column)


def told_of_things(scene: Scene, before: int, first: int) -> bool:
    """Whether the number is said, and then of which things it is compared: "orders over 100"."""
    if scene.mentions[before].chosen.kind != "column":
        return False
    thing = scene.ending(first)
    between = thing not in (None, before) and scene.mentions[thing or 0].chosen.kind != "grain"
    return between or _ends_with_owner(scene, before)


def numeric_column_named(scene: Scene, stems: Sequence[str]) -> Field | None:
    """The first numeric column, in the tables mentioned, whose name holds one of these stems."""
    mentioned = [m.chosen.table for m in scene.mentions if m.chosen.table]
    for wanted in stems:
        for name in dict.fromkeys(mentioned):
            table = scene.catalogue.table(name)
            for column in table.columns if table else ():
                if wanted in name_words(column.name) and numeric(column.data_type):
                    return Field(table=name, column=column.name)
    return None


def own_number(scene: Scene, mention: Mention) -> Field | None:
    """The number that things are called after: each of the marks has a column "mark"."""
    table = scene.catalogue.table(mention.chosen.table)
    if mention.chosen.kind != "table" or table is None or len(mention.stems) != 1:
        return None
    for column in table.columns:
        if name_words(column.name) == mention.stems and numeric(column.data_type):
            return Field(table=table.name, column=column.name)
    return None
