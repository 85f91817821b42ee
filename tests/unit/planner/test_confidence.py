"""How sure a decision is told: by what was measured, and never surer for something against it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mesh.reliability import Curve, Measured, measured, wilson
from services.planner.domain.confidence.seen import KINDS, RAISING, Seen
from services.planner.domain.confidence.telling import find_level, may_gain_by_sample

ORDER = ("low", "medium", "high")
COUNTS = (
    "errors",
    "doubts",
    "notes",
    "alarms",
    "joins",
    "undeclared",
    "words",
    "unread",
    "assumptions",
    "alternatives",
)
FLAGS = ("divided", "denied", "unanswered", "tested", "of_doubtful")
CLEAN = Seen(proposer="model", samples=2)

seen = st.builds(
    Seen,
    proposer=st.sampled_from(("rules", "model", "person")),
    level=st.sampled_from((None, *ORDER)),
    reading=st.none() | st.floats(0, 1),
    odds=st.none() | st.floats(0, 1),
    follow_up=st.booleans(),
    chosen=st.booleans(),
    corrected=st.booleans(),
    beside=st.sampled_from(("none", "same")),
    samples=st.integers(1, 2),
    **{name: st.integers(0, 5) for name in COUNTS},
    **{name: st.booleans() for name in FLAGS},
)


@settings(max_examples=200, deadline=None)
@given(seen, st.sampled_from(COUNTS))
def test_nothing_that_speaks_against_a_decision_makes_it_surer(one: Seen, name: str) -> None:
    more = one.model_copy(update={name: getattr(one, name) + 1})

    assert ORDER.index(find_level(more)) <= ORDER.index(find_level(one))


@settings(max_examples=200, deadline=None)
@given(seen, st.sampled_from(FLAGS))
def test_nor_does_anything_that_is_or_is_not(one: Seen, name: str) -> None:
    without = one.model_copy(update={name: False})
    with_ = one.model_copy(update={name: True})

    assert ORDER.index(find_level(with_)) <= ORDER.index(find_level(without))


@pytest.mark.parametrize(
    "against",
    [
        {"errors": 1},
        {"doubts": 1},
        {"alternatives": 1},
        {"unanswered": True},
        {"divided": True},
        {"denied": True},
        {"of_doubtful": True},
    ],
)
@pytest.mark.parametrize("proposer", ["rules", "model", "person"])
def test_what_is_doubted_is_never_sure_whatever_was_measured(
    proposer: Any, against: dict[str, Any]
) -> None:
    always = Measured({kind: Curve(9.0, {}, 0.0) for kind in KINDS}, 0.7, (), {})
    clean = Seen(proposer=proposer, samples=2, level="high", odds=1.0)

    assert find_level(clean, always) == "high"
    told = find_level(clean.model_copy(update=against), always)
    assert told == ("low" if "errors" in against else "medium")


def test_of_the_rules_alone_only_plain_questions_are_sure() -> None:
    always = Measured({kind: Curve(9.0, {}, 0.0) for kind in KINDS}, 0.7, (), {})
    plain = Seen(level="high", odds=1.0)

    assert find_level(plain, always) == "high"
    assert find_level(plain.model_copy(update={"unread": 1}), always) == "medium"
    assert find_level(plain.model_copy(update={"unread": 1, "beside": "same"}), always) == "high"


def test_a_second_sample_is_worth_it_only_where_it_could_make_an_answer_sure() -> None:
    alone = CLEAN.model_copy(update={"samples": 1})

    assert may_gain_by_sample(alone)
    assert not may_gain_by_sample(CLEAN), "there are two"
    assert not may_gain_by_sample(alone.model_copy(update={"doubts": 1})), "it stays doubted"
    assert not may_gain_by_sample(Seen(level="high")), "rules say the same every time"


def test_two_samples_without_findings_are_sure_and_one_is_not() -> None:
    assert find_level(CLEAN) == "high"
    assert find_level(CLEAN.model_copy(update={"samples": 1})) == "medium"
    assert find_level(CLEAN.model_copy(update={"divided": True, "samples": 1})) != "high"


def test_an_error_is_doubtful_whoever_decided() -> None:
    for proposer in ("rules", "model", "person"):
        assert find_level(Seen(proposer=proposer, level="high", errors=1)) == "low"


def test_a_recipe_keeps_who_decided_and_not_what_checks_found_then() -> None:
    made = Seen(level="high", beside="same", doubts=2, joins=1, assumptions=3)

    assert made.unchecked == Seen(level="high", beside="same")
    assert (made.kind, made.unchecked.kind) == ("agreed", "agreed")


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        ({}, "rules"),
        ({"follow_up": True}, "edit"),
        ({"corrected": True, "chosen": True}, "edit"),
        ({"chosen": True}, "chosen"),
        ({"follow_up": True, "beside": "same"}, "agreed"),
        ({"proposer": "model", "follow_up": True}, "model"),
        ({"proposer": "model", "follow_up": True, "samples": 2}, "edit twice"),
        ({"proposer": "model", "samples": 2}, "twice"),
        ({"proposer": "person"}, "person"),
    ],
)
def test_each_way_to_a_decision_has_a_measure_of_its_own(how: dict[str, Any], kind: str) -> None:
    assert Seen(**how).kind == kind
    assert kind in measured().curves


def test_what_is_published_holds_what_sure_promises() -> None:
    sure = [one for one in measured().table if one.label == "sure"]

    assert {"agreed", "twice"} <= {one.kind for one in sure}
    assert all(one.share >= 0.95 for one in sure), sure
    assert all(one.people and one.of_people >= 0.95 for one in sure), "nor do templates hide it"


def test_only_what_may_raise_confidence_does() -> None:
    for curve in measured().curves.values():
        assert all(w <= 0 for name, w in curve.weights.items() if name not in RAISING)


def test_the_interval_is_wilsons() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    low, high = wilson(90, 100)
    assert (round(low, 4), round(high, 4)) == (0.8256, 0.9448)
