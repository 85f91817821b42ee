"""What was seen in the data, for the contract."""

from __future__ import annotations

from assay.common.v1 import data_pb2
from services.executor.domain.doubt import Doubt, Use

_USES = {
    Use.COMPUTED: data_pb2.USE_COMPUTED,
    Use.GROUPED: data_pb2.USE_GROUPED,
    Use.FILTERED: data_pb2.USE_FILTERED,
    Use.ROWS: data_pb2.USE_ROWS,
}


def doubt_to(doubt: Doubt) -> data_pb2.Doubt:
    """A doubt for the contract."""
    return data_pb2.Doubt(
        **doubt.model_dump(exclude={"repairs", "uses", "certain"}),
        repairs=[data_pb2.Repair(**repair.model_dump()) for repair in doubt.repairs],
        uses=[_USES[use] for use in doubt.uses],
    )
