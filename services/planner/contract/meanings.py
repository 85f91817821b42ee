"""What statements are declared to mean."""

from __future__ import annotations

from pydantic import ValidationError

from assay.common.v1 import proposals_pb2 as pb
from mesh.errors import INVALID_ARGUMENT, AssayError
from services.planner.domain.meaning import LONGEST, MOST, Meaning


def meaning_from(message: pb.Meaning) -> Meaning:
    """A declaration as the domain knows it. Raises AssayError(INVALID_ARGUMENT)."""
    try:
        return Meaning(
            metric=message.metric,
            by=tuple(message.by),
            filter=tuple(message.filter),
            time=message.time,
            period=message.period,
            grain=message.grain,
        )
    except ValidationError as error:
        most = f"at most {MOST} parts of at most {LONGEST} characters"
        raise AssayError(
            INVALID_ARGUMENT, "what is declared is too long", fields={"analysis.means": most}
        ) from error


def meaning_to(meaning: Meaning) -> pb.Meaning | None:
    """The same for the contract; None where nothing is declared."""
    if not meaning.is_declared:
        return None
    return pb.Meaning(
        metric=meaning.metric,
        by=meaning.by,
        filter=meaning.filter,
        time=meaning.time,
        period=meaning.period,
        grain=meaning.grain,
    )
