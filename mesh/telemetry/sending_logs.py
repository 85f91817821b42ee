"""Lines of the log as OpenTelemetry's log records, with the fields that lines have elsewhere."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.context import get_current

from mesh.telemetry.logs import fields_of

if TYPE_CHECKING:
    from opentelemetry._logs import Logger

_SEVERITIES = {
    logging.DEBUG: SeverityNumber.DEBUG,
    logging.INFO: SeverityNumber.INFO,
    logging.WARNING: SeverityNumber.WARN,
    logging.ERROR: SeverityNumber.ERROR,
    logging.CRITICAL: SeverityNumber.FATAL,
}
# What sending says of itself would be sent, and say more of itself.
_OF_SENDING = ("opentelemetry", "grpc", "urllib3")
# The record itself has these.
_ELSEWHERE = frozenset({"time", "level", "message", "trace_id", "span_id"})


class LineSender(logging.Handler):
    """Hands each line on. None repeats data: they are made as `mesh.telemetry.logs` makes them."""

    def __init__(self, logger: Logger) -> None:
        super().__init__()
        self._logger = logger

    def emit(self, record: logging.LogRecord) -> None:
        """Send a line, in the background."""
        if record.name.startswith(_OF_SENDING):
            return
        try:
            fields = fields_of(record)
            self._logger.emit(
                LogRecord(
                    timestamp=int(record.created * 1e9),
                    context=get_current(),
                    severity_text=record.levelname,
                    severity_number=_SEVERITIES.get(record.levelno, SeverityNumber.UNSPECIFIED),
                    body=fields["message"],
                    attributes={k: v for k, v in fields.items() if k not in _ELSEWHERE},
                )
            )
        except Exception:
            self.handleError(record)
