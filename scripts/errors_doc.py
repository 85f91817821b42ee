"""Write docs/errors.md from the error table: `python -m scripts.errors_doc [--check]`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from mesh.errors import EXIT_CODES, REASONS, ExitCode, Kind
from mesh.transport.status import STATUS

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "errors.md"

KINDS = {
    Kind.WRONG_USE: "The request itself is at fault; do not repeat it unchanged.",
    Kind.NOT_FOUND: "There is no such thing, or it belongs to somebody else.",
    Kind.CONFLICT: "The id is taken by something else.",
    Kind.STATE: "The right request at the wrong moment.",
    Kind.DATA: "The data does not hold an answer.",
    Kind.UNREADABLE: "The bytes are not what they claim to be.",
    Kind.IDENTITY: "Who calls is not said in a way that is believed.",
    Kind.POLICY: "Refused by a rule. The refusal is audited.",
    Kind.LIMIT: "A cap on time, rows, bytes, number or work at once was reached.",
    Kind.UNAVAILABLE: "A service or store is away. Repeating may help.",
    Kind.CANCELLED: "Somebody asked for it to stop.",
    Kind.INTEGRITY: "A proof does not hold.",
    Kind.INTERNAL: "A fault of Assay's own.",
}

EXITS = {
    ExitCode.ANSWERED: "answered; also when the answer is that no row matches",
    ExitCode.COULD_NOT_ANSWER: "could not answer: unclear, unreadable data, a limit, a failed step",
    ExitCode.WRONG_USE: "wrong use: an option, a path, an id",
    ExitCode.REFUSED: "refused by policy",
    ExitCode.UNAVAILABLE: "unavailable: a service, or a home folder in use",
    ExitCode.VERIFICATION_FAILED: "verification failed",
    ExitCode.DOUBTFUL: "doubts in a statement, and no error (assay lint)",
    ExitCode.CANCELLED: "cancelled",
}

INTRODUCTION = """\
# Errors

<!-- Written by `make docs` from mesh/errors.py and mesh/transport/status.py. Do not edit. -->

Every refusal and failure has a **reason**: a code that does not change, for programs to branch on.
The message beside it is for people and may change. Over gRPC the reason is in
`google.rpc.ErrorInfo` (domain `assay.internal`), what is wrong with single fields is in
`google.rpc.BadRequest`, when to try again in `google.rpc.RetryInfo`, and the status code follows
from the reason's kind. On the command line the kind decides the exit code, and `--json` prints the
same reason."""


def page() -> str:
    """The whole page as Markdown."""
    exits = [(str(code.value), EXITS[code]) for code in ExitCode]
    parts = [INTRODUCTION, "## Exit codes of `assay`", table(("exit code", "means"), exits)]
    for kind in Kind:
        status, code = STATUS[kind].name, EXIT_CODES[kind].value
        parts.append(f"## {kind.value.replace('_', ' ').capitalize()}")
        parts.append(f"{KINDS[kind]} gRPC status `{status}`, exit code {code}.")
        rows = [
            (f"`{reason.code}`", reason.meaning, reason.remedy)
            for reason in REASONS.values()
            if reason.kind is kind
        ]
        parts.append(table(("reason", "what it means", "what to do"), rows))
    return "\n\n".join(parts) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; pipes in cells are escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def main(arguments: list[str]) -> int:
    """Write the page, or with --check compare; 1 where it differs."""
    fresh = page()
    if "--check" not in arguments:
        PAGE.write_text(fresh, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == fresh:
        return 0
    print("docs/errors.md is not what mesh/errors.py says; run make docs")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
