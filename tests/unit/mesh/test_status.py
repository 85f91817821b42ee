"""The one table between errors and gRPC status, in both directions."""

from __future__ import annotations

from dataclasses import replace

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc import aio

from mesh.errors import (
    CANCELLED,
    INTERNAL,
    LIMIT_OUT_OF_RANGE,
    REASONS,
    SERVICE_UNAVAILABLE,
    TIMEOUT,
    AssayError,
    Kind,
    Reason,
)
from mesh.transport.status import DOMAIN, RETRY_SECONDS, STATUS, from_rpc_error, to_status

CODES = {code.value[0]: code for code in grpc.StatusCode}


def rpc_error(error: AssayError) -> aio.AioRpcError:
    """What a client of grpc.aio catches when a server fails with `error`."""
    status = to_status(error)
    trailing = aio.Metadata(("grpc-status-details-bin", status.SerializeToString()))
    return aio.AioRpcError(CODES[status.code], aio.Metadata(), trailing, status.message)


def test_every_kind_has_a_status_that_is_no_success() -> None:
    assert set(STATUS) == set(Kind)
    assert grpc.StatusCode.OK not in STATUS.values()


@pytest.mark.parametrize("reason", REASONS.values(), ids=lambda reason: reason.code)
def test_an_error_comes_back_as_it_went(reason: Reason) -> None:
    error = AssayError(
        reason, "row 7 is odd", hint="mend it", fields={"rows": "odd"}, metadata={"row": "7"}
    )
    back = from_rpc_error(rpc_error(error))
    # A service that is away is worth another try, also where it does not say when.
    again = RETRY_SECONDS if reason.kind is Kind.UNAVAILABLE else None
    assert back == replace(error, retry_seconds=again)


def test_a_status_carries_reason_domain_remedy_and_the_fields_at_fault() -> None:
    status = to_status(AssayError(LIMIT_OUT_OF_RANGE, "too many", fields={"row_limit": "over"}))
    assert status.code == grpc.StatusCode.INVALID_ARGUMENT.value[0]
    info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    assert status.details[0].Unpack(info)
    assert status.details[1].Unpack(bad)
    assert (info.reason, info.domain) == ("LIMIT_OUT_OF_RANGE", DOMAIN)
    assert info.metadata["remedy"] == LIMIT_OUT_OF_RANGE.remedy
    assert [(v.field, v.description) for v in bad.field_violations] == [("row_limit", "over")]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (grpc.StatusCode.UNAVAILABLE, SERVICE_UNAVAILABLE),
        (grpc.StatusCode.DEADLINE_EXCEEDED, TIMEOUT),
        (grpc.StatusCode.CANCELLED, CANCELLED),
        (grpc.StatusCode.UNKNOWN, INTERNAL),
    ],
)
def test_what_the_transport_says_itself_names_the_peer_and_hides_its_words(
    code: grpc.StatusCode, reason: Reason
) -> None:
    raw = aio.AioRpcError(code, aio.Metadata(), aio.Metadata(), "ipv4:10.0.0.7:7403 refused")
    error = from_rpc_error(raw, "executor")
    assert error.reason is reason
    assert "10.0.0.7" not in error.message
    if reason is not CANCELLED:
        assert "executor" in error.message


def test_a_reason_this_version_does_not_know_is_an_internal_error_with_its_message() -> None:
    newer = Reason("FROM_THE_FUTURE", Kind.DATA, "unheard of", "update")
    error = from_rpc_error(rpc_error(AssayError(newer, "the message")))
    assert error.reason is INTERNAL
    assert error.message == "the message"


@pytest.mark.parametrize(
    ("code", "details", "reason"),
    [
        (grpc.StatusCode.UNKNOWN, "Stream removed", SERVICE_UNAVAILABLE),
        (grpc.StatusCode.UNKNOWN, "Unexpected <class 'KeyError'>", INTERNAL),
        (grpc.StatusCode.CANCELLED, "CANCELLED", SERVICE_UNAVAILABLE),
        (grpc.StatusCode.CANCELLED, "Locally cancelled by application!", CANCELLED),
    ],
)
def test_a_call_that_was_dropped_is_a_server_that_went_and_may_be_asked_again(
    code: grpc.StatusCode, details: str, reason: Reason
) -> None:
    broken = grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), details)
    assert from_rpc_error(broken, "executor").reason is reason
