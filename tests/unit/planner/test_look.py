"""A look says what columns mean and what to doubt."""

from __future__ import annotations

import pytest

from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
)
from services.planner.domain.doubt import Doubt
from services.planner.domain.facts import Coverage, Facts, Key, TableFacts, TimeFacts
from services.planner.domain.look.doubts import doubts_of
from services.planner.domain.look.kinds import SemanticKind, kind_of
from services.planner.domain.look.look import (
    ColumnFindings,
    Findings,
    TableFindings,
    left_out,
    look_of,
)
from services.planner.domain.look.questions import questions_of
from tests.unit.planner.measured import referring

TEXT, WHOLE, DATE = DataType.STRING, DataType.INTEGER, DataType.DATE
DIMENSION, MEASURE, ID = ColumnRole.DIMENSION, ColumnRole.MEASURE, ColumnRole.ID


def column(
    name: str,
    data_type: DataType = TEXT,
    role: ColumnRole = DIMENSION,
    distinct: int = 5,
    samples: tuple[str, ...] = ("a", "b"),
) -> Column:
    return Column(name=name, data_type=data_type, role=role, distinct=distinct, samples=samples)


def table(*columns: Column, name: str = "flights", rows: int = 100) -> Table:
    return Table(name=name, source_name=name, rows=rows, columns=columns)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (column("flight_id", WHOLE, ID), SemanticKind.ID),
        (column("cancelled", WHOLE, distinct=2, samples=("0", "1")), SemanticKind.FLAG),
        (column("late", DataType.BOOLEAN), SemanticKind.FLAG),
        (column("carrier"), SemanticKind.CATEGORY),
        (
            column("remarks", distinct=90, samples=("late by fog over the river",)),
            SemanticKind.TEXT,
        ),
        (column("CompanyName", distinct=90), SemanticKind.NAME),
        (column("dep_month", WHOLE), SemanticKind.DATE_PART),
        (
            column("term_months", WHOLE).model_copy(update={"maximum": "120"}),
            SemanticKind.AMOUNT,
        ),
        (column("flown_on", DATE), SemanticKind.TIME),
        (column("distance", WHOLE, MEASURE), SemanticKind.NUMBER),
    ],
    ids=lambda value: value.name if isinstance(value, Column) else str(value),
)
def test_a_column_means_what_role_type_and_values_tell(given: Column, kind: SemanticKind) -> None:
    assert kind_of(given, table(given)).kind is kind


def said(catalogue: Catalogue, findings: Findings) -> list[str]:
    """What is doubted, in words."""
    return [one.said for one in doubts_of(catalogue, findings, look_of(catalogue, findings))]


def test_doubts_are_told_in_words() -> None:
    flights = table(
        column("year", WHOLE), column("month", WHOLE), column("time_hour", DATE), column("tail")
    )
    seen = TableFindings(
        table="flights",
        columns=(
            ColumnFindings(
                column="tail", missing=(("NA", 2512), ("?", 1)), spellings=(("N1", "n1", "n1 "),)
            ),
        ),
    )
    keyless = Facts(tables=(TableFacts(table="flights", rows=100, measured_rows=100),))
    catalogue = Catalogue(tables=(flights,), facts=keyless)
    assert said(catalogue, Findings(tables=(seen,))) == [
        'tail: "N1", "n1" and "n1 " differ by case or spaces alone',
        "nothing found that tells its rows apart",
        "2 time columns: year/month, time_hour",
        'tail "NA" 2,512 times',
        'tail "?" once',
    ]


def test_what_the_executor_saw_is_told_by_weight_and_what_was_repaired_last() -> None:
    doubts = tuple(
        Doubt(
            code="stand-in", table="flights", column=name, said=name, weight=weight, repaired=made
        )
        for name, weight, made in (("a", 0.3, False), ("b", 0.9, True), ("c", 0.6, False))
    )
    catalogue = Catalogue(tables=(table(column("a")),), doubts=doubts)
    assert said(catalogue, Findings()) == ["c", "a", "b"]


def test_what_was_not_looked_at_to_the_end_is_not_doubted_but_said() -> None:
    found = Findings(unfinished=("flights",))
    assert said(Catalogue(tables=(table(column("a")),)), found) == []
    facts = Facts(unfinished=("flights", "legs"))
    assert left_out(found, facts) == (
        "Not looked at to the end, as it takes too long: flights, legs."
    )
    assert left_out(Findings(), Facts()) == ""


def test_a_join_tells_how_much_of_it_holds_where_it_was_counted() -> None:
    links = (
        Relationship(
            from_table="flights",
            from_column="dest",
            to_table="airports",
            to_column="faa",
            confidence=0.7,
            declared=False,
        ),
        Relationship(
            from_table="flights", from_column="carrier", to_table="airlines", to_column="code"
        ),
    )
    counted = referring("flights", "dest", "airports", "faa", share=0.98, orphans=7, filled=90)
    catalogue = Catalogue(
        tables=(table(column("dest")),),
        relationships=links,
        facts=Facts(references=(counted,)),
    )
    (told,) = look_of(catalogue, Findings())
    assert [(j.column, j.declared, j.matched, j.orphans, j.mean) for j in told.joins] == [
        ("dest", False, 0.98, 7, 8.3),
        ("carrier", True, None, None, None),
    ]
    assert said(catalogue, Findings())[0] == "dest: 7 of 90 rows go with no row of airports"


def test_periods_without_rows_and_parts_of_periods_are_doubted() -> None:
    months = Coverage(
        grain="month", periods=22, missing=2, examples=("2024-03", "2024-08"), last_whole=False
    )
    time = TimeFacts(
        column="flown_on",
        first="2023-01-01",
        last="2024-12-06",
        days=300,
        coverage=(
            Coverage(grain="day", periods=300, missing=406),
            months,
            Coverage(grain="year", periods=2),
        ),
    )
    key = Key(columns=("a",))
    seen = TableFacts(table="flights", rows=9, measured_rows=9, keys=(key,), times=(time,))
    flights = Catalogue(tables=(table(column("a")),), facts=Facts(tables=(seen,)))
    assert said(flights, Findings()) == [
        "flown_on: no row in 2 of 24 months, such as 2024-03, 2024-08; the last month ends "
        "2024-12-06",
    ]


def test_a_declared_key_goes_before_what_was_found() -> None:
    own = table(column("a")).model_copy(update={"primary_key": ("a",)})
    seen = TableFacts(table="flights", rows=9, measured_rows=9, keys=(Key(columns=("b",)),))
    catalogue = Catalogue(tables=(own,), facts=Facts(tables=(seen,)))
    (told,) = look_of(catalogue, Findings())
    assert (told.key, told.key_declared) == (("a",), True)


def test_questions_begin_with_what_tables_have_most_of() -> None:
    small = table(column("kind"), name="kinds")
    large = table(column("flown_on", DATE), column("carrier"), column("delay", WHOLE, MEASURE))
    tables = look_of(Catalogue(tables=(small, large)), Findings())
    assert list(questions_of(tables)) == [
        "number of flights by month",
        "average delay by carrier",
        "number of flights by carrier",
        "number of kinds by kind",
    ]
