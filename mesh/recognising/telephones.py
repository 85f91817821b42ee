"""Telephone numbers. Whether digits can be one is Google's libphonenumber to say.

A number in its international form is known by itself. A national one is ambiguous: it is taken for
one where it is written like one (in brackets, with a leading zero in groups, three-three-four) or
stands behind a word such as "call".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mesh.recognising.folding import BETWEEN, START

_SIX = f"[0-9](?:{BETWEEN}[0-9]){{5}}"
_CALL = "t[e\u00e9\u00c9]l|phon|call|mobil|m[o\u00f3\u00d3]vil|cell|fax|handy|whatsapp|sms|\u260e"
SUSPECT = (
    f"[+(][^0-9A-Za-z]{{0,3}}{_SIX}|{START}0(?:{BETWEEN}[0-9]){{5}}|(?:{_CALL})[^0-9]{{0,24}}{_SIX}"
    f"|{START}[0-9]{{1,3}}[^0-9A-Za-z]{{1,3}}[0-9]{{3}}[^0-9A-Za-z]{{1,3}}[0-9]{{3,4}}"
)

_DATES = re.compile(
    r"(?<![\d+-])(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4})(?![\d-])"
    r"(?:[ T]\d{1,2}:\d\d)?"
)
_ABROAD = re.compile(r"(?<![\w.,])(?<!\d )00 ?(?=[1-9]\d)")
_PLUS = re.compile(r"\+ ?\(?\d")
_THREES = re.compile(
    r"(?<![\w.-])(?:1[ .-]?)?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?!\w|[.,]\d)"
)
_BRACKETED = re.compile(
    r"(?<!\w)(?:\(0\d{1,4}\)[ /-]?\d[\d -]{2,11}\d|\(\d{1,3}\) ?\d{3,5}[ -]?\d{4})(?!\w|[.,]\d)"
)
_GROUPED = re.compile(r"(?<![\w.,+-])(?<!\d )0\d{1,4}(?:[ ./-]{1,3}\d{1,10}){1,5}(?!\w|,\d)")
_TOGETHER = re.compile(r"(?<![\w.,+-])0[1-9]\d{8,10}(?!\w|[.,]\d)")
_NAMED = re.compile(
    r"(?:\b(?:tele?(?:ph|f)\w*|tel|t\u00e9l|phone|call|mobil\w*|m\u00f3vil|cell|fax|handy|whatsapp|sms)"
    r"|\u260e)(?: ?(?:no|nr|number))?[.:=#\s]{0,4}[(+]?\d(?:[ ()./-]{0,2}\d){5,14}(?!\w)",
    re.IGNORECASE,
)
# Countries whose national numbers begin with a zero, by number of people.
_ZERO = (
    "CN IN DE TR GB FR IT ZA KR JP AU NL BE SE AT CH FI IE NZ IL RO UA PK NG BD VN ID PH EG IR TH "
    "KE AR DZ IQ MA SA MY VE PE GH AE RS HR SI SK BG AL JO LB EC BO TW KH"
).split()


def found(text: str) -> bool:
    """Whether the text holds a telephone number."""
    text = _DATES.sub(" \u2026 ", text)
    if _THREES.search(text) or _BRACKETED.search(text) or _NAMED.search(text):
        return True
    text = _ABROAD.sub("+", text)
    if _PLUS.search(text) and any(_abroad(text)):
        return True
    return any(_valid_at_home(match[0]) for match in _GROUPED.finditer(text)) or any(
        not _is_book(match[0]) and _valid_at_home(match[0], mobile=True)
        for match in _TOGETHER.finditer(text)
    )


def _abroad(text: str) -> Iterator[bool]:
    from phonenumbers import Leniency, PhoneNumberMatcher

    for match in PhoneNumberMatcher(text, None, Leniency.POSSIBLE, 100):
        yield bool(match.raw_string)


def _valid_at_home(digits: str, *, mobile: bool = False) -> bool:
    """Whether it is a number in some country; `mobile` asks for those of mobile telephones."""
    import phonenumbers

    for region in _ZERO:
        try:
            number = phonenumbers.parse(digits, region)
        except phonenumbers.NumberParseException:
            continue
        kind = phonenumbers.number_type(number)
        if kind == phonenumbers.PhoneNumberType.MOBILE:
            return True
        if not mobile and kind != phonenumbers.PhoneNumberType.UNKNOWN:
            return True
    return False


def valid_abroad(digits: str) -> bool:
    """Whether digits are a valid number of North America, or one with its country's code."""
    import phonenumbers

    for region, text in (("US", digits), (None, f"+{digits}")):
        try:
            if phonenumbers.is_valid_number(phonenumbers.parse(text, region)):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False


def region_of_all(values: Sequence[str], share: float) -> str | None:
    """A country in which that share of the values are valid, written with a leading zero."""
    import phonenumbers

    for region in _ZERO:
        valid = 0
        for value in values:
            try:
                number = phonenumbers.parse(value, region)
            except phonenumbers.NumberParseException:
                continue
            valid += value.startswith("0") and phonenumbers.is_valid_number(number)
        if valid >= share * len(values):
            return region
    return None


def _is_book(digits: str) -> bool:
    """Whether these are the ten digits of an ISBN."""
    weighted = sum(int(digit) * (10 - place) for place, digit in enumerate(digits))
    return len(digits) == 10 and weighted % 11 == 0
