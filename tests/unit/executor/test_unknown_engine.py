"""An engine that the contract does not have is refused by its number."""

from __future__ import annotations

import pytest

from assay.executor.v1 import executor_service_pb2 as pb
from mesh.errors import INVALID_ARGUMENT, AssayError
from services.executor.contract import call_from


@pytest.mark.parametrize("number", [-1, 99])
def test_an_engine_that_is_none_is_refused(number: int) -> None:
    message = pb.ExecuteRequest()
    message.call.arguments_json = "{}"
    message.constraints.engine = number  # type: ignore[assignment]
    with pytest.raises(AssayError, match=f"no engine number {number}") as told:
        call_from(message, [], 1.0)
    assert told.value.reason is INVALID_ARGUMENT
