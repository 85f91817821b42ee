"""Words that ask for a number worked out from other numbers: shares, growth, running totals.

They are said in set phrases, and are taken out of the question before its names are linked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.language.phrases.own_names import OwnName, is_named
from services.planner.domain.lexicon.normalise import Token, take
from services.planner.domain.lexicon.vocabulary import NUMBER_WORDS
from services.planner.domain.query.intent import Bins, Calculation, Derived, Grain
from services.planner.domain.reader.times.times import names_two_moments

_NUMBER = r"(?P<count>\d+|" + "|".join(NUMBER_WORDS) + ")"
_UNIT = r"(?P<unit>day|week|month|quarter|year)"
_PATTERNS: tuple[tuple[Calculation, str], ...] = (
    (
        Calculation.MOVING_AVERAGE,
        rf"\b(?:(?:a |the )?{_NUMBER}[ -](?:{_UNIT}s?|period|point)?[ -]?)?"
        r"(?:moving|rolling) (?:average|mean)(?: of)?(?: the)?",
    ),
    (
        Calculation.RUNNING_TOTAL,
        r"\b(?:the )?(?:running|cumulative|cumulated|accumulated) (?:total|sum)(?: of)?(?: the)?"
        r"|\bcumulative(?:ly)?\b",
    ),
    (
        Calculation.GROWTH,
        rf"\b(?:the )?(?:{_UNIT}[ -](?:over|on|to)[ -](?:day|week|month|quarter|year)|yoy|mom|qoq)"
        r"\s*(?:(?:percentage |percent |relative )?(?:growth|change|increase)(?: rate)?)?"
        r"(?: (?:of|in))?"
        r"|\b(?:the )?(?:percentage |percent |relative )?growth(?: rates?)?(?: (?:of|in))?"
        r"|\b(?:the )?(?:percentage|percent|relative) (?:change|increase)(?: (?:of|in))?",
    ),
    (
        Calculation.CHANGE,
        rf"\b(?:the )?(?:change|increase|difference)s? (?:of|in)\b"
        r"|\bchange\b(?= (?:from|over|since|compared|vs))"
        r"|\b(?:compared (?:to|with)|from|against|vs\.?|versus) (?:the )?"
        rf"(?:previous|prior|preceding) {_UNIT}",
    ),
    (
        Calculation.SHARE,
        r"\b(?:as )?(?:a |the )?(?:share|percentage|percent|fraction) of (?:the |all )?"
        r"(?:total|whole|overall)\b(?: of)?"
        r"|\b(?:what|which) (?:share|percentage|percent|fraction) of\b(?: all)?(?: the)?"
        r"|\b(?:the )?share of\b(?: the)?",
    ),
    (Calculation.RATIO, r"\b(?:the )?ratio (?:of|between)\b"),
    (Calculation.DIFFERENCE, r"\b(?:the )?difference between\b"),
    (
        Calculation.RANK,
        r"\b(?:the )?ranks? of\b|\bwith (?:its|their|a|the) ranks?\b"
        r"|\b(?:and|,) (?:its|their) ranks?\b",
    ),
)
_EARLIER = re.compile(
    rf"\s*\b(?:over|from|than|compared (?:to|with)|against|vs\.?|versus)? ?(?:the )?"
    rf"(?:previous|prior|preceding) {_UNIT}\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:the )?(?:(?:percentage|percent|relative|absolute|net|overall) )*"
    r"(?:changes?|differences?|growth|increases?|decreases?|drops?|rises?|declines?)(?: rate)?"
    r"(?: (?:in|of|between))?\b"
    r"|\b(?:gr[eo]w(?:n|ing)?|(?:in|de)creas(?:ed|ing)|chang(?:ed|ing)|ris(?:en|ing)|rose"
    r"|fall(?:en)?|fell|dropp?(?:ed)?|declin(?:ed|ing)|differ(?:ed)?|improved?|shrank|shrunk)\b"
    r"|\bhow (?:much )?(?:more|less|fewer|higher|lower)\b",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(
    r"\bhow much\b|\bby how (?:much|many)\b|\bby what (?:percent|percentage|amount)\b", re.I
)
_DIVIDED = re.compile(r"\bdivided by\b", re.IGNORECASE)
_UNITS_A_YEAR = {Grain.MONTH: 12, Grain.QUARTER: 4, Grain.WEEK: 52, Grain.DAY: 365, Grain.YEAR: 1}
_BINS = re.compile(
    r"\b(?:in(?:to)?|with|using|by)? ?(?:(?:bins|buckets|bands|ranges|intervals|steps|groups) of"
    r" (?:width |size )?(?P<width>\d+(?:\.\d+)?)(?: years?| units?)?"
    r"|(?P<named>\d+(?:\.\d+)?)[ -](?:year|unit|point)s?[ -](?:bins|buckets|bands|ranges|groups)"
    r"|(?P<many>\d+) (?:equal )?(?:bins|buckets|bands|ranges|intervals))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CalculationWish:
    """What is to be worked out; `per` is the unit compared with ("year" in year-over-year).

    With `between` it is what lies between two moments that the question names.
    """

    calculation: Calculation
    window: int = 3
    per: str = ""
    between: bool = False

    def derived(self, label: str, grain: Grain | None, against: int | None = None) -> Derived:
        """The calculation over numbers called `label`, along dates of that grain."""
        back = _UNITS_A_YEAR.get(grain, 1) if self.per == "year" and grain is not None else 1
        return Derived(
            calculation=self.calculation,
            label=_label(self, label),
            against=against,
            window=self.window,
            back=back,
        )


@dataclass(frozen=True, slots=True)
class BinWish:
    """Ranges of a width, or so many of them; the other is 0."""

    width: float = 0.0
    many: int = 0

    def bins(self, low: float | None, high: float | None) -> Bins | None:
        """The ranges over numbers from `low` to `high`; None where these are not known."""
        if self.width:
            return Bins(width=self.width)
        if low is None or high is None or high <= low:
            return None
        return Bins(width=(high - low) / self.many * (1 + 1e-9), origin=low)


def calculation_wish(
    question: str, tokens: Sequence[Token], names: Sequence[OwnName] = ()
) -> CalculationWish | None:
    """What is asked to be worked out; its words are marked as used. None when nothing is.

    The `names` of columns that the question says are no such words.
    """
    if names_two_moments(question):
        between = _between(question, tokens)
        if between is not None:
            return between
    for calculation, pattern in _PATTERNS:
        for match in re.finditer(pattern, question, re.IGNORECASE):
            if _taken(match, tokens) or is_named(match, question, names):
                continue
            found = match.groupdict()
            if calculation is Calculation.CHANGE and not found.get("unit"):
                later = _EARLIER.search(question, match.end())
                if later is None:
                    continue
                take(tokens, later.start(), later.end(), "calculation")
            take(tokens, match.start(), match.end(), "calculation")
            earlier = _EARLIER.search(question, match.end())
            if earlier is not None and calculation is Calculation.GROWTH:
                take(tokens, earlier.start(), earlier.end(), "calculation")
            text = match.group().lower()
            per = "year" if "yoy" in text else found.get("unit") or ""
            return CalculationWish(calculation, _count(found.get("count")), per)
    if (divided := _DIVIDED.search(question)) is not None and not _taken(divided, tokens):
        take(tokens, divided.start(), divided.end(), "calculation")
        return CalculationWish(Calculation.RATIO)
    return None


def _between(question: str, tokens: Sequence[Token]) -> CalculationWish | None:
    """ "How much did sales grow from 1996 to 1997", "the difference in sales between them"."""
    change = [match for match in _CHANGED.finditer(question) if not _taken(match, tokens)]
    if not change:
        return None
    for match in (*change, *_HOW_MUCH.finditer(question)):
        take(tokens, match.start(), match.end(), "calculation")
    grown = any("grow" in match.group().lower() or "%" in match.group() for match in change)
    return CalculationWish(Calculation.GROWTH if grown else Calculation.CHANGE, between=True)


def bin_wish(question: str, tokens: Sequence[Token]) -> BinWish | None:
    """The ranges that numbers are to be put into; the words are marked as used."""
    match = _BINS.search(question)
    if match is None or _taken(match, tokens):
        return None
    take(tokens, match.start(), match.end(), "bins")
    width = match.group("width") or match.group("named")
    wish = BinWish(float(width)) if width else BinWish(many=int(match.group("many")))
    return wish if wish.width or wish.many else None


def _taken(match: re.Match[str], tokens: Sequence[Token]) -> bool:
    covered = [t for t in tokens if match.start() <= t.start < match.end()]
    return not covered or any(t.used or t.quoted for t in covered)


def _count(text: str | None) -> int:
    if not text:
        return 3
    return max(2, int(text) if text.isdigit() else int(NUMBER_WORDS[text.lower()]))


def _label(wish: CalculationWish, label: str) -> str:
    kind = wish.calculation
    if kind is Calculation.SHARE:
        return f"share of {label.removeprefix('number of ')}"
    if kind is Calculation.MOVING_AVERAGE:
        return f"moving average of {label}"
    if kind in (Calculation.GROWTH, Calculation.CHANGE):
        year = "year-over-year " if wish.per == "year" else ""
        return f"{year}{kind.value} of {label}"
    if kind is Calculation.RUNNING_TOTAL:
        return f"running total of {label}"
    return f"{kind.value} of {label}"


@dataclass(frozen=True, slots=True)
class QuantileWish:
    """A percentile and the token after its words, where what it is of is named."""

    quantile: float
    after: int


_PERCENTILE = re.compile(
    r"\b(?:the )?(?:(?P<nth>\d{1,2}(?:\.\d+)?)(?:st|nd|rd|th) percentiles?|p(?P<short>\d{1,2})"
    r"|(?P<quartile>lower|first|upper|third) quartiles?)(?: of)?(?: the)?\b",
    re.IGNORECASE,
)


def quantile_wishes(question: str, tokens: Sequence[Token]) -> list[QuantileWish]:
    """Every percentile that is asked for; the words are marked as used."""
    found: list[QuantileWish] = []
    for match in _PERCENTILE.finditer(question):
        if _taken(match, tokens):
            continue
        take(tokens, match.start(), match.end(), "quantile")
        quartile = (match.group("quartile") or "").lower()
        percent = match.group("nth") or match.group("short")
        share = (
            float(percent) / 100 if percent else 0.25 if quartile in ("lower", "first") else 0.75
        )
        after = next((i for i, t in enumerate(tokens) if t.start >= match.end()), len(tokens))
        found.append(QuantileWish(share, after))
    return found
