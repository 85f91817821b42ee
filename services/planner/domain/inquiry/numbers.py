"""Which claims the numbers of a text are, and whether all of them are some."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from services.planner.domain.answer import Claim

_NUMBER = re.compile(r"[-+−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DATES = re.compile(
    rf"\b\d{{1,2}} {_MONTH}(?: \d{{4}})?|\b{_MONTH} \d{{4}}|\b\d{{4}}-\d{{2}}(?:-\d{{2}})?"
    r"(?:T[\d:.]+)?|\bQ[1-4] \d{4}|\b95 %"
)


def numbers_in(text: str) -> list[str]:
    """The numbers of a text without signs, dates and the 95 % of intervals left out."""
    return [_plain(found) for found in _NUMBER.findall(_DATES.sub(" ", text))]


def find_claims(text: str, claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The claims whose text stands in a text, each number once."""
    found = set(numbers_in(text))
    known_claims: dict[str, Claim] = {}
    for claim in claims:
        figures = numbers_in(claim.text)
        if figures and set(figures) <= found:
            known_claims.setdefault(claim.text, claim)
    return tuple(known_claims.values())


def unclaimed(text: str, claims: Iterable[Claim], names: Sequence[str] = ()) -> list[str]:
    """The numbers of a text that are neither a claim nor part of one of the `names` in it."""
    for name in sorted(names, key=len, reverse=True):
        if any(character.isdigit() for character in name):
            text = text.replace(name, " ")
    known = {number for claim in claims for number in numbers_in(claim.text)}
    return [number for number in numbers_in(text) if number not in known]


def _plain(number: str) -> str:
    return number.lstrip("+-−").replace(",", "")
