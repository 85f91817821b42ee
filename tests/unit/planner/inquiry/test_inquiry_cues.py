"""Which words ask about work that was done, and which ask the data."""

from __future__ import annotations

import pytest

from services.planner.domain.inquiry.cues import TOPIC_CUES, asks_about, topics_asked
from services.planner.domain.inquiry.passage import Topic

EXAMPLES = [(cue.topic, words) for cue in TOPIC_CUES for words in cue.examples]


@pytest.mark.parametrize(("topic", "words"), EXAMPLES)
def test_every_example_is_understood_as_its_topic(topic: Topic, words: str) -> None:
    assert topics_asked(words)[0][0].topic is topic
    assert asks_about(words, [topic])


@pytest.mark.parametrize(
    "words",
    [
        "how many orders were there in 1997?",
        "which tickets are still open?",
        "average placebo dose by patient",
        "show a graph of revenue by month",
        "account balance by customer",
        "which payment methods are most used?",
        "what was the total revenue?",
        "which customers have missing rows?",
        "how sure is each forecast by month",
        "which files are larger than 1 MB?",
        "what is the largest order?",
        "when did each customer start?",
        "and by region?",
        "only 1997",
        "why did it fall?",
        "the second one",
        "what was it in 1998?",
        "how much revenue did Germany make?",
        "what data types are there by table?",
        "which segments have the most customers?",
        "verdict by court",
        "effect size by study",
    ],
)
def test_questions_of_the_data_are_not_taken_for_questions_about_the_work(words: str) -> None:
    assert not asks_about(words, list(Topic)), topics_asked(words)


@pytest.mark.parametrize(
    "words", ["how large is the effect?", "which segment explained most?", "is the data complete?"]
)
def test_what_may_ask_the_data_asks_about_work_that_tells_it_alone(words: str) -> None:
    assert asks_about(words, list(Topic))
    assert not asks_about(words, [Topic.ANSWER, Topic.SURE])
    assert not asks_about(words, None)
