"""What a chain says happened, read from its entries alone: told as today or before."""

from __future__ import annotations

from typing import Any

import pytest

from mesh.proof.chain import EventType
from mesh.proof.recorded import Recorded, recorded
from tests.unit.clients.proven import Log

END = {"rule": "STEP_FAILED", "reason": "step load failed", "partial_artifacts": []}


def told(*events: tuple[EventType, dict[str, Any]]) -> Recorded:
    log = Log()
    for kind, data in ((EventType.REQUEST_SUBMITTED, {"intent": "how many"}), *events):
        log.add(kind, data, "planner")
    return recorded(log.entries)


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_an_end_without_an_answer_is_an_observation(state: str) -> None:
    found = told((EventType.OBSERVATION_RECORDED, {**END, "state": state, "status": "error"}))
    assert (found.state, found.answered, found.end["rule"]) == (state, False, "STEP_FAILED")


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_older_logs_that_keep_such_an_end_as_a_decision_read_the_same(state: str) -> None:
    found = told((EventType.POLICY_DECISION, {**END, "decision": state}))
    assert (found.state, found.answered, found.end["rule"]) == (state, False, "STEP_FAILED")


def test_what_policy_refuses_ends_a_job_that_has_not_ended() -> None:
    refusal = {"decision": "refused", "rule": "COLUMN_BLOCKED", "reason": "salary is blocked"}
    found = told((EventType.POLICY_DECISION, refusal))
    assert (found.state, found.answered) == ("failed", False)


def test_an_end_without_an_answer_in_another_state_is_malformed() -> None:
    with pytest.raises(ValueError, match="'completed' is no end without an answer"):
        told((EventType.OBSERVATION_RECORDED, {**END, "state": "completed"}))
