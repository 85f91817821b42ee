"""Sketches of sets and shares: things with both, with one and not the other, which part of all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.requirements import Parts, Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import COUNT, Sets, Sketch, Sorting
from services.planner.domain.reader.grammar import counting
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

_LEAST_COUNT, _SEVERAL, _NAMED = 0.1, 2, 0.8
_IDENTIFIES = frozenset(("id", "code", "key", "number"))


def share_sketches(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """Which part of the rows fits all conditions, or the last of them among the others' rows."""
    if not requirements.shares or not base.rows or base.either or len(parts.shown) > 1:
        return
    numbers = tuple(n for n in parts.numbers[:1] if n.aggregate is Aggregate.SUM)
    if len(numbers) < len(parts.numbers):
        return
    sketch = base.but(shown=parts.shown, numbers=numbers, grouped=bool(parts.shown))
    part = part_asked(requirements.scene, base.rows)
    single = [(one,) for one in base.rows] if len(base.rows) > 1 else []
    used = sketch.tables()
    for share in (part,) if part else (base.rows, *single):
        yield sketch.but(share=share), 0.0
        if requirements.extreme and parts.shown:  # "which region has the highest share"
            first = Sorting(numbers[0] if numbers else COUNT, descending=not requirements.least)
            yield sketch.but(share=share, sorting=first, limit=requirements.few or 1), 0.0
        for table in requirements.tables if not numbers else ():
            if table not in used:  # the flights of which an airline's are the part
                yield sketch.but(share=share, extra=(table,)), 0.1


def part_asked(scene: Scene, rows: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """The conditions that tell the part, where others tell the whole: what follows the verb in
    "percentage of part-time staff is female", what comes first in "share of tea in the north", and
    what is said without a preposition at the end in "percentage of men smoke"; else none."""
    ordered = sorted((c for c in rows if c.last >= c.first), key=lambda c: c.first)
    if len(ordered) < _SEVERAL or len(ordered) < len(rows):
        return ()
    for cue in scene.words.find(counting.PART_OF):
        before = tuple(c for c in ordered if c.first < cue.last)
        after = tuple(c for c in ordered if c.first >= cue.last)
        proposals = [c for c in before if c.last >= cue.first]
        if proposals and after and len(proposals) == len(before):
            return after if cue.means else before
    last, earlier = ordered[-1], ordered[-2]
    bare = last.first - earlier.last == 1 and last.source.startswith("flag")
    return (last,) if bare and last.last == _end(scene) else ()


def _end(scene: Scene) -> int:
    """The last word of the question."""
    return max((t.index for t in scene.tokens if not t.mark), default=-1)


def ratio_sketches(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """One number for each unit of another, over all or in each group."""
    for top, bottom in requirements.ratios:
        shown = tuple(p for p in parts.shown if p is not top and p is not bottom)
        if len(shown) <= 1:
            yield base.but(shown=shown, grouped=bool(shown), ratio=(top, bottom)), 0.0


def set_sketches(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """Things with both, with one and not the other, or without something."""
    if not parts.shown and not parts.numbers:
        yield from _counts_without(requirements, base)
    if requirements.denies and parts.numbers and not parts.shown:
        for table in (*requirements.tables, *(c.place.table.name for c in base.rows if c.place)):
            yield base.but(numbers=parts.numbers, sets=Sets.WITHOUT, missing_table=table), 0.0
    if not parts.shown or parts.numbers or len(parts.shown) > 3:
        return
    listed = base.but(shown=parts.shown)
    if len(base.rows) >= 2:
        yield listed.but(sets=Sets.BOTH, grouped=True), 0.0
    if not requirements.denies:
        return
    if base.rows:
        yield listed.but(sets=Sets.EXCEPT, grouped=True), 0.0
    counted = base.but(shown=parts.shown, numbers=(COUNT,), grouped=True)
    spoken = (*requirements.tables, *(c.place.table.name for c in base.rows if c.place))
    others = referring(requirements, parts.shown[0].table.name)
    for table in dict.fromkeys((*spoken, *others)):
        yield listed.but(sets=Sets.WITHOUT, missing_table=table), 0.0
        if requirements.scene.charted and len(parts.shown) == 1:
            yield counted.but(sets=Sets.WITHOUT, missing_table=table), 0.0


def referring(requirements: Requirements, table: str) -> list[str]:
    """The tables whose rows refer to those of a table: those that are spoken of, if any is."""
    links = requirements.scene.schema.catalogue.relationships
    found = [one.from_table for one in links if one.to_table == table]
    named = {m.place.table.name for m in requirements.scene.mentions if m.coverage >= _NAMED}
    return [one for one in found if one in named] or found


def _counts_without(requirements: Requirements, base: Sketch) -> Iterator[tuple[Sketch, float]]:
    """How many things have nothing in another table."""
    if not requirements.denies:
        return
    counted = base.but(numbers=(COUNT,), sets=Sets.WITHOUT)
    for table, other in permutations(requirements.tables, 2):
        yield counted.but(missing_table=table, extra=(other,)), 0.0
    for other in requirements.tables[:2]:
        for table in referring(requirements, other):
            if table not in requirements.tables:
                yield counted.but(missing_table=table, extra=(other,)), 0.3


def sketch_entities(
    requirements: Requirements, parts: Parts, base: Sketch
) -> Iterator[tuple[Sketch, float]]:
    """How many things fit a condition on their rows: "how many customers ordered 10 times"."""
    if not base.groups or parts.numbers or requirements.shape.of("count", "yes") < _LEAST_COUNT:
        return
    keys = [p for p in parts.shown if p.unique < 1]
    keys += [
        p
        for p in requirements.scene.schema.places
        if p.kind is Kind.ID and _spoken(requirements, p)
    ]
    for key in dict.fromkeys(keys):
        rest = tuple(p for p in parts.shown if p is not key)
        if not rest:
            yield base.but(numbers=(COUNT,), entity=key), 0.3


def _spoken(requirements: Requirements, key: Place) -> bool:
    """Whether a key that many rows share is that of a thing that is spoken of."""
    if key.unique >= 1:
        return False
    named = {stem(word) for word in key.words if word not in _IDENTIFIES}
    words = {
        stem(t) for name in requirements.tables for t in requirements.scene.schema.table_words[name]
    }
    words |= {t.stem for t in requirements.scene.tokens}
    return bool(named & words)
