"""Every explanation names the hypotheses that it comes of, those that were borne out among them."""

from __future__ import annotations

import pytest

from services.planner.domain.investigation.hypothesis import Hypothesis, HypothesisStatus, Test
from services.planner.domain.investigation.hypothesising import (
    Segment,
    first_hypotheses,
    within_hypothesis,
)
from services.planner.domain.investigation.iteration import Finding
from services.planner.domain.investigation.sources import Sources
from tests.unit.investigation.frames import NOW, ground

_WEB: Segment = (("channel", "web"),)


def _sources(*confirmed: Test) -> Sources:
    first = first_hypotheses(ground(), NOW)
    every = (*first, within_hypothesis(len(first) + 1, _WEB, ("region",), NOW))
    settled = tuple(
        one.model_copy(
            update={
                "status": HypothesisStatus.CONFIRMED
                if one.test in confirmed
                else HypothesisStatus.RULED_OUT
            }
        )
        for one in every
    )
    inside = next(one for one in every if one.test is Test.WITHIN)
    found = Finding(
        finding_id="find_004", iteration=4, summary="Standing out: region North.",
        full_output_ref="output_004.txt", hypothesis_affected=inside.hypothesis_id, created_at=NOW,
    )  # fmt: skip
    return Sources(settled, (found,))


def _tests(sources: Sources, kind: str, segment: Segment) -> list[tuple[Test, tuple[str, ...]]]:
    by_id: dict[str, Hypothesis] = {h.hypothesis_id: h for h in sources.hypotheses}
    named = [by_id[name] for name in sources.of(kind, segment)]
    return [(one.test, one.dimensions if one.test is Test.DIMENSION else ()) for one in named]


def test_a_segment_comes_of_the_search_its_dimensions_and_what_is_inside_it() -> None:
    sources = _sources(Test.SEARCH, Test.DIMENSION, Test.WITHIN)

    assert _tests(sources, "segment", _WEB) == [
        (Test.SEARCH, ()),
        (Test.DIMENSION, ("channel",)),
        (Test.WITHIN, ()),
    ]
    inside = sources.inside(_WEB)
    assert inside is not None and inside.finding_id == "find_004"


@pytest.mark.parametrize(("kind", "test"), [("alike", Test.ALIKE), ("fault", Test.QUALITY)])
def test_what_is_of_no_segment_comes_of_its_own_test(kind: str, test: Test) -> None:
    assert _tests(_sources(test), kind, ()) == [(test, ())]


def test_what_was_ruled_out_inside_is_no_source() -> None:
    sources = _sources(Test.SEARCH)

    assert _tests(sources, "mix", _WEB) == [(Test.SEARCH, ())]
    assert sources.inside(_WEB) is None
