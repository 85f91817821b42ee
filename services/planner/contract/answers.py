"""Answers: their text and tables, how sure they are, why there is none, and what they took."""

from __future__ import annotations

from assay.common.v1 import analysis_pb2, data_pb2
from mesh.remarks import OF_READING
from mesh.text.harmless import harmless_line
from services.planner.contract.artifacts import artifact_to
from services.planner.contract.calls import frame_to
from services.planner.contract.times import duration
from services.planner.domain.answer import Answered, EmptyReason
from services.planner.domain.model_use import ModelUse

CONFIDENCES = {
    "low": analysis_pb2.CONFIDENCE_LOW,
    "medium": analysis_pb2.CONFIDENCE_MEDIUM,
    "high": analysis_pb2.CONFIDENCE_HIGH,
}
_FORMATS = {
    "percent": analysis_pb2.COLUMN_FORMAT_PERCENT,
    "year": analysis_pb2.COLUMN_FORMAT_YEAR,
    "quarter": analysis_pb2.COLUMN_FORMAT_QUARTER,
    "month": analysis_pb2.COLUMN_FORMAT_MONTH,
    "week": analysis_pb2.COLUMN_FORMAT_WEEK,
    "day": analysis_pb2.COLUMN_FORMAT_DAY,
    "weekday": analysis_pb2.COLUMN_FORMAT_WEEKDAY,
    "month_of_year": analysis_pb2.COLUMN_FORMAT_MONTH_OF_YEAR,
    "hour": analysis_pb2.COLUMN_FORMAT_HOUR,
}
_EMPTY = {
    EmptyReason.NO_ROWS: analysis_pb2.EMPTY_REASON_NO_ROWS,
    EmptyReason.NOT_PERMITTED: analysis_pb2.EMPTY_REASON_NOT_PERMITTED,
    EmptyReason.TIMED_OUT: analysis_pb2.EMPTY_REASON_TIMED_OUT,
    EmptyReason.NOT_ASKED: analysis_pb2.EMPTY_REASON_NOT_ASKED,
}


def answer_to(answer: Answered) -> analysis_pb2.Answer:
    """An answer for the contract."""
    return analysis_pb2.Answer(
        text=answer.text,
        table=frame_to(answer.table) if answer.table else None,
        display=frame_to(answer.display) if answer.display else None,
        artifacts=[artifact_to(artifact) for artifact in answer.artifacts],
        claims=[analysis_pb2.Claim(**claim.model_dump()) for claim in answer.claims],
        assertions=[analysis_pb2.Assertion(**one.model_dump()) for one in answer.assertions],
        caveats=[harmless_line(one) for one in answer.caveats],
        empty_reason=empty_to(answer.empty_reason),
        confidence=CONFIDENCES[answer.confidence],
        reasoner=answer.reasoner,
        recipe=answer.recipe,
        model_use=_model_use_to(answer.model_use) if answer.model_use else None,
        decisions=[data_pb2.ReadDecision(**item.model_dump()) for item in answer.decisions],
        formats={name: _FORMATS[how] for name, how in answer.formats.items()},
        caveat_kinds=[_kind_of(one) for one in answer.caveats],
    )


def _kind_of(caveat: str) -> analysis_pb2.CaveatKind.ValueType:
    of_reading = caveat.startswith(OF_READING)
    return analysis_pb2.CAVEAT_KIND_READING if of_reading else analysis_pb2.CAVEAT_KIND_UNSPECIFIED


def empty_to(reason: EmptyReason | None) -> analysis_pb2.EmptyReason.ValueType:
    """Why there is nothing to show, for the contract."""
    return _EMPTY[reason] if reason is not None else analysis_pb2.EMPTY_REASON_UNSPECIFIED


def _model_use_to(use: ModelUse) -> analysis_pb2.ModelUse:
    return analysis_pb2.ModelUse(
        model=use.model,
        requests=use.requests,
        input_tokens=use.input_tokens,
        output_tokens=use.output_tokens,
        cost=use.cost,
        currency=use.currency,
        elapsed=duration(use.seconds),
    )
