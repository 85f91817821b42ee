"""Comparing what a call gave when it was made again with what was recorded of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mesh.proof.recorded import RecordedCall

SOURCES, CHECKS = "sources", "checks"


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came back from a call made again.

    `files` are names with SHA-256 in the order of making; `failure` says why there is no result.
    """

    frame_digest: str = ""
    files: tuple[tuple[str, str], ...] = ()
    failure: str = ""


@dataclass(frozen=True, slots=True)
class RecomputedStep:
    """One comparison; `detail` says what differs and is empty when nothing does.

    `why_not` is set for tools that do not promise equal results for equal calls.
    """

    task_id: str
    tool_name: str = ""
    call_id: str = ""
    detail: str = ""
    why_not: str = ""
    recorded_digest: str = ""
    frame_digest: str = ""
    seconds: float = 0.0


def source_difference(names: Sequence[str], recorded: Sequence[str], now: Sequence[str]) -> str:
    """Which source is not as it was when the question was asked; "" when all are.

    The digest of a file covers its content, that of a live database its schema and how much was
    written to each table (see docs/engines.md, Verification).
    """
    if len(recorded) != len(now):
        return f"the question was asked of {len(recorded)} sources, there are {len(now)}"
    for number, (then, actual) in enumerate(zip(recorded, now, strict=True)):
        if then != actual:
            name = names[number] if number < len(names) else f"source {number + 1}"
            return (
                f"{name} has changed since the question was asked: its digest is "
                f"{actual[:12]}…, the chain says {then[:12]}…"
            )
    return ""


def finding_difference(recorded: Sequence[tuple[str, str]], now: Sequence[tuple[str, str]]) -> str:
    """Which findings are new, by code and the part of the statement; "" when none is. One that was
    found then and is not now is none."""
    new = [one for one in dict.fromkeys(now) if one not in recorded]
    if not new:
        return ""
    listed = ", ".join(f"{code} at {part}" for code, part in new)
    return f"checks find what was not found then: {listed}"


def call_difference(call: RecordedCall, replayed: Replayed) -> str:
    """What a call gave otherwise than recorded; "" when frame and files are the same."""
    if replayed.failure:
        return replayed.failure
    if replayed.frame_digest != call.frame_digest:
        now, then = replayed.frame_digest[:12] or "none", call.frame_digest[:12] or "none"
        return f"its frame has digest {now}…, the chain says {then}…"
    if len(replayed.files) != len(call.files):
        return f"it made {len(replayed.files)} files, the chain says {len(call.files)}"
    for (name, actual), file in zip(replayed.files, call.files, strict=True):
        if actual != file.content_hash:
            return f"{name} has SHA-256 {actual[:12]}…, the chain says {file.content_hash[:12]}…"
    return ""
