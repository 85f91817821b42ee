"""What a query meant is made of, in columns as the catalogue spells them."""

from __future__ import annotations

import pytest

from bench.reading.gold import GoldCondition, GoldMembership, GoldParts, gold_parts
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table


def table(name: str, *columns: str) -> Table:
    return Table(
        name=name,
        source_name=name,
        rows=10,
        columns=tuple(
            Column(name=c, data_type=DataType.STRING, role=ColumnRole.DIMENSION) for c in columns
        ),
    )


SCHOOL = Catalogue(
    tables=(
        table("Student", "StuID", "LName", "Age", "City_code", "Advisor"),
        table("Has_Pet", "StuID", "PetID"),
        table("Pets", "PetID", "PetType", "Weight"),
    )
)
NAME, AGE, CITY = ("Student", "LName"), ("Student", "Age"), ("Student", "City_code")
OWNER, STUDENT = ("Has_Pet", "StuID"), ("Student", "StuID")


def parts(sql: str) -> GoldParts:
    found = gold_parts(sql, SCHOOL)
    assert found is not None
    return found


def test_columns_have_the_roles_that_the_query_gives_them() -> None:
    found = parts(
        "select city_code, avg(AGE) from student where lname = 'Smith' group by city_code"
    )
    assert found.roles == {
        CITY: {"grouped"},
        AGE: {"avg"},
        NAME: {"filtered"},
    }
    assert found.tables == ("Student",)


@pytest.mark.parametrize(
    ("sql", "column", "roles"),
    [
        ("SELECT LName FROM Student", NAME, {"shown"}),
        ("SELECT count(*) FROM Student GROUP BY City_code", CITY, {"grouped not shown"}),
        ("SELECT count(DISTINCT City_code) FROM Student", CITY, {"count distinct"}),
        ("SELECT count(City_code) FROM Student", CITY, {"counted"}),
        ("SELECT LName FROM Student ORDER BY Age", AGE, {"ordered"}),
        ("SELECT LName AS l FROM Student ORDER BY l", NAME, {"shown", "ordered"}),
        ("SELECT max(Age), min(Age) FROM Student", AGE, {"max", "min"}),
    ],
)
def test_each_role_by_itself(sql: str, column: tuple[str, str], roles: set[str]) -> None:
    assert parts(sql).roles[column] == roles


def test_joins_are_told_as_pairs_of_columns_whatever_the_aliases() -> None:
    found = parts(
        "SELECT T1.lname FROM student AS T1 JOIN has_pet AS T2 ON T1.stuid = T2.stuid "
        'JOIN pets AS T3 ON T3.petid = T2.petid WHERE T3.pettype = "cat"'
    )
    assert found.joins == ((OWNER, STUDENT), (("Has_Pet", "PetID"), ("Pets", "PetID")))
    assert found.conditions == (GoldCondition(("Pets", "PetType"), "=", ("cat",)),)


def test_a_table_joined_to_itself_is_a_join() -> None:
    found = parts("SELECT a.LName FROM Student a JOIN Student b ON a.Advisor = b.StuID")
    assert found.joins == ((("Student", "Advisor"), STUDENT),)


@pytest.mark.parametrize(
    ("where", "operator", "values"),
    [
        ("Age > 20", ">", (20.0,)),
        ("20 < Age", ">", (20.0,)),
        ("Age BETWEEN 1 AND 2", "between", (1.0, 2.0)),
        ("LName LIKE '%a%'", "like", ("%a%",)),
        ("LName NOT LIKE '%a%'", "not like", ("%a%",)),
        ("Age IN (1, 2)", "in", (1.0, 2.0)),
        ("Age IS NOT NULL", "is not null", ()),
        ("Age IS NULL", "is null", ()),
        ("Age = -1", "=", (-1.0,)),
        ("Age > (SELECT avg(Age) FROM Student)", ">", ("<avg>",)),
    ],
)
def test_conditions_are_column_operator_and_values(
    where: str, operator: str, values: tuple[str | float, ...]
) -> None:
    (condition,) = parts(f"SELECT City_code FROM Student WHERE {where}").conditions
    assert (condition.operator, condition.values) == (operator, values)
    assert condition.column in (AGE, NAME)


def test_conditions_on_groups_say_what_they_measure() -> None:
    found = parts("SELECT City_code FROM Student GROUP BY City_code HAVING count(*) >= 2")
    assert found.conditions == (GoldCondition(None, ">=", (2.0,), "counted"),)
    assert found.shape.having and found.shape.conditions == 0


def test_being_among_others_is_a_membership_with_conditions_of_its_own() -> None:
    found = parts(
        "SELECT LName FROM Student WHERE StuID NOT IN "
        "(SELECT T1.StuID FROM Has_Pet T1 JOIN Pets T2 ON T1.PetID = T2.PetID WHERE Weight > 5)"
    )
    assert found.memberships == (GoldMembership(STUDENT, OWNER, negated=True),)
    assert found.conditions == (GoldCondition(("Pets", "Weight"), ">", (5.0,), nested=True),)
    assert found.shape.set_operation == "not in"


def test_branches_of_a_set_operation_are_not_nested() -> None:
    found = parts(
        "SELECT LName FROM Student WHERE Age > 20 INTERSECT SELECT LName FROM Student WHERE Age < 9"
    )
    assert [(c.operator, c.nested) for c in found.conditions] == [(">", False), ("<", False)]
    assert found.shape.set_operation == "intersect"


def test_names_of_inner_queries_lead_to_the_columns_behind_them() -> None:
    found = parts(
        "WITH old AS (SELECT LName AS n, Age FROM Student) SELECT o.n FROM old o WHERE o.Age > 30"
    )
    assert found.roles[NAME] == {"shown"}
    assert found.conditions[0].column == AGE


def test_the_shape_of_a_ranking() -> None:
    shape = parts(
        "SELECT City_code, count(*) FROM Student GROUP BY City_code ORDER BY count(*) DESC LIMIT 3"
    ).shape
    assert (shape.counts, shape.group, shape.by_count) == (True, True, True)
    assert (shape.order, shape.limit, shape.shown) == ("desc", "n", 2)


def test_what_is_no_query_has_no_parts() -> None:
    assert gold_parts("SELEC nothing", SCHOOL) is None
    assert gold_parts("DELETE FROM Student", SCHOOL) is None
