"""Recognisers of personal data: what they find, and that the first look misses nothing of it."""

from __future__ import annotations

import re

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bench.masking_forms import NOTHING, SETS, Form, judged
from mesh.policy import NAMED_PATTERNS, Policy

FORMS = {name: list(judged(name)) for name in SETS}
EVERY = Policy(blocked_patterns=NAMED_PATTERNS)
SIGNS = st.text("0123456789 +-–()./@:%&;#abDE\u00a0\u200b\uff11\u0661x", max_size=40)
TELLING = [form.text for name in SETS for form in FORMS[name]]


@pytest.mark.parametrize("form", FORMS["tuning"], ids=lambda form: repr(form.text))
def test_each_form_that_the_recognisers_were_made_for_is_judged_right(form: Form) -> None:
    assert form.right


def test_there_are_forms_enough_to_judge_by() -> None:
    texts = [form.text for forms in FORMS.values() for form in forms]
    assert len(texts) >= 700
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize("name", SETS[1:])
@pytest.mark.parametrize("kind", [*NAMED_PATTERNS, NOTHING])
def test_forms_never_looked_at_are_mostly_judged_right(kind: str, name: str) -> None:
    """As docs/masking.md tells."""
    judged_right = [form.right for form in FORMS[name] if form.kind == kind]
    assert sum(judged_right) >= (0.98 if kind == NOTHING else 0.95) * len(judged_right)


def suspected(text: str) -> bool:
    return re.search(EVERY.suspect, text, re.IGNORECASE) is not None


@given(st.lists(st.one_of(st.sampled_from(TELLING), SIGNS), max_size=3).map(" ".join))
@example("soc sec no 536228726")
def test_whatever_is_found_the_first_look_suspects(text: str) -> None:
    if EVERY.match(text) is not None:
        assert suspected(text)


def test_the_first_look_is_the_same_in_the_database() -> None:
    texts = [form.text for name in SETS for form in FORMS[name]]
    rows = duckdb.execute(
        "SELECT regexp_matches(t, ?, 'i') FROM (SELECT unnest(?::VARCHAR[]) AS t)",
        [EVERY.suspect, texts],
    ).fetchall()
    assert [found for (found,) in rows] == [suspected(text) for text in texts]


@given(SIGNS)
def test_a_text_that_was_masked_holds_nothing_any_more(text: str) -> None:
    assert EVERY.match(EVERY.masked(text)) is None
