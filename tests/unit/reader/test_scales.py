"""Words with an order of their own: compared, parted by numbers, sorted, and never guessed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesh.text.natural_orders import ranks, span_of, words_on_scale
from services.planner.domain.query.filters import Condition
from services.planner.domain.reader import read
from services.planner.domain.reader.choice.candidate import Candidate
from services.planner.domain.reader.choice.model import learnt
from services.planner.domain.reader.finish import finished
from tests.unit.language.truth_help import TODAY, Shop
from tests.unit.reader.ferries import AGES, COMFORTS, SEAS, ferries


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    folder: Path = tmp_path_factory.mktemp("ferries")
    return ferries(folder)


def readings(company: Shop, question: str) -> list[Candidate]:
    scene = asyncio.run(read.scene_of(question, company.catalogue, company.lookup, today=TODAY))
    return read.composed(read.weighed_of(read.local_of(scene), learnt()), learnt())


def conditions(company: Shop, question: str) -> set[tuple[object, ...]]:
    """The values that any reading of the question asks a column to be one of."""
    filters = (f for one in readings(company, question) for f in one.intent.filters)
    return {f.values for f in filters if isinstance(f, Condition)}


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("crossings with at least medium sea state", SEAS[1:]),
        ("crossings with a sea state below high", SEAS[:2]),
        ("how many crossings had comfort good or better", COMFORTS[2:]),
        ("crossings with comfort worse than good", COMFORTS[:2]),
        ("vessels bigger than M", ("L", "XL")),
        ("vessels between M and XL", ("M", "L", "XL")),
        ("crossings with passengers aged 45 or older", AGES[2:]),
        ("crossings for people under 45", AGES[:2]),
    ],
)
def test_steps_beside_the_one_that_is_named_are_meant(
    company: Shop, question: str, values: tuple[str, ...]
) -> None:
    assert values in conditions(company, question)


def test_a_step_may_go_by_another_word(company: Shop) -> None:
    assert ("S",) in conditions(company, "names of the small vessels")
    assert ("Fair",) not in conditions(company, "average passengers by comfort")


def test_a_number_within_a_range_parts_no_ranges(company: Shop) -> None:
    found = conditions(company, "crossings for people under 50")
    assert not any(set(values) <= set(AGES) for values in found if values)


def test_groups_of_a_scale_stand_in_its_order(company: Shop) -> None:
    question = "average fare by comfort"
    scene = asyncio.run(read.scene_of(question, company.catalogue, company.lookup, today=TODAY))
    one = next(
        c
        for c in read.composed(read.weighed_of(read.local_of(scene), learnt()), learnt())
        if len(c.intent.dimensions) == 1 and c.intent.grouped and not c.intent.order
    )
    assert finished(one.intent, scene, company.catalogue).order[0].ranks == COMFORTS


def test_an_average_of_words_says_how_they_are_counted(company: Shop) -> None:
    found = [
        d.text for one in readings(company, "average comfort by route") for d in one.intent.defined
    ]
    assert "comfort counted from 1 (Poor) to 4 (Excellent)" in found


@given(st.integers(0, 900), st.integers(1, 90))
def test_a_range_spans_what_its_text_says(low: int, width: int) -> None:
    high = low + width
    assert span_of(f"{low}-{high}") == (low, high)
    assert span_of(f"{low}+") == (low, float("inf"))
    assert span_of(f"<{high}") == (-float("inf"), high)


@given(st.permutations(COMFORTS))
def test_the_order_of_a_scale_hangs_on_no_order_of_its_words(names: list[str]) -> None:
    found = ranks(names)
    assert found is not None
    assert sorted(names, key=lambda name: found[name]) == list(COMFORTS)


def test_words_of_no_scale_have_no_order() -> None:
    assert words_on_scale(["low", "blue"]) == ()
    assert words_on_scale(["low"]) == ()
