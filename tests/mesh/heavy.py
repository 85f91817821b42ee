"""Calls that keep an executor busy for as long as they are let."""

from __future__ import annotations

import json
from pathlib import Path

from google.protobuf.duration_pb2 import Duration

from assay.common.v1 import analysis_pb2, data_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from mesh.ids import new_id

# 60 rows joined with themselves ten times: days of work for any machine.
_TABLES = ", ".join(f"sales s{number}" for number in range(10))
ENDLESS_SQL = f"SELECT count(*) AS n, sum(s0.price * s9.price) AS total FROM {_TABLES}"


def heavy_call(sales: Path, seconds: int = 60, call_id: str = "") -> executor_pb.ExecuteRequest:
    """A query that ends only when it is stopped, after `seconds` at the latest."""
    call = analysis_pb2.ToolCall(
        call_id=call_id or new_id(),
        task_id="load",
        tool_name="sql.run",
        arguments_json=json.dumps({"query": ENDLESS_SQL, "timeout": seconds}),
        attempt_number=1,
    )
    return executor_pb.ExecuteRequest(
        call=call,
        request_id=new_id(),
        sources=[executor_pb.Source(file_path=str(sales))],
        constraints=data_pb2.Constraints(row_limit=100, timeout=Duration(seconds=180)),
    )
