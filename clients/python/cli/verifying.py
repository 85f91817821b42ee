"""The findings of a verification, however it was made: in a table, or as an object."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clients.python.verification.reading import Finding, Trust, count
from mesh.errors import AssayError, Kind

if TYPE_CHECKING:
    from assay.common.v1.job_pb2 import Job
    from assay.gateway.v1.audit_service_pb2 import RecomputeJobResponse
    from clients.python.cli.screen import Screen
    from clients.python.client import AssayClient

_LINEAGE = "lineage"
# What a mesh says so of contents is something that was found, and no failure of the call.
_CHECKS = "checks"
_FINDINGS = frozenset({Kind.NOT_FOUND, Kind.UNREADABLE, Kind.INTEGRITY})


def checked(path: Path, trust: Trust) -> list[Finding]:
    """The findings about a bundle, up to the first thing that is off."""
    from clients.python.verification.agreement import findings
    from clients.python.verification.bundle import BundleError, open_bundle

    try:
        return list(findings(open_bundle(path), trust))
    except BundleError as error:
        return [Finding("bundle", False, str(error))]


def recorded_frames(path: Path) -> dict[str, str]:
    """The frame digest of every call by its id, as a checked bundle has them."""
    from clients.python.verification import layout
    from clients.python.verification.bundle import open_bundle

    calls = json.loads(open_bundle(path).read(layout.CALLS))
    return {str(call["call_id"]): str(call["frame_digest"]) for call in calls}


async def verified(
    client: AssayClient, job: Job, trust: Trust
) -> tuple[list[Finding], dict[str, str]]:
    """The findings about a job of a mesh, and its `recorded_frames` where all is well.

    The mesh looks first, since it can name what it cannot hand out any more. Then the job is
    exported and checked here, as whoever does not believe the mesh would. Of a job that still goes
    on, what the mesh says is all there is: its record grows while one looks.
    """
    from assay.common.v1 import job_pb2

    proof = await client.verify(job.job_id)
    found = [Finding(check.name, check.ok, check.detail) for check in proof.checks]
    if not proof.ok and all(finding.ok for finding in found):
        found.append(Finding("mesh", False, "it says that the record is not sound, and not why"))
    lineage = [one for one in found if one.name == _LINEAGE]  # a bundle has this job's chain alone
    at_work = (job_pb2.JOB_STATE_SUBMITTED, job_pb2.JOB_STATE_PLANNING, job_pb2.JOB_STATE_EXECUTING)
    if not proof.ok or job.state in at_work:
        return found, {}
    with tempfile.TemporaryDirectory(prefix="assay-verify-") as folder:
        try:
            bundle = await client.export(job, Path(folder) / "bundle")
        except AssayError as error:
            if error.reason.kind not in _FINDINGS:
                raise
            return [*found, Finding("frames", False, _lost(error))], {}
        found = await asyncio.to_thread(checked, bundle, replace(trust, bundle_from="mesh"))
        if not found[-1].ok:
            return found, {}
        # Its manifest was written here a moment ago: that it agrees says nothing.
        return [*found[:-1], *lineage], recorded_frames(bundle)


def _lost(error: AssayError) -> str:
    """What cannot be handed out any more, in our own words."""
    if error.reason.kind is Kind.UNREADABLE:
        return "a frame or file of the answer is damaged, and cannot be read any more"
    return error.message


def recomputed(steps: Iterable[RecomputeJobResponse], known: dict[str, str] | None) -> Finding:
    """What calls gave when they were made again, held against what was recorded.

    `known` are the recorded frame digests by call, from a bundle; the mesh's own without. A step
    whose tool promises nothing may differ: that is said, and is not a fault.
    """
    same = total = 0
    texts: list[str] = []
    for step in steps:
        name = f"step {step.task_id} ({step.tool_name})" if step.tool_name else "sources"
        if known is not None and step.call_id and known.get(step.call_id) != step.recorded_digest:
            return Finding("recomputed", False, f"{name}: the mesh records another call than this")
        if step.task_id == _CHECKS and not step.tool_name:
            texts += [step.detail] if step.detail else []  # a newer version may know more checks
            continue
        if not step.tool_name and step.same:
            continue
        total += 1
        same += step.same
        if not step.same and step.deterministic:
            return Finding("recomputed", False, f"{name}: {step.detail}")
        if not step.deterministic:
            differs = "" if step.same else f" and differs: {step.detail}"
            texts.append(f"{name} is not deterministic ({step.why_not}){differs}")
    same_bytes = f"{same:,} of {count(total, 'step')} {'gives' if same == 1 else 'give'}"
    return Finding("recomputed", True, "; ".join([f"{same_bytes} the same bytes", *texts]))


def show_findings(screen: Screen, found: Sequence[Finding]) -> None:
    """A line a check; nothing after the first that fails."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 3, 0, 0), pad_edge=False)
    grid.add_column(no_wrap=True, style="bold")
    grid.add_column()
    grid.add_column(no_wrap=True)
    for finding in found:
        verdict = Text("ok", "green") if finding.ok else Text("WRONG", "bold red")
        grid.add_row(finding.name, Text(finding.detail, "" if finding.ok else "red"), verdict)
        if not finding.ok:
            break
    screen.show(grid)


def findings_object(found: Sequence[Finding]) -> dict[str, Any]:
    """The same for machines."""
    return {
        "ok": all(finding.ok for finding in found),
        "checks": [
            {"name": finding.name, "ok": finding.ok, "detail": finding.detail} for finding in found
        ],
    }
