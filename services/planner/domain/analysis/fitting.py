"""Which pieces of a question stand where a template has its placeholders.

Placeholders may stand right beside each other ("{time_range} {state} sales"): then every split is
tried, a piece that can be nothing of its placeholder's kind ends a try, and the tries are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

LONGEST_PARTICULAR = 60
"""Characters; a question that is much longer than a template is another."""

_PLACEHOLDER = re.compile(r"(?<!\{)\{([a-z][a-z0-9_]*)\}(?!\})")
_MOST_TRIES = 2_000
MOST_READINGS = 32
"""Ways in which one question may fill one template before it counts as another question."""

MayBe = Callable[[str, str], bool]
"""Whether a text may stand for the placeholder of that name."""


@dataclass
class _Tries:
    left: int = _MOST_TRIES


def readings(template: str, question: str, may_be: MayBe) -> list[Mapping[str, str]]:
    """Every way in which the question fills the template, shortest pieces first; none where it is
    worded differently, or could be split in countless ways."""
    names = _PLACEHOLDER.findall(template)
    literals = [_literal(part) for part in _PLACEHOLDER.split(template)[::2]]
    if len(question) > len(template) + LONGEST_PARTICULAR * len(names):
        return []
    start = literals[0].match(question)
    if start is None:
        return []
    found, tries = list[Mapping[str, str]](), _Tries()
    for reading in _rest(names, literals[1:], question, start.end(), {}, may_be, tries):
        found.append(reading)
        if len(found) > MOST_READINGS:
            return []
    return found if tries.left > 0 else []


def _rest(
    names: list[str],
    literals: list[re.Pattern[str]],
    question: str,
    at: int,
    so_far: Mapping[str, str],
    may_be: MayBe,
    tries: _Tries,
) -> Iterator[Mapping[str, str]]:
    if not names:
        if at == len(question):
            yield so_far
        return
    name, last = names[0], len(names) == 1
    for after in literals[0].finditer(question, at + 1):
        if last and after.end() != len(question):
            continue
        tries.left -= 1
        if tries.left <= 0:
            return
        text = question[at : after.start()]
        if len(text) > LONGEST_PARTICULAR:
            return
        sentence = so_far.get(name, text)
        if sentence.casefold() == text.casefold() and text == text.strip() and may_be(name, text):
            known = {**so_far, name: text}
            yield from _rest(names[1:], literals[1:], question, after.end(), known, may_be, tries)


def _literal(text: str) -> re.Pattern[str]:
    return re.compile(re.escape(text.replace("{{", "{").replace("}}", "}")), re.IGNORECASE)
