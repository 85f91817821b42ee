"""Sorts of trouble, and the exit code of each."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Kind(StrEnum):
    """What sort of trouble a reason is; decides the gRPC status and the exit code."""

    WRONG_USE = "wrong_use"  # the request itself is at fault; do not repeat it unchanged
    NOT_FOUND = "not_found"  # no such thing, or it belongs to somebody else
    CONFLICT = "conflict"  # the id is taken by something else
    STATE = "state"  # right request, wrong moment
    DATA = "data"  # the data does not hold an answer
    UNREADABLE = "unreadable"  # bytes that are not what they claim to be
    IDENTITY = "identity"  # who calls is not said in a way that is believed
    POLICY = "policy"  # refused by a rule; the refusal is audited
    LIMIT = "limit"  # a cap on time, rows, bytes, money or work at once was reached
    UNAVAILABLE = "unavailable"  # a service or server is away; repeating may help
    CANCELLED = "cancelled"  # somebody asked for it to stop
    INTEGRITY = "integrity"  # a proof does not hold
    INTERNAL = "internal"  # a fault of Assay's own


class ExitCode(IntEnum):
    """Exit codes of the `assay` command."""

    ANSWERED = 0
    COULD_NOT_ANSWER = 1
    WRONG_USE = 2
    REFUSED = 3
    UNAVAILABLE = 4
    VERIFICATION_FAILED = 5
    DOUBTFUL = 6
    CANCELLED = 130


EXIT_CODES: dict[Kind, ExitCode] = {
    Kind.WRONG_USE: ExitCode.WRONG_USE,
    Kind.NOT_FOUND: ExitCode.WRONG_USE,
    Kind.CONFLICT: ExitCode.WRONG_USE,
    Kind.STATE: ExitCode.COULD_NOT_ANSWER,
    Kind.DATA: ExitCode.COULD_NOT_ANSWER,
    Kind.UNREADABLE: ExitCode.COULD_NOT_ANSWER,
    Kind.IDENTITY: ExitCode.REFUSED,
    Kind.POLICY: ExitCode.REFUSED,
    Kind.LIMIT: ExitCode.COULD_NOT_ANSWER,
    Kind.UNAVAILABLE: ExitCode.UNAVAILABLE,
    Kind.CANCELLED: ExitCode.CANCELLED,
    Kind.INTEGRITY: ExitCode.VERIFICATION_FAILED,
    Kind.INTERNAL: ExitCode.COULD_NOT_ANSWER,
}
