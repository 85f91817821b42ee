"""What people call the engines of the contract."""

from __future__ import annotations

from assay.common.v1.data_pb2 import Engine
from mesh.errors import INVALID_ARGUMENT, AssayError

_PREFIX = "ENGINE_"


def number_of(name: str) -> Engine.ValueType:
    """The contract's number of an engine; empty for whichever fits.

    Raises AssayError(INVALID_ARGUMENT), which names those there are.
    """
    if not name:
        return Engine.ENGINE_UNSPECIFIED
    known = {
        key.removeprefix(_PREFIX).lower(): number
        for key, number in Engine.items()
        if number != Engine.ENGINE_UNSPECIFIED
    }
    if name not in known:
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is no engine {name!r}",
            hint=f"Name one of {', '.join(known)}, or none.",
        )
    return known[name]
