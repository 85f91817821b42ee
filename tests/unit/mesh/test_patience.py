"""A peer that restarts is waited for; one that refuses, or stays away, is not."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import pytest
from grpc.aio import AioRpcError, Metadata
from grpc_status import rpc_status

from mesh.context import changed
from mesh.errors import SERVICE_UNAVAILABLE, TIMEOUT, AssayError
from mesh.transport import patience
from mesh.transport.patience import AT_ONCE_SECONDS, PATIENCE_SECONDS, hurried, patient
from mesh.transport.status import WAITED, to_status

pytestmark = pytest.mark.asyncio


class Peer:
    """Fails as it is told to, then answers; keeps how it was asked."""

    def __init__(self, *failures: grpc.StatusCode) -> None:
        self.failures = list(failures)
        self.asked: list[dict[str, Any]] = []

    async def method(self, request: str, **waiting: Any) -> str:
        self.asked.append(waiting)
        await asyncio.sleep(0)
        if self.failures:
            raise AioRpcError(self.failures.pop(0), Metadata(), Metadata(), "away")
        return f"{request} answered"


AWAY = grpc.StatusCode.UNAVAILABLE


async def test_a_peer_that_is_there_is_asked_once_and_not_waited_for() -> None:
    peer = Peer()
    assert await patient("audit", peer.method, "this") == "this answered"
    assert peer.asked == [{}]


async def test_a_peer_that_restarts_is_asked_until_it_answers() -> None:
    peer = Peer(AWAY, AWAY)
    assert await patient("audit", peer.method, "this") == "this answered"
    assert [asked.get("wait_for_ready") for asked in peer.asked] == [None, True, True]
    assert all(0 < asked["timeout"] <= PATIENCE_SECONDS for asked in peer.asked[1:])


async def test_a_peer_that_refuses_is_not_asked_again() -> None:
    peer = Peer(grpc.StatusCode.INVALID_ARGUMENT)
    with pytest.raises(AssayError) as refused:
        await patient("audit", peer.method, "this")
    assert refused.value.reason is not SERVICE_UNAVAILABLE
    assert len(peer.asked) == 1


async def test_a_peer_that_stays_away_is_said_to_be_away() -> None:
    peer = Peer(AWAY, grpc.StatusCode.DEADLINE_EXCEEDED)
    with pytest.raises(AssayError) as away:
        await patient("audit", peer.method, "this")
    assert away.value.reason is SERVICE_UNAVAILABLE


async def test_why_a_peer_was_not_reached_is_logged_and_nobody_waits_for_it_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A certificate that does not fit is told by the transport alone, and by nobody after it."""
    with pytest.raises(AssayError) as first:
        await patient("audit", Peer(AWAY, grpc.StatusCode.DEADLINE_EXCEEDED).method, "this")
    assert caplog.messages == ["the audit service was not reached: away"]

    class Between(Peer):
        async def method(self, request: str, **waiting: Any) -> str:
            self.asked.append(waiting)
            status = rpc_status.to_status(to_status(first.value))
            trailing = Metadata(*status.trailing_metadata)
            raise AioRpcError(status.code, Metadata(), trailing, status.details)

    between = Between()
    with pytest.raises(AssayError) as second:
        await patient("planner", between.method, "this")
    assert len(between.asked) == 1
    assert (second.value.message, second.value.retry_seconds) == (first.value.message, None)


async def test_whose_own_time_is_over_is_told_so() -> None:
    peer = Peer(AWAY, grpc.StatusCode.DEADLINE_EXCEEDED)
    with changed(seconds=0.0), pytest.raises(AssayError) as late:
        await patient("audit", peer.method, "this")
    assert late.value.reason is TIMEOUT


async def test_no_more_time_is_waited_than_patience_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "PATIENCE_SECONDS", 2.0)
    peer = Peer(AWAY)
    await patient("audit", peer.method, "this")
    assert peer.asked[1]["timeout"] <= 2.0


HANGS = grpc.StatusCode.DEADLINE_EXCEEDED


@pytest.mark.parametrize("failures", [(AWAY, HANGS), (HANGS,)], ids=["gone", "hanging"])
async def test_in_a_hurry_a_peer_is_away_that_does_not_answer_at_once(
    failures: tuple[grpc.StatusCode, ...],
) -> None:
    peer = Peer(*failures)
    with hurried("audit"), pytest.raises(AssayError) as away:
        await patient("audit", peer.method, "this")
    assert (away.value.reason, away.value.metadata) == (
        SERVICE_UNAVAILABLE,
        {**away.value.metadata, WAITED: "1"},
    )
    assert all(0 < asked["timeout"] <= AT_ONCE_SECONDS for asked in peer.asked)


async def test_only_one_peer_is_hurried() -> None:
    peer = Peer(AWAY)
    with hurried("audit"):
        await patient("executor", peer.method, "this")
    assert peer.asked[0] == {} and peer.asked[1]["timeout"] > AT_ONCE_SECONDS


async def test_a_hurry_ends() -> None:
    peer = Peer()
    with hurried("audit"):
        pass
    await patient("audit", peer.method, "this")
    assert peer.asked == [{}]
