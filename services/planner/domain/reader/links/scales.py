"""Columns of words that have an order of their own: low to high, S to XL, "18-29" to "65+"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mesh.text import natural_orders
from services.planner.domain.catalogue import ValueLookup
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.lexicon.stop_words import STOP_WORDS
from services.planner.domain.lexicon.tokens import Token
from services.planner.domain.query.defining.terms import Branch, Choice, Constant
from services.planner.domain.reader.links.mentions import Mention, Tie
from services.planner.domain.reader.links.schema import Place, Schema
from services.planner.domain.reader.links.values import ValueLink
from services.planner.domain.reader.links.worked_out import computed, reference, worked_out

_FEWEST, _MOST, _MOST_COLUMNS, _MOST_NUMBERS = 2, 24, 4, 2
ORDINARY = STOP_WORDS | frozenset(
    """average normal ok mid first second third fourth fifth may fall never always often usually
    sometimes none lead day we""".split()
)
"""Words of scales that are said of other things too: they stand for no step by themselves."""
_NAMED, _EXACT, _NEAR = 0.4, 1.0, 3
_HARM = frozenset("severity priority urgency risk damage danger pain threat impact hazard".split())


@dataclass(frozen=True, eq=False)
class Scale:
    """The values of a column from the least to the most; those of one step stand together.

    `better` is 1 where more is better, -1 where less is, as of letters and of harm. Where they are
    ranges, `spans` tells the lowest and the highest number of each step.
    """

    place: Place
    steps: tuple[tuple[str, ...], ...]
    better: int
    spans: tuple[tuple[float, float], ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        """All values, from the least to the most."""
        return tuple(value for step in self.steps for value in step)

    def step_of(self, value: str) -> int | None:
        """The number of the step that a value is, from 0."""
        return next((n for n, step in enumerate(self.steps) if value in step), None)

    def between(self, first: int, last: int) -> tuple[str, ...]:
        """The values of these steps and of all that lie between."""
        return tuple(value for step in self.steps[max(0, first) : last + 1] for value in step)


async def scales_of(
    tokens: Sequence[Token],
    schema: Schema,
    mentions: Sequence[Mention],
    values: Sequence[ValueLink],
    lookup: ValueLookup,
) -> dict[int, Scale]:
    """The scales that are spoken of, and all of ranges where there are numbers."""
    numbers = any(token.number is not None for token in tokens)
    texts = {token.lower for token in tokens}
    spoken = {m.place.index for m in mentions if m.coverage >= _NAMED}
    spoken |= {value.place.index for value in values}
    places = [p for p in schema.places if _may_be_scale(p)]
    spoken |= {p.index for p in places if texts & set(_words(p)) - ORDINARY}
    found: list[Scale] = []
    worded = [p for p in places if p.index in spoken and _words(p)][:_MOST_COLUMNS]
    known = await _looked_up(worded, lookup)
    for place in places:
        ranges = numbers and any(natural_orders.span_of(s) for s in place.column.samples)
        if place.index not in spoken and not ranges:
            continue
        sentences = known[place.index] if place.index in known else _all_values(place)
        scale = _scale(place, sentences)
        if scale is not None:
            found.append(scale)
    return {scale.place.index: scale for scale in found}


def _may_be_scale(place: Place) -> bool:
    few = _FEWEST <= place.column.distinct <= _MOST
    return place.text and few and place.definition is None and not place.key


def _words(place: Place) -> tuple[str, ...]:
    return natural_orders.words_on_scale(place.column.samples)


async def _looked_up(places: Sequence[Place], lookup: ValueLookup) -> Mapping[int, tuple[str, ...]]:
    """The values of each column that lie on its scale, as the data spells them."""
    if not places:
        return {}
    phrases = {word for place in places for word in _words(place)}
    hits = await lookup(sorted(phrases))
    found: dict[int, tuple[str, ...]] = {}
    for place in places:
        own = (place.table.name, place.column.name)
        texts = [h.value for h in hits if (h.table, h.column) == own and h.score >= _EXACT]
        words = set(_words(place))
        kept = [v for v in (*place.column.samples, *texts) if " ".join(v.lower().split()) in words]
        found[place.index] = tuple(dict.fromkeys(kept))
    return found


def _all_values(place: Place) -> tuple[str, ...]:
    """All values of a column, where what is known of it tells them all; else none."""
    column = place.column
    texts = (*column.samples, column.minimum or "", column.maximum or "")
    known = tuple(dict.fromkeys(text for text in texts if text.strip()))
    if len(known) >= column.distinct:
        return known
    if all(len(text) == 1 and text.isupper() for text in known) and known:
        first, last = ord(min(known)), ord(max(known))
        if last - first + 1 == column.distinct:  # D, E, F and so on: none is left out
            return tuple(chr(letter) for letter in range(first, last + 1))
    return ()


def _scale(place: Place, values: Sequence[str]) -> Scale | None:
    ranks = natural_orders.ranks(values) if len(values) >= _FEWEST else None
    if ranks is None:
        return None
    steps: dict[float, list[str]] = {}
    for value in values:
        steps.setdefault(ranks[value], []).append(value)
    ordered = [tuple(steps[rank]) for rank in sorted(steps)]
    spans = [natural_orders.span_of(step[0]) for step in ordered]
    whole = tuple(span for span in spans if span is not None)
    letters = all(len(value) == 1 for value in values) and not _words(place)
    less = letters or bool(_HARM & set(place.words))
    ranges = len(whole) == len(ordered) and not letters
    return Scale(place, tuple(ordered), -1 if less else 1, whole if ranges else ())


def as_numbers(
    schema: Schema,
    mentions: Sequence[Mention],
    scales: Iterable[Scale],
    averaged: Sequence[int],
    split: Sequence[int],
) -> tuple[Schema, list[Mention]]:
    """With the steps of scales of words as numbers from 1, where an average of them is asked for:
    shortly behind one of the tokens `averaged`, with none between that asks for groups, `split`
    ("average price by cut").

    What is counted so is told in the reading: the steps need not lie equally far apart.
    """
    made: list[tuple[Place, Scale]] = []
    for scale in scales:
        named = any(
            m.place is scale.place
            and m.tie is Tie.NAME
            and any(
                0 < m.first - at <= _NEAR and not any(at < by < m.first for by in split)
                for at in averaged
            )
            for m in mentions
        )
        if named and not scale.spans and _words(scale.place):
            made.append((_numbered(scale), scale))
    made = made[:_MOST_NUMBERS]
    if not made:
        return schema, list(mentions)
    wider = schema.having([place for place, _ in made])
    places = wider.places[len(schema.places) :]
    more = [
        again
        for place, (_, scale) in zip(places, made, strict=True)
        for again in _again(place, scale.place, mentions)
    ]
    return wider, sorted((*mentions, *more), key=lambda m: (m.first, -m.coverage, m.place.index))


def _again(place: Place, of: Place, mentions: Sequence[Mention]) -> Iterator[Mention]:
    for m in mentions:
        if m.place is of and m.tie is Tie.NAME:
            yield Mention(place, m.first, m.last, m.coverage, m.quality, m.tie, m.words)


def _numbered(scale: Scale) -> Place:
    place, steps = scale.place, scale.steps
    branches = tuple(
        Branch(when=computed("==", reference(place), value), then=Constant(value=number))
        for number, step in enumerate(steps, 1)
        for value in step
    )
    name = readable(place.column.name)
    text = f"{name} counted from 1 ({steps[0][0]}) to {len(steps)} ({steps[-1][0]})"
    return worked_out(
        place.table,
        f"{name} in numbers",
        Choice(branches=branches),
        text=text,
        bounds=(1, len(steps)),
    )
