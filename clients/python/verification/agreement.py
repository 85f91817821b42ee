"""The checks of what is told against what was recorded, and of every byte; all checks in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from clients.python.verification import layout
from clients.python.verification.bundle import Bundle, BundleError
from clients.python.verification.checks import (
    check_artifacts,
    check_chain,
    check_claims,
    check_tree,
    files_of,
    sound_frame,
)
from clients.python.verification.derived import calls_of, job_of, plan_of, sources_of, step_of
from clients.python.verification.reading import (
    Fault,
    Finding,
    Reading,
    Trust,
    check_written,
    count,
    json_array,
    json_object,
    member,
)
from clients.python.verification.words import check_words
from mesh.proof.recorded import Recorded, RecordedCall

_UNFINISHED = ("submitted", "planning", "waiting", "executing")


def findings(bundle: Bundle, trust: Trust) -> Iterator[Finding]:
    """The checks one after another; the first that fails is the last."""
    reading = Reading(bundle, trust)
    with bundle.hashed_ahead():
        for name, check in CHECKS:
            try:
                yield Finding(name, True, check(reading))
            except (Fault, BundleError) as fault:
                yield Finding(name, False, str(fault))
                return


def check_calls(reading: Reading) -> str:
    """Job, plan, calls, sources and frames are those that the chain records."""
    _check_job(reading)
    _check_plan(reading)
    _check_list(reading, layout.SOURCES, sources_of(reading.recorded), "name")
    _check_list(reading, layout.CALLS, calls_of(reading.recorded), "call_id")
    calls = list(reading.recorded.calls.values())
    given: dict[str, set[str]] = {}
    for call in calls:
        for task, digest in call.inputs.items():
            if digest not in given.get(task, ()):
                raise Fault(f"{_place(call)}: no call of step {task} gave frame {digest[:8]}")
        given.setdefault(call.task_id, set()).add(call.frame_digest)
    for digest in _frames_of_answer(reading):
        if digest not in reading.recorded.frame_digests:
            raise Fault(f"{layout.JOB}: no call gave frame {digest[:8]}")
        sound_frame(reading, digest)
    steps = count(len(reading.recorded.plan.get("subtasks", [])), "step")
    return f"{steps} and {count(len(calls), 'call')} agree with the chain"


def check_manifest(reading: Reading) -> str:
    """Every member is listed with its hash, nothing else is there, and no byte between them."""
    bundle = reading.bundle
    names = [name for name in bundle.names if name != layout.MANIFEST]
    listed = reading.listed
    for name in sorted({*names, *listed}):
        if name not in listed:
            raise Fault(f"{name}: {layout.MANIFEST} does not list it")
        if not bundle.has(name):
            raise Fault(f"{layout.MANIFEST}: it lists {name}, which is not in the bundle")
        actual = {"sha256": bundle.sha256(name), "bytes": bundle.content(name).size}
        if listed[name] != actual:
            raise Fault(f"{name}: it is not the content that {layout.MANIFEST} lists")
    known = _members(reading)
    for name in bundle.names:
        if name not in known:
            raise Fault(f"{name}: neither the answer nor a number of it has such a member")
    members = {name: (bundle.sha256(name), bundle.content(name).size) for name in names}
    if bundle.read(layout.MANIFEST) != layout.manifest(reading.job_id, members):
        raise Fault(f"{layout.MANIFEST} is not written as it follows from the members")
    fault = bundle.archive_fault()
    if fault:
        raise Fault(fault)
    size = sum(bundle.content(name).size for name in bundle.names)
    return f"{count(len(bundle.names), 'member')}, {count(size, 'byte')}, and nothing else"


CHECKS: list[tuple[str, Callable[[Reading], str]]] = [
    ("chain", check_chain),
    ("tree", check_tree),
    ("artifacts", check_artifacts),
    ("claims", check_claims),
    ("calls", check_calls),
    ("words", check_words),
    ("manifest", check_manifest),
]


def _check_job(reading: Reading) -> None:
    job, found = reading.job, reading.recorded
    try:
        record = job_of(found, reading.job_id)
    except (KeyError, TypeError) as error:
        raise Fault(f"{layout.ENTRIES}: the end of the job is malformed ({error!r})") from error
    if not found.state:
        if job.get("state") not in _UNFINISHED:
            raise Fault(
                f"{layout.JOB}: its state is {job.get('state')}, the chain has no end of it"
            )
        record["state"] = job["state"]
    told, answer = job.get("answer") or {}, record["answer"] or {}
    _check_fields("", {**job, "answer": bool(told)}, {**record, "answer": bool(answer)})
    kept = {str(file["content_ref"]) for file in files_of(job)}
    for call in found.calls.values() if found.state else ():
        for file in call.files:
            if file.content_ref not in kept:
                raise Fault(f"{file.content_ref}: {_place(call)} made it, {layout.JOB} omits it")
    _check_fields("answer's ", told, answer)
    check_written(reading.bundle, layout.JOB, record)


def _check_fields(whose: str, values: dict[str, Any], record: dict[str, Any]) -> None:
    for name in (*record, *sorted(values.keys() - record.keys())):
        if name not in record:
            raise Fault(f"{layout.JOB}: the chain records nothing like its {whose}{name}")
        if name not in values or values[name] != record[name]:
            raise Fault(f"{layout.JOB}: its {whose}{name} is not the one that the chain records")


def _check_plan(reading: Reading) -> None:
    record = plan_of(reading.recorded)
    if record is None:
        if reading.bundle.has(layout.PLAN):
            raise Fault(f"{layout.PLAN}: the chain records no plan")
        return
    plan = json_object(reading.bundle, layout.PLAN)
    try:
        steps = [step_of(step) for step in plan["subtasks"]]
    except (KeyError, TypeError) as error:
        raise Fault(f"{layout.PLAN}: a step is malformed ({error!r})") from error
    for step, wanted in zip(steps, record["subtasks"], strict=False):
        for name, value in wanted.items():
            if step[name] != value:
                task = wanted["task_id"]
                raise Fault(f"{layout.PLAN}: the {name} of step {task} is not the recorded one")
    if len(steps) != len(record["subtasks"]):
        raise Fault(f"{layout.PLAN}: the chain records {len(record['subtasks'])} steps")
    for name in ("plan_id", "reasoning", "answer_task", "proposal"):
        if plan.get(name) != record.get(name):
            raise Fault(f"{layout.PLAN}: its {name} is not the recorded one")
    if plan != record:
        raise Fault(f"{layout.PLAN}: it tells more than the chain records")
    check_written(reading.bundle, layout.PLAN, record)
    _check_tools(reading.recorded)


def _check_tools(found: Recorded) -> None:
    """Every call is one of a step of the plan that it was made for, an abandoned one too."""
    tools = {
        (plan_id, step["task_id"]): step["tool_name"]
        for plan_id, plan in found.plans.items()
        for step in plan["subtasks"]
    }
    for call in found.calls.values():
        if tools.get((call.plan_id, call.task_id)) != call.tool_name:
            raise Fault(f"{_place(call)}: the plan has no such step with {call.tool_name}")


def _check_list(reading: Reading, name: str, record: list[dict[str, Any]], key: str) -> None:
    values = json_array(reading.bundle, name)
    for number, wanted in enumerate(record):
        if number >= len(values) or values[number] != wanted:
            raise Fault(f"{name}: number {number + 1} ({wanted[key]}) is not as the chain records")
    if len(values) > len(record):
        raise Fault(f"{name}: the chain records {len(record):,} of its {len(values):,}")
    check_written(reading.bundle, name, record)


def _frames_of_answer(reading: Reading) -> list[str]:
    answer = reading.job.get("answer") or {}
    named = [answer.get("table"), answer.get("display")]
    return sorted({str(digest) for digest in named if digest} | reading.frames.keys())


def _members(reading: Reading) -> frozenset[str]:
    """Every member that a bundle of this job may have."""
    files = (str(file["content_ref"]) for file in files_of(reading.job))
    return layout.DOCUMENTS.union(
        (member(layout.artifact_member, file) for file in files),
        (member(layout.frame_member, digest) for digest in _frames_of_answer(reading)),
    )


def _place(call: RecordedCall) -> str:
    return f"call {call.call_id[:8]} (step {call.task_id})"
