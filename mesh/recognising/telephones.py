"""Telephone numbers. Whether digits can be one is Google's libphonenumber to say.

A number in its international form is known by itself. A national one is ambiguous: it is taken for
one where it is written like one (in brackets, with a leading zero in groups, three-three-four) or
stands behind a word such as "call"; of words that stand before other numbers, too, more is asked.
Behind a word such as "part" it is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mesh.recognising.folding import BETWEEN, START, is_other_number

_SIX = f"[0-9](?:{BETWEEN}[0-9]){{5}}"
_CALL = (
    "t[e\u00e9\u00c9]l|phon|fone|call|mob|m[o\u00f3\u00d3]vil|cel|fax|handy|whatsapp|sms|gsm|tlf|tfn|"
    "ph[^a-z0-9]|puh|hp|rufnummer|hotline|contact|reach|dial|text|free|number|(?:^|[^a-z])[tmpcfwho][.:)]|"
    "[\u0442\u0422][\u0435\u0415][\u043b\u041b]|\u7535\u8bdd|\u96fb\u8a71|\u643a\u5e2f|\u624b\u673a|\u260e"
)
_AFTER = "mob|cel|phone|tel|fax|handy|whatsapp"
SUSPECT = (
    f"[+(][^0-9A-Za-z]{{0,3}}{_SIX}|{START}0(?:{BETWEEN}[0-9]){{5}}|(?:{_CALL})[^0-9]{{0,24}}{_SIX}"
    f"|{START}[0-9]{{1,3}}[^0-9A-Za-z]{{1,3}}[0-9]{{3}}[^0-9A-Za-z]{{1,3}}[0-9]{{3,4}}"
    f"|{START}[0-9]{{3}}-[0-9]{{7}}|{START}1[3-9][0-9][^0-9A-Za-z][0-9]{{4}}[^0-9A-Za-z][0-9]{{4}}"
    f"|{START}[1-9][0-9][^0-9A-Za-z]9[0-9]{{4}}-[0-9]{{4}}|{_SIX}[^0-9A-Za-z]{{0,4}}(?:{_AFTER})"
)

_DATES = re.compile(
    r"(?<![\d+-])(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4})(?![\d-])"
    r"(?:[ T]\d{1,2}:\d\d)?"
    r"|(?<![\d+-])\d{1,2}([-/.])\d{1,2}\3\d\d[ T]\d{1,2}:\d\d(?!\d)"
)
_ABROAD = re.compile(r"(?<![\w.,-])(?<!\d )00 ?(?=[1-9]\d)")
_PLUS = re.compile(r"\+ ?\(?\d")
_THREES = re.compile(
    r"(?<![\w.-])(?:1[ .-]?)?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?!\w|[.,]\d)"
)
_BRACKETED = re.compile(
    r"(?:(?<!\w)|(?<=\b8))(?:\(0\d{1,4}\)[ /-]?\d[\d -]{2,11}\d|\(\d{1,3}\) ?\d{3,5}[ -]?\d{4}"
    r"|\(\d{3}\) ?\d{3}[ -]\d\d[ -]\d\d)(?!\w|[.,]\d)"
)
_SHAPED = re.compile(r"\d{4}[ -]\d{4}|\d\d[ -]\d\d(?!\d)")  # whatever has one of these
# Spellings that are of one country alone, by the country that has to take them for valid.
_SHAPES = tuple(
    (country, re.compile(rf"(?<![\w.,+-])(?<!\d )(?:{shape})(?!\w|[ .,-]\d)"))
    for country, shape in (
        ("IN", r"0[6-9]\d{4}[ -]\d{5}"),
        ("BR", r"[1-9]\d 9\d{4}-\d{4}"),
        ("CN", r"1[3-9]\d([ -])\d{4}\1\d{4}"),
        ("RU", r"8([ -])\d{3}\1\d{3}[ -]\d\d[ -]\d\d"),
    )
)
_GROUPED = re.compile(r"(?<![\w.,+-])(?<!\d )0\d{1,4}(?:[ ./-]{1,3}\d{1,10}){1,5}(?!\w|,\d)")
_TOGETHER = re.compile(r"(?<![\w.,+-])0[1-9]\d{8,10}(?!\w|[.,]\d)")
_DIGITS = r"[(+]?\d(?:[ ()./-]{0,2}\d)"
_JOIN = r"(?:[^0-9A-Za-z+(]{0,3}(?:no|nr|num|number|is|at|on|us|me|to|phone)(?![A-Za-z])){0,3}"
# Words that nothing but a telephone number stands behind.
_NAMED = re.compile(
    r"(?:(?<![A-Za-z])(?:tele?(?:ph|f)[a-z]*|tel|t\u00e9l(?:\u00e9phone)?|tel\u00e9fono|phone|fone|call|"
    r"mobil[a-z]*|m\u00f3vil|cell(?:ular[a-z]*|phone)?|fax|handy|whatsapp|sms|gsm|tlf|tfno?|puh|rufnummer|"
    r"hotline|(?:ph|mob)\.? ?(?:no|nr))"
    r"|(?-i:(?<=[a-z])(?:Phone|Mobile|Cell|Fax)[A-Za-z]*)"
    r"|\u0442\u0435\u043b[\u0400-\u04ff]*|\u7535\u8bdd|\u96fb\u8a71|\u643a\u5e2f|\u624b\u673a|\u260e)"
    rf"{_JOIN}[^0-9A-Za-z+(]{{0,4}}{_DIGITS}{{5,14}}(?!\w)",
    re.IGNORECASE,
)
# Words that others stand behind, too: at least ten digits are asked for.
_HINTED = re.compile(
    r"(?<![A-Za-z])(?:mob|ph|hp|cel|contact|reach|dial|text|toll[ -]?free|(?:my|phone) number)"
    rf"{_JOIN}[^0-9A-Za-z+(]{{0,4}}(?P<number>{_DIGITS}{{9,12}})(?!\w|[.,]\d)",
    re.IGNORECASE,
)
# One letter: only before a number that is valid in North America or has a leading zero.
_LETTER = re.compile(
    rf"(?<![A-Za-z0-9])\(?[tmpcfwho][.:)] ?(?P<number>{_DIGITS}{{8,11}})(?!\w|[.,]\d)",
    re.IGNORECASE,
)
_FOLLOWED = re.compile(
    rf"(?<![\w.,-]){_DIGITS}{{9,12}} ?[(,-]? ?"
    r"(?:mob(?:ile)?|cell?|phone|tel|fax|handy|whatsapp)(?![a-z])",
    re.IGNORECASE,
)
_SEVEN = re.compile(r"(?<![\w.,-])(\d{3}-\d{7})(?!\w|[.,-]\d)")
_NOT_GROUPED = re.compile(
    r"(?:[01]\d|2[0-3])[0-5]\d ?- ?(?:[01]\d|2[0-4])[0-5]\d"
    r"|.*/(?:19|20)\d\d(?!\d).*"
    r"|0\d{4}-\d{3}"
)
# Countries whose national numbers begin with a zero, by number of people.
_ZERO = (
    "CN IN DE TR GB FR IT ZA KR JP AU NL BE SE AT CH FI IE NZ IL RO UA PK NG BD VN ID PH EG IR TH "
    "KE AR DZ IQ MA SA MY VE PE GH AE RS HR SI SK BG AL JO LB EC BO TW KH"
).split()


def found(text: str) -> bool:
    """Whether the text holds a telephone number."""
    text = _DATES.sub(" \u2026 ", text)
    if any(
        match[0].strip("-.() 0") and not _is_other(text, match) for match in _THREES.finditer(text)
    ):
        return True
    if _BRACKETED.search(text) or _NAMED.search(text) or _FOLLOWED.search(text):
        return True
    if any(not _is_moment(match["number"]) for match in _HINTED.finditer(text)):
        return True
    if any(_has_sign_of_home(match["number"]) for match in _LETTER.finditer(text)):
        return True
    if any(_is_american(match[1]) for match in _SEVEN.finditer(text)):
        return True
    if _SHAPED.search(text) and any(
        _is_valid(match[0], country) and not _is_other(text, match)
        for country, shape in _SHAPES
        for match in shape.finditer(text)
    ):
        return True
    if _PLUS.search(text) and any(_abroad(text)):
        return True
    if any(
        not _is_other(text, match) and any(_abroad(f"+{text[match.end() :]}", valid=True))
        for match in _ABROAD.finditer(text)
    ):
        return True
    return any(
        _is_grouped(match[0]) and not _is_other(text, match) for match in _GROUPED.finditer(text)
    ) or any(
        not _is_book(match[0]) and _valid_at_home(match[0], mobile=True)
        for match in _TOGETHER.finditer(text)
        if not _is_other(text, match)
    )


def _is_other(text: str, match: re.Match[str]) -> bool:
    """Whether the word before says that these digits are something else."""
    return is_other_number(text, match.start())


def _is_grouped(number: str) -> bool:
    """Whether groups of digits are a telephone number, and no times of a day, no month
    or year, and no Brazilian postcode."""
    if _NOT_GROUPED.fullmatch(number) or sum(sign.isdigit() for sign in number) < 7:
        return False
    return _valid_at_home(number)


def _is_moment(number: str) -> bool:
    """Whether ten digits and more begin like a day of this century or the one before."""
    digits = re.sub(r"\D", "", number)
    return re.match(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])", digits) is not None


def _has_sign_of_home(number: str) -> bool:
    digits = re.sub(r"\D", "", number)
    return _valid_at_home(digits) if digits.startswith("0") else _is_american(digits)


def _is_american(number: str) -> bool:
    return _is_valid(number, "US")


def _is_valid(number: str, country: str) -> bool:
    import phonenumbers

    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(number, country))
    except phonenumbers.NumberParseException:
        return False


def _abroad(text: str, *, valid: bool = False) -> Iterator[bool]:
    """Numbers in their international form; those behind two zeros alone have to be `valid`."""
    from phonenumbers import Leniency, PhoneNumberMatcher

    leniency = Leniency.VALID if valid else Leniency.POSSIBLE
    for match in PhoneNumberMatcher(text, None, leniency, 100):
        yield not valid or match.start == 0


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

    wrong = (1 - share) * len(values)
    if sum(not value.startswith("0") for value in values) > wrong:
        return None
    for region in _ZERO:
        left = wrong
        for value in values:
            try:
                valid = phonenumbers.is_valid_number(phonenumbers.parse(value, region))
            except phonenumbers.NumberParseException:
                valid = False
            left -= not (valid and value.startswith("0"))
            if left < 0:
                break
        else:
            return region
    return None


def _is_book(digits: str) -> bool:
    """Whether these are the ten digits of an ISBN."""
    weighted = sum(int(digit) * (10 - place) for place, digit in enumerate(digits))
    return len(digits) == 10 and weighted % 11 == 0
