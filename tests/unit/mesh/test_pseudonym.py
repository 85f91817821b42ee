"""Pseudonyms: the same for the same text, nothing of it to be seen, and known when taken apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mesh.pseudonym import KINDS, MASK, key_of, presented, pseudonym, spelled

KEY = key_of(["a secret"])
KIND = st.sampled_from(KINDS)


@given(st.text(), st.text(), KIND)
def test_equal_texts_have_equal_pseudonyms_and_others_have_others(
    one: str, two: str, kind: str
) -> None:
    assert (pseudonym(one, kind, KEY) == pseudonym(two, kind, KEY)) == (one == two)


@given(st.text(), KIND)
def test_without_the_key_it_cannot_be_made(text: str, kind: str) -> None:
    assert pseudonym(text, kind, KEY) != pseudonym(text, kind, key_of(["another secret"]))


@given(st.text(), KIND)
def test_it_is_read_back_from_what_people_see(text: str, kind: str) -> None:
    made = pseudonym(text, kind, KEY)
    assert spelled(f"who is {presented(made)}?") == f"who is {made}?"


@given(st.text(), KIND, st.integers(0, 14), st.integers(1, 15))
def test_a_part_of_it_is_a_mask(text: str, kind: str, start: int, length: int) -> None:
    made = pseudonym(text, kind, KEY)
    part = made[start : start + length]
    assert presented(part) == (presented(made) if part == made else MASK)


@given(st.text(), KIND)
def test_letter_case_is_nothing_to_it(text: str, kind: str) -> None:
    made = pseudonym(text, kind, KEY)
    assert made.upper() == made.lower() == made.title() == made.casefold() == made


@given(st.text(st.characters(exclude_categories=["Cs", "Co"])))
def test_other_texts_are_left_as_they_are(text: str) -> None:
    assert presented(text) == text
