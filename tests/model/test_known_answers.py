"""The model path behind endpoints whose answers are known: the truth, the truth with one mistake,
and what somebody answered who played a model from the prompts alone.

How good it is stands in docs/benchmarks.md, over all questions. Here a few are held to what must
never be: sure and wrong, a right statement refused, a prompt that changed and nobody looked at.
"""

from __future__ import annotations

import asyncio

import pytest

from bench.proposals.cassette import Cassette
from bench.proposals.checks import truths
from bench.proposals.oracle import measure
from bench.proposals.played import KEPT, Playing, measured, questions
from bench.reading.sets import data_folder
from tests.thorough import some, times

FEW, MANY = 10, 500
NEEDED = "there is no ../shared/data/questions_analytical beside the checkout"
analytical = pytest.mark.skipif(
    not (data_folder() / "questions_analytical").exists(), reason=NEEDED
)
SETS = ["everyday", pytest.param("analytical", marks=analytical)]


@pytest.mark.parametrize("name", SETS)
def test_a_model_that_knows_is_told_right_and_never_refused(name: str) -> None:
    every = list(truths([name], times(FEW, MANY)))

    figures = asyncio.run(measure(every, faulty=False, show=False))

    assert figures.asked and not figures.without
    assert not figures.wrong["sure"]
    assert figures.right.total() >= 0.9 * figures.asked


@pytest.mark.parametrize("name", SETS)
def test_no_mistake_of_a_model_is_told_as_sure(name: str) -> None:
    every = list(truths([name], times(FEW, MANY)))

    figures = asyncio.run(measure(every, faulty=True, show=False))

    assert figures.asked
    assert not figures.wrong["sure"]
    assert figures.doubted_by_kind.total() >= 0.75 * figures.asked  # of eight, one more or less


@pytest.mark.parametrize("name", SETS)
def test_a_recorded_model_is_asked_the_same_and_is_right_where_told_as_sure(
    name: str,
) -> None:
    playing = Playing(Cassette.read(KEPT / f"{name}.jsonl"))

    figures = asyncio.run(measured(some(questions(name), 2 * FEW), playing))

    changed = "look at the change, then: python -m bench.proposals.played --accept"
    assert not playing.cassette.changed, changed
    good, told = figures.count_correct()
    right, sure = figures.count_correct("sure")
    assert right >= 0.95 * sure
    assert good >= 0.9 * told
