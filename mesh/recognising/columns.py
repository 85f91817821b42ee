"""Whether a column of plain digits is a column of personal data.

A number that stands alone says little: one in ten of a card's shape passes a card's check, and nine
digits are as often an order as a person. So a column is judged by its distinct values together:

- `credit_card`: of the values with a card's issuer and length at least three in ten pass the check
  of ISO 7812, or more than chance lets (four standard deviations above one in ten);
- `ssn`: nearly all have nine digits (leading zeros may be lost) that can have been given out, and
  they lie as far apart as numbers of people do, not in a row as numbers of orders;
- `phone`: nearly all are valid numbers of North America, or of any country with its code and no
  plus sign, or of one country with a leading zero, and lie as far apart.

A name that says what such a number is ("tax", "contact") needs one half of the values alone; one
that says that it is something else ("order", "amount") leaves cards to be found. Where numbers can
be either, the column is taken for personal data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from math import sqrt

from mesh.recognising import numbers

KINDS = ("credit_card", "ssn", "phone")
"""The kinds that a column of digits can be found to hold."""

LEAST_CARD = 10**11
"""No shorter number is a card's."""

_CHANCE, _ENOUGH, _DEVIATIONS = 0.1, 0.3, 4.0
_NEARLY_ALL, _HALF = 0.95, 0.5
_LEAST_RANGE, _MOST_DENSE = 1_000_000, 0.002
_FEW_PEOPLE, _FEW_TELEPHONES = 3, 5
_MOST_PARSED, _FIRST_PARSED = 200, 20

_SSN_NAMES = re.compile(
    r"\b(taxpayer|i?tin|nin|social|soc sec|tax ?(id|no|nr|num|number)|ss (no|nr|num|number)|"
    r"(national|nat|person|personal|insurance|national insurance) (id|no|nr|num|number))\b"
)
_PHONE_NAMES = re.compile(
    r"\b(contact|cell|mob|tel|telefon\w*|gsm|fax|handy|whatsapp|ph|caller|callee|msisdn|sms|"
    r"landline)\b(?!.*\bid\b)"
)
_OTHER_NAMES = re.compile(
    r"\b(orders?|invoices?|contracts?|parts?|items?|sku|products?|articles?|tickets?|zip\w*|postal|"
    r"post ?codes?|routing|aba|duns|ein|isbn|ean|upc|gtin|barcode|serial|tracking|version|batch|"
    r"lot|amount|total|price|revenue|sales|cost|population|quantity|qty|count|bytes|size|salary|"
    r"budget|value|balance|income|gdp|turnover|profit|net|gross|assets|debt|worth|funding|area|"
    r"distance|weight|volume|capacity|followers|views|visits|users|time\w*|date\w*|epoch|created|updated|latitude|longitude|seed|hash)\b"
)
_SPLIT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
# What is written for a number that is not known.
_NOTHING = re.compile(r"-?(0*1?|9+)|-|\?|n/?a|nan|none|null|unknown", re.IGNORECASE)
_TIMES = re.compile(
    r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])?([0-5]\d){0,2}"
)


def words_of(name: str) -> str:
    """The words of a name in lower case, with a space between."""
    return " ".join(_SPLIT.sub(" ", name).lower().split())


def kinds(
    name: str, values: Sequence[str], distinct: int | None = None, *, long: Sequence[str] = ()
) -> tuple[str, ...]:
    """The kinds that a column of this name holds, of KINDS.

    `values` are different cells of it, taken without regard to what they are; those that are no
    plain digits count against `ssn` and `phone`. `long` are different cells of 12 digits and more,
    where they were looked for. `distinct` is how many different ones the column has (as many as
    `values`, if nothing else is known).
    """
    values = [value for value in values if not _NOTHING.fullmatch(value)]
    digits = [value for value in values if value.isascii() and value.isdecimal()]
    among = dict.fromkeys([*long, *(value for value in digits if len(value) >= 12)])
    found = ["credit_card"] if _are_cards(among) else []
    named = words_of(name)
    if len(digits) >= _NEARLY_ALL * len(values) > 0 and not _OTHER_NAMES.search(named):
        many = max(distinct or 0, len(values))
        if _are_people(named, digits, many):
            found.append("ssn")
        elif not found and _are_telephones(named, digits, many):
            found.append("phone")
    return tuple(found)


