"""What a call says that the contract has no meaning for is refused."""

from __future__ import annotations

import pytest

from assay.common.v1 import data_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from mesh.errors import INVALID_ARGUMENT, AssayError
from services.executor.contract import call_from


def test_an_engine_that_there_is_not_is_refused() -> None:
    request = pb.ExecuteRequest()
    request.call.arguments_json = "{}"
    request.constraints.engine = data_pb2.ENGINE_DUCKDB
    assert call_from(request, (), 1.0).engine == "duckdb"

    request.constraints.ParseFromString(
        request.constraints.SerializeToString()[:-1] + b"\x63"  # an engine of number 99
    )
    with pytest.raises(AssayError) as raised:
        call_from(request, (), 1.0)
    assert raised.value.reason is INVALID_ARGUMENT
    assert "constraints.engine" in raised.value.fields
