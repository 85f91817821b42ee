"""Numbers as people write them: thousands, decimal commas, currencies, percent, parentheses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import duckdb

from services.executor.sources.sql import literal
from services.executor.sources.stored_types import WIDE

_CODES = "USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|NZD|BRL|MXN|ZAR|KRW"
CURRENCY = rf"(?:US\$|R\$|A\$|C\$|[$€£¥₹₽₩₺₪₫฿]|{_CODES}|kr\.?|zł|Fr\.)"
_SPACES = "[ \u00a0\u202f\u2009']"
_SIGN = "[-+\u2212]?"
EXACT_DOUBLE = 2**53  # below, every whole number is a DOUBLE


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
    if style.thousands == ",":  # lakhs and crores: 12,34,567
        grouped = rf"(?:{grouped}|\d{{1,2}}(?:,\d{{2}})+,\d{{3}})"
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


def number_in(text: str, style: Style) -> float | None:
    """The number that a cell holds in a style, or none."""
    if not _pattern(style).fullmatch(text) or not text.strip():
        return None
    bare = re.sub(CURRENCY, "", text).replace("\u2212", "-")
    kept = re.sub(rf"[^-0-9eE{style.decimal}]", "", bare).replace(",", ".")
    negative = "(" in text or kept.endswith("-")
    try:
        value = float(kept.rstrip("-"))
    except ValueError:
        return None
    return -abs(value) if negative else value


@cache
def _pattern(style: Style) -> re.Pattern[str]:
    return re.compile(number_pattern(style))


def rounded(cell: str, style: Style) -> float:
    """How far a number may be from the sum that it was rounded from."""
    decimals = re.search(rf"{re.escape(style.decimal)}(\d*)\D*$", cell)
    return 0.51 * 10.0 ** -len(decimals[1]) if decimals else 1e-9


def matches(name: str, style: Style) -> str:
    """SQL: whether a text is a number in the style."""
    return f"regexp_full_match({name}, {literal(number_pattern(style))})"


def fits(name: str, style: Style) -> str:
    """SQL: whether a text is a number in the style, of a size that there is."""
    finite = (
        f"CASE WHEN contains(lower({name}), 'e') THEN isfinite({number(name, style)}) ELSE true"
    )
    return f"({matches(name, style)} AND {finite} END)"


def number(name: str, style: Style, kind: str = "DOUBLE") -> str:
    """SQL: the number in a text that matches the style, null where the type does not hold it."""
    plain = f"try_cast({digits(name, style)} AS {kind})"
    # 12- and (12) are how ledgers write -12.
    negative = f"(contains({name}, '(') OR regexp_matches({name}, '[0-9]\\s*[-\u2212]\\s*$'))"
    return f"(CASE WHEN {negative} THEN -abs({plain}) ELSE {plain} END)"


def digits(name: str, style: Style) -> str:
    """SQL: a text that matches the style as programs write numbers, but for a sign behind it."""
    bare = f"regexp_replace({name}, {literal(CURRENCY)}, '', 'g')"
    bare = f"replace({bare}, '\u2212', '-')"
    kept = f"regexp_replace({bare}, {literal('[^-0-9eE' + style.decimal + ']')}, '', 'g')"
    point = f"replace({kept}, ',', '.')" if style == COMMA else kept
    return f"rtrim({point}, '-')"


def symbols(name: str) -> str:
    """SQL: the currency or percent sign of a text, empty where there is none."""
    return f"regexp_extract({name}, {literal(CURRENCY + '|%|‰')})"


@dataclass(frozen=True, slots=True)
class Counts:
    """Cells that are numbers in one style, the other, or both with different results."""

    total: int
    point: int
    comma: int
    point_only: int
    comma_only: int
    ambiguous: int


def counted(connection: duckdb.DuckDBPyConnection, cells: str) -> Counts:
    """How many of the texts `v` of a relation, given as SQL, are numbers in which style."""
    point, comma = (matches("v", style) for style in (POINT, COMMA))
    row = connection.execute(
        f"SELECT count(*), count(*) FILTER ({point}), count(*) FILTER ({comma}), "
        f"count(*) FILTER ({point} AND NOT {comma}), "
        f"count(*) FILTER ({comma} AND NOT {point}), "
        f"count(*) FILTER (regexp_full_match(v, {literal(AMBIGUOUS)})) FROM {cells}"
    ).fetchone()
    return Counts(*(row or (0,) * 6))


def wide_kind(connection: duckdb.DuckDBPyConnection, cells: str, style: Style) -> str:
    """The type for numbers `v` that a DOUBLE may not hold exactly; empty where none holds them."""
    value, kinds = number("v", style), ("BIGINT", WIDE)
    exact = f"regexp_full_match({digits('v', style)}, '[-+]?[0-9]+([.]0*)?')"
    held = ", ".join(f"bool_and({number('v', style, kind)} IS NOT NULL)" for kind in kinds)
    row = connection.execute(
        f"SELECT bool_and({value} = round({value}) AND "
        f"(abs({value}) < {EXACT_DOUBLE} OR {exact})), {held} "
        f"FROM {cells} WHERE {fits('v', style)}"
    ).fetchone()
    whole, *fitting = row or (False, False, False)
    if not whole:
        return "DOUBLE"
    return next((kind for kind, fit in zip(kinds, fitting, strict=True) if fit), "")
