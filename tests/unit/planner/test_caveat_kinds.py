"""Of each caveat the contract says what it is about: nobody has to read its words for that."""

from __future__ import annotations

from assay.common.v1 import analysis_pb2
from mesh.remarks import OF_READING
from services.planner.contract.answers import answer_to
from services.planner.domain.answer import Answer


def test_the_caveat_that_tells_how_sure_the_reading_is_is_marked_and_no_other() -> None:
    caveats = (f"{OF_READING}likely: total by region", 'not used: "reading"', "2 rows are left out")
    told = answer_to(Answer(text="90.", caveats=caveats))
    assert list(told.caveat_kinds) == [
        analysis_pb2.CAVEAT_KIND_READING,
        analysis_pb2.CAVEAT_KIND_UNSPECIFIED,
        analysis_pb2.CAVEAT_KIND_UNSPECIFIED,
    ]
    assert len(told.caveats) == len(told.caveat_kinds)
