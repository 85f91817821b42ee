"""Recorded calls are made again as they were recorded, and what differs is named."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from gateway.audit.recompute import Recomputation
from gateway.domain.recompute import RecomputedStep, Replayed
from gateway.domain.verification import ChainEntry
from gateway.ports import Evidence, Replay
from mesh.errors import (
    INVALID_ARGUMENT,
    SERVICE_UNAVAILABLE,
    SOURCE_NOT_FOUND,
    VERIFICATION_FAILED,
    AssayError,
    Reason,
)
from mesh.proof.chain import GENESIS_HASH, AuditEntry, EventType, chain_json, entry_hash
from mesh.proof.recorded import RecordedCall, recorded

JOB = "a" * 32
LOADED, TOTAL = "1" * 64, "2" * 64
CHART = "c" * 64


def chain(*events: tuple[EventType, str, dict[str, Any]]) -> list[AuditEntry]:
    entries: list[AuditEntry] = []
    parent = GENESIS_HASH
    for number, (kind, actor, data) in enumerate(events, start=1):
        stamp = f"2026-03-01T12:00:{number:02d}.000000Z"
        entry = AuditEntry(
            entry_id=f"{number:032x}",
            request_id=JOB,
            sequence_number=number,
            parent_hash=parent,
            timestamp=stamp,
            event_type=kind,
            event_data=data,
            actor=actor,
            hash=entry_hash(parent, stamp, kind, chain_json(data)),
        )
        parent = entry.hash
        entries.append(entry)
    return entries


def call(number: int, task: str, tool: str, **inputs: str) -> tuple[EventType, str, dict[str, Any]]:
    data = {
        "call_id": f"{number:032x}",
        "task_id": task,
        "tool_name": tool,
        "attempt_number": 1,
        "arguments": {"number": number},
        "inputs": inputs,
    }
    return EventType.TOOL_CALLED, "actor", data


def seen(
    number: int, digest: str | None, status: str = "success"
) -> tuple[EventType, str, dict[str, Any]]:
    data = {"call_id": f"{number:032x}", "status": status, "frame_digest": digest}
    return EventType.OBSERVATION_RECORDED, "actor", data


def made(name: str, actor: str = "actor") -> tuple[EventType, str, dict[str, Any]]:
    data = {"artifact_id": name, "content_ref": f"charts/{JOB}/{name}", "content_hash": CHART}
    return EventType.ARTIFACT_GENERATED, actor, data


STORY = chain(
    (
        EventType.REQUEST_SUBMITTED,
        "system",
        {"intent": "?", "data_sources": [{"name": "orders.csv"}, {"name": "shop.sqlite"}]},
    ),
    (EventType.PLAN_CREATED, "planner", {"source_digests": ["5" * 64, "6" * 64]}),
    call(1, "load", "sql.run"),
    seen(1, None, "error"),
    call(2, "load", "sql.run"),
    seen(2, LOADED),
    call(3, "total", "df.transform", load=LOADED),
    call(4, "chart", "plot.render", load=LOADED),
    seen(4, None),
    made("revenue.png"),
    seen(3, TOTAL),
    made("report.md", "planner"),
)


@dataclass
class Peers:
    """Evidence and Replay, scripted."""

    entries_: list[AuditEntry] = field(default_factory=lambda: STORY)
    digests: list[str] | AssayError = field(default_factory=lambda: ["5" * 64, "6" * 64])
    gives: dict[str, Replayed] = field(
        default_factory=lambda: {
            "load": Replayed(LOADED),
            "total": Replayed(TOTAL),
            "chart": Replayed("", (("revenue.png", CHART),)),
        }
    )
    free: dict[str, str] = field(default_factory=dict)
    ran: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    finds: list[tuple[str, str]] | AssayError = field(default_factory=list)
    judged: list[tuple[str, str]] = field(default_factory=list)

    async def entries(self, job_id: str) -> AsyncIterator[ChainEntry]:
        for place, entry in enumerate(self.entries_):
            yield ChainEntry(entry, place)

    async def source_digests(self, job_id: str, databases: Sequence[str]) -> list[str]:
        if isinstance(self.digests, AssayError):
            raise self.digests
        return self.digests

    async def not_deterministic(self) -> Mapping[str, str]:
        return self.free

    async def findings(
        self, job_id: str, databases: Sequence[str], statement: str, question: str
    ) -> list[tuple[str, str]]:
        self.judged.append((statement, question))
        if isinstance(self.finds, AssayError):
            raise self.finds
        return self.finds

    async def run(
        self, job_id: str, databases: Sequence[str], made: RecordedCall, inputs: Mapping[str, str]
    ) -> Replayed:
        self.ran.append((made.task_id, dict(inputs)))
        return self.gives[made.task_id]


async def steps(peers: Peers) -> list[RecomputedStep]:
    recomputation = Recomputation(cast("Evidence", peers), cast("Replay", peers))
    return [step async for step in recomputation.steps(JOB)]


async def test_every_call_that_succeeded_is_made_again_in_its_order() -> None:
    peers = Peers()
    found = await steps(peers)
    assert [step.task_id for step in found] == ["sources", "load", "total", "chart"]
    assert [step.detail for step in found] == [""] * 4
    assert peers.ran == [("load", {}), ("total", {"load": LOADED}), ("chart", {"load": LOADED})]


async def test_later_calls_work_on_what_the_earlier_gave_now() -> None:
    peers = Peers()
    peers.gives["load"] = Replayed("9" * 64)
    found = await steps(peers)
    assert found[1].detail == "its frame has digest 999999999999…, the chain says 111111111111…"
    assert (found[1].recorded_digest, found[1].frame_digest) == (LOADED, "9" * 64)
    assert peers.ran[1] == ("total", {"load": "9" * 64})


async def test_a_file_that_differs_is_named() -> None:
    peers = Peers()
    peers.gives["chart"] = Replayed("", (("revenue.png", "d" * 64),))
    assert (await steps(peers))[3].detail == (
        "revenue.png has SHA-256 dddddddddddd…, the chain says cccccccccccc…"
    )
    peers.gives["chart"] = Replayed()
    assert (await steps(peers))[3].detail == "it made 0 files, the chain says 1"


async def test_a_call_that_fails_now_says_why() -> None:
    peers = Peers()
    peers.gives["total"] = Replayed(failure="it failed now: no such column")
    assert (await steps(peers))[2].detail == "it failed now: no such column"


async def test_a_tool_that_promises_nothing_says_so() -> None:
    found = await steps(Peers(free={"plot.render": "fonts differ"}))
    assert [step.why_not for step in found] == ["", "", "", "fonts differ"]


@pytest.mark.parametrize(
    ("digests", "detail"),
    [
        (["5" * 64, "7" * 64], "shop.sqlite has changed since the question was asked"),
        (["5" * 64], "the question was asked of 2 sources, there are 1"),
        (AssayError(SOURCE_NOT_FOUND, "there is nothing at orders.csv"), "there is nothing at"),
    ],
)
async def test_nothing_is_called_on_sources_that_changed(
    digests: list[str] | AssayError, detail: str
) -> None:
    peers = Peers(digests=digests)
    (only,) = await steps(peers)
    assert only.task_id == "sources"
    assert only.detail.startswith(detail)
    assert peers.ran == []


J01, W01 = ("J01", "sum(freight)"), ("W01", "lonely")
NEW = "checks find what was not found then: "


@pytest.mark.parametrize(
    ("proposer", "checked", "finds", "detail", "question"),
    [
        ("model:m", [], [J01], "", "?"),
        ("model:m", [], [J01, W01], f"{NEW}W01 at lonely", "?"),
        ("model:m", [], [], "", "?"),  # one that is not found any more is none
        ("rules", ["J01"], [J01, W01], "", ""),  # it was not held to the other
        ("person", [], [J01, ("J02", "x")], f"{NEW}J02 at x", ""),
        (
            "person",
            [],
            AssayError(SOURCE_NOT_FOUND, "no orders"),
            "its checks cannot be made again: no orders",
            "",
        ),
    ],
)
async def test_checks_are_made_again_and_new_findings_told(
    proposer: str, checked: list[str], finds: Any, detail: str, question: str
) -> None:
    found = [{"code": "J01", "at": "sum(freight)"}]
    proposal = {
        "proposer": proposer,
        "statement": "SELECT 1",
        "findings": found,
        "checked": checked,
    }
    planned = {"source_digests": ["5" * 64, "6" * 64], "proposal": proposal}
    told = [
        replace_data(entry, planned) if entry.event_type is EventType.PLAN_CREATED else entry
        for entry in STORY
    ]
    peers = Peers(entries_=told, finds=finds)

    last = (await steps(peers))[-1]

    assert (last.task_id, last.tool_name, last.detail) == ("checks", "", detail)
    assert peers.judged == [("SELECT 1", question)]


@pytest.mark.parametrize("reason", [SERVICE_UNAVAILABLE, INVALID_ARGUMENT])
async def test_what_tells_nothing_of_the_sources_is_no_finding(reason: Reason) -> None:
    with pytest.raises(AssayError) as error:
        await steps(Peers(digests=AssayError(reason, "the executor is away")))
    assert error.value.reason is reason


async def test_a_chain_that_does_not_say_what_was_called_cannot_be_recomputed() -> None:
    broken = [
        replace_data(entry, {}) if entry.event_type is EventType.TOOL_CALLED else entry
        for entry in STORY
    ]
    with pytest.raises(AssayError, match=r"entry 3: its tool_called is malformed") as error:
        await steps(Peers(entries_=broken))
    assert error.value.reason is VERIFICATION_FAILED


def replace_data(entry: AuditEntry, data: dict[str, Any]) -> AuditEntry:
    return entry.model_copy(update={"event_data": data})


def test_files_belong_to_the_observation_right_before_them() -> None:
    found = recorded(STORY)
    files = {call.task_id: [file.artifact_id for file in call.files] for call in calls(found)}
    assert files == {"load": [], "total": [], "chart": ["revenue.png"]}
    assert set(found.files) == {"revenue.png", "report.md"}
    assert found.frame_digests == {LOADED, TOTAL}


def calls(found: Any) -> list[RecordedCall]:
    return [replace(call) for call in found.calls.values() if call.succeeded]
