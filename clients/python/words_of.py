"""Values of the contract's enums as words."""

from __future__ import annotations

from assay.common.v1.analysis_pb2 import Answer, ArtifactType, ColumnFormat, Confidence
from assay.common.v1.job_pb2 import Job


def question(job: Job) -> str:
    """What was asked, in words or as a statement."""
    return job.analysis.statement or job.analysis.intent


def artifact_type(number: ArtifactType.ValueType) -> str:
    """table, chart, report or summary."""
    return ArtifactType.Name(number).removeprefix("ARTIFACT_TYPE_").lower()


def confidence(answer: Answer) -> str:
    """high, medium or low; empty when it is not said."""
    if not answer.confidence:
        return ""
    return Confidence.Name(answer.confidence).removeprefix("CONFIDENCE_").lower()


def formats(answer: Answer) -> dict[str, str]:
    """How columns read, by name: percent, year, quarter or month."""
    return {
        name: ColumnFormat.Name(how).removeprefix("COLUMN_FORMAT_").lower()
        for name, how in answer.formats.items()
    }