def digits_of(kind: str, cell: str) -> str | None:
    """What a cell of a column of that kind says as text, if it has the length of that kind."""
    if not (cell.isascii() and cell.isdecimal()):
        return None
    if kind == "credit_card":
        return cell if numbers.card_found(cell) else None
    if kind == "ssn":
        return cell.zfill(9) if 6 < len(cell) < 10 else None
    return cell if kind == "phone" and 6 < len(cell) < 16 else None


def _are_cards(values: Collection[str]) -> bool:
    shaped = [value for value in values if numbers.is_card_shaped(value)]
    right = sum(map(numbers.luhn, shaped))
    chance = _CHANCE * len(shaped) + _DEVIATIONS * sqrt(_CHANCE * (1 - _CHANCE) * len(shaped))
    return right > 0 and (right >= _ENOUGH * len(shaped) or right > chance)


def _are_people(named: str, digits: Sequence[str], distinct: int) -> bool:
    padded = [value.zfill(9) for value in digits if len(value) > 6]
    if _SSN_NAMES.search(named):
        right = [value for value in digits if 7 < len(value) < 10]
        return (
            _share(lambda value: numbers.ssn_given_out(value.zfill(9)), right, len(digits)) >= _HALF
        )
    return (
        len(digits) >= _FEW_PEOPLE
        and _share(numbers.ssn_given_out, padded, len(digits)) >= 0.99
        and _share(lambda value: len(value) == 9, digits, len(digits)) >= 0.7
        and _apart(padded, distinct)
        and _share(_is_bank, padded, len(digits)) < _NEARLY_ALL
        and _share(_is_time, digits, len(digits)) < _NEARLY_ALL
    )


def _are_telephones(named: str, digits: Sequence[str], distinct: int) -> bool:
    least = _HALF if _PHONE_NAMES.search(named) else _NEARLY_ALL
    if least == _NEARLY_ALL and not (
        len(digits) >= _FEW_TELEPHONES
        and _apart(digits, distinct)
        and _share(_is_time, digits, len(digits)) < _NEARLY_ALL
        and _share(numbers.is_article, digits, len(digits)) < _NEARLY_ALL
    ):
        return False
    some = digits[:_MOST_PARSED]
    if _share(_fits_a_telephone, some, len(some)) < least:
        return False
    from mesh.recognising.telephones import region_of_all, valid_abroad

    first = some[:_FIRST_PARSED]  # what is none, shows it at once
    if _share(valid_abroad, first, len(first)) >= _HALF and (
        _share(valid_abroad, some, len(some)) >= least
    ):
        return True
    return least == _HALF or region_of_all(some, least) is not None


def _fits_a_telephone(value: str) -> bool:
    return 8 < len(value) < 16 and not value.startswith("00")


def _share(test: Callable[[str], object], values: Sequence[str], among: int) -> float:
    return sum(1 for value in values if test(value)) / among if among else 0.0


def _apart(digits: Sequence[str], distinct: int) -> bool:
    """Whether the numbers lie far from one another, as those do that are not counted up."""
    width = max(map(int, digits), default=0) - min(map(int, digits), default=0)
    return width >= _LEAST_RANGE and distinct / width <= _MOST_DENSE


def _is_time(value: str) -> bool:
    return _TIMES.fullmatch(value) is not None


def _is_bank(value: str) -> bool:
    """Whether nine digits pass the check of a US bank's routing number."""
    return sum(int(d) * (3, 7, 1)[i % 3] for i, d in enumerate(value)) % 10 == 0
