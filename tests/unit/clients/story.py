"""The job that most tests tell: three steps, an answer, a table, three files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa

from assay.common.v1 import analysis_pb2, job_pb2
from clients.python.cli.connection import Place
from clients.python.question import Question
from mesh.digest import frame_digest
from tests.unit.clients.fake_gateway import FakeGateway
from tests.unit.clients.script import (
    GOOD_PROOF,
    artifact,
    frame,
    plan,
    state,
    step,
    understood,
)

Install = Callable[[FakeGateway], None]
Golden = Callable[[str, str], None]

SALES = pa.table(
    {
        "month": ["1997-01", "1997-02", "1997-03"],
        "Beverages": [21_688.3, 8_231.25, None],
        "orders": [33, 1_029, 30],
        "year": [1997, 1997, 1997],
    }
)
STATEMENT = analysis_pb2.Statement(
    query="SELECT month, sum(amount) AS revenue FROM orders WHERE region = ? GROUP BY month",
    params_json='["West"]',
    readable="SELECT\n  month,\n  SUM(amount) AS revenue\nFROM orders\nWHERE\n  region = 'West'\n"
    "GROUP BY\n  month",
)
ASKED = Question("revenue by month", data=("orders.csv",))


def place(here: Path) -> Place:
    return Place(home=here / "home")


def answered(
    folder: Path, table: pa.Table, caveats: Sequence[str] = ()
) -> tuple[FakeGateway, analysis_pb2.Answer]:
    """A gateway whose job runs three steps and is answered with `table` and three files."""
    artifacts = [
        artifact("table", folder / "result.csv", b"month,revenue\n"),
        artifact("chart", folder / "revenue.png", b"\x89PNG"),
        artifact("report", folder / "report.md", b"# Revenue\n"),
    ]
    digest = frame_digest(table)
    answer = analysis_pb2.Answer(
        text="Revenue was 617,085 in 1997. It peaked in December (71,398).",
        table=frame(digest, table),
        artifacts=artifacts,
        claims=[
            analysis_pb2.Claim(claim_id=1, value="617085.2", text="617,085", frame_digest=digest),
            analysis_pb2.Claim(claim_id=2, value="71398.4", text="71,398", frame_digest=digest),
        ],
        caveats=caveats,
        confidence=analysis_pb2.CONFIDENCE_HIGH,
        reasoner="rules",
        recipe="recipe saved",
    )
    done, running = job_pb2.STEP_STATE_DONE, job_pb2.STEP_STATE_RUNNING
    gateway = FakeGateway(
        events=[
            state(job_pb2.JOB_STATE_PLANNING),
            understood(
                "revenue = unit price × quantity × (1 − discount), summed by month and category"
                " · 1997 · line chart"
            ),
            plan(("load", "sql.run"), ("shape", "df.transform"), ("chart", "plot.render")),
            state(job_pb2.JOB_STATE_EXECUTING),
            step("load", "sql.run", running, sql=STATEMENT),
            step("load", "sql.run", done, rows=96, columns=3, milliseconds=38, sql=STATEMENT),
            step("shape", "df.transform", running),
            step("shape", "df.transform", done, rows=12, columns=9, milliseconds=6),
            step("chart", "plot.render", running),
            step("chart", "plot.render", done, detail="revenue.png", milliseconds=214),
            job_pb2.JobEvent(answer=answer),
            state(job_pb2.JOB_STATE_COMPLETED),
        ],
        tables={digest: table},
        contents={item.artifact_id: Path(item.local_path).read_bytes() for item in artifacts},
        proof=GOOD_PROOF,
    )
    return gateway, answer
