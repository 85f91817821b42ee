"""Which drafts are looked at closely: the best at first sight, however few are built."""

from __future__ import annotations

import asyncio

import pytest

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.reader import read
from services.planner.domain.reader.chart.fitting import fitting
from services.planner.domain.reader.chart.sketch import Sketch
from services.planner.domain.reader.chart.sketches import Draft, drafts
from services.planner.domain.reader.choice.candidate import Weighed
from services.planner.domain.reader.choice.features import quick_score
from services.planner.domain.reader.choice.model import learnt
from services.planner.domain.reader.choice.shape import HEADS
from services.planner.domain.reader.choice.shaping import choices_of
from tests.unit.language.truth_help import TODAY, Shop

QUESTIONS = (
    "the two most expensive products of each category",
    "which customers placed the most orders for tea?",
    "average price of products ordered by customers from Leeds or Hull",
    "show a bar chart of orders per month by category",
    "products that were never ordered",
)
_MOST = 40


def weighed(shop: Shop, question: str) -> Weighed:
    scene = asyncio.run(read.scene_of(question, shop.catalogue, shop.lookup, today=TODAY))
    return read.weighed_of(read.local_of(scene), learnt())


def every_draft(told: Weighed) -> list[Draft]:
    """All of them, each sketch as it came first."""
    found: dict[Sketch, Draft] = {}
    for draft in drafts(told.requirements, *read.assignments(told), lambda _: True):
        found.setdefault(draft.sketch, draft)
    return list(found.values())


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_left_out_early_is_none_of_the_best(shop: Shop, question: str) -> None:
    told = weighed(shop, question)
    fits = fitting(told.requirements, told.proposals)
    every = every_draft(told)
    left = [draft for draft in every if fits(draft)] or every
    best = sorted(left, key=lambda d: -quick_score(told, d))[:_MOST]
    likely = read.likeliest(told, *read.assignments(told), _MOST)[:_MOST]
    assert [d.sketch for d in likely] == [d.sketch for d in best]
    assert [quick_score(told, d) for d in likely] == [quick_score(told, d) for d in best]


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_sketch_chooses_among_what_each_head_knows(shop: Shop, question: str) -> None:
    for draft in every_draft(weighed(shop, question)):
        for head, choice in zip(HEADS, choices_of(draft.sketch), strict=True):
            assert choice in HEADS[head], head


def test_equal_catalogues_are_one_key_and_another_column_makes_another(shop: Shop) -> None:
    catalogue: Catalogue = shop.catalogue
    again = Catalogue.model_validate(catalogue.model_dump())
    assert again == catalogue and hash(again) == hash(catalogue)
    first, *others = catalogue.tables
    fewer = first.model_copy(update={"columns": first.columns[:-1]})
    assert catalogue.model_copy(update={"tables": (fewer, *others)}) not in {catalogue: 1}
