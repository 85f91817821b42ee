"""The rows of a study are judged before an effect is estimated in them."""

from __future__ import annotations

import asyncio

import pytest

from services.planner.domain.causal.frame import FrameChecked
from services.planner.domain.causal.frame_checked import (
    OF_FRAMES,
    UNREAD,
    frame_checked,
    frame_statement,
)
from services.planner.domain.checks.judging import judge
from tests.unit.checks.small_data import SmallData

_VISITS = "".join(f"{i},{i % 2},{20 + i % 7},{30 + i % 5}\n" for i in range(1, 41))
_BASKET = "".join(f"{i},{i % 3},{10 + i}\n" for i in range(1, 21))
_LINES = "".join(f"{n},{1 + n % 20},{n % 4}\n" for n in range(1, 61))
DATA = SmallData(
    {
        "visits": f"visit_id,promo,spend,age\n{_VISITS}",
        "spoilt": f"visit_id,promo,spend,age\n{_VISITS}41,1,27,-999\n42,0,31,-999\n",
        "orders": f"order_id,promo,freight\n{_BASKET}",
        "lines": f"line_id,order_id,discount\n{_LINES}",
        "paid": "pay_id,promo,amount,currency\n"
        + "".join(f"{i},{i % 2},{i}.5,{'EUR' if i % 3 else 'NOK'}\n" for i in range(1, 13)),
        "twice": "promo,spend,age\n" + "".join(f"{i % 2},{i}.25,{i * 3}\n" for i in range(40)) * 2,
        "balances": "account_id,day,promo,balance\n"
        + "".join(f"{i % 5},2024-01-{1 + i // 5:02},{i % 2},{i}\n" for i in range(30)),
    }
)


def checked(relation: str, outcome: str) -> FrameChecked:
    text = frame_statement(relation, outcome, DATA.catalogue)
    judged = asyncio.run(judge(text, DATA.catalogue, DATA.evidence, codes=OF_FRAMES))
    return frame_checked(text, judged, outcome, relation, DATA.catalogue)


@pytest.mark.parametrize(
    ("relation", "outcome", "code", "said"),
    [
        (
            "SELECT o.freight, o.promo, l.discount FROM orders o JOIN lines l ON l.order_id = "
            "o.order_id",
            "freight",
            "J01",
            "each of 20 once",
        ),
        ("SELECT promo, spend, age FROM spoilt", "spend", "F08", "age are -999"),
        ("SELECT promo, amount FROM paid", "amount", "A05", "EUR and NOK"),
        ("SELECT promo, spend, age FROM twice", "spend", "D02", "40 rows of twice are whole rows"),
        (
            "SELECT o.promo, o.freight FROM orders o, visits v",
            "freight",
            "J05",
            "put beside every other row",
        ),
        ("SELECT promo, order_id FROM orders", "order_id", "A10", "numbers that name things"),
        ("SELECT promo, balance FROM balances", "balance", "A02", "a level at one time"),
        (
            "SELECT promo, avg(spend) AS spend FROM visits GROUP BY promo, spend > 24",
            "spend",
            "A03",
            "a mean of a group of rows",
        ),
    ],
)
def test_what_is_wrong_with_the_rows_is_told_and_leaves_no_effect_sure(
    relation: str, outcome: str, code: str, said: str
) -> None:
    found = checked(relation, outcome)

    told = [one for one in found.caveats if one.startswith(code)]
    assert told and said in told[0], found
    assert found.at_most("high") != "high"


@pytest.mark.parametrize(
    ("relation", "outcome"),
    [
        ("SELECT promo, spend, age FROM visits", "spend"),
        ("SELECT promo, spend, age FROM spoilt WHERE age > 0", "spend"),
        (
            "SELECT o.promo, l.discount FROM orders o JOIN lines l ON l.order_id = o.order_id",
            "discount",
        ),
        ("SELECT promo, amount FROM paid WHERE currency = 'EUR'", "amount"),
        ("SELECT DISTINCT promo, spend, age FROM visits", "spend"),
        ("SELECT promo, spend FROM visits", ""),
    ],
)
def test_rows_that_are_as_they_should_be_are_not_doubted(relation: str, outcome: str) -> None:
    found = checked(relation, outcome)

    assert found.caveats == ()
    assert (found.at_most("high"), found.at_most("low")) == ("high", "low")


def test_what_cannot_be_taken_apart_is_said_and_not_sure() -> None:
    judged = asyncio.run(judge("", DATA.catalogue, None))
    found = frame_checked("", judged, "spend", "", DATA.catalogue)

    assert frame_statement("SELECT 1 UNION SELECT 2", "spend", DATA.catalogue) == ""
    assert (found.caveats, found.at_most("high")) == ((UNREAD,), "medium")


def test_a_number_that_was_taken_out_is_doubted_no_more() -> None:
    found = checked("SELECT promo, spend, age FROM spoilt", "spend")

    assert found.repaired(["spend"]) == found
    assert found.repaired(["age"]).at_most("high") == "high"


def test_rows_that_were_left_out_as_repeated_are_doubted_no_more() -> None:
    found = checked("SELECT promo, spend, age FROM twice", "spend")

    assert found.repaired([]) == found and found.at_most("high") != "high"
    assert found.repaired([], once=True).at_most("high") == "high"
