"""Values of the contract's enums as words."""

from __future__ import annotations

from assay.common.v1.analysis_pb2 import (
    AnalysisRequest,
    Answer,
    ArtifactType,
    ColumnFormat,
    Confidence,
)
from assay.common.v1.causal_pb2 import CausalRequest
from assay.common.v1.conversation_pb2 import AgentResponse
from assay.common.v1.investigation_pb2 import InvestigationRequest
from assay.common.v1.job_pb2 import Job
from mesh.sureness import describe_level
from mesh.text.asking import effect_question, forecast_question, movement_question


def question(job: Job) -> str:
    """What was asked, in words or as a statement."""
    if job.HasField("investigation"):
        asked = job.investigation
        if asked.question:
            return asked.question
        before, after = asked.baseline_period, asked.comparison_period
        if asked.leaf:
            return forecast_question(asked.metric_sql)
        days = ((before.start, before.end), (after.start, after.end))
        return movement_question(asked.metric_sql, *days)
    if job.HasField("causal"):
        return job.causal.question or effect_question(job.causal.treatment, job.causal.outcome)
    return job.analysis.statement or job.analysis.intent


def work(job: Job) -> AnalysisRequest | InvestigationRequest | CausalRequest:
    """What a job was asked for, of whatever kind it is."""
    if job.HasField("causal"):
        return job.causal
    return job.investigation if job.HasField("investigation") else job.analysis


def artifact_type(number: ArtifactType.ValueType) -> str:
    """table, chart, report or summary."""
    return ArtifactType.Name(number).removeprefix("ARTIFACT_TYPE_").lower()


def confidence(answer: Answer | AgentResponse) -> str:
    """high, medium or low; empty when it is not said."""
    if not answer.confidence:
        return ""
    return Confidence.Name(answer.confidence).removeprefix("CONFIDENCE_").lower()


def sureness(answer: Answer | AgentResponse) -> str:
    """sure, likely or doubtful; empty when it is not said."""
    return describe_level(confidence(answer))


def formats(answer: Answer) -> dict[str, str]:
    """How columns read, by name: percent, year, quarter or month."""
    return {
        name: ColumnFormat.Name(how).removeprefix("COLUMN_FORMAT_").lower()
        for name, how in answer.formats.items()
    }
