"""The commands that look at what was done: show, jobs, trace, verify, recipes, tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from assay.common.v1 import analysis_pb2, job_pb2
from assay.common.v1.catalogue_pb2 import Recipe, Tool
from assay.gateway.v1.job_service_pb2 import Span
from clients.python.cli.connection import Place
from clients.python.cli.jobs import _list_jobs
from clients.python.cli.recipes import _forget, _list_recipes
from clients.python.cli.show import _show_job, _show_record
from clients.python.cli.tools import _list_tools
from clients.python.cli.trace import _show_trace
from clients.python.cli.verify import _verify_job
from clients.python.verification.reading import Trust
from mesh.errors import NOT_FOUND, SERVICE_UNAVAILABLE, AssayError, ExitCode
from tests.unit.clients.conftest import Printed
from tests.unit.clients.fake_gateway import FakeGateway
from tests.unit.clients.proven import LOG_KEY, proven_gateway
from tests.unit.clients.script import GOOD_PROOF, JOB_ID, STARTED, artifact, checks, state, step
from tests.unit.clients.story import Golden, Install, answered

WIDE = pa.table(
    {"name": [f"customer {n}" for n in range(96)]}
    | {f"measure_{n}": [1000.5 * n + m for m in range(96)] for n in range(1, 13)}
)


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clients.python.cli.words.local", lambda time: time)


@pytest.fixture
def place(here: Path) -> Place:
    return Place(home=here / "home")


async def test_show_tells_a_job_from_question_to_proof(
    here: Path, place: Place, installed: Install, golden: Golden
) -> None:
    gateway, _ = answered(here, WIDE)
    gateway.requests.append(analysis_pb2.AnalysisRequest(intent="revenue by month"))
    installed(gateway)
    screen = Printed()
    assert await _show_job(screen, place, "7c1e") == ExitCode.ANSWERED
    golden("show.txt", screen.text)


async def test_show_gives_the_rest_where_the_proof_cannot_be_checked_now(
    here: Path, place: Place, installed: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(self: object, request: object, context: object) -> None:
        raise AssayError(SERVICE_UNAVAILABLE, "the audit service cannot be reached")

    gateway, answer = answered(here, WIDE)
    gateway.requests.append(analysis_pb2.AnalysisRequest(intent="revenue by month"))
    monkeypatch.setattr(FakeGateway, "VerifyJob", away)
    installed(gateway)
    screen = Printed()
    assert await _show_job(screen, place, "7c1e") == ExitCode.UNAVAILABLE
    assert answer.text[:20] in screen.text
    assert "not checked: the audit service cannot be reached" in screen.text


async def test_show_of_a_failed_job_tells_the_repairs_and_the_reason(
    place: Place, installed: Install, golden: Golden
) -> None:
    repaired = step(
        "chart",
        "plot.render",
        job_pb2.STEP_STATE_DONE,
        attempt=2,
        detail="line → bar",
        milliseconds=7,
    )
    failure = job_pb2.Failure(reason="TIMEOUT", message="stopped after 30 s")
    events = [repaired, job_pb2.JobEvent(failure=failure), state(job_pb2.JOB_STATE_FAILED)]
    installed(FakeGateway(events=events))
    screen = Printed()
    assert await _show_job(screen, place, JOB_ID) == ExitCode.ANSWERED
    golden("show_failed.txt", screen.text)


async def test_files_of_a_cancelled_job_are_shown_as_partial(
    here: Path, place: Place, installed: Install
) -> None:
    table = artifact("table", here / "result.csv", b"month,revenue\n")
    table.partial = True
    failure = job_pb2.Failure(reason="CANCELLED", message="cancelled by request; 2 of 3 steps done")
    told = job_pb2.Job(
        job_id=JOB_ID,
        state=job_pb2.JOB_STATE_CANCELLED,
        failure=failure,
        partial_artifacts=[table],
    )
    installed(FakeGateway(told=told))
    for_people, for_machines = Printed(), Printed(as_json=True)
    assert await _show_job(for_people, place, JOB_ID) == ExitCode.ANSWERED
    assert "CANCELLED" in for_people.text
    assert "result.csv  partial" in for_people.text
    await _show_job(for_machines, place, JOB_ID)
    assert [file["partial"] for file in json.loads(for_machines.text)["artifacts"]] == [True]


async def test_an_unknown_job_is_not_found(place: Place, installed: Install) -> None:
    installed(FakeGateway())
    with pytest.raises(AssayError) as caught:
        await _show_job(Printed(), place, "beef")
    assert caught.value.reason is NOT_FOUND


async def test_the_record_is_exported_byte_for_byte(
    place: Place, installed: Install, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    lines = [b'{"hash": "%s"}\n' % (b"a" * 64), b'{"hash": "%s"}\n' % (b"b" * 64)]
    installed(FakeGateway(chain=lines))
    await _show_record(Printed(), place, "7c1e", raw=True)
    assert capfdbinary.readouterr().out == b"".join(lines)


async def test_the_record_is_listed_a_line_an_entry(
    place: Place, installed: Install, golden: Golden
) -> None:
    entry = {
        "sequence_number": 1,
        "timestamp": "2025-06-15T15:06:40.123456+00:00",
        "event_type": "request_submitted",
        "actor": "planner",
        "hash": "ab" * 32,
    }
    installed(FakeGateway(chain=[json.dumps(entry).encode() + b"\n"]))
    screen = Printed()
    await _show_record(screen, place, "7c1e", raw=False)
    golden("show_entries.txt", screen.text)


async def test_verify_lists_what_holds(place: Place, installed: Install, golden: Golden) -> None:
    gateway = proven_gateway()
    gateway.proof = GOOD_PROOF
    installed(gateway)
    screen = Printed()
    assert await _verify_job(screen, place, "7c1e", Trust(), None) == ExitCode.ANSWERED
    golden("verify.txt", screen.text)
    machine = Printed(as_json=True)
    assert await _verify_job(machine, place, "7c1e", Trust(LOG_KEY.verifier), None) == 0
    told = json.loads(machine.text)
    assert told["ok"] is True
    assert told["checks"][1]["detail"] == "included in checkpoint 14, signed by assay-1"


async def test_verify_shows_the_first_thing_that_is_off_and_nothing_green_after(
    place: Place, installed: Install, golden: Golden
) -> None:
    proof = checks(
        ("chain", True, "21 entries, unbroken"),
        ("artifacts", False, "charts/7c1e/revenue.png does not match its hash"),
        ("claims", True, "2 numbers found in their frames"),
    )
    installed(FakeGateway(proof=proof))
    screen = Printed()
    found = await _verify_job(screen, place, "7c1e", Trust(), None)
    assert found == ExitCode.VERIFICATION_FAILED
    golden("verify_wrong.txt", screen.text)


async def test_jobs_are_a_line_each(place: Place, installed: Install, golden: Golden) -> None:
    gateway = FakeGateway(events=[state(job_pb2.JOB_STATE_COMPLETED)])
    gateway.requests.append(analysis_pb2.AnalysisRequest(intent="revenue by month"))
    installed(gateway)
    screen = Printed()
    assert await _list_jobs(screen, place, 20) == ExitCode.ANSWERED
    golden("jobs.txt", screen.text)


def span(name: str, number: int, parent: int, start: int, end: int, error: str = "") -> Span:
    return Span(
        span_id=f"{number:016x}",
        parent_span_id=f"{parent:016x}" if parent else "",
        name=name,
        service=name.split(".")[1] if "." in name else "client",
        started_at=Timestamp(nanos=1_000_000 * start),
        ended_at=Timestamp(nanos=1_000_000 * end),
        error=error,
    )


async def test_a_trace_is_a_tree_with_times(
    place: Place, installed: Install, golden: Golden
) -> None:
    spans = [
        span("assay ask", 1, 0, 0, 412),
        span("assay.gateway.v1.JobService/CreateJob", 2, 1, 3, 9),
        span("assay.gateway.v1.JobService/CreateJob", 7, 2, 4, 9),
        span("assay.planner.v1.PlannerService/CreateJob", 3, 7, 4, 8),
        span("assay.gateway.v1.JobService/WatchJob", 4, 1, 10, 400),
        span("assay.executor.v1.ExecutorService/Execute", 5, 4, 20, 90, "sql_syntax"),
        span("assay.audit.v1.AuditService/Append", 6, 99, 95, 99),
    ]
    installed(FakeGateway(spans=spans))
    screen = Printed()
    assert await _show_trace(screen, place, "7c1e") == ExitCode.ANSWERED
    golden("trace.txt", screen.text)


async def test_a_trace_of_one_machine_of_several_says_so(place: Place, installed: Install) -> None:
    called = span("assay.planner.v1.PlannerService/CreateJob", 2, 1, 4, 8)
    called.service = "gateway"
    spans = [span("assay.gateway.v1.JobService/CreateJob", 1, 0, 3, 9), called]
    installed(FakeGateway([state(job_pb2.JOB_STATE_COMPLETED)], spans=spans))
    screen = Printed()
    assert await _show_trace(screen, place, "7c1e") == ExitCode.ANSWERED
    assert "\nnot here: spans of planner (other machines keep theirs" in screen.text


async def test_a_job_without_spans_says_where_they_may_be(place: Place, installed: Install) -> None:
    installed(FakeGateway())
    with pytest.raises(AssayError, match="no spans"):
        await _show_trace(Printed(), place, "7c1e")


def recipes() -> list[Recipe]:
    return [
        Recipe(
            recipe_id=letter * 32,
            intent_template="{measure} by {grain}",
            success_count=3,
            last_used_at=STARTED,
            quarantined=letter == "b",
        )
        for letter in "ab"
    ]


async def test_recipes_are_listed_and_forgotten_by_the_beginning_of_their_id(
    place: Place, installed: Install, golden: Golden
) -> None:
    gateway = FakeGateway(recipes=recipes())
    installed(gateway)
    screen = Printed()
    await _list_recipes(screen, place)
    golden("recipes.txt", screen.text)
    await _forget(screen, place, "bbbb")
    assert [recipe.recipe_id[0] for recipe in gateway.recipes] == ["a"]
    with pytest.raises(AssayError, match="no recipe begins with 'c'"):
        await _forget(screen, place, "c")


async def test_tools_are_listed_with_the_first_paragraph_of_what_they_do(
    place: Place, installed: Install, golden: Golden
) -> None:
    tools = [
        Tool(name="sql.run", description="Run a query.\nRead-only.\n\nMore.", deterministic=True),
        Tool(name="python.run", description="Run Python.", why_not="code may read the clock"),
    ]
    installed(FakeGateway(tools=tools))
    screen = Printed()
    assert await _list_tools(screen, place) == ExitCode.ANSWERED
    golden("tools.txt", screen.text)


async def test_each_of_them_has_an_object_for_machines(place: Place, installed: Install) -> None:
    gateway = FakeGateway(
        events=[state(job_pb2.JOB_STATE_COMPLETED)],
        recipes=recipes(),
        tools=[Tool(name="sql.run", arguments_schema_json='{"type": "object"}')],
        spans=[span("assay ask", 1, 0, 0, 412)],
        chain=[b'{"sequence_number": 1}\n'],
    )
    installed(gateway)

    async def told(*run: Callable[[Printed], object]) -> list[dict[str, object]]:
        objects = []
        for each in run:
            screen = Printed(as_json=True)
            await each(screen)  # type: ignore[misc]
            objects.append(json.loads(screen.text))
        return objects

    shown, listed, spans, known, tools, record = await told(
        lambda screen: _show_job(screen, place, "7c1e"),
        lambda screen: _list_jobs(screen, place, 1),
        lambda screen: _show_trace(screen, place, "7c1e"),
        lambda screen: _list_recipes(screen, place),
        lambda screen: _list_tools(screen, place),
        lambda screen: _show_record(screen, place, "7c1e", raw=False),
    )
    assert shown["job"] == JOB_ID and shown["state"] == "completed"
    assert len(listed["jobs"]) == 1  # type: ignore[arg-type]
    assert spans["trace_id"] == "ab" * 16
    assert len(known["recipes"]) == 2  # type: ignore[arg-type]
    assert tools["tools"][0]["arguments"] == {"type": "object"}  # type: ignore[index]
    assert record == {"entries": [{"sequence_number": 1}]}
