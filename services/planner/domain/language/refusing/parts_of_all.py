"""Parts of all that cannot be picked yet: "the top 10 %", "twice as many as", "who only bought".

Each of them would otherwise be read as something else: ten rows, the same number, also bought.
"""

from __future__ import annotations

from services.planner.domain.language.normalising.cues import BEING, SUPERLATIVES
from services.planner.domain.language.scene import Scene

_ENDS = frozenset("top bottom best worst".split()) | SUPERLATIVES.keys()
_FRACTIONS = frozenset(
    """half third quarter fifth tenth tercile quartile quintile decile percentile percent %
    percentage""".split()
)
_TIMES = frozenset("twice thrice double triple quadruple half".split())
_RELATIVE = frozenset("who that which".split())
_HAVING = frozenset("has have had".split())
_REACH = 3


def why_not_part(scene: Scene) -> str:
    """Why such a part cannot be told; empty where none is asked for."""
    return _fraction(scene) or _multiple(scene) or _nothing_else(scene)


def _fraction(scene: Scene) -> str:
    """A share of the things in a ranking, rather than a number of them."""
    for place, token in enumerate(scene.tokens):
        if token.lower not in _ENDS or token.quoted or token.used in ("time", "quantile"):
            continue
        after = scene.words(place + 1, place + _REACH)
        number = scene.tokens[place + 1].number if place + 1 < len(scene.tokens) else None
        near = after[1:] if number is not None else after[:1]
        if set(near) & _FRACTIONS and "of" in scene.words(place + 1, place + _REACH + 1):
            said = " ".join([token.lower, *after])
            return f'Only a number of rows can be picked, as in "top 10", not the "{said}".'
    return ""


def _multiple(scene: Scene) -> str:
    """A number that is so many times, or as large as, another one."""
    inside = {i for m in scene.mentions for i in range(m.first, m.last)}
    for place, token in enumerate(scene.tokens):
        if token.used or token.quoted or place in inside:
            continue
        words = scene.words(place, place + _REACH)
        as_much = words[0] == "as" and bool(set(words[1:2]) & {"many", "much"})
        as_much = as_much and "as" in scene.words(place + 2, place + 2 * _REACH)
        if token.lower in _TIMES or as_much:
            said = " ".join(scene.words(place, place + _REACH + 1))
            return f'How much "{said}" is could not be told.'
    return ""


def _nothing_else(scene: Scene) -> str:
    """Things that did one thing and no other: "customers who only bought tea"."""
    for place, token in enumerate(scene.tokens):
        if token.lower != "only" or token.used or token.quoted:
            continue
        before = [w for w in scene.words(place - 2, place) if w not in _HAVING]
        after = scene.words(place + 1, place + 2)
        of_things = before[-1:] and (before[-1] in _RELATIVE or scene.ending(place) is not None)
        number = place + 1 < len(scene.tokens) and scene.tokens[place + 1].number is not None
        if of_things and after and after[0] not in BEING and not number:
            said = " ".join(scene.words(place, place + _REACH))
            return f'Which things have that and nothing else ("{said}") cannot be told yet.'
    return ""
