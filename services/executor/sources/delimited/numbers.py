"""Numbers as people write them: thousands, decimal commas, currencies, percent, parentheses."""

from __future__ import annotations

import re
from dataclasses import dataclass

from services.executor.sources.sql import literal

_CODES = "USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|NZD|BRL|MXN|ZAR|KRW"
CURRENCY = rf"(?:US\$|R\$|A\$|C\$|[$€£¥₹₽₩₺₪₫฿]|{_CODES}|kr\.?|zł|Fr\.)"
_SPACES = "[ \u00a0\u202f\u2009']"
_SIGN = "[-+\u2212]?"


@dataclass(frozen=True, slots=True)
class Style:
    """Which sign parts the decimals; the other of the two, a space or ' parts thousands."""

    decimal: str

    @property
    def thousands(self) -> str:
        """The sign that parts thousands beside spaces and apostrophes."""
        return "," if self.decimal == "." else "."


POINT, COMMA = Style("."), Style(",")


def number_pattern(style: Style) -> str:
    """What a whole cell looks like that holds a number in this style."""
    grouped = rf"\d{{1,3}}(?:(?:{_SPACES}|{re.escape(style.thousands)})\d{{3}})+"
    decimal = re.escape(style.decimal)
    digits = rf"(?:(?:{grouped}|\d+)(?:{decimal}\d*)?|{decimal}\d+)(?:[eE][-+]?\d+)?"
    return (
        rf"\s*\(?{_SIGN}\s*(?:{CURRENCY}\s*)?{_SIGN}{digits}{_SIGN[:-1]}?\s*"
        rf"(?:%|‰|{CURRENCY})?\s*\)?\s*"
    )


# Cells that are read the same whichever of the two signs parts decimals.
EITHER = number_pattern(POINT), number_pattern(COMMA)
_ANY = tuple(map(re.compile, EITHER))
# One sign and exactly three digits after it: thousands in one style, decimals in the other.
AMBIGUOUS = r"\D*\d{1,3}[.,]\d{3}\D*"


def is_number(text: str) -> bool:
    """Whether a cell holds a number in either style."""
    return any(pattern.fullmatch(text) for pattern in _ANY)


def matches(name: str, style: Style) -> str:
    """SQL: whether a text is a number in the style."""
    return f"regexp_full_match({name}, {literal(number_pattern(style))})"


def fits(name: str, style: Style) -> str:
    """SQL: whether a text is a number in the style, of a size that there is."""
    finite = (
        f"CASE WHEN contains(lower({name}), 'e') THEN isfinite({number(name, style)}) ELSE true"
    )
    return f"({matches(name, style)} AND {finite} END)"


def number(name: str, style: Style) -> str:
    """SQL: the number in a text that matches the style, as DOUBLE."""
    bare = f"regexp_replace({name}, {literal(CURRENCY)}, '', 'g')"
    bare = f"replace({bare}, '\u2212', '-')"
    kept = f"regexp_replace({bare}, {literal('[^-0-9eE' + style.decimal + ']')}, '', 'g')"
    point = f"replace({kept}, ',', '.')" if style == COMMA else kept
    # 12- and (12) are how ledgers write -12.
    negative = f"(contains({name}, '(') OR regexp_matches({name}, '[0-9]\\s*[-\u2212]\\s*$'))"
    plain = f"try_cast(rtrim({point}, '-') AS DOUBLE)"
    return f"(CASE WHEN {negative} THEN -abs({plain}) ELSE {plain} END)"


def symbols(name: str) -> str:
    """SQL: the currency or percent sign of a text, empty where there is none."""
    return f"regexp_extract({name}, {literal(CURRENCY + '|%|‰')})"
