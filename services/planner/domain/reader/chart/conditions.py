"""Every condition that a question may state, from values, numbers, quoted texts and flags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from services.planner.domain.catalogue import DataType
from services.planner.domain.language.kinds import Operator
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.times import of_times
from services.planner.domain.reader.grammar import comparison, negation, texts
from services.planner.domain.reader.grammar.aggregation import aggregates_before
from services.planner.domain.reader.grammar.negation import Negation
from services.planner.domain.reader.grammar.rules import Cue
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.links.units import converted, unit_called
from services.planner.domain.reader.words.common import STOP_WORDS
from services.planner.domain.reader.words.tokens import Token

_QUALITY = {"exact": 1.0, "stem": 0.8, "alias": 0.8, "part": 0.4}
_MOST_COLUMNS, _MOST_OF_AGGREGATES, _MOST_WAYS = 5, 3, 2
_NEGATIVE = ("f", "n", "0", "no", "false", "0.0")
_AFTER = {Operator.GREATER: 1, Operator.AT_LEAST: 0}


def proposals(scene: Scene) -> list[Proposal]:
    """All proposals, the same said twice left out, in the order of the question."""
    found: dict[tuple[object, ...], Proposal] = {}
    for one in (
        *_values(scene), *_texts(scene), *_numbers(scene), *_averages(scene), *_flags(scene),
        *_missing(scene), *(_placed(scene, one) for one in of_times(scene)),
    ):  # fmt: skip
        key = (
            one.place.index if one.place else -1, one.aggregate, one.operator, one.values,
            one.first, one.last,
        )  # fmt: skip
        found.setdefault(key, one)
    return sorted(found.values(), key=lambda p: (p.first, p.last))


def _placed(scene: Scene, one: Proposal) -> Proposal:
    """With how near its column is spoken of."""
    if one.place is None:
        return one
    distance, coverage = scene.nearest(one.place, one.first)
    return replace(
        one, distance=distance, coverage=coverage, denied=scene.negated(one.first),
        table_distance=scene.table_distance(one.place.table.name, one.first),
    )  # fmt: skip


def _values(scene: Scene) -> Iterator[Proposal]:
    for link in scene.values:
        one = _placed(scene, Proposal(
            link.place, Operator.EQUAL, (link.value,), link.first, link.last, link.how,
            _QUALITY[link.how] * (link.score if link.how == "part" else 1),
        ))  # fmt: skip
        yield one
        if one.denied:
            yield replace(one, operator=Operator.NOT_EQUAL)


def _texts(scene: Scene) -> Iterator[Proposal]:
    for cue in scene.words.find(texts.RULES):
        slot = cue.slot("quoted")
        at = slot if slot is not None else cue.slot("word")
        if at is None or scene.tokens[at].lower in STOP_WORDS - {"a", "s", "t", "i"}:
            continue
        if slot is None and len(scene.tokens[at].text) == 1 and not scene.tokens[at].text.isupper():
            continue
        for place in _texts_near(scene, cue.first):
            one = _placed(
                scene, Proposal(place, cue.means, (scene.tokens[at].text,), at, at, "like", 0.7)
            )
            yield one
            if one.denied and cue.means is Operator.CONTAINS:
                yield replace(one, operator=Operator.NOT_CONTAINS)
    for token in scene.tokens:
        if token.quoted and scene.valued[token.index] < 0.8:
            for place in _texts_near(scene, token.index):
                yield _placed(
                    scene,
                    Proposal(
                        place,
                        Operator.CONTAINS,
                        (token.text,),
                        token.index,
                        token.index,
                        "quoted",
                        0.6,
                    ),
                )


def _texts_near(scene: Scene, at: int) -> list[Place]:
    found = [p for p in scene.schema.places if p.text and scene.nearest(p, at)[1] > 0.3]
    found.sort(key=lambda p: scene.nearest(p, at)[0] - 6 * scene.nearest(p, at)[1])
    return found[:_MOST_COLUMNS]


def _numbers(scene: Scene) -> Iterator[Proposal]:
    ranges: dict[int, Cue[Operator]] = {}
    compared: dict[int, list[Cue[Operator]]] = {}
    for cue in sorted(scene.words.find(comparison.RULES), key=lambda c: c.first - c.last):
        at = cue.slot("number")
        if at is None:
            continue
        if cue.means is Operator.BETWEEN:
            ranges.setdefault(at, cue)
        elif all(cue.means is not other.means for other in compared.get(at, ())):
            compared.setdefault(at, []).append(cue)
    for token in scene.tokens:
        if token.day is not None or (token.number is not None and not token.ordinal):
            cues = compared.get(token.index, [])[:_MOST_WAYS]
            for cue in cues:
                yield from _number(scene, token, cue.means, ranges.get(token.index), cue.rule.name)
            if not cues:
                yield from _number(scene, token, Operator.EQUAL, ranges.get(token.index))


def _number(
    scene: Scene, token: Token, operator: Operator, between: Cue[Operator] | None, rule: str = ""
) -> Iterator[Proposal]:
    for one in _of_number(scene, token, operator, between):
        yield replace(one, rule=rule)


def _of_number(
    scene: Scene, token: Token, operator: Operator, between: Cue[Operator] | None
) -> Iterator[Proposal]:
    at = token.index
    until = between.slot("number2") if between is not None else None
    for place in _columns_of_number(scene, token, operator):
        for one in _compared(scene, place, token, operator, until):
            yield _placed(scene, one)
    value = token.number
    if value is None or value > 100_000:
        return
    if operator is not Operator.EQUAL:
        for place in _columns_of_number(scene, token, operator)[:_MOST_OF_AGGREGATES]:
            for aggregate in aggregates_before(scene, place, at):
                yield Proposal(
                    place, operator, (value,), at, at, "of groups", 0.6, aggregate=aggregate
                )
    yield Proposal(None, operator, (value,), at, at, "of groups", 0.5)
    if operator is Operator.EQUAL:
        yield Proposal(None, Operator.AT_LEAST, (value,), at, at, "of groups", 0.3)
    if until is not None and scene.tokens[until].number is not None:
        both = (value, float(scene.tokens[until].number or 0))
        yield Proposal(None, Operator.BETWEEN, both, at, until, "of groups", 0.6)


def _columns_of_number(scene: Scene, token: Token, operator: Operator) -> list[Place]:
    found: list[tuple[float, int, Place]] = []
    value = token.number
    for place in scene.schema.places:
        distance, coverage = scene.nearest(place, token.index)
        year = place.time or "year" in place.words
        fits_year = year and value is not None and 1500 < value < 2100
        fits = place.number or (place.time and (token.day is not None or fits_year))
        sample = operator is Operator.EQUAL and token.text in place.column.samples
        if not (fits or (sample and place.text)) or (
            place.time and value is not None and not fits_year
        ):
            continue
        unit = _unit_after(scene, token)
        same_unit = (
            unit is not None and place.unit is not None and unit.quantity == place.unit.quantity
        )
        if coverage >= 0.3 or sample or fits_year or same_unit:
            found.append((distance - 6 * coverage - 8 * same_unit, place.index, place))
    return [place for _, _, place in sorted(found, key=lambda f: f[:2])[:_MOST_COLUMNS]]


def _unit_after(scene: Scene, token: Token):
    following = scene.tokens[token.index + 1 : token.index + 2]
    before = scene.tokens[max(0, token.index - 1) : token.index]
    if before and before[0].text == "$":
        return None
    return unit_called(following[0].lower) if following else None


def _compared(
    scene: Scene, place: Place, token: Token, operator: Operator, until: int | None
) -> Iterator[Proposal]:
    at = token.index
    if place.time:
        yield from _of_time(place, token, operator, scene.tokens[until] if until else None)
        return
    value = _in_unit(scene, place, token)
    if until is not None and scene.tokens[until].number is not None:
        top = _in_unit(scene, place, scene.tokens[until])
        yield Proposal(place, Operator.BETWEEN, (value, top), at, until, "number", 0.8)
    told: str | float = token.text if place.text else value
    yield Proposal(place, operator, (told,), at, at, "number", 0.8)
    if operator is not Operator.EQUAL:
        yield Proposal(place, Operator.EQUAL, (told,), at, at, "number", 0.3)


def _in_unit(scene: Scene, place: Place, token: Token) -> float:
    value = float(token.number or 0)
    unit = _unit_after(scene, token)
    if unit is not None and place.unit is not None:
        turned = converted(value, unit, place.unit)
        value = turned if turned is not None else value
    return int(value) if value == int(value) else value


def _of_time(
    place: Place, token: Token, operator: Operator, until: Token | None
) -> Iterator[Proposal]:
    """A year or a day set against a column of days; days as text are compared as text."""
    at = token.index
    as_text = place.column.data_type is DataType.STRING
    if token.day is not None:
        if until is not None and until.day is not None:
            both = (token.day.isoformat(), until.day.isoformat())
            yield Proposal(place, Operator.BETWEEN, both, at, until.index, "number", 0.8)
        told = token.text if as_text else token.day.isoformat()
        yield Proposal(place, operator, (told,), at, at, "number", 0.8)
        return
    year = int(token.number or 0)
    first, last = date(year, 1, 1).isoformat(), date(year, 12, 31).isoformat()
    if until is not None and until.number is not None and 1500 < until.number < 2100:
        end = date(int(until.number), 12, 31).isoformat()
        yield Proposal(place, Operator.BETWEEN, (first, end), at, until.index, "number", 0.8)
    if operator is Operator.EQUAL:
        yield Proposal(place, Operator.BETWEEN, (first, last), at, at, "number", 0.6)
    elif operator in (Operator.GREATER, Operator.AT_MOST):
        yield Proposal(place, operator, (last,), at, at, "number", 0.7)
        yield Proposal(place, operator, (first,), at, at, "number", 0.3)
    else:
        yield Proposal(place, operator, (first,), at, at, "number", 0.7)


def _averages(scene: Scene) -> Iterator[Proposal]:
    for cue in scene.words.find(comparison.AVERAGE):
        for place in scene.schema.places:
            if place.number and scene.nearest(place, cue.last)[1] > 0.4:
                yield _placed(
                    scene,
                    Proposal(
                        place, cue.means, (), cue.first, cue.last, "average", 0.8, than_average=True
                    ),
                )


def _flags(scene: Scene) -> Iterator[Proposal]:
    for mention in scene.mentions:
        if not mention.place.flag or mention.tie is not Tie.NAME:
            continue
        for text in dict.fromkeys(s for s in mention.place.column.samples if s):
            value: str | float = float(text) if mention.place.number else text
            source = "flag no" if text.strip().lower() in _NEGATIVE else "flag yes"
            yield _placed(
                scene,
                Proposal(
                    mention.place,
                    Operator.EQUAL,
                    (value,),
                    mention.first,
                    mention.last,
                    source,
                    mention.coverage * 0.6,
                ),
            )


def _missing(scene: Scene) -> Iterator[Proposal]:
    for cue in scene.words.find(negation.RULES):
        if cue.means is Negation.VALUE:
            continue
        operator = Operator.NOT_NULL if cue.means is Negation.PRESENT else Operator.IS_NULL
        loose = cue.means is Negation.RELATED
        for place in scene.schema.places:
            distance, coverage = scene.nearest(place, cue.last)
            near = distance <= (4 if loose else 8) and coverage > 0.6
            if near and place.column.nulls:
                source = "lacking" if loose else "missing"
                quality = 0.4 if loose else 0.6
                yield _placed(
                    scene, Proposal(place, operator, (), cue.first, cue.last, source, quality)
                )
