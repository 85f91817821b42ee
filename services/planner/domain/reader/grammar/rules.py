"""The engine of the grammar: rules over words, found wherever they stand in a question.

A rule's pattern is a regular expression over lower-case words with one space between them, and
slots: `{number}`, `{number2}` a number, `{quoted}` a quoted text, `{gap}` up to two words of any
kind, `{word}` one. What it found is a `Cue`; rules of one topic compete, the earlier in its file
wins where two take the same number or the same words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar, cast

from services.planner.domain.lexicon.tokens import Token

Meaning = TypeVar("Meaning", covariant=True)
_SLOTS = {
    "{number}": r"(?P<number>#\S+)",
    "{number2}": r"(?P<number2>#\S+)",
    "{quoted}": r"(?P<quoted>@\S+)",
    "{gap}": r"(?:\S+ ){0,2}?",
    "{word}": r"(?P<word>\S+)",
}


@dataclass(frozen=True)
class Rule(Generic[Meaning]):
    """One way of saying something. `examples` are questions in which it is found (and tested)."""

    name: str
    pattern: str
    means: Meaning
    examples: tuple[str, ...] = field(kw_only=True)

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern with its slots filled in, between word boundaries."""
        text = self.pattern
        for slot, expression in _SLOTS.items():
            text = text.replace(slot, expression)
        return re.compile(rf"(?<!\S)(?:{text})(?!\S)")


@dataclass(frozen=True, slots=True)
class Cue(Generic[Meaning]):
    """A rule found in tokens `first` to `last`; `slots` holds the token of each slot."""

    rule: Rule[Meaning]
    first: int
    last: int
    slots: tuple[tuple[str, int], ...] = ()

    @property
    def means(self) -> Meaning:
        """What the rule says it means."""
        return self.rule.means

    def slot(self, name: str) -> int | None:
        """The token in a slot, if it has one."""
        return next((index for slot, index in self.slots if slot == name), None)


class Words:
    """A question's tokens as the one text that rules are matched against; no word of a rule stands
    for a `hidden` one."""

    def __init__(self, tokens: Sequence[Token], hidden: Container[int] = ()) -> None:
        self.tokens = tokens
        self._found: dict[int, tuple[object, object]] = {}
        self._starts: list[int] = []
        parts: list[str] = []
        length = 0
        for token in tokens:
            if token.index in hidden:
                word = f"~{token.index}"
            elif token.quoted:
                word = f"@{token.index}"
            elif token.number is not None and not (token.ordinal and not token.digits):
                word = f"#{token.lower}"
            else:
                word = token.lower
            self._starts.append(length)
            parts.append(word)
            length += len(word) + 1
        self.text = " ".join(parts)

    def token_at(self, offset: int) -> int:
        """The token that holds a character of the text."""
        return bisect_right(self._starts, offset) - 1

    def find(self, rules: Sequence[Rule[Meaning]]) -> list[Cue[Meaning]]:
        """Every rule wherever it stands, in the order of the rules."""
        known = self._found.get(id(rules))
        if known is not None and known[0] is rules:
            return cast("list[Cue[Meaning]]", known[1])
        found: list[Cue[Meaning]] = []
        for one in rules:
            for match in one.compiled.finditer(self.text):
                slots = tuple(
                    (name, self.token_at(match.start(name)))
                    for name, text in match.groupdict().items()
                    if text is not None
                )
                first, last = self.token_at(match.start()), self.token_at(match.end() - 1)
                found.append(Cue(one, first, last, slots))
        self._found[id(rules)] = (rules, found)  # which are asked for again and again
        return found
