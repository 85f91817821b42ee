"""What to do about an error, in words of the command line; servers say it for any caller."""

from __future__ import annotations

from mesh.errors import (
    CLARIFICATION_NEEDED,
    HOME_BUSY,
    JOB_FINISHED,
    LIMIT_OUT_OF_RANGE,
    NO_DATA_SOURCES,
    NOT_FOUND,
    ROW_LIMIT,
    SERVICE_UNAVAILABLE,
    TIMEOUT,
    UNKNOWN_TOOL,
    AssayError,
    Reason,
)

_HINTS: dict[Reason, str] = {
    NO_DATA_SOURCES: "Add --data FILE, --db URL or --on NAME; `assay source list` has the names.",
    CLARIFICATION_NEEDED: "Answer with the number of a reading, or ask again with --assume.",
    TIMEOUT: "Raise --timeout, or ask for less.",
    ROW_LIMIT: "Raise --row-limit, or aggregate.",
    LIMIT_OUT_OF_RANGE: "Choose another --row-limit or --timeout.",
    NOT_FOUND: "Check the name or id; `assay jobs` lists jobs, `assay chat --list` conversations, "
    "`assay session list`, `assay source list` and `assay domain list` the others.",
    JOB_FINISHED: "See its result with `assay show`.",
    UNKNOWN_TOOL: "`assay tools` lists them.",
    SERVICE_UNAVAILABLE: "See `assay up`, or the --server address.",
    HOME_BUSY: "Wait for it, attach to it, or choose another --home.",
}


def remedy(error: AssayError) -> str:
    """The particular hint where there is one, else the command's own for the reason."""
    if error.hint and error.hint != error.reason.remedy:
        return error.hint
    return _HINTS.get(error.reason, error.reason.remedy)
