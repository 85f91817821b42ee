"""Numbers as texts show them: what they say, and how exactly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

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
_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
}
_ORDINALS = {
    word: value
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth".split(), start=1
    )
}
_DIGITS = r"\d{1,3}(?:[,'’   ]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
_SHOWN = re.compile(
    rf"(?P<sign>[+\-−–])?\s?(?P<currency>[$€£¥]|[A-Z]{{3}}\s)?\s?(?P<sign2>[+\-−–])?(?P<digits>{_DIGITS})"
    r"\s?(?P<scale>[kKmMbB]\b|bn\b|mn\b|tn\b|thousand\b|millions?\b|billions?\b|trillion\b)?"
    r"\s?(?P<percent>%|per\s?cent\b|percentage points?\b|points?\b|pp\b)?"
    r"(?P<ordinal>st\b|nd\b|rd\b|th\b)?",
)
_FRACTIONS = {
    "half": Decimal("0.5"),
    "a half": Decimal("0.5"),
    "a third": Decimal(1) / 3,
    "one third": Decimal(1) / 3,
    "two thirds": Decimal(2) / 3,
    "a quarter": Decimal("0.25"),
    "one quarter": Decimal("0.25"),
    "three quarters": Decimal("0.75"),
}
_IN_PROSE = re.compile(rf"(?<![\w.,:/#-])[$€£¥]?(?:{_DIGITS})(?![\w/]|[.,:-]\d)\s?%?")
_WORDS_IN_PROSE = re.compile(
    r"(?<!\bthe )(?<!\bthese )(?<!\bthose )\b(?:"
    + "|".join(word for word, value in _WORDS.items() if value > 1)
    + r"|dozens?|hundreds?|thousands|millions|billions|half of|two[- ]thirds|three[- ]quarters"
    r"|a (?:third|quarter) of)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A number that is shown. `step` is one in its last digit; `percent` is per cent or points."""

    value: Decimal
    step: Decimal
    percent: bool = False
    signed: bool = False

    def is_rounding_of(self, actual: float) -> bool:
        """Whether rounding `actual` to as many digits may show this."""
        found = Decimal(repr(float(actual)))
        return abs(found - self.value) <= self.step / 2 + abs(found) * Decimal("1e-9")


def parse_shown(text: str) -> Shown | None:
    """The number that a text shows, or None where it shows none."""
    plain = " ".join(text.replace("-", " ").casefold().split()) if text[:1].isalpha() else text
    if found := re.fullmatch(r"one in (\w+)", plain):
        of = _WORDS.get(found[1]) or (int(found[1]) if found[1].isdigit() else 0)
        return Shown(Decimal(1) / of, Decimal("0.01")) if of else None
    if plain in _FRACTIONS:
        return Shown(_FRACTIONS[plain], Decimal("0.02"))
    for words in (_WORDS, _ORDINALS):
        if plain in words:
            return Shown(Decimal(words[plain]), Decimal(0))
    if (found := _SHOWN.fullmatch(text.strip())) is None:
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


def numbers_in(prose: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and text of each number in prose, in digits or in words ("three", "half of")."""
    for pattern in (_IN_PROSE, _WORDS_IN_PROSE):
        for found in pattern.finditer(prose):
            yield found.start(), found.start() + len(found.group().rstrip()), found.group().strip()


def _digits(text: str) -> tuple[Decimal, int]:
    plain = re.sub(r"[,'’   ](?=\d{3}(?!\d))", "", text).replace(",", ".")
    return Decimal(plain), len(plain.partition(".")[2])
