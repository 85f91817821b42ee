"""Columns of plain digits: which hold cards, people and telephones, and which count something."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from mesh.recognising.columns import kinds
from mesh.recognising.numbers import luhn

RANDOM = random.Random(11)
MANY = 400


def any_of(low: int, high: int, many: int = MANY) -> list[str]:
    return [str(RANDOM.randrange(low, high)) for _ in range(many)]


def in_a_row(first: int, step: int = 1, many: int = MANY) -> list[str]:
    return [str(first + step * number) for number in range(many)]


def cards(many: int = MANY) -> list[str]:
    firsts = [f"4{RANDOM.randrange(10**14):014d}" for _ in range(many)]
    return [next(f + str(last) for last in range(10) if luhn(f + str(last))) for f in firsts]


def people(many: int = MANY) -> list[str]:
    areas = [area for area in range(1, 900) if area != 666]
    return [
        str(
            int(
                f"{RANDOM.choice(areas):03d}{RANDOM.randrange(1, 100):02d}"
                f"{RANDOM.randrange(1, 10_000):04d}"
            )
        )
        for _ in range(many)
    ]


def lines(first: str, digits: int, many: int = MANY) -> list[str]:
    return [first + str(RANDOM.randrange(2 * 10 ** (digits - 1), 10**digits)) for _ in range(many)]


@pytest.mark.parametrize(
    ("name", "values", "found"),
    [
        ("pan", cards(), ["credit_card"]),
        ("ref", ["4111111111111111"], ["credit_card"]),
        ("order_no", cards(), ["credit_card"]),
        ("ref", cards(60) + any_of(10**4, 10**6), ["credit_card"]),
        ("ref", cards(80) + any_of(4 * 10**15, 5 * 10**15), ["credit_card"]),
        ("order_no", in_a_row(4 * 10**15), []),
        ("order_no", in_a_row(4_000_000_000_000_000, 10), []),
        ("ref", any_of(4 * 10**15, 5 * 10**15, 5_000), []),
        ("ref", any_of(10**11, 10**18), []),
        ("at", in_a_row(1_700_000_000_000_000, 977), []),
        ("person", people(), ["ssn"]),
        ("holder", people(5), ["ssn"]),
        ("tax_no", ["536221234"], ["ssn"]),
        ("TaxId", people(), ["ssn"]),
        ("holder", [text.zfill(9) for text in people()], ["ssn"]),
        ("holder", [*people(10), "-1", "0", "999999999", "unknown"], ["ssn"]),
        ("tax", any_of(10**6, 10**9), []),
        ("national_tax_number", ["536221234", "78051120"], ["ssn"]),
        ("reach", any_of(10**6, 10**8), []),
        ("cell", any_of(10**6, 10**7), []),
        ("gdp", any_of(10**8, 8 * 10**8, 5), []),
        ("order_id", people(), []),
        ("customer_id", in_a_row(100_000_001), []),
        ("customer_id", in_a_row(100_000_001, 13), []),
        ("ref", any_of(10**8, 10**9), []),
        ("revenue", any_of(10**8, 9 * 10**8), []),
        ("joined", [f"{y}{m:02d}28" for y in range(1990, 2012) for m in range(1, 13)], []),
        ("line", lines("212", 7), ["phone"]),
        ("line", lines("1415", 7), ["phone"]),
        ("line", lines("4917", 9), ["phone"]),
        ("line", lines("030", 7), ["phone"]),
        ("contact", ["301234567"], ["phone"]),
        ("contact_id", in_a_row(301_234_567), []),
        ("po", in_a_row(4_500_123_456), []),
        ("ref", any_of(10**9, 10**10), []),
        ("ref", any_of(10**11, 10**12), []),
        ("at", in_a_row(1_732_787_753, 86_399), []),
        ("at", in_a_row(1_732_787_753_123, 86_399_000), []),
        ("at", [f"2024{m:02d}{d:02d}0930" for m in range(1, 13) for d in range(1, 28)], []),
        ("size", any_of(10**6, 10**9), []),
        ("text", ["a", "b", "536221234"], []),
        ("nothing", [], []),
    ],
)
def test_a_column_is_judged_by_its_values(
    name: str, values: Sequence[str], found: list[str]
) -> None:
    assert list(kinds(name, values)) == found


def test_how_many_there_are_tells_numbers_in_a_row_of_which_some_are_seen() -> None:
    """Of three million order numbers in a row, a few that were picked lie far apart."""
    some = [str(100_000_000 + RANDOM.randrange(3_000_000)) for _ in range(MANY)]
    assert kinds("no", some) == ("ssn",)
    assert kinds("no", some, 3_000_000) == ()
