"""What a policy blocks, it blocks as the name of a column, in a cell and in a question."""

from __future__ import annotations

import re
from typing import Any

import pytest
from pydantic import ValidationError

from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.policy import MASK, NAMED_PATTERNS, Policy
from mesh.pseudonym import HIDDEN, OTHER

EMAIL = Policy(blocked_patterns=("email", "salary"))
HIDDEN_LETTER = HIDDEN[1]


def test_a_policy_is_a_fact_with_known_rules() -> None:
    with pytest.raises(ValidationError):
        EMAIL.allowed_columns = ("day",)
    unknown: dict[str, Any] = {"blocked_columns": ("day",)}
    with pytest.raises(ValidationError):
        Policy(**unknown)


@pytest.mark.parametrize("pattern", ["(", ".*"])
@pytest.mark.parametrize("before", [(), ("email",), ("salary",)])
def test_every_pattern_is_looked_at_when_the_rules_are_given(
    pattern: str, before: tuple[str, ...]
) -> None:
    with pytest.raises(AssayError) as caught:
        Policy(blocked_patterns=(*before, pattern))
    assert caught.value.reason is INVALID_ARGUMENT
    assert repr(pattern) in caught.value.message
    assert all(name in caught.value.hint for name in NAMED_PATTERNS)


def test_a_pattern_is_one_of_ours_or_an_expression_of_the_callers() -> None:
    assert EMAIL.own_expressions == ("salary",)
    assert Policy(blocked_patterns=NAMED_PATTERNS).own_expressions == ()


def test_equal_rules_have_one_key() -> None:
    again = Policy(blocked_patterns=("email", "salary"))
    assert EMAIL.key == again.key
    assert len({EMAIL.key, Policy().key, Policy(blocked_patterns=("email",)).key}) == 3


def test_a_column_is_there_or_it_is_not() -> None:
    assert EMAIL.column_allowed("t", "day") is True
    assert EMAIL.column_allowed("t", "Salary_2020") is False
    assert EMAIL.column_allowed("t", "customer_email") is False
    assert EMAIL.column_allowed("t", "E-Mail") is False
    assert EMAIL.column_allowed("t", "ada@example.org") is False


def test_the_case_of_columns_and_tables_is_ignored_as_are_spaces_around_them() -> None:
    policy = Policy(allowed_columns=(" Orders.Amount", "REGION "))
    assert policy.column_allowed("ORDERS", "AMOUNT")
    assert policy.column_allowed("x", "Region")
    assert not policy.column_allowed("x", "amount")


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("write to ada@example.org", "email"),
        ("her SALARY is high", "salary"),
        ("the salary of ada@example.org", "email"),
        ("ada%40example.org", "email"),
        ("at 10 o'clock", None),
        ("an honest question", None),
    ],
)
def test_the_first_pattern_that_a_text_holds_is_told_as_it_was_given(
    text: str, pattern: str | None
) -> None:
    assert EMAIL.match(text) == pattern


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("ada@example.org", "email"),
        ("Salary", OTHER),
        ("a day", None),
        (f"a{HIDDEN_LETTER}day", OTHER),
    ],
)
def test_a_cell_is_shown_or_stands_for_itself_under_a_pseudonym(
    text: str, kind: str | None
) -> None:
    assert EMAIL.kind(text) == kind
    assert Policy().kind(text) is None, "nothing is blocked"


def test_only_what_a_named_pattern_blocks_is_personal() -> None:
    assert EMAIL.is_personal("ada@example.org") is True
    assert EMAIL.is_personal("salary") is False
    assert EMAIL.is_personal("day") is False


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("ask  ada@example.org about\tit", f"ask  {MASK} about\tit"),
        ("ask  nobody", "ask  nobody"),
        ("what  SALARY", f"what  {MASK}"),
    ],
)
def test_a_text_is_kept_but_for_the_words_that_are_blocked(text: str, left: str) -> None:
    assert EMAIL.masked(text) == left


def test_what_is_blocked_only_across_words_takes_the_whole_text_with_it() -> None:
    across = Policy(blocked_patterns=("net worth",))
    assert across.masked("the net worth of ada") == MASK
    whole = Policy(blocked_patterns=("^net$",))
    assert whole.masked("the net worth") == "the net worth", "it is no net by itself"


@pytest.mark.parametrize(
    ("patterns", "text", "suspected"),
    [
        (("email",), "ada@example.org", True),
        (("email",), "ada%40example.org", True),
        (("email",), f"a{HIDDEN_LETTER}day", True),
        (("email",), "an honest text", False),
        (("salary",), "ada@example.org", False),
        (("salary",), "ada%40example.org", False),
        (("salary",), f"a{HIDDEN_LETTER}day", True),
        (("phone", "email"), "ada@example.org", True),
        (("phone", "email"), "+49 30 1234567", True),
        ((), "an honest text", False),
    ],
)
def test_a_first_look_suspects_whatever_may_be_personal_and_little_else(
    patterns: tuple[str, ...], text: str, suspected: bool
) -> None:
    """Databases look with it, to leave most cells alone."""
    found = re.search(Policy(blocked_patterns=patterns).suspect, text, re.IGNORECASE)
    assert (found is not None) is suspected


def test_an_expression_is_looked_for_once_however_often_it_is_blocked() -> None:
    once, twice = (Policy(blocked_patterns=("email",) * n).suspect for n in (1, 2))
    assert once == twice
