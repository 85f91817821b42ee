"""What a model reads of a look: short, with all that a statement needs."""

from __future__ import annotations

import json

from assay.common.v1.look_pb2 import ColumnLook, Look, SemanticKind, TableLook
from clients.python.cli.looked import look_object
from clients.python.mcp_server.looked import matches_of, tables_left, tables_of


def table(name: str) -> TableLook:
    found = TableLook(name=name, rows=2155, key=["order", "product"], time_column="orders.day")
    found.columns.extend(
        [
            ColumnLook(name="order", kind=SemanticKind.SEMANTIC_KIND_ID),
            ColumnLook(
                name="weight",
                kind=SemanticKind.SEMANTIC_KIND_AMOUNT,
                unit="kg",
                minimum="1",
                maximum="120",
                empty=3,
            ),
            ColumnLook(
                name="state",
                kind=SemanticKind.SEMANTIC_KIND_CATEGORY,
                distinct=9,
                samples=["open", "closed", "x" * 40, "late"],
            ),
            ColumnLook(name="net", formula="price * n"),
        ]
    )
    found.joins.add(
        column="order", to_table="orders", to_column="id", matched=0.98, orphans=12, most=25
    )
    return found


def test_a_table_is_told_in_lines_that_a_statement_can_be_written_by() -> None:
    seen = look_object(Look(tables=[table("lines")]))
    assert tables_of(seen, 0) == [
        {
            "table": "lines",
            "rows": 2155,
            "row": "one for each order, product",
            "time": "orders.day",
            "columns": [
                "order id",
                "weight amount kg 1..120 3 empty",
                f"state category (open, closed, {'x' * 23}…, …)",
            ],
            "joins": [
                "order = orders.id, guessed, 98% match, 12 rows find none, at most 25 rows for one"
            ],
            "metrics": ["net = price * n"],
        }
    ]
    assert len(json.dumps(tables_of(seen, 0))) < 600 * 4, "some 600 tokens at most"


def test_many_tables_are_read_on_by_their_place() -> None:
    seen = look_object(Look(tables=[table(f"t{number}") for number in range(8)]))
    assert [one["table"] for one in tables_of(seen, 0)] == [f"t{n}" for n in range(6)]
    assert tables_left(seen, 0) == "first=6 for t6, t7"
    assert [one["table"] for one in tables_of(seen, 6)] == ["t6", "t7"]
    assert tables_left(seen, 6) == ""


def test_where_a_value_is_that_was_looked_for() -> None:
    look = Look()
    look.matches.add(phrase="swedn", table="orders", column="country", value="Sweden", score=0.66)
    assert matches_of(look_object(look)) == ["swedn: orders.country = Sweden"]
