"""Numbers with a check or a fixed shape: payment cards, bank accounts, US social security."""

from __future__ import annotations

import re
from decimal import Decimal

from mesh.recognising.folding import BETWEEN, is_other_number

_APART = "[^0-9A-Za-z]{1,4}"
_LABELS = "ss[^0-9]{0,28}|s[.]s[^0-9]{0,28}|soc[^0-9]{0,28}|tax[^0-9]{0,28}|tin[^0-9]{0,28}"
SSN_SUSPECT = (
    f"[0-9]{{3}}{_APART}[0-9][0-9]{_APART}[0-9]{{4}}|(?:{_LABELS})[0-9](?:{BETWEEN}[0-9]){{8}}"
)
CARD_SUSPECT = f"[0-9](?:{BETWEEN}[0-9]){{11}}"
IBAN_SUSPECT = "[A-Za-z][A-Za-z][0-9][0-9](?:[^0-9A-Za-z]?[0-9A-Za-z]){11}"

_SEPARATOR = r"(?: ?[-./_]{1,2} ?| )"
_NINE = rf"(?!000|666|9)\d{{3}}{_SEPARATOR}(?!00)\d\d{_SEPARATOR}(?!0000)\d{{4}}"
# By itself, or behind a word that it is glued to.
_SSN = re.compile(rf"(?:(?<![\w.-])|(?<=[a-z]{{2}})|(?<=_)){_NINE}(?!\d|_\w|[.-]\d)")
_GIVEN_OUT = re.compile(r"(?!000|666|9)\d{3}(?!00)\d\d(?!0000)\d{4}")
_SSN_NAMED = re.compile(
    r"(?:(?<![A-Za-z])(?:ssn|s\.s\.n|ss ?(?:no|nr|num|#)|social|i?tin|tax(?:payer)?[\s_-]?id)"
    r"|soc\.? ?sec)[^0-9\n]{0,20}"
    rf"(?!000|666|9)\d{{3}}{_SEPARATOR}?(?!00)\d\d{_SEPARATOR}?(?!0000)\d{{4}}(?!\d)",
    re.IGNORECASE,
)
_RUN = re.compile(r"\d+(?:(?: ?[-./_:|*]{1,2} ?| {1,2}|,)\d+)*")
# What is no card, whatever its digits: a fraction, and the digits in a code of hexadecimal ones.
_FRACTION = re.compile(r"(?<![\w.,])[-+]?\d{1,3}[.,]\d{5,}(?![\d]|[.,]\d)")
_CODE = re.compile(
    r"(?<![0-9A-Za-z])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=\d*[a-f])[0-9a-f]{20,})"
    r"(?![0-9A-Za-z])",
    re.IGNORECASE,
)
_SCIENTIFIC = re.compile(r"(?<![\w.])\d\.\d{9,18}e\+?1[1-8](?![\w.])", re.IGNORECASE)
# By itself, or behind a word that it is glued to.
_IBAN = re.compile(
    r"(?:(?<![A-Za-z0-9])|(?<=[a-z])(?=[A-Z]{2})|(?<=[Ii][Bb][Aa][Nn]))"
    r"[A-Za-z]{2}\d{2}(?:[ .-]?[A-Za-z0-9]){11,34}"
)
# How many signs an account number has in each country: the registry of ISO 13616.
_IBAN_LENGTHS = {
    text[:2]: int(text[2:])
    for text in (
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 "
        "DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 "
        "IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 "
        "MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 "
        "SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
    ).split()
}


def ssn_given_out(digits: str) -> bool:
    """Whether these nine digits can be a US social security number that was given out."""
    return _GIVEN_OUT.fullmatch(digits) is not None


def ssn_found(text: str) -> bool:
    """Whether the text holds a US social security number that can have been given out."""
    return bool(_SSN_NAMED.search(text)) or any(
        not is_other_number(text, match.start()) for match in _SSN.finditer(text)
    )


def card_found(text: str) -> bool:
    """Whether the text holds the number of a payment card (ISO 7812): issuer, length, Luhn."""
    text = _SCIENTIFIC.sub(lambda found: f"{Decimal(found[0]):f}", text)
    text = _FRACTION.sub(" \u2026 ", _CODE.sub(" \u2026 ", text))
    return any(
        _is_card(re.findall(r"\d+", match[0]), glued=_is_glued(text, match))
        for match in _RUN.finditer(text)
    )


def _is_glued(text: str, match: re.Match[str]) -> bool:
    """Whether the digits touch letters, as those of codes do and those of hasty notes."""
    before, after = text[: match.start()][-1:], text[match.end() :][:1]
    return any(sign.isalnum() or sign in "_.-" for sign in before) or any(
        sign.isalnum() or sign == "_" for sign in after
    )


def _is_card(groups: list[str], *, glued: bool) -> bool:
    """Groups of digits: one holds the number, or it begins with one of four digits and more."""
    for first, group in enumerate(groups):
        if _is_card_number(group) and (not glued or _has_usual_length(group)):
            return True
        taken = group
        for number, more in enumerate(groups[first + 1 : first + 5], start=1):
            if len(group) < 4 or (len(more) < 3 and number < 3):
                break
            taken += more
            if (
                (number >= 2 or len(more) >= 8)
                and _is_card_number(taken)
                and (_has_usual_length(taken) or not (glued or first))
            ):
                return True
    return False


def _has_usual_length(digits: str) -> bool:
    """Whether a card is as long as nearly all of its issuer's are."""
    usual = {"34": 15, "37": 15, "30": 14, "36": 14, "38": 14}
    return len(digits) == usual.get(digits[:2], 16)


def _is_card_number(digits: str) -> bool:
    return is_card_shaped(digits) and luhn(digits)


def is_card_shaped(digits: str) -> bool:
    """Whether these digits have a card's issuer and length, and are no article's number."""
    length = len(digits)
    if not 12 <= length <= 19:
        return False
    two, four = int(digits[:2]), int(digits[:4])
    if digits[0] == "4":
        return length in (13, 16, 19) and not is_article(digits)
    if two in (34, 37):
        return length == 15
    if two in (30, 36, 38, 39):
        return length >= 14
    if 2221 <= four <= 2720:
        return length == 16
    return (digits[0] in "56" and not is_article(digits)) or (two == 35 and length >= 16)


def luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of ISO 7812-1, annex B."""
    total = sum(
        int(digit) if place % 2 == 0 else sum(divmod(2 * int(digit), 10))
        for place, digit in enumerate(reversed(digits))
    )
    return total % 10 == 0


def is_article(digits: str) -> bool:
    """Whether these are the 12 or 13 digits of a GTIN, a book's number among them."""
    if len(digits) not in (12, 13):
        return False
    weights = (1, 3) if len(digits) == 13 else (3, 1)
    return sum(int(d) * weights[i % 2] for i, d in enumerate(digits)) % 10 == 0


def iban_found(text: str) -> bool:
    """Whether the text holds an account number (ISO 13616): its country's length, its check."""
    return any(_is_iban(match[0]) for match in _IBAN.finditer(text))


def _is_iban(text: str) -> bool:
    signs = re.sub(r"[ .-]", "", text).upper()
    signs = signs[: _IBAN_LENGTHS.get(signs[:2], 0)]
    if len(signs) < 15:
        return False
    return int("".join(str(int(sign, 36)) for sign in signs[4:] + signs[:4])) % 97 == 1
