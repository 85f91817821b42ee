"""What a check of a text found, for people and for machines."""

from __future__ import annotations

from typing import Any

from assay.gateway.v1.text_service_pb2 import CheckTextResponse, TextFailure, TextFailureKind
from clients.python.cli.screen import Screen
from clients.python.cli.words import count
from mesh.errors import ExitCode

_PREFIX = "TEXT_FAILURE_KIND_"


def show_checked(screen: Screen, found: CheckTextResponse) -> None:
    """Print each failure with its line, what is true, and what to write."""
    for one in found.failures:
        screen.row(f"line {one.line}", one.claimed, "red")
        screen.row("", f"{one.found[:1].upper()}{one.found[1:]}.")
        screen.row("", f"{one.mend[:1].upper()}{one.mend[1:]}.", "dim")
    bound, frames = count(found.bound, "binding"), count(len(found.frames), "frame")
    if found.failures:
        screen.row(
            "checked", f"{count(len(found.failures), 'failure')}; {bound} to {frames}", "red"
        )
    elif found.bound:
        screen.row("checked", f"all of {bound} to {frames} hold", "green")
    else:
        screen.row("checked", "the text cites nothing and states no number")


def text_object(found: CheckTextResponse) -> dict[str, Any]:
    """What was found, for machines."""
    return {
        "ok": not found.failures,
        "failures": [failure_object(one) for one in found.failures],
        "bound": found.bound,
        "frames": list(found.frames),
    }


def failure_object(one: TextFailure) -> dict[str, Any]:
    """A failure for machines."""
    kind = TextFailureKind.Name(one.kind).removeprefix(_PREFIX)
    return {
        "kind": kind.lower().replace("_", "-"),
        "line": one.line,
        "claimed": one.claimed,
        "found": one.found,
        "mend": one.mend,
    }


def exit_code(found: CheckTextResponse) -> ExitCode:
    """Whether the text may stand."""
    return ExitCode.COULD_NOT_ANSWER if found.failures else ExitCode.ANSWERED
