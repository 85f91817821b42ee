"""The one table between Assay's errors and gRPC status, in both directions.

A status carries google.rpc.ErrorInfo (stable reason, domain "assay.internal"), where fields are at
fault google.rpc.BadRequest, and where trying again helps google.rpc.RetryInfo. Whatever is not an
AssayError leaves as INTERNAL with a safe message.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

import grpc
from google.protobuf import any_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from mesh.errors import CANCELLED as CANCELLED_REASON
from mesh.errors import INTERNAL, REASONS, SERVICE_UNAVAILABLE, TIMEOUT, AssayError, Kind
from mesh.transport.unreached import Cause, cause_in

DOMAIN = "assay.internal"
RETRY_SECONDS = 1.0
"""When to try again a service that is away and does not say."""

WAITED = "waited_seconds"
"""In an error's metadata: for how long a service of the mesh waited for another in vain. Whoever
is told so does not ask again at once: each hop would multiply the wait of the next."""

STATUS: dict[Kind, grpc.StatusCode] = {
    Kind.WRONG_USE: grpc.StatusCode.INVALID_ARGUMENT,
    Kind.NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Kind.CONFLICT: grpc.StatusCode.ALREADY_EXISTS,
    Kind.STATE: grpc.StatusCode.FAILED_PRECONDITION,
    Kind.DATA: grpc.StatusCode.FAILED_PRECONDITION,
    Kind.UNREADABLE: grpc.StatusCode.INVALID_ARGUMENT,
    Kind.IDENTITY: grpc.StatusCode.UNAUTHENTICATED,
    Kind.POLICY: grpc.StatusCode.PERMISSION_DENIED,
    Kind.LIMIT: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Kind.UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
    Kind.CANCELLED: grpc.StatusCode.CANCELLED,
    Kind.INTEGRITY: grpc.StatusCode.DATA_LOSS,
    Kind.INTERNAL: grpc.StatusCode.INTERNAL,
}

SERVER_FAULTS = frozenset(
    {
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DATA_LOSS,
    }
)
"""Those that are the server's own fault; the others are answers (OpenTelemetry's gRPC rules)."""

# How statuses that did not come from Assay (the transport's own) read as reasons.
_FOREIGN = {
    grpc.StatusCode.UNAVAILABLE: SERVICE_UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED: TIMEOUT,
    grpc.StatusCode.CANCELLED: CANCELLED_REASON,
}


# A status travels in headers, of which gRPC takes 16 KiB at most; the message does so twice.
_MESSAGE_BYTES = 2_000
_DETAIL_BYTES = 300
_MOST_DETAILS = 12


def to_status(error: AssayError) -> status_pb2.Status:
    """The status that a client of any language sees for `error`; what is too long is cut."""
    info = error_details_pb2.ErrorInfo(
        reason=error.reason.code,
        domain=DOMAIN,
        metadata={**_few(error.metadata), "remedy": _cut(error.remedy, 2 * _DETAIL_BYTES)},
    )
    details = [_packed(info)]
    if error.fields:
        violations = [
            error_details_pb2.BadRequest.FieldViolation(field=name, description=text)
            for name, text in _few(error.fields).items()
        ]
        details.append(_packed(error_details_pb2.BadRequest(field_violations=violations)))
    retry = error.retry_seconds
    if retry is None and error.reason.kind is Kind.UNAVAILABLE and WAITED not in error.metadata:
        retry = RETRY_SECONDS
    if retry is not None:
        info_again = error_details_pb2.RetryInfo()
        info_again.retry_delay.FromNanoseconds(int(retry * 1e9))
        details.append(_packed(info_again))
    code: int = STATUS[error.reason.kind].value[0]
    message = _cut(error.message, _MESSAGE_BYTES)
    return status_pb2.Status(code=code, message=message, details=details)


def from_rpc_error(error: grpc.RpcError, peer: str = "") -> AssayError:
    """The AssayError behind a failed call; `peer` names the service when it says nothing itself.

    Without a `peer` a person's client called, who is told why no server was reached.
    """
    status = rpc_status.from_call(error) if isinstance(error, grpc.Call) else None
    if status is None and isinstance(error, grpc.aio.AioRpcError):
        status = _status_in(error.trailing_metadata())
    if status is not None and (failure := from_status(status)) is not None:
        return failure
    code = error.code() if isinstance(error, grpc.aio.AioRpcError | grpc.Call) else None
    reason = _FOREIGN.get(code, INTERNAL) if code is not None else INTERNAL
    cause = None if peer else _cause(error)
    if cause is not None or _broke_off(error):
        reason = SERVICE_UNAVAILABLE
    who = f"the {peer} service" if peer else "the server"
    text = {
        SERVICE_UNAVAILABLE.code: f"{who} cannot be reached",
        TIMEOUT.code: f"{who} did not answer in time",
        CANCELLED_REASON.code: "the call was cancelled",
    }.get(reason.code, f"{who} failed: {code.name if code is not None else 'no status'}")
    if cause is not None:
        return AssayError(reason, f"{text}: {cause.what}", hint=cause.hint)
    return AssayError(reason, text)


def _cause(error: grpc.RpcError) -> Cause | None:
    """Why no server was reached, where the transport tells it of a call that it did not make."""
    if not isinstance(error, grpc.aio.AioRpcError):
        return None
    if error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNKNOWN):
        return None
    return cause_in(error.details() or "")


def _broke_off(error: grpc.RpcError) -> bool:
    """Whether a server dropped a call without a status, as one does that ends meanwhile, or gRPC
    lost the status on its way (grpc#36066): whoever asks again is told.

    gRPC's core tells that in these words. Whoever cancels a call itself gets CancelledError.
    """
    if not isinstance(error, grpc.aio.AioRpcError):
        return False
    code, details = error.code(), error.details() or ""
    if code is grpc.StatusCode.UNKNOWN:
        return details.startswith("Stream removed")
    if code is grpc.StatusCode.INTERNAL:
        return details == "Internal error from Core"
    return code is grpc.StatusCode.CANCELLED and details == "CANCELLED"


def from_status(status: status_pb2.Status) -> AssayError | None:
    """The AssayError that a status was made of by `to_status`; None for any other status."""
    for detail in status.details:
        info = error_details_pb2.ErrorInfo()
        if detail.Is(info.DESCRIPTOR) and detail.Unpack(info) and info.domain == DOMAIN:
            return _rebuilt(status, info)
    return None


def find_reason_code(metadata: Any) -> str:
    """The code of the reason in a call's trailing metadata; empty without one of Assay's."""
    status = _status_in(metadata)
    error = None if status is None else from_status(status)
    return "" if error is None else error.reason.code


def _few(texts: Mapping[str, str]) -> dict[str, str]:
    few = islice(texts.items(), _MOST_DETAILS)
    return {_cut(name, _DETAIL_BYTES): _cut(text, _DETAIL_BYTES) for name, text in few}


def _cut(text: str, most: int) -> str:
    data = text.encode(errors="replace")
    if len(data) <= most:
        return data.decode()
    return f"{data[: most - 3].decode(errors='ignore')}…"


def _packed(message: Message) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed


def _status_in(metadata: Any) -> status_pb2.Status | None:
    for key, value in metadata or ():
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            return status_pb2.Status.FromString(value)
    return None


def _rebuilt(status: status_pb2.Status, info: error_details_pb2.ErrorInfo) -> AssayError:
    metadata = dict(info.metadata)
    fields: dict[str, str] = {}
    retry_seconds: float | None = None
    for detail in status.details:
        again = error_details_pb2.RetryInfo()
        if detail.Is(again.DESCRIPTOR) and detail.Unpack(again):
            retry_seconds = again.retry_delay.ToNanoseconds() / 1e9
        bad = error_details_pb2.BadRequest()
        if detail.Is(bad.DESCRIPTOR) and detail.Unpack(bad):
            fields = {item.field: item.description for item in bad.field_violations}
    return AssayError(
        REASONS.get(info.reason, INTERNAL),
        status.message,
        hint=metadata.pop("remedy", ""),
        fields=fields,
        metadata=metadata,
        retry_seconds=retry_seconds,
    )
