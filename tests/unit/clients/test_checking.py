"""What people see of export, verification and witnesses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from assay.gateway.v1.audit_service_pb2 import RecomputeJobResponse
from clients.python.cli import export as exporting
from clients.python.cli import main
from clients.python.cli import verify as verifying
from clients.python.cli import witness as witnessing
from clients.python.cli.connection import Place
from clients.python.cli.verifying import recomputed
from clients.python.verification.reading import Finding, Trust
from clients.python.witness.round import Witnessed
from mesh.digest import frame_digest
from mesh.errors import INVALID_ARGUMENT, ExitCode
from mesh.proof.checkpoint import Checkpoint
from tests.unit.clients.conftest import Printed
from tests.unit.clients.proven import (
    LOADED,
    LOG_KEY,
    TOTAL,
    WITNESS_KEY,
    call_id,
    proven_gateway,
    proven_log,
)
from tests.unit.clients.script import GOOD_PROOF
from tests.unit.clients.story import Golden, Install, place

JOB = "7c1e"


def replayed(task: str, tool: str, detail: str = "", why_not: str = "") -> RecomputeJobResponse:
    return RecomputeJobResponse(
        call_id=f"call {task}" if tool else "",
        task_id=task,
        tool_name=tool,
        same=not detail,
        deterministic=not why_not,
        why_not=why_not,
        detail=detail,
        recorded_digest="1" * 64,
    )


RECOMPUTED = [
    replayed("sources", ""),
    replayed("load", "sql.run"),
    replayed("total", "df.transform"),
    replayed("chart", "plot.render"),
]


def flip(path: Path, marker: bytes) -> None:
    """Change the byte after a marker."""
    content = bytearray(path.read_bytes())
    content[content.index(marker) + len(marker)] ^= 1
    path.write_bytes(bytes(content))


async def test_an_export_says_where_it_is_and_how_to_check_it(
    here: Path, installed: Install, golden: Golden
) -> None:
    installed(proven_gateway())
    screen = Printed()
    told = await exporting._export(screen, place(here), JOB, None)
    assert told == ExitCode.ANSWERED
    golden("export.txt", screen.text)


async def test_a_bundle_is_checked_line_by_line(bundle: Path, golden: Golden) -> None:
    screen = Printed()
    nowhere = Place(server="127.0.0.1:1")
    told = await verifying._verify_bundle(screen, nowhere, bundle, Trust(), databases=None)
    assert told == ExitCode.ANSWERED
    golden("verify_bundle.txt", screen.text)


async def test_a_changed_bundle_shows_nothing_green_after_what_is_off(
    bundle: Path, golden: Golden
) -> None:
    flip(bundle, b"\x89PNG")
    screen = Printed()
    told = await verifying._verify_bundle(screen, Place(), bundle, Trust(), databases=[])
    assert told == ExitCode.VERIFICATION_FAILED
    golden("verify_bundle_wrong.txt", screen.text)


async def test_a_job_is_recomputed_after_its_record_was_checked(
    here: Path, installed: Install, golden: Golden
) -> None:
    gateway = proven_gateway()
    gateway.proof, gateway.recomputed = GOOD_PROOF, [RECOMPUTED[0]]
    for number, (step, frame) in enumerate(zip(RECOMPUTED[1:], (LOADED, TOTAL, None), strict=True)):
        again = RecomputeJobResponse()
        again.CopyFrom(step)
        again.call_id = call_id(number)
        again.recorded_digest = "" if frame is None else frame_digest(frame)
        gateway.recomputed.append(again)
    installed(gateway)
    screen = Printed()
    told = await verifying._verify_job(screen, place(here), JOB, Trust(), databases=[])
    assert told == ExitCode.ANSWERED
    golden("verify_recompute.txt", screen.text)


async def test_a_bundle_is_recomputed_where_the_mesh_still_has_its_job(
    here: Path, bundle: Path, installed: Install
) -> None:
    gateway = proven_gateway()
    installed(gateway)
    screen = Printed(as_json=True)
    told = await verifying._verify_bundle(screen, place(here), bundle, Trust(), databases=[])
    assert told == ExitCode.ANSWERED
    assert json.loads(screen.text)["checks"][-1]["name"] == "recomputed"


def test_a_step_that_promises_nothing_may_differ_and_says_why() -> None:
    steps = [
        *RECOMPUTED[:3],
        replayed("chart", "plot.render", "chart.png has SHA-256 1…", "fonts differ by machine"),
    ]
    assert recomputed(steps, None) == Finding(
        "recomputed",
        True,
        "2 of 3 steps give the same bytes; step chart (plot.render) is not deterministic "
        "(fonts differ by machine) and differs: chart.png has SHA-256 1…",
    )


def test_a_step_that_should_be_the_same_and_is_not_is_wrong() -> None:
    steps = [RECOMPUTED[0], replayed("load", "sql.run", "its frame has digest 2…"), *RECOMPUTED[2:]]
    detail = "step load (sql.run): its frame has digest 2…"
    assert recomputed(steps, None) == Finding("recomputed", False, detail)


def test_changed_sources_come_first() -> None:
    steps = [replayed("sources", "", "orders.csv has changed")]
    assert recomputed(steps, None) == Finding(
        "recomputed", False, "sources: orders.csv has changed"
    )


def test_a_mesh_that_records_other_calls_than_the_bundle_does_not_speak_for_it() -> None:
    known = {"call load": "1" * 64, "call total": "3" * 64}
    found = recomputed(RECOMPUTED, known)
    assert not found.ok
    assert found.detail.startswith("step total (df.transform): the mesh records another call")


def test_a_witness_tells_what_it_cosigned(here: Path, golden: Golden) -> None:
    log = proven_log()
    screen = Printed()
    for size, before in ((5, None), (5, 5), (14, 5)):
        checkpoint = log.checkpoint(size)
        earlier = None if before is None else Checkpoint("assay-1", before, checkpoint.root)
        found = Witnessed(checkpoint, earlier, "", here / "w" / "cosigned" / f"{size:020d}")
        witnessing._show(screen, WITNESS_KEY, found)
    golden("witness.txt", screen.text)

    machine = Printed(as_json=True)
    witnessing._show(machine, WITNESS_KEY, found)
    assert json.loads(machine.text)["size_before"] == 5


def test_a_bundle_that_is_not_there_is_wrong_use(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["verify", "gone.zip"]) == ExitCode.WRONG_USE
    assert "there is no bundle at gone.zip" in capsys.readouterr().err


def test_keys_may_stand_in_files(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = bundle.with_name("log.vkey")
    key.write_text(LOG_KEY.verifier.encode() + "\n")
    assert main.run(["verify", str(bundle), "--log-key", str(key)]) == ExitCode.ANSWERED
    assert re.search(r"signed by assay-1 +ok", capsys.readouterr().out)
    wanted = WITNESS_KEY.verifier.encode()
    code = main.run(["verify", str(bundle), "--witness-key", wanted])
    assert code == ExitCode.VERIFICATION_FAILED
    assert "it is not cosigned by w1" in capsys.readouterr().out
    assert main.run(["verify", str(bundle), "--log-key", "nonsense"]) == ExitCode.WRONG_USE
    assert "--log-key nonsense is no key" in capsys.readouterr().err


def test_a_witness_needs_a_name_that_a_key_can_have(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main.run(["witness", "--once", "--name", "two words", "--folder", str(here / "w")])
    assert code == ExitCode.WRONG_USE
    assert INVALID_ARGUMENT.code in capsys.readouterr().err
