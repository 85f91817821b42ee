"""What judges the runners of clients/conformance finds what is not as it should be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clients.conformance.judging import faults, refused
from clients.conformance.verbs import VERBS
from scripts.clients import CLIENTS

SAVED = {"f": {"file": "abc", "count": 3}}


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ({"a": 1}, {"a": 1, "b": 2}),
        ([1, None, "x"], [1, None, "x"]),
        (0.1, 0.1 + 1e-15),
        (2.0, 2),
        ({"$like": "^No"}, "North"),
        ({"$has": [{"id": "1"}, {"id": "2"}]}, [{"id": "2"}, {"id": "1", "text": "x"}]),
        ({"$counted": 4}, [4, 5, 6]),
        ({"$same": "f.file"}, "abc"),
        ({"$least": 2}, 2),
        ({"$filled": True}, False),
    ],
)
def test_what_is_as_it_should_be_has_no_fault(wanted: Any, given: Any) -> None:
    assert list(faults(wanted, given, SAVED)) == []


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, ["a"]),
        ([1, 2], [1, 2, 3]),
        (1, True),
        (1, 1.5),
        ("1", 1),
        (None, ""),
        (0.1, 0.2),
        ({"$like": "^No"}, "South"),
        ({"$like": "1"}, 1),
        ({"$has": ["12"]}, ["1", "2"]),
        ({"$counted": 1}, [1, 2, 4]),
        ({"$counted": 1}, [1, 2, 2]),
        ({"$counted": 2}, [1, 2]),
        ({"$counted": 1}, []),
        ({"$same": "f.file"}, "abd"),
        ({"$same": "g.file"}, "abc"),
        ({"$least": 2}, 1),
        ({"$filled": True}, ""),
    ],
)
def test_what_is_not_has_one(wanted: Any, given: Any) -> None:
    assert list(faults(wanted, given, SAVED))


def test_a_refusal_that_is_not_expected_and_a_step_that_is_missing_are_found() -> None:
    steps = [
        {"call": "job", "save": "j", "expect": {}},
        {"call": "job", "expect": {"state": {"$same": "j.state"}}},
    ]
    script = {"cases": [{"name": "case", "steps": steps}]}
    error = {"error": {"reason": "NOT_FOUND"}}

    assert refused(script, {("case", 0): {"state": 1}, ("case", 1): {"state": 1}}) == []
    assert len(refused(script, {("case", 0): error, ("case", 1): error})) == 2
    assert refused(script, {("case", 0): {"state": 1}}) == ["case, step 1 (job): not performed"]


def test_the_script_knows_no_verb_that_the_readme_does_not_tell() -> None:
    script = json.loads((CLIENTS / "conformance/script.json").read_text(encoding="utf-8"))
    told = (CLIENTS / "conformance/README.md").read_text(encoding="utf-8")
    used = {step["call"] for case in script["cases"] for step in case["steps"]}

    assert used <= {*VERBS, "outside"}
    assert [verb for verb in (*VERBS, "outside") if f"| `{verb}` |" not in told] == []
