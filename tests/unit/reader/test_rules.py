"""Every rule's examples are found by it: they are its documentation and its tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from services.planner.domain.lexicon.tokens import tokenise
from services.planner.domain.reader.grammar import (
    aggregation,
    calculating,
    changing,
    chart_words,
    comparison,
    counting,
    fillers,
    lasting,
    leading,
    negation,
    ordering,
    returning,
    scaling,
    splitting,
    statistics,
    texts,
)
from services.planner.domain.reader.grammar.rules import Rule, Words

_TOPICS = (
    aggregation,
    calculating,
    changing,
    chart_words,
    comparison,
    counting,
    fillers,
    lasting,
    leading,
    negation,
    ordering,
    returning,
    scaling,
    splitting,
    statistics,
    texts,
)


def _rules() -> Iterator[Rule[Any]]:
    for topic in _TOPICS:
        for value in vars(topic).values():
            if isinstance(value, tuple) and value and isinstance(value[0], Rule):
                yield from value


@pytest.mark.parametrize("rule", list(_rules()), ids=lambda rule: rule.name)
def test_a_rule_is_found_in_its_examples(rule: Rule[Any]) -> None:
    assert rule.examples
    for example in rule.examples:
        assert Words(tokenise(example)).find((rule,)), example


def test_names_of_rules_are_told_apart_within_a_topic() -> None:
    for topic in _TOPICS:
        names = [rule.name for rule in dict.fromkeys(_of(topic))]
        assert len(names) == len(set(names)), topic.__name__


def _of(topic: Any) -> list[Rule[Any]]:
    return [
        rule
        for value in vars(topic).values()
        if isinstance(value, tuple) and value and isinstance(value[0], Rule)
        for rule in value
    ]


def test_slots_say_which_token_they_hold() -> None:
    words = Words(tokenise("cities with at least 3 stores"))
    [cue] = [c for c in words.find(comparison.RULES) if c.rule.name == "at least"]
    at = cue.slot("number")
    assert at is not None and words.tokens[at].number == 3
    assert (cue.first, cue.last) == (2, 4)
