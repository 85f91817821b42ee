"""What there is none left of: "products out of stock", "how many products are in stock"."""

from __future__ import annotations

from services.planner.domain.language.scene import Scene
from services.planner.domain.lexicon.normalise import name_words, stem
from services.planner.domain.query.columns import numeric
from services.planner.domain.query.intent import Condition, Field, Operator

_STOCK = stem("stock")
_SAID = (
    (("out", "of", "stock"), Operator.AT_MOST),
    (("not", "in", "stock"), Operator.AT_MOST),
    (("in", "stock"), Operator.GREATER),
)


def stock(scene: Scene) -> list[tuple[int, Condition]]:
    """The condition on the only quantity in stock of what is mentioned, with where it is said."""
    quantities = _quantities(scene)
    if len(quantities) != 1:
        return []
    for position in range(len(scene.tokens)):
        for words, operator in _SAID:
            last = position + len(words)
            if tuple(scene.words(position, last)) != words or _asked_for(scene, last - 1):
                continue
            for token in scene.tokens[position:last]:
                token.used = token.used or "condition"
            return [(position, Condition(field=quantities[0], operator=operator, values=(0,)))]
    return []


def _quantities(scene: Scene) -> list[Field]:
    mentioned = {mention.chosen.table for mention in scene.mentions}
    return [
        Field(table=table.name, column=column.name)
        for table in scene.catalogue.tables
        if table.name in mentioned
        for column in table.columns
        if _STOCK in name_words(column.name) and numeric(column.data_type)
    ]


def _asked_for(scene: Scene, position: int) -> bool:
    """Whether the word belongs to a name: "the units in stock of each product"."""
    for index, mention in enumerate(scene.mentions):
        if mention.first <= position < mention.last:
            if mention.last - mention.first > 1:
                return True
            scene.roles[index] = "condition"
    return False
