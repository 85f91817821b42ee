"""Findings of checks, for people and for machines."""

from __future__ import annotations

from typing import Any

from assay.common.v1.checks_pb2 import CheckFinding, CheckSeverity, Lint
from clients.python.cli.screen import Screen
from clients.python.cli.words import count
from mesh.errors import ExitCode

_WORDS = {
    CheckSeverity.CHECK_SEVERITY_ERROR: "error",
    CheckSeverity.CHECK_SEVERITY_DOUBT: "doubt",
    CheckSeverity.CHECK_SEVERITY_NOTE: "note",
}
_STYLES = {"error": "red", "doubt": "yellow", "note": ""}


def show_lint(screen: Screen, found: Lint, *, fix: bool) -> None:
    """Print each finding with its place and a way out, and the statement as it should be."""
    for one in found.findings:
        word = _WORDS.get(one.severity, "note")
        screen.row(f"{word} {one.code}", f"{one.said[:1].upper()}{one.said[1:]}.", _STYLES[word])
        screen.row("", f"in {one.at}", "dim")
        if one.mend:
            screen.row("", f"{one.mend[:1].upper()}{one.mend[1:]}.")
    if not found.findings:
        screen.row("found", "nothing: no check has a fault to tell of")
    if found.unanswered:
        text = f"{count(found.unanswered, 'question')} of checks not answered by the data in time"
        screen.row("note", text, "yellow")
    if found.fixed:
        screen.row("mended", found.fixed)
    elif fix and found.findings:
        screen.row("mended", "nothing can be mended without deciding what is meant")
    elif any(one.fix for one in found.findings):
        screen.row("", "--fix shows the statement mended")


def lint_object(found: Lint) -> dict[str, Any]:
    """Findings for machines."""
    return {
        "findings": [_object(one) for one in found.findings],
        "unanswered": found.unanswered,
        "fixed": found.fixed or None,
        "exit_code": exit_code(found),
    }


def exit_code(found: Lint) -> ExitCode:
    """What the gravest finding comes to."""
    severities = {one.severity for one in found.findings}
    if CheckSeverity.CHECK_SEVERITY_ERROR in severities:
        return ExitCode.COULD_NOT_ANSWER
    doubts = CheckSeverity.CHECK_SEVERITY_DOUBT in severities
    return ExitCode.DOUBTFUL if doubts else ExitCode.ANSWERED


def _object(one: CheckFinding) -> dict[str, Any]:
    return {
        "code": one.code,
        "name": one.name,
        "severity": _WORDS.get(one.severity, "note"),
        "at": one.at,
        "said": one.said,
        "mend": one.mend or None,
        "sizes": dict(one.sizes),
        "fix": one.fix or None,
    }
