"""Every example of every check: the wrong statements are found, the right ones are not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from services.planner.domain.checks.judging import Judgement, judge
from services.planner.domain.checks.rule import Example, Rule
from services.planner.domain.checks.rules import RULES
from tests.unit.checks.small_data import SmallData

_KNOWN: dict[int, SmallData] = {}


def _data(example: Example) -> SmallData:
    if id(example) not in _KNOWN:
        _KNOWN[id(example)] = SmallData(example.tables)
    return _KNOWN[id(example)]


def _judged(example: Example, sql: str) -> Judgement:
    data = _data(example)
    return asyncio.run(
        judge(sql, data.catalogue, data.evidence, question=example.question, test=example.test)
    )


def _each(which: str) -> Iterator[object]:
    for rule in RULES:
        for example in rule.examples:
            for sql in getattr(example, which):
                yield pytest.param(rule, example, sql, id=f"{rule.code}: {sql}")


@pytest.mark.parametrize(("rule", "example", "sql"), list(_each("wrong")))
def test_a_wrong_statement_is_found(rule: Rule, example: Example, sql: str) -> None:
    told = _judged(example, sql)

    assert rule.code in {finding.code for finding in told.findings}, told
    assert not told.unasked


@pytest.mark.parametrize(("rule", "example", "sql"), list(_each("right")))
def test_a_right_statement_is_not(rule: Rule, example: Example, sql: str) -> None:
    told = _judged(example, sql)

    assert told.readable
    assert rule.code not in {finding.code for finding in told.findings}, told


@pytest.mark.parametrize(("rule", "example", "sql"), list(_each("wrong")))
def test_a_fix_runs_and_is_not_found_again(rule: Rule, example: Example, sql: str) -> None:
    for finding in _judged(example, sql).findings:
        if finding.fix and finding.code == rule.code:
            _data(example).rows(finding.fix)
            again = _judged(example, finding.fix)
            places = {found.at for found in again.findings if found.code == finding.code}
            assert finding.at not in places, finding.fix


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_facts_say_the_same_as_the_data_that_they_were_measured_of(rule: Rule) -> None:
    for example in rule.examples:
        data = _data(example)
        for sql in (*example.wrong, *example.right):
            asked, known = (
                asyncio.run(
                    judge(
                        sql, catalogue, data.evidence, question=example.question, codes=(rule.code,)
                    )
                )
                for catalogue in (data.catalogue, data.measured)
            )
            assert known == asked, sql


def test_codes_and_names_are_told_apart() -> None:
    assert len({rule.code for rule in RULES}) == len(RULES)
    assert len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_rule_says_why_and_has_examples_of_both(rule: Rule) -> None:
    assert rule.why
    assert any(example.wrong for example in rule.examples)
    assert any(example.right for example in rule.examples)
