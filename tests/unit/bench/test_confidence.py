"""How the measure of confidence is made: what is weighed how, and that it is what is published."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.proposals.confidence import fitted, kept_apart
from bench.proposals.confidence_page import PAGE, page
from bench.proposals.decisions import Case, Decision
from bench.proposals.weighing import (
    Assumed,
    Weighed,
    asked_again,
    balanced,
    proposed,
    share_of,
)
from mesh.reliability import measured, read
from services.planner.domain.confidence.seen import Seen

MODEL, PERSON = Seen(proposer="model"), Seen(proposer="person")
AGREED = Seen(level="high", beside="same")


def _decision(case: Case, seen: Seen, right: bool, number: int, apart: bool = False) -> Decision:
    return Decision(f"question {number}", "made", f"shop{number % 9}", apart, case, seen, right)


def _made(apart: bool) -> list[Decision]:
    """A model whose slips are mostly found, and rules that are right where they are sure."""
    doubted = MODEL.model_copy(update={"doubts": 1})
    found: list[Decision] = []
    for number in range(400):
        low = Seen(level="low")
        found += [
            _decision(
                "rules",
                Seen(level="high", odds=1.0) if number % 2 else low,
                number % 2 == 1,
                number,
            ),
            _decision("truth", AGREED if number % 2 else MODEL, True, number),
            _decision("slip", MODEL if number % 10 == 0 else doubted, False, number),
            _decision("misread", MODEL, False, number),
            _decision("shared", AGREED, False, number),
            _decision("statement", PERSON, True, number),
            _decision("faulty statement", PERSON.model_copy(update={"errors": 1}), False, number),
        ]
    return [
        Decision(one.question, one.set, one.database, apart, one.case, one.seen, one.right)
        for one in found
    ]


def test_first_proposals_stand_for_as_many_as_is_assumed() -> None:
    every = list(proposed(_made(apart=False), Assumed(errs=0.1)))
    of_model = [one for one in every if one.seen.kind in ("model", "agreed")]
    wrong = sum(one.weight for one in of_model if not one.right)

    assert wrong / sum(one.weight for one in of_model) == pytest.approx(0.1)


def test_a_second_sample_shares_what_a_first_stands_for() -> None:
    same, differ = asked_again(Weighed(MODEL, right=True, weight=1.0), Assumed(errs=0.1), alike=0.5)

    assert (same.seen.kind, differ.seen.divided) == ("twice", True)
    assert [same.weight, differ.weight] == pytest.approx([0.45, 0.55])
    same, _ = asked_again(Weighed(MODEL, right=False, weight=1.0), Assumed(repeated=0.4), alike=0.5)
    assert same.weight == pytest.approx(0.2)


def test_decisions_of_little_weight_count_for_little() -> None:
    heavy = [Weighed(MODEL, right=True, weight=1.0)] * 10
    light = [Weighed(MODEL, right=False, weight=0.01)] * 100

    share, number, low, high = share_of([*heavy, *light])

    assert share == pytest.approx(10 / 11)
    assert number == 12 and low < share < high


def test_what_templates_asked_is_a_quarter_at_most() -> None:
    people = [Weighed(MODEL, right=False, weight=1.0)] * 30
    plain = [Weighed(MODEL, right=True, weight=1.0, of_template=True)] * 90

    assert share_of(balanced([*people, *plain]))[0] == pytest.approx(0.25)
    assert balanced(plain[:5] + people) == plain[:5] + people, "few stand as they are"
    assert share_of(balanced(plain))[:2] == (0.0, 0), "alone they say nothing"


def test_templates_make_nothing_sure_that_is_wrong_of_people() -> None:
    sure = Seen(level="high", odds=1.0)
    asked = [
        Decision(f"{n}", name, f"shop{n % 9}", False, "rules", sure, right)
        for name, wrong in (("short", 0), ("everyday", 12))
        for n in range(200)
        if (right := n >= wrong) is not None
    ]
    asked = [replace(one, apart=True, database=f"{one.database}a") for one in asked]
    asked = [one for one in asked if not kept_apart(one)]

    assert fitted(asked, Assumed())["curves"]["rules"]["sure"] is None


def test_of_readings_offered_in_vain_a_third_is_taken() -> None:
    chosen = Seen(chosen=True)
    every = list(
        proposed(
            [_decision("chosen", chosen, True, 1), _decision("chosen in vain", chosen, False, 2)],
            Assumed(),
        )
    )

    assert [one.weight for one in every] == pytest.approx([1.0, 1 / 3])


def test_what_is_right_often_enough_is_told_as_sure_and_nothing_else() -> None:
    told = fitted([*_made(apart=False), *_made(apart=True)], Assumed())
    by = read(told)

    assert by.curves["rules"].sure is not None and by.curves["twice"].sure is not None
    assert by.curves["model"].sure is None, "one sample never is"
    sure = {line["kind"]: line["share"] for line in told["table"] if line["label"] == "sure"}
    assert set(sure) >= {"rules", "twice"} and min(sure.values()) >= 0.95
    assert page(by).count("| a person's statement") == 2


def test_the_page_is_that_of_the_file() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(measured())
