"""A test of one group that was picked out of many counts as many tests."""

from __future__ import annotations

import pytest

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.statements.picked import find_picked

NOTHING = Catalogue(tables=())
SCAN = "select segment, page, avg(bought) as share from visits group by segment, page"


@pytest.mark.parametrize(
    "scan",
    [
        SCAN,
        "select segment, avg(bought) from visits group by 1",
        "select segment, avg(bought) from visits group by all",
        "select v.segment, avg(bought) from visits v group by v.segment",
    ],
)
@pytest.mark.parametrize(
    "statement",
    [
        "select page, bought from visits where segment = 'segment 18'",
        "select page, bought from visits as v where v.page <> '' and 'segment 18' = v.segment",
    ],
)
def test_the_values_that_an_earlier_frame_shows_are_counted(scan: str, statement: str) -> None:
    found = find_picked(statement, [("f1", scan, 40)], NOTHING)
    assert found is not None and (found.value, found.count) == ("segment 18", 40)
    assert found.told == (
        "f1 shows 40 values of segment, of which segment 18 was picked: that counts as 40 tests"
    )


@pytest.mark.parametrize(
    "statement",
    [
        "select page, bought from visits",
        "select page, bought from visits where segment <> 'segment 18'",
        "select page, bought from visits where segment = 'a' or segment = 'b'",
        "select page, bought from visits where age = 18",
        "no statement at all (",
    ],
)
def test_what_was_not_picked_counts_nothing(statement: str) -> None:
    assert find_picked(statement, [("f1", SCAN, 40)], NOTHING) is None


def test_a_frame_that_shows_no_groups_was_no_choice() -> None:
    one = "select page, bought from visits where segment = 'a'"
    assert find_picked(one, [("f1", "select avg(bought) from visits", 1)], NOTHING) is None
    assert find_picked(one, [], NOTHING) is None
