"""Names of months in English, German, French and Spanish, as cells hold them."""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Mapping

from services.executor.sources.sql import literal

_ENGLISH = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WRITTEN = (
    "jan january januar jänner jän janvier janv enero ene",
    "feb february februar feber février fevrier févr fevr fév febrero",
    "mar march märz maerz mär mrz mars marzo",
    "apr april avril avr abril abr",
    "may mai mayo",
    "jun june juni juin junio",
    "jul july juli juillet juil julio",
    "aug august août aout aoû agosto ago",
    "sep sept september septembre septiembre",
    "oct october okt oktober octobre octubre",
    "nov november novembre noviembre",
    "dec december dez dezember décembre decembre déc diciembre dic",
)
NUMBERS = {name: number for number, names in enumerate(_WRITTEN, 1) for name in names.split()}
"""The number of a month by its name in small letters."""
ANY = "(?:" + "|".join(sorted(NUMBERS, key=len, reverse=True)) + ")"
"""A pattern of every name; it goes with small letters or without regard to case."""


_KNOWN = frozenset(calendar.month_name) | frozenset(calendar.month_abbr)
"""As DuckDB reads them by itself."""


def foreign(words: Iterable[str]) -> dict[str, str]:
    """The names of months among words, in small letters, that are to be put as "Jan"."""
    return {
        word: _ENGLISH[NUMBERS[word] - 1]
        for word in sorted({word.lower() for word in words})
        if word in NUMBERS and word.capitalize() not in _KNOWN
    }


def first_word(text: str) -> str:
    """SQL: the first word of a text, of three letters or more."""
    return f"regexp_extract({text}, '\\p{{L}}{{3,}}')"


def in_english(text: str, names: Mapping[str, str]) -> str:
    """SQL: the text with a month in it that is one of the `names` as these have it."""
    listed = ", ".join(map(literal, names.values()))
    found = f"map([{', '.join(map(literal, names))}], [{listed}])[lower({first_word('w')})]"
    sentence = f"CASE WHEN {found} IS NULL THEN w ELSE replace(w, {first_word('w')}, {found}) END"
    return bound(text, "w", sentence)


def bound(text: str, name: str, body: str) -> str:
    """SQL: the body with a text as `name`, which is long to say and said once."""
    return f"list_transform([{text}], lambda {name}: {body})[1]"
