"""The one table between Assay's errors and gRPC status, in both directions.

A status carries google.rpc.ErrorInfo (stable reason, domain "assay") and, where fields are at
fault, google.rpc.BadRequest. Whatever is not an AssayError leaves as INTERNAL with a safe message.
"""

from __future__ import annotations

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from mesh.errors import CANCELLED as CANCELLED_REASON
from mesh.errors import INTERNAL, REASONS, SERVICE_UNAVAILABLE, TIMEOUT, AssayError, Kind

DOMAIN = "assay"

STATUS: dict[Kind, grpc.StatusCode] = {
    Kind.WRONG_USE: grpc.StatusCode.INVALID_ARGUMENT,
    Kind.NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Kind.STATE: grpc.StatusCode.FAILED_PRECONDITION,
    Kind.DATA: grpc.StatusCode.FAILED_PRECONDITION,
    Kind.UNREADABLE: grpc.StatusCode.INVALID_ARGUMENT,
    Kind.POLICY: grpc.StatusCode.PERMISSION_DENIED,
    Kind.LIMIT: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Kind.UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
    Kind.CANCELLED: grpc.StatusCode.CANCELLED,
    Kind.INTEGRITY: grpc.StatusCode.DATA_LOSS,
    Kind.INTERNAL: grpc.StatusCode.INTERNAL,
}

# How statuses that did not come from Assay (the transport's own) read as reasons.
_FOREIGN = {
    grpc.StatusCode.UNAVAILABLE: SERVICE_UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED: TIMEOUT,
    grpc.StatusCode.CANCELLED: CANCELLED_REASON,
}


def to_status(error: AssayError) -> status_pb2.Status:
    """The status that a client of any language sees for `error`."""
    info = error_details_pb2.ErrorInfo(
        reason=error.reason.code,
        domain=DOMAIN,
        metadata={**error.metadata, "remedy": error.remedy},
    )
    details = [_packed(info)]
    if error.fields:
        violations = [
            error_details_pb2.BadRequest.FieldViolation(field=name, description=text)
            for name, text in error.fields.items()
        ]
        details.append(_packed(error_details_pb2.BadRequest(field_violations=violations)))
    code: int = STATUS[error.reason.kind].value[0]
    return status_pb2.Status(code=code, message=error.message, details=details)


def from_rpc_error(error: grpc.RpcError, peer: str = "") -> AssayError:
    """The AssayError behind a failed call; `peer` names the service when it says nothing itself."""
    status = rpc_status.from_call(error) if isinstance(error, grpc.Call) else None
    if status is None and isinstance(error, grpc.aio.AioRpcError):
        status = _from_metadata(error)
    if status is not None and (told := from_status(status)) is not None:
        return told
    code = error.code() if isinstance(error, grpc.aio.AioRpcError | grpc.Call) else None
    reason = _FOREIGN.get(code, INTERNAL) if code is not None else INTERNAL
    who = f"the {peer} service" if peer else "the server"
    text = {
        SERVICE_UNAVAILABLE.code: f"{who} cannot be reached",
        TIMEOUT.code: f"{who} did not answer in time",
        CANCELLED_REASON.code: "the call was cancelled",
    }.get(reason.code, f"{who} failed: {code.name if code is not None else 'no status'}")
    return AssayError(reason, text)


def from_status(status: status_pb2.Status) -> AssayError | None:
    """The AssayError that a status was made of by `to_status`; None for any other status."""
    for detail in status.details:
        info = error_details_pb2.ErrorInfo()
        if detail.Is(info.DESCRIPTOR) and detail.Unpack(info) and info.domain == DOMAIN:
            return _rebuilt(status, info)
    return None


def _packed(message: error_details_pb2.ErrorInfo | error_details_pb2.BadRequest) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed


def _from_metadata(error: grpc.aio.AioRpcError) -> status_pb2.Status | None:
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            return status_pb2.Status.FromString(value)
    return None


def _rebuilt(status: status_pb2.Status, info: error_details_pb2.ErrorInfo) -> AssayError:
    metadata = dict(info.metadata)
    fields: dict[str, str] = {}
    for detail in status.details:
        bad = error_details_pb2.BadRequest()
        if detail.Is(bad.DESCRIPTOR) and detail.Unpack(bad):
            fields = {item.field: item.description for item in bad.field_violations}
    return AssayError(
        REASONS.get(info.reason, INTERNAL),
        status.message,
        hint=metadata.pop("remedy", ""),
        fields=fields,
        metadata=metadata,
    )
