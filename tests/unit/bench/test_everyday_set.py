"""The everyday set is as large and as mixed as it says, and no question stands in it twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.everyday import TAGS, Item, conversations, held_out, load
from bench.everyday.datasets import DATASETS

ITEMS = load()


def every() -> Iterator[Item]:
    for item in ITEMS:
        yield item
        yield from item.then


def share(expect: str) -> float:
    return sum(item.expect == expect for item in every()) / sum(1 for _ in every())


def plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def test_there_are_enough_questions_over_enough_datasets() -> None:
    asked = Counter(item.dataset for item in every())

    assert set(asked) == set(DATASETS)
    assert len(DATASETS) >= 16
    assert asked.total() >= 330
    assert min(asked.values()) >= 18


def test_some_cannot_be_answered_and_some_must_be_asked_back() -> None:
    assert 0.05 <= share("refuse") <= 0.08
    assert 0.035 <= share("ask") <= 0.06


def test_people_type_badly_shorten_follow_up_and_want_statistics() -> None:
    tags = Counter(tag for item in every() for tag in item.tags)

    assert set(tags) == TAGS
    assert tags["statistics"] >= 25
    assert tags["typo"] >= 15
    assert tags["follow-up"] >= 35
    assert min(tags[tag] for tag in ("unit", "nickname", "vague", "wrong-name", "negation")) >= 20
    assert sum("statistics" in item.tags and item.ask.count(". ") >= 1 for item in every()) >= 12


def test_what_is_expected_agrees_with_what_is_given() -> None:
    for item in every():
        assert item.tags
        assert ("unanswerable" in item.tags) == (item.expect == "refuse"), item.id
        assert ("ambiguous" in item.tags) == (item.expect == "ask"), item.id
        assert bool(item.sql) == (item.expect == "answer"), item.id
        if item.expect == "ask":
            assert len(item.also) >= 2, item.id
        if item.expect == "refuse":
            assert not item.also, item.id


def test_only_follow_ups_are_tagged_so_and_they_follow_an_answer() -> None:
    for item in ITEMS:
        assert "follow-up" not in item.tags, item.id
        assert not item.then or item.expect == "answer", item.id
        for follow in item.then:
            assert "follow-up" in follow.tags, follow.id
            assert not follow.then, follow.id
            assert follow.dataset == item.dataset


def test_a_conversation_holds_all_that_was_asked_before() -> None:
    item = next(item for item in ITEMS if len(item.then) == 2)

    assert list(conversations(item)) == [
        (item,),
        (item, item.then[0]),
        (item, item.then[0], item.then[1]),
    ]


def test_no_two_are_alike() -> None:
    ids = Counter(item.id for item in every())
    words = Counter((item.dataset, plain(item.ask)) for item in ITEMS)
    meant = Counter((item.dataset, plain(item.sql)) for item in ITEMS if item.sql)

    assert [name for name, count in ids.items() if count > 1] == []
    assert [pair for pair, count in words.items() if count > 1] == []
    assert [pair for pair, count in meant.items() if count > 1] == []
    for item in every():
        assert len({item.sql, *item.also}) == 1 + len(item.also), item.id


def test_the_docs_tell_how_many_there_are() -> None:
    page = (Path(__file__).parents[3] / "docs" / "questions.md").read_text(encoding="utf-8")
    asked, follow_ups = len(list(every())), sum(len(item.then) for item in ITEMS)

    assert f"{asked} questions, {follow_ups} of them follow-ups" in page
    assert f"over {len(DATASETS)} datasets" in page


def test_about_half_of_the_datasets_are_held_out() -> None:
    kept = sum(held_out(name) for name in DATASETS)

    assert 0.4 <= kept / len(DATASETS) <= 0.6
