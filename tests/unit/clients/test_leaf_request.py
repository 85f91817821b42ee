"""Leaves are asked for by one flag, and stand in place of every other source."""

from __future__ import annotations

import pytest

from clients.python.movement import Movement
from clients.python.question import Question
from clients.python.request import create_request, file_source
from mesh.errors import AssayError

LEAVES = Movement(leaf=True, real="sold", predicted="plan", by=("region",))


def test_the_columns_of_leaves_go_into_the_request_and_no_periods() -> None:
    asked = Question(data=("leaves.csv",), movement=LEAVES)
    asked.check()
    request = create_request(asked, [file_source("leaves.csv")]).investigation
    assert (request.leaf, request.real_column, request.predicted_column) == (True, "sold", "plan")
    assert list(request.dimensions) == ["region"]
    assert not request.HasField("baseline_period") and not request.HasField("comparison_period")


@pytest.mark.parametrize(
    "further",
    [{"data": ("leaves.csv", "orders.csv")}, {"on": ("shop",)}, {"databases": ("x://y",)}],
)
def test_further_sources_beside_leaves_are_refused(further: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(AssayError, match="further sources"):
        Question(**{"data": ("leaves.csv",), **further}, movement=LEAVES).check()  # type: ignore[arg-type]
