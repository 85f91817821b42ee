"""What the services of an embedded mesh log, kept beside their state rather than on the screen."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

from mesh.telemetry.logs import set_up

_MOST_BYTES = 1_000_000


def keep_logs(home: Path) -> None:
    """Write warnings and errors of this process to <home>/assay.log, at most two megabytes."""
    file = RotatingFileHandler(
        home / "assay.log", maxBytes=_MOST_BYTES, backupCount=1, delay=True, encoding="utf-8"
    )
    set_up(file, logging.WARNING)


def show_logs() -> None:
    """Write what a server has to tell to standard error."""
    set_up()


def kept_in() -> str:
    """The file that logs go to; empty when they go to standard error."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.FileHandler):
            return handler.baseFilename
    return ""
