"""No number is told of a finished job that is not a claim of it."""

from __future__ import annotations

from services.planner.domain.answer import Claim
from services.planner.domain.inquiry.choosing import Known, choose_answer
from services.planner.domain.inquiry.numbers import find_claims, numbers_in, unclaimed
from services.planner.domain.inquiry.passage import Passage, Topic


def claim(number: int, text: str, value: str = "") -> Claim:
    return Claim(
        claim_id=number,
        value=value or text,
        text=text,
        frame_digest="f" * 64,
        row=2,
        column="revenue",
        call_id=f"{number:032x}",
    )


CLAIMS = (claim(1, "-4,577.85", "-4577.850332"), claim(2, "1.2 %", "0.0125"))


def known(*passages: Passage, general: str = "revenue") -> Known:
    return Known(passages=passages, claims=CLAIMS, general=general)


def test_days_are_no_numbers_and_names_may_hold_some() -> None:
    assert numbers_in("from 29 March 2025 to 2025-04-02, at 95 %") == []
    assert unclaimed("It moved by -4,577.85 for Route 66", CLAIMS, ["Route 66"]) == []
    assert unclaimed("It moved by -4,577.85 for Route 66", CLAIMS) == ["66"]
    assert [c.claim_id for c in find_claims("p below 1.2 %", CLAIMS)] == [2]


def test_a_passage_with_a_number_that_is_no_claim_is_never_told() -> None:
    sound = Passage(topics=(Topic.EXPLAINED,), text="Its effect is -4,577.85.")
    loose = Passage(topics=(Topic.EXPLAINED,), text="It would be 17 without.")
    told = choose_answer("which segment explained most?", known(sound, loose))
    assert told.text == "Its effect is -4,577.85." and [c.claim_id for c in told.claims] == [1]
    assert choose_answer("which segment explained most?", known(loose)).passages == ()
    assert known(loose).topics == ()


def test_a_word_that_nothing_knows_is_never_read_past() -> None:
    emea = Passage(topics=(Topic.SURE,), text="By chance 1.2 %.", about="region EMEA fell drop")
    apac = Passage(topics=(Topic.SURE,), text="It stands out.", about="region APAC rose rise")
    both = known(emea, apac)
    assert choose_answer("how sure are you of the drop in EMEA?", both).text == "By chance 1.2 %."
    assert choose_answer(
        "how sure are you of the revenue drop in EMEA?", both
    ).passages  # its metric
    assert "latam" in choose_answer("how sure are you of the drop in LATAM?", both).why
    assert "rise" in choose_answer("how sure are you of the rise in EMEA?", known(emea)).why
    assert not choose_answer("how sure are you of the rise in EMEA?", both).passages
    assert len(choose_answer("how sure are you?", both).passages) == 2


def test_a_number_of_the_answer_is_traced_to_its_cell() -> None:
    step = Passage(
        topics=(Topic.COMPUTED,),
        text="",
        own=True,
        about="query orders (sql.run)",
        calls=(CLAIMS[0].call_id,),
    )
    told = choose_answer("where does -4,577.85 come from?", known(step))
    assert "row 3 of column revenue" in told.text and "sql.run" in told.text
    assert [c.claim_id for c in told.claims] == [1]
    assert "999 is no number" in choose_answer("where does 999 come from?", known(step)).why
