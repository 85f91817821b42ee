"""What the joins of a reading tell of how likely it is."""

from __future__ import annotations

from itertools import pairwise

from services.planner.domain.query.filters import Membership, Relation
from services.planner.domain.query.intent import Intent
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketches import Draft

_SPLITTING = frozenset(("by", "per", "each", "every", "which", "what"))
_JOINING = frozenset(("and", ",", "&", "plus", "with", "versus", "vs", "against", "or", "to"))
_BEFORE = 3  # words: "by shipper and category"


def steps_of(intent: Intent) -> list[Relation]:
    """The joins of a reading, with those to the related rows that must be there."""
    found = list(intent.joins)
    for wanted in intent.filters:
        if isinstance(wanted, Membership) and not wanted.absent:
            found += wanted.path
    return found


def loses_split(scene: Scene, draft: Draft, intent: Intent) -> bool:
    """Whether things that numbers of repeated rows are to be split by are only asked to be there:
    "total freight by territory" of all orders with a territory."""
    asked = [
        wanted
        for wanted in intent.filters
        if isinstance(wanted, Membership) and not wanted.absent and wanted.where is None
    ]
    if not asked and not any(m.once for m in intent.measures):
        return False
    unused = {*draft.sketch.extra} - {m.table for m in intent.measures}
    return any(
        token.lower in _SPLITTING
        for mention in scene.tables
        if mention.table.name in unused
        for token in scene.tokens[max(0, mention.first - _BEFORE) : mention.first]
    )


def one_phrase_twice(scene: Scene, draft: Draft, intent: Intent) -> bool:
    """Whether one phrase stands for two numbers, one of them of rows that the other's repeat.

    Of "total sales" only one is meant: the column called total, or what is reckoned of the lines.
    """
    if not any(m.once for m in intent.measures) or all(m.once for m in intent.measures):
        return False
    numbers = {m.expression for m in intent.measures if m.expression is not None}
    spans = [m for m, _ in draft.roles.played if m.place.field in numbers]
    spans.sort(key=lambda mention: mention.first)
    return any(
        one.place is not other.place
        and not any(t.lower in _JOINING for t in scene.tokens[one.last + 1 : other.first])
        for one, other in pairwise(spans)
    )
