"""What a message is taken for, by its words and by what stands before it."""

from __future__ import annotations

from datetime import date

import pytest

from services.planner.domain.conversation.causing import cause_in
from services.planner.domain.conversation.judging import judged
from services.planner.domain.conversation.turn import Otherwise, Standing, TurnKind
from services.planner.domain.lexicon.cues import CUES, Cue, Form, form_of

TODAY = date(2026, 3, 1)
NOTHING = Standing()
READ = Standing(has_reading=True, fresh_reading=True)
CHANGED = Standing(has_reading=True)
FREIGHT = Standing(has_reading=True, in_sight="total freight by month of order date · 1997")
ASKED = Standing(options=("sum of net fee", "sum of gross fee"), has_reading=True)


@pytest.mark.parametrize("cue", CUES, ids=lambda cue: cue.name)
def test_each_cue_is_found_in_its_examples(cue: Cue) -> None:
    assert cue.examples
    assert {form_of(example) for example in cue.examples} == {(cue.form, cue.name)}


@pytest.mark.parametrize(
    ("words", "standing", "kind", "tentative"),
    [
        ("revenue by month", READ, TurnKind.FRESH, False),
        ("how many orders were there in 1997?", READ, TurnKind.FRESH, False),
        ("in which month were sales highest?", READ, TurnKind.FRESH, False),
        ("and by region?", READ, TurnKind.FOLLOW_UP, False),
        ("only 1997", CHANGED, TurnKind.FOLLOW_UP, False),
        ("beverages", READ, TurnKind.FOLLOW_UP, True),
        ("beverages", NOTHING, TurnKind.FRESH, False),
        ("and how many in Germany?", READ, TurnKind.FOLLOW_UP, True),
        ("no, I meant net price", READ, TurnKind.CORRECTION, False),
        ("no, I meant net price", CHANGED, TurnKind.FOLLOW_UP, False),
        ("why?", READ, TurnKind.WHY, False),
        ("why did it drop in March?", READ, TurnKind.WHY, False),
        ("why did revenue drop in March 2024?", READ, TurnKind.FRESH, False),
        ("why did freight fall?", FREIGHT, TurnKind.WHY, False),
        ("why has the total freight gone up?", FREIGHT, TurnKind.WHY, False),
        ("why did revenue fall?", FREIGHT, TurnKind.FRESH, False),
        ("did the discount cause it?", READ, TurnKind.CAUSE, False),
        ("gross", ASKED, TurnKind.CHOICE, False),
        ("no, by skipper", ASKED, TurnKind.CHOICE, False),
        ("how many visits were there?", ASKED, TurnKind.FRESH, False),
    ],
)
def test_a_message_is_judged_by_what_stands_before(
    words: str, standing: Standing, kind: TurnKind, tentative: bool
) -> None:
    found = judged(words, standing, TODAY)
    assert (found.kind, found.tentative, found.refused) == (kind, tentative, "")


@pytest.mark.parametrize(
    ("words", "otherwise"),
    [
        ("how many orders were there?", Otherwise.REFUSED),
        ("five words that say nothing", Otherwise.DOUBTFUL),
        ("only 1997", Otherwise.NEVER),
    ],
)
def test_a_question_of_its_own_may_be_a_change_after_all(words: str, otherwise: Otherwise) -> None:
    assert judged(words, READ, TODAY).otherwise is otherwise
    assert judged(words, NOTHING, TODAY).otherwise is Otherwise.NEVER


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ("can I have net price instead", Form.FRAGMENT),
        ("could you please add the freight", Form.FRAGMENT),
        ("I'd like just the totals", Form.FRAGMENT),
        ("can you tell me how many there are", Form.QUESTION),
        ("please show revenue by month", Form.QUESTION),
    ],
)
def test_a_change_may_be_led_in_like_a_question(words: str, form: Form) -> None:
    assert form_of(words)[0] is form


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ("the second one", 1),
        ("2", 1),
        ("option 1", 0),
        ("I meant the first", 0),
        ("the last one", 1),
        ("sum of gross fee", 1),
        ("net", 0),
        ("sum of", None),
    ],
)
def test_a_reading_is_chosen_by_number_place_or_words(words: str, option: int | None) -> None:
    assert judged(words, ASKED, TODAY).option == option


@pytest.mark.parametrize(
    ("words", "standing"),
    [
        ("and by region?", NOTHING),
        ("only 1997", NOTHING),
        ("why?", NOTHING),
        ("no, by city", NOTHING),
        ("the second one", READ),
        ("3", ASKED),
        ("the third", ASKED),
    ],
)
def test_words_that_change_nothing_that_is_there_are_refused(
    words: str, standing: Standing
) -> None:
    assert judged(words, standing, TODAY).refused


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ("did the promotion cause it?", "promotion"),
        ("is it due to the discount?", "discount"),
        ("was the unit price responsible for that?", "unit price"),
        ("does that depend on luck?", ""),
    ],
)
def test_what_is_said_to_be_the_cause(words: str, cause: str) -> None:
    assert cause_in(words) == cause


def test_words_that_fit_nothing_are_a_question_of_their_own() -> None:
    assert form_of("five words that say nothing")[0] is Form.WHOLE
