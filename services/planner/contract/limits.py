"""What a request allows: the policy on its columns, and its limits with the engine it is for."""

from __future__ import annotations

from typing import Any

from assay.common.v1 import data_pb2
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.policy import Disclosure, Policy
from services.planner.contract.times import duration
from services.planner.domain.request import Constraints

ENGINES: dict[data_pb2.Engine.ValueType, str] = {
    number: "" if number == data_pb2.ENGINE_UNSPECIFIED else name.removeprefix("ENGINE_").lower()
    for name, number in data_pb2.Engine.items()
}
"""What people call the engines of the contract."""
_DISCLOSURES = {
    data_pb2.DISCLOSURE_UNSPECIFIED: Disclosure.RESULTS,
    data_pb2.DISCLOSURE_NAMES: Disclosure.NAMES,
    data_pb2.DISCLOSURE_VALUES: Disclosure.VALUES,
    data_pb2.DISCLOSURE_SHAPES: Disclosure.SHAPES,
    data_pb2.DISCLOSURE_RESULTS: Disclosure.RESULTS,
}
_DISCLOSURE_NUMBERS = {level: number for number, level in _DISCLOSURES.items()}
_ENGINE_NUMBERS = {name: number for number, name in ENGINES.items()}


def constraints_from(
    message: data_pb2.Constraints, kind: str = "analysis", **usual: Any
) -> Constraints:
    """Limits as the domain knows them: what was not set is the default, what was set is checked."""
    given: dict[str, Any] = dict(usual)
    if message.HasField("row_limit"):
        given["row_limit"] = message.row_limit
    if message.HasField("timeout"):
        given["timeout_seconds"] = message.timeout.ToNanoseconds() / 1e9
    if message.engine not in ENGINES:
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is no engine number {message.engine}",
            fields={f"{kind}.constraints.engine": "unknown"},
        )
    return Constraints(engine=ENGINES[message.engine], **given)


def policy_from(message: data_pb2.Policy) -> Policy:
    """A policy as the domain knows it. Raises AssayError(INVALID_ARGUMENT)."""
    if message.disclosure not in _DISCLOSURES:
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is no disclosure number {message.disclosure}",
            fields={"policy.disclosure": "unknown"},
        )
    return Policy(
        allowed_columns=tuple(message.allowed_columns),
        blocked_patterns=tuple(message.blocked_patterns),
        disclosure=_DISCLOSURES[message.disclosure],
    )


def policy_to(policy: Policy) -> data_pb2.Policy:
    """A policy for the contract."""
    missing = data_pb2.DISCLOSURE_UNSPECIFIED
    is_mentioned = (
        policy.disclosure is not Disclosure.RESULTS
    )  # which is as much as a server allows
    return data_pb2.Policy(
        allowed_columns=policy.allowed_columns,
        blocked_patterns=policy.blocked_patterns,
        disclosure=_DISCLOSURE_NUMBERS[policy.disclosure] if is_mentioned else missing,
    )


def constraints_to(constraints: Constraints) -> data_pb2.Constraints:
    """Limits for the contract."""
    return data_pb2.Constraints(
        row_limit=constraints.row_limit,
        timeout=duration(constraints.timeout_seconds),
        engine=_ENGINE_NUMBERS[constraints.engine],
    )
