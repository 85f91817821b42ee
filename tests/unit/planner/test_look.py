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
from services.planner.domain.look.kinds import SemanticKind, kind_of
from services.planner.domain.look.look import (
    ColumnFindings,
    Findings,
    Match,
    TableFindings,
    left_out,
    look_of,
)
from services.planner.domain.look.questions import questions_of

TEXT, WHOLE, DATE = DataType.STRING, DataType.INTEGER, DataType.DATE
DIMENSION, MEASURE, ID = ColumnRole.DIMENSION, ColumnRole.MEASURE, ColumnRole.ID


def column(
    name: str, data_type: DataType = TEXT, role: ColumnRole = DIMENSION, distinct: int = 5,
    samples: tuple[str, ...] = ("a", "b"),
) -> Column:  # fmt: skip
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
    (told,) = look_of(Catalogue(tables=(flights,)), Findings(tables=(seen,)))
    assert told.doubts == (
        "2 time columns: year/month, time_hour",
        'tail "NA" 2,512 times',
        'tail "?" once',
        'tail: "N1", "n1" and "n1 " differ by case or spaces alone',
        "nothing found that tells its rows apart",
    )


def test_what_was_not_looked_at_to_the_end_is_not_doubted_but_said() -> None:
    found = Findings(unfinished=("flights",))
    (told,) = look_of(Catalogue(tables=(table(column("a")),)), found)
    assert told.doubts == ()
    assert left_out(found) == "Not looked at to the end, as it takes too long: flights."
    assert left_out(Findings()) == ""


def test_a_join_tells_how_much_of_it_holds_unless_it_is_declared() -> None:
    links = (
        Relationship(from_table="flights", from_column="dest", to_table="airports",
                     to_column="faa", confidence=0.7, declared=False),
        Relationship(from_table="flights", from_column="carrier", to_table="airlines",
                     to_column="code"),
    )  # fmt: skip
    share = Match(
        from_table="flights", from_column="dest", to_table="airports", to_column="faa", share=0.98
    )
    catalogue = Catalogue(tables=(table(column("dest")),), relationships=links)
    (told,) = look_of(catalogue, Findings(matches=(share,)))
    assert [(join.column, join.declared, join.matched) for join in told.joins] == [
        ("dest", False, 0.98),
        ("carrier", True, None),
    ]


def test_a_declared_key_goes_before_what_was_found() -> None:
    own = table(column("a")).model_copy(update={"primary_key": ("a",)})
    seen = TableFindings(table="flights", key=("b",))
    (told,) = look_of(Catalogue(tables=(own,)), Findings(tables=(seen,)))
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


def test_a_number_that_may_stand_for_no_value_is_doubted() -> None:
    celsius = column("temp_c", DataType.FLOAT, MEASURE).model_copy(
        update={"minimum": "-999", "maximum": "29.6"}
    )
    cold = column("low", DataType.FLOAT, MEASURE).model_copy(
        update={"minimum": "-40.5", "maximum": "29.6"}
    )
    look = look_of(Catalogue(tables=(table(celsius, cold),)), Findings())
    told = [said for said in look[0].doubts if "missing value" in said]
    assert told == ["temp_c: goes down to -999, which may stand for a missing value"]
