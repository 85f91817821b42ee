"""Two years of which the data covers one in part are compared to the same day."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Table,
    ValueHit,
)
from services.planner.domain.query.dimensions.coverage import Days
from services.planner.domain.query.intent import (
    Aggregate,
    Condition,
    Dimension,
    Field,
    Grain,
    Intent,
    Measure,
    Operator,
    Period,
    Understood,
)
from services.planner.domain.query.one_span import in_one_span
from services.planner.domain.reader.understand import understand
from services.planner.domain.reader.years_compared import with_years_compared

DAILY, MONTHLY = timedelta(days=3), timedelta(days=91)


def year(number: int) -> Period:
    at = Field(table="t", column="day")
    return Period(label=str(number), dated=at, start=date(number, 1, 1), end=date(number + 1, 1, 1))


@pytest.mark.parametrize(
    ("first", "last", "usual", "labels", "ends"),
    [
        ("2023-01-01", "2025-03-31", DAILY, "to 31 March", ("2024-04-01", "2025-04-01")),
        ("2023-01-01", "2025-03-01", MONTHLY, "to March", ("2024-03-02", "2025-03-02")),
        ("2024-09-02", "2025-12-30", DAILY, "from 2 September", ("2025-01-01", "2026-01-01")),
        (
            "2024-02-01",
            "2025-11-30",
            DAILY,
            "from 1 February to 30 November",
            ("2024-12-01", "2025-12-01"),
        ),
        ("2023-01-01", "2026-05-01", DAILY, "", ("2025-01-01", "2026-01-01")),
        ("2024-09-02", "2025-03-01", DAILY, "", ("2025-01-01", "2026-01-01")),
    ],
)
def test_both_go_to_the_day_that_the_data_goes_to(
    first: str, last: str, usual: timedelta, labels: str, ends: tuple[str, str]
) -> None:
    days = Days(date.fromisoformat(first), date.fromisoformat(last), usual)
    both = in_one_span((year(2024), year(2025)), days)
    assert [one.label for one in both] == [f"{n} {labels}".strip() for n in (2024, 2025)]
    assert tuple(str(one.end) for one in both) == ends


def test_29_february_is_a_day_of_one_year_alone() -> None:
    days = Days(date(2023, 1, 1), date(2024, 2, 28), DAILY)
    before, after = in_one_span((year(2023), year(2024)), days)
    assert (str(before.end), str(after.end)) == ("2023-03-01", "2024-02-29")


def till() -> Catalogue:
    """Sales of each day from 2024 to the end of March 2025."""
    day = Column(
        name="day",
        data_type=DataType.DATE,
        role=ColumnRole.TIMESTAMP,
        distinct=456,
        minimum="2024-01-01",
        maximum="2025-03-31",
    )
    amount = Column(name="amount", data_type=DataType.FLOAT, role=ColumnRole.MEASURE, distinct=9)
    shop = Column(name="shop", data_type=DataType.STRING, role=ColumnRole.DIMENSION, distinct=2)
    table = Table(name="t", source_name="t.csv", rows=456, columns=(day, amount, shop))
    return Catalogue(tables=(table,))


def read(
    *dimensions: Dimension, span: tuple[str, str] = ("2024-01-01", "2025-12-31")
) -> Understood:
    """A reading that takes two years as one span."""
    at = Field(table="t", column="day")
    amount = Field(table="t", column="amount")
    total = Measure(aggregate=Aggregate.SUM, table="t", expression=amount, label="total amount")
    intent = Intent(
        base="t",
        measures=(total,),
        dimensions=dimensions,
        filters=(Condition(field=at, operator=Operator.BETWEEN, values=span),),
    )
    return Understood(intent=intent, summary="as one", confidence=0.9, assumptions=("so: as one",))


SHOP = Dimension(expression=Field(table="t", column="shop"), label="shop")
MONTH = Dimension(expression=Field(table="t", column="day"), label="month", grain=Grain.MONTH)


def test_two_years_that_are_compared_are_two_numbers_of_the_same_part() -> None:
    found = with_years_compared(read(), "compare total amount in 2024 and 2025", till())
    during = [m.during for m in found.intent.measures]
    assert [one.label for one in during if one] == ["2024 to 31 March", "2025 to 31 March"]
    assert not found.intent.filters and len(found.intent.derived) == 2
    assert "to 31 March, as the data ends within 2025" in found.assumptions[-1]
    assert found.assumptions[0] == f"so: {found.summary}", "doubts are of what is answered"


def test_groups_are_told_for_both_years() -> None:
    found = with_years_compared(read(SHOP), "amount by shop 2025 vs. 2024", till())
    assert [d.label for d in found.intent.dimensions] == ["shop", "year"]
    assert len(found.intent.dimensions[1].periods) == 2 and found.intent.series == 1


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("total amount from 2024 to 2025", read()),
        ("compare total amount by month in 2024 and 2025", read(MONTH)),
        ("compare total amount in 2024 and 2025", read(span=("2024-03-01", "2025-12-31"))),
        ("compare total amount in 2023, 2024 and 2025", read()),
    ],
)
def test_what_is_no_comparison_of_two_years_stays(question: str, found: Understood) -> None:
    assert with_years_compared(found, question, till()) == found


async def test_a_year_that_the_data_covers_in_part_is_told() -> None:
    async def nothing(phrases: object) -> list[ValueHit]:
        return []

    found = await understand("total amount by year", till(), nothing, today=date(2025, 6, 1))
    assert isinstance(found, Understood)
    assert "the last year ends on 31 March 2025, where the data ends" in found.assumptions
