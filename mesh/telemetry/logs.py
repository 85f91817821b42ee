"""What services log: lines for people on a terminal, one JSON object a line elsewhere.

A line says for whom and in which trace it was written. None repeats data: exceptions are told by
their reason and place, not by messages, which may hold what somebody asked or what a file holds.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from datetime import UTC, datetime
from typing import Any

from mesh import context as calls
from mesh.errors import (
    AUDIT_UNAVAILABLE,
    DISK_FULL,
    INVALID_ARGUMENT,
    SERVICE_UNAVAILABLE,
    STATE_DAMAGED,
    AssayError,
    Kind,
)
from mesh.telemetry.metrics import failure_of
from mesh.telemetry.trace_ids import current_ids
from mesh.telemetry.tracebacks import places
from mesh.text.harmless import harmless

FORMATS = ("auto", "text", "json")
_TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# Their messages are about services, files and logs of Assay's own.
_ABOUT_US = (SERVICE_UNAVAILABLE, AUDIT_UNAVAILABLE, DISK_FULL, STATE_DAMAGED)


def set_up(handler: logging.Handler | None = None, level: int = logging.INFO) -> bool:
    """Log to `handler`, by default standard error, as ASSAY_LOG_FORMAT says; whether as JSON.

    Of libraries only warnings are kept: below, they tell of addresses that they call and the like.
    `auto` is text on a terminal and in files of a command, JSON where a server's standard error
    goes anywhere else. Raises AssayError(INVALID_ARGUMENT) for another format.
    """
    wanted = os.environ.get("ASSAY_LOG_FORMAT", "").strip() or "auto"
    if wanted not in FORMATS:
        raise AssayError(
            INVALID_ARGUMENT,
            f"settings are not valid: ASSAY_LOG_FORMAT: must be one of {', '.join(FORMATS)}",
            fields={"ASSAY_LOG_FORMAT": f"must be one of {', '.join(FORMATS)}"},
        )
    if wanted == "auto":
        wanted = "text" if handler is not None or sys.stderr.isatty() else "json"
    handler = handler or logging.StreamHandler()
    handler.setFormatter(JsonLines() if wanted == "json" else TextLines(_TEXT))
    logging.raiseExceptions = False  # a line that a full disk does not take is no news for people
    logging.basicConfig(handlers=[handler], level=max(level, logging.WARNING))
    logging.getLogger("assay").setLevel(level)
    return wanted == "json"


class TextLines(logging.Formatter):
    """Lines for people, harmless to the terminal that shows them (`mesh.text.harmless`)."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        return harmless(super().format(_without_data(record)))

    def formatException(self, ei: Any) -> str:  # noqa: N802 # logging's name
        """Where it was raised, without what it says."""
        return places(ei[1])


class JsonLines(TextLines):
    """One JSON object a line; `fields` among a line's extras become fields of its own."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        return json.dumps(fields_of(record))


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """What a line says, by the names of docs/telemetry.md; empty fields are left out."""
    record = _without_data(record)
    call = calls.current()
    trace_id, span_id = _ids()
    fields: dict[str, Any] = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname,
        "logger": record.name,
        "message": record.getMessage(),
        "service": call.service,
        "tenant": call.tenant if call.request_id else "",
        "request_id": call.request_id,
        "job_id": call.job_id,
        "trace_id": trace_id,
        "span_id": span_id,
        **getattr(record, "fields", {}),
        "exception": places(record.exc_info[1]) if record.exc_info and record.exc_info[1] else "",
    }
    return {key: value for key, value in fields.items() if value != ""}


def _ids() -> tuple[str, str]:
    if "opentelemetry.trace" not in sys.modules:  # then nothing is traced
        return "", ""
    return current_ids()


def _without_data(record: logging.LogRecord) -> logging.LogRecord:
    """The line with exceptions named rather than repeated; other handlers see it as it was."""
    clean = logging.makeLogRecord(record.__dict__)
    clean.exc_text = None  # another handler's spelling of the exception
    if isinstance(record.args, tuple):
        clean.args = tuple(map(_named, record.args))
    if isinstance(record.msg, BaseException):
        clean.msg = _named(record.msg)
    if record.name == "asyncio":  # of a task that failed unheard it shows the exception as it is
        clean.msg = str(clean.msg).partition("\n")[0]
    return clean


def _named(value: object) -> object:
    if isinstance(value, AssayError):
        harmless = value.reason in _ABOUT_US or value.reason.kind is Kind.INTEGRITY
        return f"{value.reason.code}: {value.message}" if harmless else value.reason.code
    if isinstance(value, OSError):
        return value.strerror or type(value).__name__
    return failure_of(value) if isinstance(value, BaseException) else value
