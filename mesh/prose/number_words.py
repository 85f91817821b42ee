"""Numbers in words: "twenty-one", "two thirds", "nine in ten", "twice"."""

from __future__ import annotations

import re
from decimal import Decimal

SMALL = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
}
ORDINALS = {
    word: value
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth".split(), start=1
    )
}
_TENS = {
    word: value * 10
    for value, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}
_BIG = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_ALSO = {
    **{"no": 0, "none": 0, "nothing": 0, "nil": 0, "not a single": 0, "not one": 0},
    **{"a single": 1, "once": 1, "both": 2, "runner up": 2, "a couple": 2, "a dozen": 12},
    **{"half a dozen": 6, "half a million": 500_000, "half a billion": 500_000_000},
}
_MULTIPLES = {
    **{"double": 2, "twice": 2, "twofold": 2, "triple": 3, "threefold": 3, "thrice": 3},
    **{"fourfold": 4, "fivefold": 5, "sixfold": 6, "tenfold": 10},
}
_PARTS = {
    **{"half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6},
    **{"seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10},
}
_RATIO = re.compile(r"(\w+) (?:in|of|out of)(?: every)? (\w+)")
_TO_ONE = re.compile(r"([\w.]+)(?: to |:)(?:one|1)")
_FOLD = re.compile(r"(\w+) ?fold")
_FILLERS = re.compile(r"^(?:only|just|merely|a mere|all of|all|fully|exactly|precisely|the)\s+")
_NEAR = Decimal("0.02")


def number_in_words(text: str) -> tuple[Decimal, Decimal] | None:
    """The number that words say and a step within which they are right, or None.

    Fractions and multiples are rounded by those who use them; other numbers are meant exactly.
    """
    plain = _FILLERS.sub("", " ".join(text.casefold().replace("-", " ").split()))
    if plain in _ALSO:
        return Decimal(_ALSO[plain]), Decimal(0)
    if plain in _MULTIPLES:
        return Decimal(_MULTIPLES[plain]), Decimal("0.2")
    if (part := _fraction(plain)) is not None:
        return part, _NEAR
    if found := _RATIO.fullmatch(plain):
        one, of = _count(found[1]), _count(found[2])
        return (one / of, min(1 / of, 3 * _NEAR)) if one is not None and of else None
    if found := _TO_ONE.fullmatch(plain) or _FOLD.fullmatch(plain):
        times = _count(found[1])
        return None if times is None else (times, Decimal("0.2"))
    if plain in ORDINALS:
        return Decimal(ORDINALS[plain]), Decimal(0)
    whole = _whole(plain.split())
    return None if whole is None else (Decimal(whole), Decimal(0))


def _count(word: str) -> Decimal | None:
    if re.fullmatch(r"\d+(?:\.\d+)?", word):
        return Decimal(word)
    return Decimal(SMALL[word]) if word in SMALL else None


def _fraction(plain: str) -> Decimal | None:
    """ "half", "a third", "two thirds", "three quarters"."""
    words = plain.split()
    if plain == "half":
        return Decimal("0.5")
    if len(words) != 2:
        return None
    count = 1 if words[0] in ("a", "an", "one") else SMALL.get(words[0])
    part = _PARTS.get(words[1].removesuffix("s") if words[1] != "halves" else words[1])
    return Decimal(count) / part if count and part and count < part else None


def _whole(words: list[str]) -> int | None:
    """ "twenty one", "three hundred and four", "a thousand"."""
    total, current, seen = 0, 0, False
    for place, word in enumerate(words):
        if word == "and" and seen:
            continue
        if word == "a" and place == 0 and len(words) > 1:
            current = 1
            continue
        value = SMALL.get(word, _TENS.get(word))
        if value is not None:
            current += value
        elif word == "hundred":
            current = (current or 1) * 100
        elif word in _BIG:
            total += (current or 1) * _BIG[word]
            current = 0
        else:
            return None
        seen = True
    return total + current if seen else None
