"""Which column a model explains, and by which others."""

from __future__ import annotations

import re

from services.planner.domain.query.intent import Field
from services.planner.domain.reader.statistics.ground import Ground, Named

_ACTIVE = re.compile(r"(?:predict|explain|affect|influence|impact|determine|drive)(?:s|ing)?")
_PASSIVE = re.compile(r"(?:predicted|explained|affected|influenced|impacted|determined|driven)")
_EFFECT = re.compile(r"(?:effect|impact|influence)s?")
_OUTCOME = frozenset("target outcome response dependent".split())
_REACH = 5


def model(fields: tuple[Field, ...], ground: Ground) -> tuple[Field, tuple[Field, ...]] | None:
    """The outcome and what is to explain it, in the question's order; None without either."""
    named = [m for m in ground.mentions if _field(m) in fields]
    if len(fields) < 2 or not named:
        return None
    target = _field(_outcome(named, ground))
    return target, tuple(f for f in fields if f != target)


def _outcome(named: list[Named], ground: Ground) -> Named:
    """What "predict" leads to, an effect is "on", or is called the outcome; else the first."""
    words = ground.words(0, len(ground.tokens))
    for mention in named:
        if (
            _OUTCOME
            & set(words[mention.last : mention.last + _REACH])
            & set(_until_next(mention, named, words))
        ):
            return mention
    for position, word in enumerate(words):
        if _EFFECT.fullmatch(word) and "of" in words[position : position + 2]:
            on = words.index("on", position) if "on" in words[position:] else position
            return _after(named, on)
        if _PASSIVE.fullmatch(word):
            return ([m for m in named if m.last <= position] or named)[-1]
        if _ACTIVE.fullmatch(word) and not _EFFECT.fullmatch(word):
            return _after(named, position)
        if _EFFECT.fullmatch(word) and {"does", "do", "did"} & set(words[:position]):
            return _after(named, position)
    return named[0]


def _until_next(mention: Named, named: list[Named], words: list[str]) -> list[str]:
    """The words between a mention and the next one."""
    following = [m.first for m in named if m.first >= mention.last]
    return words[mention.last : min(following, default=len(words))]


def _after(named: list[Named], position: int) -> Named:
    return next((m for m in named if m.first > position), named[0])


def _field(mention: Named) -> Field:
    return Field(table=mention.table, column=mention.column)
