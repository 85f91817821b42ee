"""Spans kept as files: <folder>/<trace id>.jsonl, one line a span, which `assay trace` reads."""

from __future__ import annotations

import json
import logging
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesh.storage.state_files import damaged, find_file_error

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
    from opentelemetry.trace import SpanContext

log = logging.getLogger("assay.telemetry")
# What `span_record` writes.
_FIELDS: dict[str, type] = {
    **dict.fromkeys(("span_id", "parent_span_id", "name", "kind", "service", "error"), str),
    **dict.fromkeys(("start_unix_nano", "end_unix_nano"), int),
    "attributes": dict,
}
_TRACE_ID = re.compile(r"[0-9a-f]{32}")


MOST_BYTES = 1 << 30
"""What files have at most, where nobody says."""
DAY_SECONDS = 86_400.0
_SWEPT = ".swept"
# Which part of the bytes that are kept is written between two looks at what there is.
_LOOKS = 16


def file_exporter(folder: Path, keep_days: float = 30.0, keep_bytes: int = 0) -> SpanExporter:
    """An exporter that appends each span to the file of its trace.

    Once a day it removes the files to which nothing was added for `keep_days` (0 for no limit);
    beyond `keep_bytes` of all files (likewise) those go first to which nothing was added for
    longest.
    """
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    class FileExporter(SpanExporter):
        unseen = keep_bytes  # written since it was last looked at; at first, who knows

        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                for trace_id, lines in _by_trace(spans).items():
                    with (folder / f"{trace_id:032x}.jsonl").open("a", encoding="utf-8") as file:
                        file.writelines(lines)
                    self.unseen += sum(map(len, lines))
                if keep_days:
                    remove_old(folder, keep_days, time.time())
                if keep_bytes and self.unseen >= keep_bytes // _LOOKS:
                    remove_beyond(folder, keep_bytes - keep_bytes // _LOOKS)
                    self.unseen = 0
            except OSError as error:  # a full disk must not stop the work that is traced
                log.warning("spans could not be written to %s: %s", folder, error)
                return SpanExportResult.FAILURE
            return SpanExportResult.SUCCESS

    return FileExporter()


def remove_old(folder: Path, keep_days: float, now: float) -> int:
    """Remove traces to which nothing was added for `keep_days` before `now`; how many went.

    Of all processes that share the folder one a day does so. Raises OSError.
    """
    swept = folder / _SWEPT
    if swept.exists() and now - swept.stat().st_mtime < DAY_SECONDS:
        return 0
    swept.touch()
    gone = 0
    for path in folder.glob("*.jsonl"):
        with suppress(FileNotFoundError):  # somebody else was faster
            if now - path.stat().st_mtime > keep_days * DAY_SECONDS:
                path.unlink()
                gone += 1
    return gone


def remove_beyond(folder: Path, keep_bytes: int) -> int:
    """Remove traces, the one to which nothing was added for longest first, until the others have
    `keep_bytes` at most; how many went. Raises OSError."""
    found = []
    for path in folder.glob("*.jsonl"):
        with suppress(FileNotFoundError):  # somebody else was faster
            stat_result = path.stat()
            found.append((stat_result.st_mtime_ns, stat_result.st_size, path))
    size, gone = sum(size for _, size, _ in found), 0
    for _, its, path in sorted(found):
        if size <= keep_bytes:
            break
        path.unlink(missing_ok=True)
        size, gone = size - its, gone + 1
    return gone


def _by_trace(spans: Sequence[ReadableSpan]) -> dict[int, list[str]]:
    lines: dict[int, list[str]] = defaultdict(list)
    for span in spans:
        line = json.dumps(span_record(span), sort_keys=True) + "\n"
        lines[_context(span).trace_id].append(line)
    return lines


def _context(span: ReadableSpan) -> SpanContext:
    context = span.get_span_context()
    if context is None:  # only spans that were never started have none, and those do not end
        raise ValueError(f"span {span.name} has no context")
    return context


def span_record(span: ReadableSpan) -> dict[str, Any]:
    """A span as the JSON object kept in the trace's file."""
    from opentelemetry.trace import StatusCode

    attributes = dict(span.attributes or {})
    failed = span.status.status_code is StatusCode.ERROR
    return {
        "span_id": f"{_context(span).span_id:016x}",
        "parent_span_id": f"{span.parent.span_id:016x}" if span.parent else "",
        "name": span.name.lstrip("/"),
        "kind": span.kind.name.lower(),
        "service": str(attributes.pop("assay.service", "")),
        "start_unix_nano": span.start_time or 0,
        "end_unix_nano": span.end_time or 0,
        "attributes": {key: str(value) for key, value in attributes.items()},
        "error": (span.status.description or "failed") if failed else "",
    }


def read_trace(folder: Path, trace_id: str) -> list[dict[str, Any]]:
    """The spans kept for a trace, in order of start; empty when none were kept here.

    Raises AssayError(STATE_DAMAGED) when the file cannot be read; a line that is damaged is left
    out.
    """
    path = folder / f"{trace_id}.jsonl"
    if not _TRACE_ID.fullmatch(trace_id) or not path.exists():
        return []
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise (find_file_error(error) or damaged(path, "cannot be read")) from error
    return sorted(_whole(lines), key=lambda span: int(span["start_unix_nano"]))


def _whole(lines: list[str]) -> Iterator[dict[str, Any]]:
    """The spans that can be read: one that is damaged or cut off is left out."""
    for line in lines:
        with suppress(ValueError):
            span = json.loads(line)
            if isinstance(span, dict) and all(
                isinstance(span.get(name), kind) for name, kind in _FIELDS.items()
            ):
                yield span
