"""The conditions that a fragment states: values, comparisons, and what is not there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from services.planner.domain.lexicon.stop_words import STOP_WORDS
from services.planner.domain.query.intent import Aggregate, Field, Operator
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.sketch import COUNT
from services.planner.domain.reader.fragments.cues import IDLE, Move
from services.planner.domain.reader.fragments.progress import (
    LEAST_QUALITY,
    NAMED,
    PARTLY,
    SPOKEN,
    Progress,
)
from services.planner.domain.reader.grammar import comparison
from services.planner.domain.reader.links.mentions import Tie

_HAVING_NONE = ("have no", "has no", "had no", "with no", "having no")


def read_limits(got: Progress) -> None:
    """A comparison that names no column is with the number in sight: "those over 10"."""
    shown = [m for m in got.intent.measures if m.shown]
    if len(shown) != 1 or shown[0].aggregate is None or not got.intent.dimensions:
        return
    for cue in got.scene.words.find(comparison.RULES):
        at = cue.slot("number")
        if at is None or set(range(cue.first, cue.last + 1)) & got.done:
            continue
        others = set(range(len(got.scene.tokens))) - set(range(cue.first, cue.last + 1))
        if any(_may_be_compared(got, other) for other in others - got.done):
            continue
        wanted = next(
            (
                p
                for p in got.proposals
                if at in range(p.first, p.last + 1) and p.operator is cue.means and not p.denied
            ),
            None,
        )
        if wanted is not None:
            got.found.limits = [wanted]
            got.read(0, len(got.scene.tokens) - 1)
            return


def _may_be_compared(got: Progress, at: int) -> bool:
    """Whether a word beside a comparison may say what is compared."""
    token = got.scene.tokens[at]
    return not (token.mark or token.lower in IDLE | STOP_WORDS or _names_groups(got, at))


def _names_groups(got: Progress, at: int) -> bool:
    """Whether a word is the name of what the number in sight is told for: "only genres with more
    than 100"."""
    fields = {one.expression for one in got.intent.dimensions}
    tables = {field.table for field in fields if isinstance(field, Field)}
    tables |= {measure.table for measure in got.intent.measures if measure.expression is None}
    named = any(
        m.first <= at <= m.last and m.place.field in fields and m.coverage >= SPOKEN
        for m in got.scene.mentions
    )
    return named or any(
        t.first <= at <= t.last and t.table.name in tables and t.coverage >= SPOKEN
        for t in got.scene.tables
    )


def read_empty(got: Progress) -> None:
    """A column of which nothing is told: "how many of them have no company"."""
    for one in got.proposals:
        text = got.scene.between(one.first - 1, one.first + 1)
        if one.source != "lacking" or one.place is None or text not in _HAVING_NONE:
            continue
        named = [
            m
            for m in got.scene.by_place.get(one.place.index, ())
            if m.first == one.last + 1 and m.coverage >= SPOKEN
        ]
        if named and not {one.first, named[0].last} & got.done:
            got.found.conditions.append(one)
            got.read(one.first - 1, named[0].last)


def read_values(got: Progress, moves: Sequence[Move]) -> None:
    """Values, comparisons and gaps: of each span the likeliest that its cue allows."""
    by_span: dict[int, list[Proposal]] = {}
    for one in got.proposals:
        whole = set(range(one.first, one.last + 1))
        sound = one.place is not None and one.quality >= LEAST_QUALITY
        if sound and not _is_value(got, one):
            continue
        if sound and not one.of_groups and not whole & got.done:
            by_span.setdefault(one.first, []).append(one)
    for first, several in sorted(by_span.items()):
        best = max(several, key=lambda one: _likely(got, one))
        if first in got.done or best.place is None or best.source == "lacking":
            continue
        # What a flag denies it says by its value already.
        denied = moves[first] is Move.GONE and best.source != "flag no"
        got.found.conditions.append(_denied(best) if denied else best)
        _read_condition(got, best)
    for cue in got.cues:
        count = cue.means is Aggregate.COUNT
        if count and not got.found.numbers:
            got.found.numbers.append(COUNT)
        elif not got.found.numbers:
            got.found.aggregate = cue.means


def _is_value(got: Progress, one: Proposal) -> bool:
    """Whether a value is meant: a song may be called "Again", and be out of sight; and "the two
    of them in one chart" are no values of a number that nobody names."""
    tokens = got.scene.tokens[one.first : one.last + 1]
    if one.source == "number" and one.coverage < NAMED and all(t.text.isalpha() for t in tokens):
        return False
    idle = all(t.lower in IDLE | STOP_WORDS and not (t.capital or t.quoted) for t in tokens)
    return not idle or (one.place is not None and one.place.table.name in got.tables)


def _read_condition(got: Progress, one: Proposal) -> None:
    """With the words that compare, and those that name its column."""
    got.read(one.first, one.last)
    assert one.place is not None
    for cue in got.scene.words.find(comparison.RULES):
        if cue.first <= one.first <= cue.last:
            got.read(cue.first, cue.last)
    for mention in got.scene.by_place.get(one.place.index, ()):
        if mention.tie is not Tie.IMPLIED and mention.coverage >= PARTLY:
            got.read(mention.first, mention.last)


def _likely(got: Progress, one: Proposal) -> tuple[float, ...]:
    place = one.place
    assert place is not None
    here = place.field in got.fields
    positive = one.operator not in (Operator.NOT_EQUAL, Operator.NOT_IN)
    named = any(t.table is place.table and t.coverage >= SPOKEN for t in got.scene.tables)
    return (
        one.quality >= 0.8,
        one.last - one.first,
        one.coverage >= NAMED,
        here,
        named,
        place.table.name in got.tables,
        positive,
        one.quality,
        -place.index,
    )


def _denied(one: Proposal) -> Proposal:
    turned = {
        Operator.EQUAL: Operator.NOT_EQUAL,
        Operator.IN: Operator.NOT_IN,
        Operator.CONTAINS: Operator.NOT_CONTAINS,
    }
    return replace(one, operator=turned.get(one.operator, one.operator))
