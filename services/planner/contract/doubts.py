"""What was seen in the data, from the contract and for it."""

from __future__ import annotations

from assay.common.v1 import data_pb2
from services.planner.domain.doubt import Doubt, Repair, Use

_USES = {
    data_pb2.USE_COMPUTED: Use.COMPUTED,
    data_pb2.USE_GROUPED: Use.GROUPED,
    data_pb2.USE_FILTERED: Use.FILTERED,
    data_pb2.USE_ROWS: Use.ROWS,
}
_NUMBERS = {use: number for number, use in _USES.items()}


def doubt_from(message: data_pb2.Doubt) -> Doubt:
    """A doubt as the domain knows it; uses that this version does not know are passed over."""
    return Doubt(
        code=message.code,
        source_name=message.source_name,
        table=message.table,
        column=message.column,
        rows=message.rows,
        share=message.share,
        examples=tuple(message.examples),
        said=message.said,
        changes=message.changes,
        repairs=tuple(
            Repair(kind=one.kind, column=one.column, value=one.value) for one in message.repairs
        ),
        repaired=message.repaired,
        uses=tuple(_USES[use] for use in message.uses if use in _USES),
        weight=message.weight,
    )


def doubt_to(doubt: Doubt) -> data_pb2.Doubt:
    """A doubt for the contract."""
    return data_pb2.Doubt(
        **doubt.model_dump(exclude={"repairs", "uses"}),
        repairs=[data_pb2.Repair(**repair.model_dump()) for repair in doubt.repairs],
        uses=[_NUMBERS[use] for use in doubt.uses],
    )
