"""Numbers, dates and yes or no that are stored as texts: which a column means, and their values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

Value = float | bool | date | None

NO_VALUE = frozenset(("", "na", "n/a", "#n/a", "nan", "null", "?", "-", "--", ".", "missing"))
"""Texts that stand for no value, whatever a column holds."""
PERHAPS_NO_VALUE = frozenset(("none", "nil", "unknown", "not available", "not applicable"))
"""Texts that stand for no value among numbers; among words they may be values of their own."""

_SIGN = r"[+\-\u2212]?"
_PLAIN = re.compile(rf"{_SIGN}(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_POINT = re.compile(rf"{_SIGN}\d{{1,3}}(,\d{{3}})+(\.\d+)?")
_COMMA = re.compile(rf"{_SIGN}(\d{{1,3}}((\.|\s|')\d{{3}})+(,\d+)?|\d+,\d+)")
_CURRENCY = re.compile(r"^(?:USD|EUR|GBP|CHF|JPY|[$€£¥])\s*|\s*(?:USD|EUR|GBP|CHF|JPY|[$€£¥])$")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?Z?")
_YES, _NO = frozenset(("yes", "y", "true", "t", "on")), frozenset(("no", "n", "false", "f", "off"))


@dataclass(frozen=True)
class TextType:
    """What the texts of a column mean: `kind` is number, yes_no or date; a value for each text that
    is no missing value; `missing` are the texts that stand for none; `how` says it in words."""

    kind: str
    values: Mapping[str, Value]
    missing: tuple[str, ...] = ()
    how: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)


def find_text_type(texts: Iterable[str]) -> TextType | None:
    """What all the texts together mean, or None where they are words.

    One text that is neither a value nor a sign of a missing one makes them words: it could not be
    kept. Percentages become fractions, and only where every number has the sign.
    """
    distinct = sorted(set(texts))
    bare = {text: text.strip() for text in distinct}
    absent = {t for t in distinct if bare[t].casefold() in NO_VALUE | PERHAPS_NO_VALUE}
    present = [text for text in distinct if text not in absent]
    if not present:
        return None
    missing = tuple(sorted(absent))
    if found := _yes_or_no(present, bare):
        return TextType("yes_no", found, missing, "yes and no stored as text")
    if all(_DAY.fullmatch(bare[text]) for text in present):
        days = {text: _day(bare[text]) for text in present}
        if None not in days.values():
            return TextType("date", days, missing, "dates stored as text")
    return _as_numbers(present, bare, missing)


def _yes_or_no(present: list[str], bare: Mapping[str, str]) -> dict[str, Value] | None:
    texts = {text: bare[text].casefold() for text in present}
    if not (set(texts.values()) <= _YES | _NO and len(set(texts.values())) == 2):
        return None
    if len({word in _YES for word in texts.values()}) < 2:
        return None
    return {text: word in _YES for text, word in texts.items()}


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _as_numbers(
    present: list[str], bare: Mapping[str, str], missing: tuple[str, ...]
) -> TextType | None:
    stripped, percent, money, brackets = {}, 0, 0, 0
    for text in present:
        number = bare[text]
        if number.startswith("(") and number.endswith(")"):
            number, brackets = f"-{number[1:-1].strip()}", brackets + 1
        if number.endswith("%"):
            number, percent = number[:-1].strip(), percent + 1
        without = _CURRENCY.sub("", number)
        if without.startswith("-"):
            without = "-" + _CURRENCY.sub("", without[1:].strip())
        money += without != number
        stripped[text] = without
    if percent not in (0, len(present)):
        return None
    values = _read(stripped)
    if values is None:
        return None
    grouped = sum(1 for text in stripped.values() if not _PLAIN.fullmatch(text))
    signs = [
        name
        for name, seen in (
            ("percent signs", percent),
            ("currencies", money),
            ("separators", grouped),
            ("brackets for negative numbers", brackets),
        )
        if seen
    ]
    how = "numbers stored as text" + (f", with {' and '.join(signs)}" if signs else "")
    scaled: dict[str, Value] = {t: round(v / 100, 12) if percent else v for t, v in values.items()}
    return TextType("number", scaled, missing, how, {"percent": bool(percent)})


def _read(texts: Mapping[str, str]) -> dict[str, float] | None:
    """Numbers in one way of writing: with points or with commas for decimals, never both."""
    point = {t for t, n in texts.items() if _PLAIN.fullmatch(n) or _POINT.fullmatch(n)}
    if len(point) == len(texts):
        return {text: _number(n.replace(",", "")) for text, n in texts.items()}
    whole = re.compile(rf"{_SIGN}\d+")
    if all(_COMMA.fullmatch(n) or whole.fullmatch(n) for n in texts.values()):
        plain = {t: re.sub(r"[.\s']", "", n).replace(",", ".") for t, n in texts.items()}
        return {text: _number(n) for text, n in plain.items()}
    return None


def _number(text: str) -> float:
    return float(text.replace("\u2212", "-"))
