"""Things that several rows of one table are of: each counts once where it is they that are counted.

A table `orders` with a row for each line of an order holds an order's number several times: "orders
per weekday" are the different numbers of orders, "lines per weekday" the rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.catalogue import Catalogue, Table
from services.planner.domain.lexicon.normalise import name_words, stem
from services.planner.domain.lexicon.wording import rows_of
from services.planner.domain.query.intent import Field, Intent, Measure
from services.planner.domain.query.joining.entities import counts_rows
from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.query.labels import count_label
from services.planner.domain.query.planning.several_rows import ROWS, named_otherwise

_PARTS = ROWS | frozenset(
    "line lines item items entry entries position positions detail details".split()
)
_SPLITS = frozenset("by per each every".split())
_ROWS = "number of rows"
_OF, _SHARE = "number of ", "share of "


def count_entities_once(intent: Intent, catalogue: Catalogue, words: Sequence[str]) -> Intent:
    """The intent with things counted once each where `words`, those of the question in lower case,
    name them as what is counted, and the rows of the base repeat their id."""
    table = catalogue.table(intent.base)
    if table is None or intent.cohort is not None or intent.statistic is not None:
        return intent
    key = _counted_by(table, words)
    if key is None and named_otherwise(table) is not None:
        return _called_rows(intent, table)
    if key is None or any(d.expression == key for d in intent.dimensions):
        return intent
    entities = rows_of(table.name)
    short = entities.split()[-1]

    def settled(measure: Measure) -> Measure:
        if not counts_rows(measure, table) or measure.per is not None:
            return measure
        if not measure.label.startswith((_ROWS, _OF + entities, _OF + short)):
            return measure
        return measure.model_copy(
            update={
                "aggregate": Aggregate.COUNT_DISTINCT,
                "expression": key,
                "additive": False,
                "label": measure.label.replace(_ROWS, _OF + entities, 1),
            }
        )

    measures = tuple(settled(m) for m in intent.measures)
    derived = intent.derived
    if measures != intent.measures:
        derived = tuple(
            one.model_copy(
                update={"label": one.label.replace("share of rows", _SHARE + entities, 1)}
            )
            for one in derived
        )
    return intent.model_copy(
        update={
            "measures": measures,
            "derived": derived,
            "having": tuple(
                one.model_copy(update={"measure": settled(one.measure)}) for one in intent.having
            ),
        }
    )


def _called_rows(intent: Intent, table: Table) -> Intent:
    """Its numbers of rows called so, and not after the things that have several rows each."""
    label = count_label(table.name)
    measures = tuple(
        measure.model_copy(update={"label": _ROWS})
        if counts_rows(measure, table) and measure.label == label
        else measure
        for measure in intent.measures
    )
    return intent.model_copy(update={"measures": measures})


def _counted_by(table: Table, words: Sequence[str]) -> Field | None:
    """The id of the things that a table is named for, where they are what is counted."""
    column = named_otherwise(table)
    if column is None or _PARTS & set(words):
        return None
    entity = name_words(table.name)[-1]
    numbers = [at for at, word in enumerate(words) if stem(word) == entity]
    if all(
        at and words[at - 1] in _SPLITS for at in numbers
    ):  # none said, or what they are split by
        return None
    return Field(table=table.name, column=column.name)
