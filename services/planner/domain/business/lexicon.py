"""The words themselves: what each needs, and how a number is made of that.

To add one, copy an entry. Its examples run as tests (tests/unit/planner/test_business_words.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Form(StrEnum):
    """How a number is made of the columns: the functions of `forms`."""

    LASTING = "lasting"  # from the one date to the other, for each row
    STANDING = "standing"  # rows begun and not over at a date
    LEAVING = "leaving"  # rows that were over in a period, of those that stood
    MARGIN = "margin"  # what is left of the one sum after the other, as a share of it
    RATIO = "ratio"  # the one sum as a share of the other
    AMOUNT = "amount"  # one column


@dataclass(frozen=True, slots=True)
class Need:
    """A column that a word needs: a `date` or a number, with one of these `words` in its name.

    `said` names it where it is missing, `such` are examples of its name. Without one that is not
    `required` the row goes on to this day.
    """

    phrase: str
    such: str
    words: frozenset[str]
    date: bool = False
    required: bool = True


@dataclass(frozen=True, slots=True)
class Entry:
    """A word of business. `name` is what its number is called, `pattern` how it is said, `of` what
    the table is of, by its name or those of its columns (empty for any); `examples` are columns
    with what is told of them."""

    name: str
    pattern: re.Pattern[str]
    form: Form
    needs: tuple[Need, ...]
    of: frozenset[str] = frozenset()
    unit: str = ""
    at_beginning: bool = False
    examples: tuple[tuple[str, str], ...] = ()


def _compile_words(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STAFF = _words(
    "employee employees staff worker workers personnel colleague colleagues hire hired hiring "
    "employed salary wage payroll hr headcount"
)
_CUSTOMERS = _words(
    "customer customers client clients subscriber subscribers member members subscription "
    "subscriptions account accounts signup subscribed"
)
_BEGAN = Need(
    "the date on which somebody began",
    "hired, joined or start_date",
    _words(
        "hire hired hiring join joined joining start started employed employment onboarded "
        "appointed signup signed subscribed registered since activated"
    ),
    date=True,
)
_LEFT = Need(
    "the date on which somebody left",
    "left, end_date or cancelled_on",
    _words(
        "left leave leaving leaver termination terminated exit exited end ended departure "
        "departed resigned resignation separation quit cancelled canceled cancellation churned "
        "unsubscribed closed deactivated expired"
    ),
    date=True,
)
_MAY_LEAVE = Need(_LEFT.phrase, _LEFT.such, _LEFT.words, date=True, required=False)
_ORDERED = Need(
    "the date of an order",
    "ordered or order_date",
    _words("order ordered placed requested"),
    date=True,
)
_DELIVERED = Need(
    "the date on which it was delivered",
    "delivered or shipped_date",
    _words("delivered delivery shipped shipping shipment dispatched received fulfilled completed"),
    date=True,
)
_REVENUE = Need(
    "what was taken", "revenue or sales", _words("revenue revenues sales income turnover takings")
)
_COST = Need("what it cost", "cost or cogs", _words("cost costs cogs expense expenses"))
_SPENT = Need(
    "an amount of what was bought",
    "cost, amount or paid",
    _words("cost costs expense expenses expenditure amount paid payment"),
)
_USED = Need(
    "what was used", "hours_used or billable_hours", _words("used billable booked worked occupied")
)
_THERE = Need(
    "what there was to use",
    "capacity or available_hours",
    _words("capacity available availability"),
)

LEXICON: tuple[Entry, ...] = (
    Entry(
        "tenure",
        _compile_words("tenures?|length of service|years of service"),
        Form.LASTING,
        (_BEGAN, _MAY_LEAVE),
        _STAFF | _CUSTOMERS,
        "years",
        examples=(
            (
                "employee:text hired:date left:date",
                "tenure = years from hired to left, or to 28 November 2026",
            ),
            ("employee:text hire_date:date", "tenure = years from hire date to 28 November 2026"),
        ),
    ),
    Entry(
        "headcount",
        _compile_words("head[ -]?counts?"),
        Form.STANDING,
        (_BEGAN, _MAY_LEAVE),
        _STAFF,
        examples=(
            (
                "employee:text hired:date left:date",
                "headcount = rows with hired on or before 28 November 2026 and left not before",
            ),
        ),
    ),
    Entry(
        "staff turnover",
        _compile_words(
            "(?:(?:staff|employee|labou?r|personnel) turnover|turnover|attrition)(?: rates?)?"
        ),
        Form.LEAVING,
        (_BEGAN, _LEFT),
        _STAFF,
        examples=(
            (
                "employee:text hired:date left:date",
                "staff turnover = rows with left in the 12 months to 28 November 2026, as a share "
                "of the headcount (the average of that at the beginning and at the end)",
            ),
        ),
    ),
    Entry(
        "churn",
        _compile_words("(?:customer )?churn(?: rates?)?"),
        Form.LEAVING,
        (_BEGAN, _LEFT),
        _CUSTOMERS,
        at_beginning=True,
        examples=(
            (
                "customer:text signup_date:date cancelled:date",
                "churn = rows with cancelled in the 12 months to 28 November 2026, of those there "
                "were at the beginning, as a share of these",
            ),
        ),
    ),
    Entry(
        "margin",
        _compile_words("(?:(?:gross|profit) )?margins?"),
        Form.MARGIN,
        (_REVENUE, _COST),
        examples=(
            (
                "product:text revenue:number cost:number",
                "margin = (total revenue − total cost) / total revenue",
            ),
        ),
    ),
    Entry(
        "spend",
        _compile_words("spend(?:ing)?|spent"),
        Form.AMOUNT,
        (_SPENT,),
        examples=(("supplier:text amount:number", "spend = amount"),),
    ),
    Entry(
        "lead time",
        _compile_words("lead[ -]times?"),
        Form.LASTING,
        (_ORDERED, _DELIVERED),
        unit="days",
        examples=(
            ("item:text ordered:date delivered:date", "lead time = days from ordered to delivered"),
        ),
    ),
    Entry(
        "backlog",
        _compile_words("backlogs?"),
        Form.STANDING,
        (_ORDERED, _DELIVERED),
        examples=(
            (
                "item:text ordered:date shipped:date",
                "backlog = rows with ordered on or before 28 November 2026 and shipped not before",
            ),
        ),
    ),
    Entry(
        "utilisation",
        _compile_words("utili[sz]ation(?: rates?)?"),
        Form.RATIO,
        (_USED, _THERE),
        examples=(
            (
                "machine:text used_hours:number available_hours:number",
                "utilisation = total used hours / total available hours",
            ),
        ),
    ),
)


def entries_in(text: str) -> tuple[Entry, ...]:
    """The words of business that a text says."""
    return tuple(entry for entry in LEXICON if entry.pattern.search(text))
