"""Generated Python over frames of a real mesh: what it gives, and what it cannot reach."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from google.protobuf.duration_pb2 import Duration

from assay.common.v1 import analysis_pb2, data_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from mesh.ids import new_id
from services.executor.sandbox.inside.kernel import landlock_version
from tests.mesh.support import Caller

pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None and landlock_version() == 0,
    reason="nothing here to isolate with: neither bubblewrap nor landlock",
)


async def ran(
    caller: Caller,
    tool: str,
    arguments: Mapping[str, object],
    sources: tuple[Path, ...] = (),
    inputs: Mapping[str, data_pb2.FrameRef] | None = None,
) -> analysis_pb2.Observation:
    """What came back from one call."""
    request = pb.ExecuteRequest(
        call=analysis_pb2.ToolCall(
            call_id=new_id(),
            task_id="step",
            tool_name=tool,
            arguments_json=json.dumps(arguments),
            attempt_number=1,
        ),
        request_id=new_id(),
        sources=[pb.Source(file_path=str(place)) for place in sources],
        constraints=data_pb2.Constraints(row_limit=1_000, timeout=Duration(seconds=60)),
        inputs=inputs or {},
    )
    updates = [update async for update in caller.executor.Execute(request, timeout=60)]
    return updates[-1].observation


async def test_a_frame_goes_in_and_a_frame_and_a_figure_come_out(ann: Caller, sales: Path) -> None:
    loaded = await ran(ann, "sql.run", {"query": "SELECT quantity FROM sales"}, (sales,))
    code = """
import statsmodels.api as sm
plt.plot(load["quantity"])
result = pd.DataFrame({"mean": [load["quantity"].mean()], "rows": [len(load)]})
"""
    observed = await ran(ann, "python.run", {"code": code}, (), {"load": loaded.frame})
    assert observed.status == analysis_pb2.OBSERVATION_STATUS_SUCCESS, observed.error_message
    assert observed.frame.rows == 1
    assert [artifact.media_type for artifact in observed.artifacts] == ["image/png"]


async def test_code_that_fails_says_where_so_that_it_can_be_mended(ann: Caller) -> None:
    observed = await ran(ann, "python.run", {"code": "x = 1\nresult = x / 0"})
    assert observed.status == analysis_pb2.OBSERVATION_STATUS_ERROR
    assert "line 2" in observed.error_message
    assert "ZeroDivisionError" in observed.error_message
    assert "Traceback" not in observed.error_message


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.create_connection(('127.0.0.1', 1))",
        "result = open('/etc/passwd').read()",
        "import os; os.fork()",
    ],
    ids=["network", "files", "processes"],
)
async def test_code_reaches_nothing_outside(ann: Caller, code: str) -> None:
    observed = await ran(ann, "python.run", {"code": code})
    assert observed.status == analysis_pb2.OBSERVATION_STATUS_ERROR
    assert not observed.HasField("frame")
