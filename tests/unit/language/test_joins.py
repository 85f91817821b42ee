"""Which way tables are joined, and when two columns are worth a question back."""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue, Relationship
from services.planner.domain.query.intent import Clarification, Field, Understood
from services.planner.domain.query.joining.joins import JoinGraph
from services.planner.domain.reader.understand import understand
from tests.unit.language.shops import TODAY, TWINS, Values, key, number, table, text


def refers(child: str, column: str, parent: str, to: str, confidence: float = 0.9) -> Relationship:
    return Relationship(
        from_table=child,
        from_column=column,
        to_table=parent,
        to_column=to,
        confidence=confidence,
        declared=False,
    )


FILES = Catalogue(
    tables=(
        table(
            "documents",
            90,
            key("document_id", 90),
            key("created_by_employee_id", 20),
            key("destroyed_by_employee_id", 20),
        ),
        table("employees", 20, key("employee_id", 20), text("employee_name")),
    ),
    relationships=(
        refers("documents", "created_by_employee_id", "employees", "employee_id"),
        refers("documents", "destroyed_by_employee_id", "employees", "employee_id"),
    ),
)

SCHOOL = Catalogue(
    tables=(
        table("course", 6, key("course_code", 6), key("department_code", 3), text("title")),
        table("department", 3, key("department_code", 3), key("head_number", 3)),
        table("class", 40, key("class_id", 40), key("course_code", 6), key("teacher_number", 12)),
        table("teacher", 12, key("teacher_number", 12), text("teacher_name")),
    ),
    relationships=(
        refers("course", "department_code", "department", "department_code"),
        refers("department", "head_number", "teacher", "teacher_number"),
        refers("class", "course_code", "course", "course_code"),
        refers("class", "teacher_number", "teacher", "teacher_number"),
    ),
)

ROUTES = Catalogue(
    tables=(
        table(
            "trips",
            90,
            key("trip_id", 90),
            text("entry_city"),
            text("exit_city"),
            text("home_city"),
            text("work_city"),
            text("birth_city"),
            number("fare"),
        ),
    )
)


def test_of_two_references_the_one_whose_role_is_spoken_of_is_meant() -> None:
    for said, column in (
        ("destroy", "destroyed_by_employee_id"),
        ("creat", "created_by_employee_id"),
    ):
        (step,) = JoinGraph(FILES, [said]).tree("documents", ["employees"]).relations
        assert step.left.column == column


def test_courses_reach_their_teachers_by_the_classes_and_not_by_the_head_of_department() -> None:
    graph = JoinGraph(SCHOOL, ["course", "teacher", "taught"])
    steps = graph.tree("course", ["teacher"]).relations
    assert [step.right.table for step in steps] == ["class", "teacher"]


def test_a_reference_and_its_key_are_the_same_thing_and_nothing_to_ask_about() -> None:
    graph = JoinGraph(SCHOOL)
    one = Field(table="class", column="course_code")
    assert graph.same_values(one, Field(table="course", column="course_code"))
    assert not graph.same_values(one, Field(table="course", column="title"))


async def test_of_many_columns_that_fit_alike_the_others_are_told() -> None:
    found = await understand("trips by city", ROUTES, Values(ROUTES), today=TODAY)
    assert isinstance(found, Understood)
    assert '"city" is ' in found.assumptions[0]
    assert "exit_city in trips" in found.assumptions[0]
    assert found.confidence <= 0.7


async def test_tables_that_nothing_relates_are_not_put_together() -> None:
    apart = Catalogue(tables=(FILES.tables[1], ROUTES.tables[0]))
    found = await understand(
        "average fare by employee name", apart, Values(apart), today=TODAY, assume=True
    )
    assert not isinstance(found, Understood)


async def test_a_reply_that_is_no_option_is_asked_again() -> None:
    for reply in ("9", "0", "the other one", "city"):
        again = await understand("visits by city", TWINS, Values(TWINS), today=TODAY, answer=reply)
        assert isinstance(again, Clarification), reply
