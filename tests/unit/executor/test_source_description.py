"""What planners are told of sources, and which values they can look up."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from mesh.policy import Policy
from services.executor.domain.description import (
    ColumnDescription,
    ColumnRole,
    DataType,
    Relationship,
    SourceDescription,
)
from services.executor.engines.workspace import WorkspacePool
from services.executor.sources.describe import Describer
from services.executor.sources.lookup import ValueLookup
from services.executor.sources.prepared import PreparedSource
from tests.busy import allowing
from tests.unit.executor.source_help import open_file, open_text, shared, write_shop


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> PreparedSource:
    folder = tmp_path_factory.mktemp("shop")
    return open_file(folder, write_shop(folder))


def described(*sources: PreparedSource, policy: Policy | None = None) -> SourceDescription:
    return Describer(WorkspacePool()).describe(sources, policy or Policy())


def column(description: SourceDescription, table: str, name: str) -> ColumnDescription:
    found = next(t for t in description.tables if t.name == table)
    return next(c for c in found.columns if c.name == name)


def test_statistics_are_those_of_the_data(shop: PreparedSource) -> None:
    amount = column(described(shop), "orders", "amount")
    assert (amount.data_type, amount.role) == (DataType.FLOAT, ColumnRole.MEASURE)
    assert (amount.distinct, amount.nulls, amount.nullable) == (3, 0, False)
    assert (amount.minimum, amount.maximum) == ("10.5", "30.0")
    assert amount.samples[0] == "30.0"


def test_dates_are_told_in_iso_form(shop: PreparedSource) -> None:
    description = described(shop)
    joined = column(description, "customers", "joined")
    assert (joined.data_type, joined.role) == (DataType.DATE, ColumnRole.TIMESTAMP)
    assert (joined.minimum, joined.maximum) == ("2020-01-05", "2021-03-07")
    assert column(description, "orders", "ordered_at").minimum == "2021-01-01T10:00:00"


def test_what_policy_hides_is_not_told_by_how_it_was_read(tmp_path: Path) -> None:
    rows = "".join(f"{n},{n}.5,{n}\n" for n in range(9))
    source = open_text(tmp_path, "t.csv", f"id,salary,bonus\n{rows}9,x7,ada@example.org 1\n")
    open_to_all = described(source)
    assert {d.column for d in open_to_all.decisions} == {"", "id", "salary", "bonus"}
    assert "ada@example.org" in " ".join(open_to_all.notes)
    hidden = described(source, policy=Policy(blocked_patterns=("salary", "email")))
    assert {d.column for d in hidden.decisions} == {"", "id", "bonus"}
    assert "ada@example.org" not in str(hidden)
    assert "bonus has mixed types" in " ".join(hidden.notes)
    assert "salary" not in str(hidden)


def test_decisions_go_by_the_names_of_the_request(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    first = open_text(tmp_path, "t.csv", "a\n1\n2\n")
    second = open_text(tmp_path / "other", "t.csv", "a;b\n1;2\n")
    told = {
        (d.table, d.value) for d in described(first, second).decisions if d.subject == "delimiter"
    }
    assert told == {("t", ","), ("t_2", ";")}


@pytest.mark.parametrize(
    ("header", "values", "role"),
    [
        ("customer_id", ("1", "1"), ColumnRole.ID),
        ("OrderID", ("1", "2"), ColumnRole.ID),
        ("year", ("1997", "1998"), ColumnRole.DIMENSION),
        ("zipcode", ("12345", "54321"), ColumnRole.DIMENSION),
        ("price", ("1.5", "2.5"), ColumnRole.MEASURE),
        ("quantity", ("1", "2"), ColumnRole.MEASURE),
        ("region", ("a", "b"), ColumnRole.DIMENSION),
        ("active", ("true", "false"), ColumnRole.DIMENSION),
        ("day", ("2020-01-01", "2020-01-02"), ColumnRole.TIMESTAMP),
    ],
)
def test_a_role_is_told_from_type_name_and_values(
    tmp_path: Path, header: str, values: tuple[str, ...], role: ColumnRole
) -> None:
    content = f"{header},other\n" + "".join(f"{value},x\n" for value in values)
    assert column(described(open_text(tmp_path, "t.csv", content)), "t", header).role is role


def test_declared_relationships_are_certain(shop: PreparedSource) -> None:
    assert described(shop).relationships == (
        Relationship(
            from_table="orders",
            from_column="customer_id",
            to_table="customers",
            to_column="customer_id",
        ),
    )


@pytest.mark.parametrize(
    ("key", "reference"),
    [
        ("id", "customer_id"),
        ("CustomerID", "customer_id"),
        ("customer_id", "customer_id"),
        ("id", "customer"),
        ("code", "CustomerCode"),
    ],
)
def test_relationships_between_files_are_inferred(tmp_path: Path, key: str, reference: str) -> None:
    customers = open_text(tmp_path, "customers.csv", f"{key},name\n1,a\n2,b\n3,c\n")
    orders = open_text(tmp_path, "orders.csv", f"order_no,{reference}\n7,1\n8,1\n9,3\n")
    found = described(customers, orders).relationships
    assert [(r.from_table, r.from_column, r.to_table, r.to_column) for r in found] == [
        ("orders", reference, "customers", key)
    ]
    assert not found[0].declared
    assert 0.5 <= found[0].confidence <= 1.0


def test_values_that_do_not_occur_there_are_no_reference(tmp_path: Path) -> None:
    customers = open_text(tmp_path, "customers.csv", "id,name\n1,a\n2,b\n")
    orders = open_text(tmp_path, "orders.csv", "order_no,customer_id\n7,71\n8,81\n9,91\n")
    assert described(customers, orders).relationships == ()


def test_codes_refer_to_codes_whatever_the_columns_are_called(tmp_path: Path) -> None:
    fields = open_text(tmp_path, "fields.csv", "n,faa,name\n1,JFK,a\n2,LGA,b\n3,BOS,c\n4,ORD,d\n")
    trips = open_text(
        tmp_path, "trips.csv", "n,start,dest\n1,JFK,BOS\n2,LGA,ORD\n3,BOS,JFK\n4,JFK,JFK\n"
    )
    found = described(fields, trips).relationships
    told = {(r.from_table, r.from_column, r.to_table, r.to_column) for r in found}
    assert {("trips", c, "fields", "faa") for c in ("start", "dest")} <= told


def test_a_role_before_a_tables_name_refers_to_it(tmp_path: Path) -> None:
    ports = open_text(tmp_path, "ports.csv", "code,name\nOban,a\nMallaig,b\nArmadale,c\n")
    legs = open_text(
        tmp_path, "legs.csv", "leg,from_port,to_port\n7,Oban,Mallaig\n8,Mallaig,Oban\n"
    )
    found = described(ports, legs).relationships
    assert [(r.from_column, r.to_column) for r in found] == [
        ("from_port", "code"),
        ("to_port", "code"),
    ]


def test_counters_of_rows_are_no_reference(tmp_path: Path) -> None:
    cities = open_text(tmp_path, "cities.csv", "rownames,name\n1,a\n2,b\n3,c\n")
    pets = open_text(tmp_path, "pets.csv", "rownames,kind\n1,x\n2,y\n3,z\n")
    assert described(cities, pets).relationships == ()


def test_policy_takes_columns_samples_and_extremes_away(shop: PreparedSource) -> None:
    description = described(shop, policy=Policy(blocked_patterns=("email",)))
    customers = next(t for t in description.tables if t.name == "customers")
    assert "email" not in [c.name for c in customers.columns]
    assert "example" not in description.model_dump_json()
    assert "[blocked" not in description.model_dump_json()


def test_a_table_without_allowed_columns_does_not_exist(shop: PreparedSource) -> None:
    description = described(shop, policy=Policy(allowed_columns=("orders.amount",)))
    assert [t.name for t in description.tables] == ["orders"]
    assert description.relationships == ()


def test_the_fingerprint_is_of_the_schema_alone(tmp_path: Path) -> None:
    first = described(open_text(tmp_path, "t.csv", "a,b\n1,x\n")).schema_fingerprint
    same = described(open_text(tmp_path, "t.csv", "a,b\n2,y\n")).schema_fingerprint
    other = described(open_text(tmp_path, "t.csv", "a,b\n2.5,y\n")).schema_fingerprint
    assert first == same != other
    assert len(first) == 64


def test_notes_say_which_source_they_speak_of(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "a,a\n1,2\n")
    assert described(source).notes == (f"{source.label}: {source.notes[0]}",)


@pytest.mark.parametrize(
    ("phrase", "value"),
    [
        ("london", "London"),
        ("LONDON", "London"),
        ("gifts", "gift"),
        ("Lodnon", "London"),
        ("braunschwieg", "Braunschweig"),
    ],
)
def test_values_are_found_by_what_people_write(
    shop: PreparedSource, phrase: str, value: str
) -> None:
    found = ValueLookup(WorkspacePool()).lookup([shop], [phrase], Policy())
    assert found
    assert found[0].phrase == phrase
    assert value in {hit.value for hit in found}


def test_a_word_inside_a_value_is_found_with_a_lower_score(tmp_path: Path) -> None:
    source = open_text(tmp_path, "t.csv", "job\nSales Representative\nSales Manager\nsales\n")
    found = ValueLookup(WorkspacePool()).lookup([source], ["sales"], Policy())
    assert [(hit.value, hit.score == 1.0) for hit in found] == [
        ("sales", True),
        ("Sales Manager", False),
        ("Sales Representative", False),
    ]


def test_what_is_not_there_is_not_found(shop: PreparedSource) -> None:
    assert ValueLookup(WorkspacePool()).lookup([shop], ["revenue", "xyzzy", ""], Policy()) == []


def test_blocked_values_cannot_be_looked_up(shop: PreparedSource) -> None:
    policy = Policy(blocked_patterns=("email",))
    lookup = ValueLookup(WorkspacePool())
    assert lookup.lookup([shop], ["ada@example.org", "blocked"], policy) == []


def test_columns_too_large_for_the_index_are_searched_for_the_exact_text(tmp_path: Path) -> None:
    rows = "".join(f"Item {i}\n" for i in range(60_000))
    source = open_text(tmp_path, "t.csv", "item\n" + rows)
    found = ValueLookup(WorkspacePool()).lookup([source], ["item 4711"], Policy())
    assert [(hit.value, hit.score) for hit in found] == [("Item 4711", 1.0)]


def test_texts_that_no_question_says_are_not_listed(tmp_path: Path) -> None:
    said, long, hidden = "north", "n" * 101, "nor\U0010f001th"
    rows = f"id,place\n1,{said}\n2,{long}\n3,{hidden}\n4,\n"
    source = open_text(tmp_path, "odd.csv", rows)
    found = ValueLookup(WorkspacePool()).lookup([source], [said, long, hidden], Policy())
    assert {hit.value for hit in found} == {said}


def test_thirty_phrases_are_looked_up_in_no_time(tmp_path: Path) -> None:
    source = open_file(tmp_path, shared("databases", "northwind.sqlite"))
    lookup = ValueLookup(WorkspacePool())
    words = [
        "beverages",
        "usa",
        "london",
        "seafod",
        "germny",
        "revenue",
        "customer",
        "tofu",
        "chai",
        "exotic",
    ]
    phrases = [f"{word}{ending}" for word in words for ending in ("", " s", "x")]
    lookup.lookup([source], phrases, Policy())
    begun = time.perf_counter()
    found = lookup.lookup([source], phrases, Policy())
    assert time.perf_counter() - begun < allowing(0.2)
    assert ("Categories", "CategoryName") in {(hit.table, hit.column) for hit in found}


def test_northwind_is_described_as_an_analyst_would(tmp_path: Path) -> None:
    description = described(open_file(tmp_path, shared("databases", "northwind.sqlite")))
    assert len(description.tables) == 13
    assert len(description.relationships) == 13
    assert all(r.declared for r in description.relationships)
    assert column(description, "Order Details", "UnitPrice").role is ColumnRole.MEASURE
    assert column(description, "Orders", "OrderDate").role is ColumnRole.TIMESTAMP
    assert column(description, "Orders", "EmployeeID").role is ColumnRole.ID
