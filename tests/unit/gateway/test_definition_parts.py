"""Definitions by themselves: what they are about, and what a source is known by again."""

from __future__ import annotations

import pytest

from assay.common.v1 import data_pb2, look_pb2
from assay.planner.v1 import planner_service_pb2 as planner_pb
from gateway.definitions.facts import facts_of
from gateway.definitions.places import places_of
from gateway.domain.definition import parse_part, subjects_of

WHOLE = """
fiscal_year_starts: 4
tables:
  orders:
    time: placed_on
    metrics: {net revenue: {formula: quantity * price}}
    joins: [{to: shops, on: {shop: id}}]
    columns:
      region: {values: {NO: [Norway]}, synonyms: [area]}
  shops: {}
repairs:
  orders.csv: [nothing.price=-1]
"""


def test_what_a_definition_is_about_is_told_in_words() -> None:
    assert list(subjects_of(parse_part(WHOLE))) == [
        "metric net revenue of orders",
        "join of orders with shops",
        "value NO of orders.region",
        "synonyms of orders.region",
        "time of orders",
        "repairs of orders.csv",
        "fiscal year starts",
    ]
    assert not list(subjects_of(parse_part("- a list"))), "which the planner has refused"


def address(text: str) -> data_pb2.DataSource:
    return data_pb2.DataSource(connection_string=text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("postgresql://ann@db:5432/shop", "postgresql://bob@db:5432/shop"),
        ("postgresql://db/shop?assay_credential=1", "postgresql://db/shop?assay_credential=2"),
        ("sqlite:///shop.sqlite", "sqlite:///shop.sqlite"),
    ],
)
def test_a_database_is_the_same_whoever_signs_in(one: str, other: str) -> None:
    assert places_of([address(one)], {}) == places_of([address(other)], {}) != ()


def test_a_file_is_known_by_its_name_wherever_it_lies() -> None:
    here = data_pb2.DataSource(file_path="/data/2023/orders.csv")
    there = data_pb2.DataSource(file_path="/data/2024/orders.csv")
    uploaded = data_pb2.DataSource(file_id="ab" * 16)
    content = planner_pb.FileContent(content_digest="00", name="orders.csv")

    assert places_of([here], {}) == places_of([there], {})
    assert places_of([here], {}) == places_of([uploaded], {"ab" * 16: content})
    assert places_of([data_pb2.DataSource(file_path="/data/other.csv")], {}) != places_of(
        [here], {}
    )
    assert places_of([data_pb2.DataSource(frame="cd" * 16)], {}) == ()
    assert len(places_of([here, there], {})) == 1


def test_the_data_tells_how_much_of_a_join_matches() -> None:
    join = look_pb2.JoinLook(
        column="shop", to_table="shops", to_column="id", matched=0.5, orphans=12, most=1
    )
    orders = look_pb2.TableLook(name="orders", rows=40, joins=[join], time_column="placed_on")
    orders.columns.add(name="placed_on", minimum="2024-01-01", maximum="2024-03-01", empty=2)
    region = orders.columns.add(name="region", distinct=2)
    region.bins.add(**{"from": "NO", "rows": 30})
    region.bins.add(**{"from": "SE", "rows": 10})

    assert facts_of(WHOLE, look_pb2.Look(tables=[orders])) == [
        "net revenue is computed over the 40 rows of orders",
        "placed_on goes from 2024-01-01 to 2024-03-01, 2 rows without one",
        "50.0% of the values of orders.shop with shops.id match: few, for a join; "
        "12 rows find none, and at most 1 go with one row",
        "30 rows have NO in orders.region",
    ]


def test_what_the_data_tells_of_another_join_or_date_is_not_told_of_this_one() -> None:
    """Columns that policy hides are in no look: what stands in their place is not measured."""
    join = look_pb2.JoinLook(column="team", to_table="shops", to_column="team", matched=1.0, most=3)
    orders = look_pb2.TableLook(name="orders", rows=40, joins=[join], time_column="hired")
    orders.columns.add(name="hired", minimum="2024-01-01", maximum="2024-03-01")
    said = "tables: {orders: {time: placed_on, joins: [{to: shops, on: {shop: id}}]}}"

    assert facts_of(said, look_pb2.Look(tables=[orders])) == [
        "from when to when orders.placed_on goes was not measured",
        "how many values of orders.shop with shops.id match was not measured",
    ]
