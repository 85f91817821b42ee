"""What every kind of request names: sources, limits and rules (seed 000, section 1)."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Self

from mesh.errors import (
    INVALID_ARGUMENT,
    LIMIT_OUT_OF_RANGE,
    NO_DATA_SOURCES,
    SEMANTIC_MODEL_INVALID,
    AssayError,
)
from mesh.policy import Policy
from services.planner.domain.data_source import DataSource, ModelText
from services.planner.domain.frozen import Frozen

MAX_ROW_LIMIT = 200_000
MAX_TIMEOUT_SECONDS = 180
MAX_SEMANTIC_MODELS = 20
_SHA256 = re.compile(r"[0-9a-f]{64}")


class JobKind(StrEnum):
    """Kinds of work; each has a room of its own."""

    ANALYSIS = "analysis"
    INVESTIGATION = "investigation"
    CAUSAL = "causal"


class Constraints(Frozen):
    """Limits of one job: rows a query may return, seconds the whole may take.

    `engine` names the one that runs its queries; empty lets the executor choose.
    """

    row_limit: int = MAX_ROW_LIMIT
    timeout_seconds: float = 30
    engine: str = ""


class WorkRequest(Frozen, ABC):
    """A request of any kind as it was submitted; `validated` says whether it may become a job.

    `withheld` is the blocked pattern that its words matched as they came: they are masked since
    (`without_personal_data`), and the request is refused.
    """

    kind: JobKind
    request_id: str
    data_sources: tuple[DataSource, ...] = ()
    constraints: Constraints = Constraints()
    policy: Policy = Policy()
    timestamp: datetime
    withheld: str = ""

    @property
    @abstractmethod
    def question(self) -> str:
        """What is asked, in words."""

    @abstractmethod
    def validated(self) -> Self:
        """The request itself. Raises AssayError for what may not become a job."""

    @property
    def asks_elsewhere(self) -> bool:
        """Whether what it asks has its answers from elsewhere than its sources."""
        return False

    @property
    def most_seconds(self) -> float:
        """The longest timeout that work of this kind may have."""
        return MAX_TIMEOUT_SECONDS

    def check_terms(self) -> None:
        """What must hold of requests of every kind.

        Raises AssayError: NO_DATA_SOURCES, LIMIT_OUT_OF_RANGE, SEMANTIC_MODEL_INVALID, or
        INVALID_ARGUMENT for an engine that there is none of. Fields are named as below the
        request's own message.
        """
        if not (self.data_sources or self.asks_elsewhere):
            raise AssayError(
                NO_DATA_SOURCES,
                "the request names no data",
                fields={f"{self.kind}.data_sources": "at least one is needed"},
            )
        for number, source in enumerate(self.data_sources):
            if source.schema_fingerprint and not _SHA256.fullmatch(source.schema_fingerprint):
                place = f"{self.kind}.data_sources[{number}].schema_fingerprint"
                raise AssayError(
                    INVALID_ARGUMENT,
                    f"the schema_fingerprint of {source.label} is not a SHA-256",
                    fields={place: "64 hex digits, or empty"},
                )
        self._check_models()
        self._within("row_limit", "row_limit", self.constraints.row_limit, MAX_ROW_LIMIT)
        self._within(
            "timeout", "timeout in seconds", self.constraints.timeout_seconds, self.most_seconds
        )

    @property
    def semantic_models(self) -> tuple[ModelText, ...]:
        """The models of all sources, in their order."""
        return tuple(model for source in self.data_sources for model in source.semantic_models)

    def _check_models(self) -> None:
        """Raises AssayError(SEMANTIC_MODEL_INVALID) for a text that is no model, whatever the data,
        and INVALID_ARGUMENT for too many."""
        models = self.semantic_models
        if not models:
            return
        # Here, because jobs are listed by this module and no model is read for that.
        from services.planner.domain.semantic_model.reading import MOST_BYTES, read_model

        own = [model for model in models if not model.definition]
        if len(own) > MAX_SEMANTIC_MODELS:
            place = f"{self.kind}.data_sources.semantic_models"
            raise AssayError(
                INVALID_ARGUMENT,
                f"the request has {len(own)} semantic models",
                fields={place: f"at most {MAX_SEMANTIC_MODELS} in all"},
            )
        for model in models:
            read_model(model.name, model.text)
        if sum(len(model.text.encode()) for model in own) > MOST_BYTES:
            raise AssayError(
                SEMANTIC_MODEL_INVALID,
                f"the semantic models of the request are larger than {MOST_BYTES // 1024} KiB",
            )

    def with_fingerprints(self, fingerprints: Sequence[str]) -> Self:
        """The request with the fingerprints of its sources' schemas filled in, in their order;
        as it is where there is not one for each."""
        if len(fingerprints) != len(self.data_sources):
            return self
        sources = tuple(
            source.model_copy(update={"schema_fingerprint": fingerprint})
            for source, fingerprint in zip(self.data_sources, fingerprints, strict=True)
        )
        return self.model_copy(update={"data_sources": sources})

    @abstractmethod
    def asking(self, text: str) -> Self:
        """The same request in other words."""

    def without_personal_data(self) -> Self:
        """The request as it may be kept: what a blocked pattern matches is not in its words."""
        found = self.policy.match(self.question)
        if found is None:
            return self
        masked = self.asking(self.policy.masked(self.question))
        return masked.model_copy(update={"withheld": found})

    def _within(self, name: str, text: str, value: float, most: float) -> None:
        if not 1 <= value <= most:
            raise AssayError(
                LIMIT_OUT_OF_RANGE,
                f"{text} is {value:,g}; it must lie between 1 and {most:,}",
                fields={f"{self.kind}.constraints.{name}": f"must lie between 1 and {most}"},
            )
