"""Two years of which the data covers one in part are compared to the same day."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from services.planner.domain.catalogue import ValueHit
from services.planner.domain.language.dimensions.coverage import Days
from services.planner.domain.language.intent import Field, Period, Understood
from services.planner.domain.language.parsing.one_span import in_one_span
from services.planner.domain.language.understand import understand
from tests.unit.checks.small_data import SmallData

DAY, MONTH = timedelta(days=3), timedelta(days=91)


def year(number: int) -> Period:
    at = Field(table="t", column="day")
    return Period(label=str(number), dated=at, start=date(number, 1, 1), end=date(number + 1, 1, 1))


@pytest.mark.parametrize(
    ("first", "last", "usual", "labels", "ends"),
    [
        ("2023-01-01", "2025-03-31", DAY, "to 31 March", ("2024-04-01", "2025-04-01")),
        ("2023-01-01", "2025-03-01", MONTH, "to March", ("2024-03-02", "2025-03-02")),
        ("2024-09-02", "2025-12-30", DAY, "from 2 September", ("2025-01-01", "2026-01-01")),
        ("2024-02-01", "2025-11-30", DAY, "from 1 February to 30 November",
         ("2024-12-01", "2025-12-01")),
        ("2023-01-01", "2026-05-01", DAY, "", ("2025-01-01", "2026-01-01")),
        ("2024-09-02", "2025-03-01", DAY, "", ("2025-01-01", "2026-01-01")),
    ],
)  # fmt: skip
def test_both_go_to_the_day_that_the_data_goes_to(
    first: str, last: str, usual: timedelta, labels: str, ends: tuple[str, str]
) -> None:
    days = Days(date.fromisoformat(first), date.fromisoformat(last), usual)
    both = in_one_span((year(2024), year(2025)), days)
    assert [one.label for one in both] == [f"{n} {labels}".strip() for n in (2024, 2025)]
    assert tuple(str(one.end) for one in both) == ends


def test_29_february_is_a_day_of_one_year_alone() -> None:
    days = Days(date(2023, 1, 1), date(2024, 2, 28), DAY)
    before, after = in_one_span((year(2023), year(2024)), days)
    assert (str(before.end), str(after.end)) == ("2023-03-01", "2024-02-29")


@pytest.fixture(scope="module")
def till() -> SmallData:
    days = [date(2024, 1, 1) + timedelta(n) for n in range(456)]
    rows = "".join(f"{day},{'AB'[day.day % 2]},{day.day}\n" for day in days)
    return SmallData({"till": "day,shop,amount\n" + rows})


@pytest.mark.parametrize(
    ("question", "summary", "told"),
    [
        ("compare total amount in 2024 and 2025", "in 2024 to 31 March and 2025 to 31 March", True),
        ("total amount by shop 2025 vs 2024", "(2024 to 31 March and 2025 to 31 March)", True),
        ("compare total amount by month in 2024 and 2025", "(2024 and 2025)", False),
    ],
)
async def test_a_part_of_a_year_is_compared_with_the_same_part_of_another(
    till: SmallData, question: str, summary: str, told: bool
) -> None:
    async def nothing(phrases: object) -> list[ValueHit]:
        return []

    found = await understand(question, till.catalogue, nothing, today=date(2025, 6, 1))
    assert isinstance(found, Understood) and summary in found.summary
    assert any("for the same part: to 31 March" in one for one in found.assumptions) is told
