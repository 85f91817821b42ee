"""What drivers say, told in words of ours."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mesh.errors import AssayError, Reason
from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.address import Address


def by_words(
    parts: Iterable[tuple[str, Reason, str]], error: Exception, address: Address
) -> AssayError | None:
    """The first saying whose expression the error's text matches: its reason, and what the database
    did."""
    text = str(error)
    for pattern, reason, what in parts:
        if re.search(pattern, text):
            return AssayError(reason, f"the database {address.shown} {what}.")
    return None


def denied(error: AssayError) -> ToolError:
    """A right that is missing, as what a statement is refused with."""
    return ToolError(
        ErrorCategory.POLICY_DENIED,
        error.message,
        hint=error.remedy,
        details={"reason": error.reason.code},
    )


def without_driver(product: str, extra: str) -> AssayError:
    """Of a driver that is not installed."""
    from mesh.errors import ENGINE_UNAVAILABLE

    return AssayError(
        ENGINE_UNAVAILABLE,
        f"the driver for {product} is not installed.",
        hint=f'Install it with: pip install "assay[{extra}]"',
    )
