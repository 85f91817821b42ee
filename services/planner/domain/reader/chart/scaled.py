"""Conditions on scales: steps above or below the one that is named, ranges that a number cuts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from mesh.text import natural_orders
from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.placing import placed
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.grammar import comparison, scaling
from services.planner.domain.reader.grammar.rules import Cue
from services.planner.domain.reader.grammar.scaling import Way
from services.planner.domain.reader.links.scales import ORDINARY, Scale
from services.planner.domain.reader.links.values import ValueLink

SOURCE = "scale"
_GAP, _QUALITY = 2, 0.9
_BETWEEN = frozenset(("a", "an", "the", "of", "just", "only", "very"))
_TURNED = {
    Operator.AT_LEAST: Operator.AT_MOST,
    Operator.AT_MOST: Operator.AT_LEAST,
    Operator.GREATER: Operator.LESS,
    Operator.LESS: Operator.GREATER,
}


def of_scales(scene: Scene) -> Iterator[Proposal]:
    """Every condition that words around a step, or a number, state of a scale."""
    for link in scene.values:
        scale = scene.scales.get(link.place.index)
        step = scale.step_of(link.value) if scale is not None else None
        if scale is None or step is None or link.how == "part":
            continue
        for cue in _cues(scene, link):
            chosen = _steps(scale, step, cue.means)
            first, last = min(cue.first, link.first), max(cue.last, link.last)
            yield from _propose_steps(scene, scale, chosen, first, last)
    yield from _between(scene)
    yield from _propose_synonyms(scene)
    for scale in scene.scales.values():
        if scale.spans:
            yield from _of_numbers(scene, scale)


def _propose_steps(
    scene: Scene, scale: Scale, values: tuple[str, ...], first: int, last: int
) -> Iterator[Proposal]:
    if values:
        one = Operator.EQUAL if len(values) == 1 else Operator.IN
        yield placed(scene, Proposal(scale.place, one, values, first, last, SOURCE, _QUALITY))


def _cues(scene: Scene, link: ValueLink) -> Iterator[Cue[Way]]:
    """The longest words of comparison right before a value, else right behind it."""
    before = [
        cue
        for cue in scene.words.find(scaling.BEFORE)
        if cue.last < link.first and _near(scene, cue.last + 1, link.first, link)
    ]
    after = [
        cue
        for cue in scene.words.find(scaling.AFTER)
        if cue.first > link.last and _near(scene, link.last + 1, cue.first, link)
    ]
    yield from sorted(before, key=lambda c: c.first)[:1]
    yield from sorted(after, key=lambda c: -c.last)[:1]


def _near(scene: Scene, start: int, end: int, link: ValueLink) -> bool:
    """Whether nothing but the column's own name and small words stand there."""
    named = {
        at for m in scene.by_place.get(link.place.index, ()) for at in range(m.first, m.last + 1)
    }
    rest = [
        at for at in range(start, end) if at not in named and scene.tokens[at].lower not in _BETWEEN
    ]
    return not rest and end - start <= _GAP + 1


def _steps(scale: Scale, step: int, way: Way) -> tuple[str, ...]:
    turned = way.is_of_value and scale.better < 0
    operator = _TURNED[way.operator] if turned else way.operator
    top = len(scale.steps) - 1
    first, last = {
        Operator.AT_LEAST: (step, top),
        Operator.GREATER: (step + 1, top),
        Operator.AT_MOST: (0, step),
        Operator.LESS: (0, step - 1),
    }[operator]
    return scale.between(first, last) if first <= last else ()


def _propose_synonyms(scene: Scene) -> Iterator[Proposal]:
    """Steps by another word for them: "small" of "S", "urgent" of "highest"."""
    for scale in scene.scales.values():
        for token in scene.tokens:
            known = token.mark or token.number is not None or token.lower in ORDINARY
            if known or any(token.lower == value.lower() for value in scale.values):
                continue
            values = natural_orders.same_step(scale.values, token.lower)
            yield from _propose_steps(scene, scale, values, token.index, token.index)


def _between(scene: Scene) -> Iterator[Proposal]:
    """From one step to another: "between S and L"."""
    links = [v for v in scene.values if v.place.index in scene.scales and v.how != "part"]
    for one, other in pairwise(sorted(links, key=lambda v: v.first)):
        scale = scene.scales[one.place.index]
        joint = scene.between(one.last + 1, other.first)
        before = scene.between(one.first - 1, one.first)
        spoken = (before, joint) in (("between", "and"), ("from", "to"), ("from", "through"))
        ends = [scale.step_of(one.value), scale.step_of(other.value)]
        if one.place is not other.place or not spoken or None in ends:
            continue
        low, high = sorted(end for end in ends if end is not None)
        yield from _propose_steps(scene, scale, scale.between(low, high), one.first - 1, other.last)


def _of_numbers(scene: Scene, scale: Scale) -> Iterator[Proposal]:
    """Ranges above or below a number, where it parts them: those over 60 of "30-60" and "60+"."""
    for cue in scene.words.find(comparison.RULES):
        slots = [cue.slot("number"), cue.slot("number2")]
        numbers = [scene.tokens[at].number for at in slots if at is not None]
        value = numbers[0] if numbers else None
        if value is None:
            continue
        operator, top = cue.means, numbers[1] if len(numbers) > 1 else None
        if operator is Operator.BETWEEN and top is not None:
            chosen = _above(scale, value) & _below(scale, top)
            split = _splits(scale, value) or _splits(scale, top)
        elif operator in (Operator.AT_LEAST, Operator.GREATER):
            chosen, split = _above(scale, value), _splits(scale, value)
        elif operator in (Operator.AT_MOST, Operator.LESS):
            chosen, split = _below(scale, value), _splits(scale, value)
        else:
            continue
        if split or not chosen or len(chosen) == len(scale.steps):
            continue
        at = [place for place in slots if place is not None]
        values = scale.between(min(chosen), max(chosen))
        yield from _propose_steps(scene, scale, values, min(at), max(at))


def _above(scale: Scale, value: float) -> set[int]:
    return {n for n, (low, _) in enumerate(scale.spans) if low >= value}


def _below(scale: Scale, value: float) -> set[int]:
    return {n for n, (_, high) in enumerate(scale.spans) if high <= value}


def _splits(scale: Scale, value: float) -> bool:
    """Whether the number lies within a range, so that some of its rows are meant, others not."""
    return any(low < value < high for low, high in scale.spans)
