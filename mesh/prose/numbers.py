"""Numbers as texts show them: what they say, and how exactly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from mesh.prose.number_words import SMALL, number_in_words
from mesh.prose.words import leading_hedge

_SCALES = {
    "k": 3,
    "thousand": 3,
    "m": 6,
    "mn": 6,
    "mio": 6,
    "million": 6,
    "millions": 6,
    "b": 9,
    "bn": 9,
    "billion": 9,
    "billions": 9,
    "tn": 12,
    "trillion": 12,
}
_DIGITS = r"\d{1,3}(?:[,'’   ]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
_PERCENT = r"%|per\s?cent\b|percentage points?\b|points?\b|pp\b|pts\b|of a (?:percentage )?point\b"
_BEHIND = re.compile(
    r"\s*(?:(?P<scale>thousand|millions?|billions?|trillion|bn|mn)\b|(?P<percent>%|per\s?cent\b))",
    re.IGNORECASE,
)
_FILLED = re.compile(
    r"^(?:(?:only|just|merely|a mere|all|fully|exactly|precisely|the|p(?:\s*=)?)\s+)+"
    r"(?=[\d$€£¥<>=+−-])"
    r"|^=\s*",
    re.IGNORECASE,
)
_OF = re.compile(r"[\w.]+(?:\s+(?:in|of|out of)(?: every)?\s+\d|:\d)")
_UNIT = re.compile(r"(?:\s?[^\d\s,;:()]{1,16}){0,4}(?:[²³]|\bm2)?")
_MOST_UNITS = 4
_SHOWN = re.compile(
    rf"(?P<sign>[+\-−–])?\s?(?P<currency>[$€£¥]|[A-Z]{{3}}\s)?\s?(?P<sign2>[+\-−–])?(?P<digits>{_DIGITS})"
    r"\s?(?P<scale>[kKmMbB]\b|bn\b|mn\b|tn\b|thousand\b|millions?\b|billions?\b|trillion\b)?"
    rf"\s?(?P<percent>{_PERCENT})?(?P<ordinal>st\b|nd\b|rd\b|th\b)?",
)
_IN_PROSE = re.compile(rf"(?<![\w.,:/#-])[$€£¥]?(?:{_DIGITS})(?![\w/]|[.,:-]\d)\s?%?")
_WORDS_IN_PROSE = re.compile(
    r"(?<!\bthe )(?<!\bthese )(?<!\bthose )\b(?:"
    + "|".join(word for word, value in SMALL.items() if value > 1)
    + r"|dozens?|hundreds?|thousands|millions|billions|half of|two[- ]thirds|three[- ]quarters"
    r"|a (?:third|quarter) of)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A number that is shown. `step` is one in its last digit; `percent` is per cent or points.

    `hedge` is how words before it hedge it, as `words.hedge_before` names it.
    """

    value: Decimal
    step: Decimal
    percent: bool = False
    signed: bool = False
    hedge: str = ""

    def is_rounding_of(self, actual: float) -> bool:
        """Whether rounding `actual` to as many digits may show this."""
        found = Decimal(repr(float(actual)))
        return abs(found - self.value) <= self.step / 2 + abs(found) * Decimal("1e-9")


def parse_shown(text: str) -> Shown | None:
    """The number that a text shows, with its unit and hedge, or None where it shows none."""
    text = _FILLED.sub("", text.strip().strip("*_()"))
    if (hedged := leading_hedge(text)) is not None:
        hedge, rest = hedged
        within = parse_shown(rest)
        return within and replace(within, hedge=within.hedge or hedge)
    text = re.sub(r"^minus\s+(?=\d)", "-", text, flags=re.IGNORECASE)
    found = _SHOWN.match(text)
    if found is None or _OF.match(text):
        return _in_words(text)
    if _UNIT.fullmatch(text, found.end()) is None:
        return None
    digits, decimals = _digits(found["digits"])
    scale = Decimal(10) ** _SCALES.get((found["scale"] or "").casefold(), 0)
    negative = any(found[name] not in (None, "+") for name in ("sign", "sign2"))
    return Shown(
        value=(-digits if negative else digits) * scale,
        step=Decimal(10) ** -decimals * scale,
        percent=found["percent"] is not None,
        signed=found["sign"] is not None or found["sign2"] is not None,
    )


def with_behind(shown: Shown, behind: str) -> Shown:
    """A number with what stands behind its braces: "{1.1|…} million", "{63|…} per cent"."""
    found = _BEHIND.match(behind)
    if found is None:
        return shown
    scale = Decimal(10) ** _SCALES.get((found["scale"] or "").casefold(), 0)
    percent = shown.percent or found["percent"] is not None
    return replace(shown, value=shown.value * scale, step=shown.step * scale, percent=percent)


def _in_words(text: str) -> Shown | None:
    """A number in words; behind it may stand what it counts: "half of them", "seven games"."""
    words = text.split()
    for length in range(min(len(words), 6), 0, -1):
        behind = " ".join(words[length:])
        percent = re.match(_PERCENT, behind) is not None
        if (number := number_in_words(" ".join(words[:length]))) is not None:
            unit = _UNIT.fullmatch(behind) is not None and len(words) - length <= _MOST_UNITS
            value, step = number
            return Shown(value, max(step, Decimal(percent)), percent) if unit or percent else None
    return None


def numbers_in(prose: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and text of each number in prose, in digits or in words ("three", "half of")."""
    for pattern in (_IN_PROSE, _WORDS_IN_PROSE):
        for found in pattern.finditer(prose):
            yield found.start(), found.start() + len(found.group().rstrip()), found.group().strip()


def _digits(text: str) -> tuple[Decimal, int]:
    plain = re.sub(r"[,'’   ](?=\d{3}(?!\d))", "", text).replace(",", ".")
    return Decimal(plain), len(plain.partition(".")[2])
