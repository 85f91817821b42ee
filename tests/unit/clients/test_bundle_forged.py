"""Whoever changes what a bundle tells, and seals it again, is found at the place he changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from clients.python.verification import layout
from mesh.digest import frame_digest
from mesh.frames.codec import stream_chunks
from mesh.proof.checkpoint import sign_checkpoint
from tests.unit.clients.bundles import (
    CHART_MEMBER,
    FRAME_MEMBER,
    resealed,
    rewrite,
    unpacked,
    wrong,
)
from tests.unit.clients.proven import (
    CHART,
    LOADED,
    LOG_KEY,
    TOTAL,
    proven_log,
)
from tests.unit.clients.script import JOB_ID


def forge_a_number(folder: Path) -> str:
    rewrite(folder / layout.CLAIMS, lambda claims: claims[0].update(value="39919.55"))
    return "claims: claim 1 (frame"


def forge_a_unit(folder: Path) -> str:
    rewrite(folder / layout.CLAIMS, lambda claims: claims[0].update(unit="USD"))
    return "claims: claim 1 (frame"


def leave_a_number_out(folder: Path) -> str:
    rewrite(folder / layout.CLAIMS, lambda claims: claims[:1])
    return "claims: claim 2 (frame"


def forge_a_frame(folder: Path) -> str:
    other = TOTAL.set_column(0, "total", pa.array([39_919.55]))
    (folder / FRAME_MEMBER).write_bytes(b"".join(stream_chunks(other)))
    return f"claims: frame {frame_digest(TOTAL)[:8]}: its rows have digest"


def put_no_frame(folder: Path) -> str:
    (folder / FRAME_MEMBER).write_bytes(b"no Arrow stream at all")
    return f"claims: {FRAME_MEMBER}: The Arrow stream cannot be read"


def lose_a_frame(folder: Path) -> str:
    (folder / FRAME_MEMBER).unlink()
    return f"claims: {FRAME_MEMBER} is not in the bundle"


def forge_a_chart(folder: Path) -> str:
    (folder / CHART_MEMBER).write_bytes(CHART + b" ")
    return f"artifacts: charts/{JOB_ID}/revenue.png: its content has SHA-256"


def lose_a_chart(folder: Path) -> str:
    (folder / CHART_MEMBER).unlink()
    return f"artifacts: {CHART_MEMBER} is not in the bundle"


def drop_a_chart(folder: Path) -> str:
    (folder / CHART_MEMBER).unlink()
    rewrite(folder / layout.JOB, lambda job: job["answer"]["artifacts"].pop(0) and None)
    return f"calls: charts/{JOB_ID}/revenue.png: call 00000000 (step chart) made it"


def slip_in_a_file(folder: Path) -> str:
    file = {"artifact_id": "9" * 32, "content_ref": f"charts/{JOB_ID}/revenue.png"}
    rewrite(folder / layout.JOB, lambda job: job["answer"]["artifacts"].append(file))
    return f"artifacts: charts/{JOB_ID}/revenue.png: the chain does not record it"


def lead_out_of_the_bundle(folder: Path) -> str:
    def change(job: Any) -> None:
        job["answer"]["artifacts"][0]["content_ref"] = "../../etc/passwd"

    rewrite(folder / layout.JOB, change)
    return "artifacts: ../../etc/passwd: the chain does not record it"


def forge_the_question(folder: Path) -> str:
    rewrite(folder / layout.JOB, lambda job: job.update(question="revenue in 1998"))
    return "calls: job.json: its question is not"


def forge_the_answer(folder: Path) -> str:
    rewrite(folder / layout.JOB, lambda job: job["answer"].update(text="Revenue was 1."))
    return "calls: job.json: its answer's text is not"


def forge_a_step(folder: Path) -> str:
    rewrite(folder / layout.PLAN, lambda plan: plan["subtasks"][1].update(arguments={}))
    return "calls: plan.json: the arguments of step total"


def drop_a_step(folder: Path) -> str:
    rewrite(folder / layout.PLAN, lambda plan: plan["subtasks"].pop() and None)
    return "calls: plan.json: the chain records 3 steps"


def forge_a_call(folder: Path) -> str:
    rewrite(folder / layout.CALLS, lambda calls: calls[0]["arguments"].update(query="SELECT 1"))
    return f"calls: calls.json: number 1 ({'0' * 32})"


def add_a_call(folder: Path) -> str:
    rewrite(folder / layout.CALLS, lambda calls: calls.append(calls[0]))
    return "calls: calls.json: the chain records 3 of its 4"


def forge_a_source(folder: Path) -> str:
    rewrite(folder / layout.SOURCES, lambda sources: sources[0].update(sha256="6" * 64))
    return "calls: sources.json: number 1 (orders.csv)"


def slip_in_a_frame(folder: Path) -> str:
    (folder / f"frames/{'7' * 64}.arrows").write_bytes(b"")
    return f"manifest: frames/{'7' * 64}.arrows: neither the answer nor a number of it"


def slip_in_a_member(folder: Path) -> str:
    manifest = (folder / layout.MANIFEST).read_bytes()
    (folder / "notes.txt").write_text("trust me")
    (folder / layout.MANIFEST).write_bytes(manifest)
    return "manifest: notes.txt: manifest.json does not list it"


def cut_off_the_chain(folder: Path) -> str:
    for name in (layout.ENTRIES, layout.PROOFS):
        lines = (folder / name).read_bytes().splitlines(keepends=True)
        (folder / name).write_bytes(b"".join(lines[:-1]))
    return "claims: claim 1 (frame"


def drop_a_proof(folder: Path) -> str:
    lines = (folder / layout.PROOFS).read_bytes().splitlines(keepends=True)
    (folder / layout.PROOFS).write_bytes(b"".join(lines[:-1]))
    return "tree: proofs.jsonl has 10 proofs, the chain 11 entries"


def show_another_tree(folder: Path) -> str:
    checkpoint = proven_log().checkpoint(13)
    (folder / layout.CHECKPOINT).write_text(sign_checkpoint(checkpoint, LOG_KEY))
    return "tree: entry 1: its proof does not hold"


@pytest.mark.parametrize(
    "forge",
    [
        forge_a_number,
        forge_a_unit,
        leave_a_number_out,
        forge_a_frame,
        put_no_frame,
        lose_a_frame,
        forge_a_chart,
        lose_a_chart,
        drop_a_chart,
        slip_in_a_file,
        lead_out_of_the_bundle,
        forge_the_question,
        forge_the_answer,
        forge_a_step,
        drop_a_step,
        forge_a_call,
        add_a_call,
        forge_a_source,
        slip_in_a_frame,
        cut_off_the_chain,
        drop_a_proof,
        show_another_tree,
    ],
    ids=lambda forge: forge.__name__,
)
def test_a_forger_who_reseals_the_bundle_is_found_where_he_changed_it(
    bundle: Path, forge: Callable[[Path], str]
) -> None:
    folder = unpacked(bundle)
    expected = forge(folder)
    found = wrong(resealed(folder))
    assert f"{found.name}: {found.detail}".startswith(expected)


# The first frame is another that a call gave, so it is not missing from the bundle's calls.
ANSWER_FIELDS = {
    "caveats": [],
    "empty_reason": "no_rows",
    "confidence": "low",
    "reasoner": "a model",
    "recipe": "",
    "table": frame_digest(LOADED),
    "display": frame_digest(TOTAL),
}


@pytest.mark.parametrize("field", ANSWER_FIELDS)
def test_no_field_of_the_answer_can_be_changed(bundle: Path, field: str) -> None:
    folder = unpacked(bundle)
    change = {field: ANSWER_FIELDS[field]}
    rewrite(folder / layout.JOB, lambda job: job["answer"].update(change))
    found = wrong(resealed(folder))
    assert found.detail == f"job.json: its answer's {field} is not the one that the chain records"


@pytest.mark.parametrize("field", ["artifact_type", "media_type"])
def test_no_file_can_be_called_something_else(bundle: Path, field: str) -> None:
    folder = unpacked(bundle)
    rewrite(folder / layout.JOB, lambda job: job["answer"]["artifacts"][0].update({field: "other"}))
    found = wrong(resealed(folder))
    assert found.detail == "job.json: its answer's artifacts is not the one that the chain records"


JOB_FIELDS = {
    "state": "partial_success",
    "understood": "revenue, summed · 1998",
    "failure": {"reason": "TIMEOUT", "message": "stopped after 1 s"},
    "partial_artifacts": [{"artifact_id": "9", "content_ref": "charts/a.png"}],
    "answer": None,
}


@pytest.mark.parametrize("field", JOB_FIELDS)
def test_no_field_of_the_job_can_be_changed(bundle: Path, field: str) -> None:
    folder = unpacked(bundle)
    rewrite(folder / layout.JOB, lambda job: job.update({field: JOB_FIELDS[field]}))
    assert not wrong(resealed(folder)).ok


@pytest.mark.parametrize("state", ["failed", "cancelled", "executing", "waiting"])
def test_a_job_ended_as_its_chain_says(bundle: Path, state: str) -> None:
    folder = unpacked(bundle)
    rewrite(folder / layout.JOB, lambda job: job.update(state=state))
    found = wrong(resealed(folder))
    assert found.detail == "job.json: its state is not the one that the chain records"


@pytest.mark.parametrize("change", [{"answer_task": "load"}, {"plan_id": "2" * 32}, {"more": 1}])
def test_nothing_of_the_plan_can_be_changed(bundle: Path, change: dict[str, Any]) -> None:
    folder = unpacked(bundle)
    rewrite(folder / layout.PLAN, lambda plan: plan.update(change))
    assert wrong(resealed(folder)).detail.startswith("plan.json: it")


@pytest.mark.parametrize(
    "change",
    [
        lambda told: told.update(statement="SELECT 1"),
        lambda told: told["bindings"][0].update(fragment="tax"),
        lambda told: told["findings"].clear(),
        lambda told: told["others"][0].update(compared="same"),
        lambda told: told.update(proposer="person"),
    ],
)
def test_nothing_of_what_was_proposed_can_be_changed(bundle: Path, change: Any) -> None:
    folder = unpacked(bundle)
    rewrite(folder / layout.PLAN, lambda plan: change(plan["proposal"]))
    found = wrong(resealed(folder))
    assert found.detail == "plan.json: its proposal is not the recorded one"


@pytest.mark.parametrize("name", [layout.JOB, layout.CLAIMS])
def test_nothing_can_be_told_beside_what_was_recorded(bundle: Path, name: str) -> None:
    folder = unpacked(bundle)
    beside = {"note": "checked by an auditor"}
    rewrite(folder / name, lambda v: (v[0] if isinstance(v, list) else v["answer"]).update(beside))
    found = wrong(resealed(folder))
    assert found.detail.startswith((f"{name}: the chain records nothing", f"{name}: it tells more"))


def test_a_member_that_is_not_listed_is_found(bundle: Path) -> None:
    folder = unpacked(bundle)
    expected = slip_in_a_member(folder)
    found = wrong(folder)
    assert f"{found.name}: {found.detail}" == expected
