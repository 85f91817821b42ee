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
from services.planner.domain.investigation.proceedings import settled
from services.planner.domain.investigation.sources import Sources
from tests.unit.investigation.frames import NOW, ground
from tests.unit.investigation.moved import FIVE, NESTED, ONE, Factors, loop_of
from tests.unit.investigation.playing import Played, explanations_of

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
        finding_id="find_004",
        iteration=4,
        summary="Standing out: region North.",
        full_output_ref="output_004.txt",
        hypothesis_affected=inside.hypothesis_id,
        created_at=NOW,
    )
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


def test_what_is_inside_of_a_part_is_a_source_of_the_whole_segment() -> None:
    deep: Segment = (*_WEB, ("region", "North"))
    first = first_hypotheses(ground(), NOW)
    made = within_hypothesis(len(first) + 1, deep, ("segment",), NOW)
    borne_out = made.model_copy(update={"status": HypothesisStatus.CONFIRMED})

    assert borne_out.hypothesis_id in Sources((*first, borne_out), ()).of("segment", _WEB)
    assert borne_out.hypothesis_id not in Sources((*first, borne_out), ()).of("alike", ())


def test_that_everything_moved_alike_has_the_finding_of_the_search_that_settled_it() -> None:
    loop = _alike_alone()
    [alike] = [h for h in loop.state.hypotheses if h.test is Test.ALIKE]
    assert alike.status is HypothesisStatus.CONFIRMED

    sources = Sources(loop.state.hypotheses, loop.state.findings, loop.state.iterations)
    [search] = [f for f in loop.state.findings if "Everything moved alike" in f.summary]
    assert sources.finding("alike") == search.finding_id


def _alike_alone() -> Played:
    return loop_of((((), 0.8),))


@pytest.mark.parametrize(
    ("factors", "suspected"),
    [
        (ONE, ("region", "product")),
        (NESTED, ()),
        (FIVE, ()),
        ((), ("channel",)),
        ((((), 0.8),), ()),
    ],
)
def test_each_hypothesis_borne_out_is_named_by_an_explanation_or_says_why_not(
    factors: Factors, suspected: tuple[str, ...]
) -> None:
    loop = loop_of(factors, suspected)
    told = explanations_of(loop)

    named = {name for one in told for name in one.source_hypotheses}
    borne_out = [h for h in loop.state.hypotheses if h.status is HypothesisStatus.CONFIRMED]
    lines = dict(settled(loop.state, told)).get("Borne out:", ())
    assert len(lines) == len(borne_out)
    for hypothesis, line in zip(borne_out, lines, strict=True):
        assert (hypothesis.hypothesis_id in named) != ("No explanation names it" in line.plain)
    for one in told:
        assert one.source_hypotheses and all(item.finding for item in one.evidence)
