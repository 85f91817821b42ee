"""A question with its sources, limits and rules (seed 000, section 1)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from pathlib import PurePath
from urllib.parse import urlsplit

from pydantic import Field

from mesh.errors import (
    INVALID_ARGUMENT,
    LIMIT_OUT_OF_RANGE,
    NO_DATA_SOURCES,
    QUESTION_EMPTY,
    QUESTION_TOO_LONG,
    AssayError,
)
from mesh.policy import Policy
from services.planner.domain.catalogue import Frozen

MAX_INTENT_CHARACTERS = 2_000
MAX_ROW_LIMIT = 200_000
MAX_TIMEOUT_SECONDS = 180
ENGINES = ("duckdb", "postgres", "spark")


class Deliverable(StrEnum):
    """What an analysis hands over."""

    TABLES = "tables"
    CHARTS = "charts"
    REPORTS = "reports"
    SUMMARY = "summary"


class DataSource(Frozen):
    """One file or database; exactly one of connection_string, file_path and file_id is set.

    `read_options` is the JSON form of how to read a file, for the executor; empty for none.
    """

    type: str = ""
    connection_string: str = Field(default="", repr=False)
    file_path: str = ""
    file_id: str = ""
    schema_fingerprint: str = ""
    name: str = ""
    read_options: str = ""

    @property
    def label(self) -> str:
        """What people call it: the name given, else that of the file or database."""
        place = self.file_path or urlsplit(self.connection_string).path
        return self.name or PurePath(place).name or self.file_id[:8]


class Constraints(Frozen):
    """Limits of one analysis: rows a query may return, seconds the whole may take.

    `engine` names the one that runs its queries; empty lets the executor choose.
    """

    row_limit: int = MAX_ROW_LIMIT
    timeout_seconds: int = 30
    engine: str = ""


class AnalysisRequest(Frozen):
    """A request as it was submitted; `validated` says whether it may become a job."""

    request_id: str
    intent: str
    data_sources: tuple[DataSource, ...] = ()
    constraints: Constraints = Constraints()
    deliverables: tuple[Deliverable, ...] = tuple(Deliverable)
    policy: Policy = Policy()
    timestamp: datetime
    assume: bool = False

    def validated(self) -> AnalysisRequest:
        """The request itself.

        Raises AssayError: QUESTION_EMPTY, QUESTION_TOO_LONG, NO_DATA_SOURCES,
        LIMIT_OUT_OF_RANGE, or INVALID_ARGUMENT for an engine that there is none of.
        """
        if not self.intent.strip():
            raise AssayError(
                QUESTION_EMPTY, "the question is empty", fields={"intent": "must not be empty"}
            )
        if len(self.intent) > MAX_INTENT_CHARACTERS:
            raise AssayError(
                QUESTION_TOO_LONG,
                f"the question has {len(self.intent):,} characters, "
                f"at most {MAX_INTENT_CHARACTERS:,} are read",
                fields={"intent": f"at most {MAX_INTENT_CHARACTERS} characters"},
            )
        if not self.data_sources:
            raise AssayError(
                NO_DATA_SOURCES,
                "the request names no data",
                fields={"data_sources": "at least one is needed"},
            )
        _within("row_limit", self.constraints.row_limit, MAX_ROW_LIMIT)
        _within("timeout_seconds", self.constraints.timeout_seconds, MAX_TIMEOUT_SECONDS)
        if self.constraints.engine not in ("", *ENGINES):
            raise AssayError(
                INVALID_ARGUMENT,
                f"there is no engine {self.constraints.engine!r}",
                fields={"constraints.engine": f"must be {', '.join(ENGINES)} or empty"},
            )
        return self


def _within(name: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise AssayError(
            LIMIT_OUT_OF_RANGE,
            f"{name} is {value:,}; it must lie between 1 and {most:,}",
            fields={f"constraints.{name}": f"must lie between 1 and {most}"},
        )
