"""How long a model's card of the data takes to build from kept facts, and how large it is:
`python -m bench.proposals.card`.

Beside the times of one to four hundred tables stands what DuckDB takes to describe as many: the
ratio holds on any machine. Policy, relevance and words included; the facts are at hand.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import duckdb

from mesh.policy import Policy
from services.planner.adapters.llm.describing import described, tokens_in, visible
from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
)
from services.planner.domain.facts import (
    ColumnFacts,
    Coverage,
    Facts,
    ReferenceFacts,
    TableFacts,
    TimeFacts,
    ValueCount,
)

_SIZES = ((1, 8), (10, 8), (50, 12), (400, 25))
_ROUNDS, _MOST_TOKENS = 7, 8_000
_POLICY = Policy(blocked_patterns=("email", "phone"))
_QUESTION = "average amount of things 7 by region and month for each supplier"


def shop_of(tables: int, columns: int) -> Catalogue:
    """A source of so many tables with so many columns each, every table joined with the first."""
    kinds = (
        ("id", DataType.INTEGER, ColumnRole.ID, ()),
        ("region", DataType.STRING, ColumnRole.DIMENSION, ("North", "South", "West")),
        ("amount", DataType.FLOAT, ColumnRole.MEASURE, ("12.5", "13.0")),
        ("sold_on", DataType.DATE, ColumnRole.TIMESTAMP, ("2024-01-01",)),
    )
    made = tuple(
        Column(
            name=f"{name}_{number}",
            data_type=kind,
            role=role,
            distinct=3,
            samples=samples,
            minimum=samples[0] if samples else None,
            maximum=samples[-1] if samples else None,
        )
        for number in range(columns // len(kinds) + 1)
        for name, kind, role, samples in kinds
    )[:columns]
    every = tuple(
        Table(name=f"things_{n}", source_name="shop.sqlite", rows=900, columns=made)
        for n in range(tables)
    )
    links = tuple(
        Relationship(
            from_table=table.name, from_column="id_0", to_table=every[0].name, to_column="id_0"
        )
        for table in every[1:]
    )
    facts = Facts(
        tables=tuple(_facts(table) for table in every),
        references=tuple(
            ReferenceFacts(
                **link.model_dump(include=set(ReferenceFacts.model_fields)),
                filled=900,
                orphans=3,
                share=0.99,
                keys=900,
                used=870,
                most=4,
            )
            for link in links
        ),
    )
    return Catalogue(tables=every, relationships=links, fingerprint="ab" * 32, facts=facts)


def _facts(table: Table) -> TableFacts:
    """Of a table whose texts have sixteen values, and whose dates lack some months."""
    values = tuple(ValueCount(value=f"Region {n}", rows=9) for n in range(16))
    texts = [one.name for one in table.columns if one.data_type is DataType.STRING]
    dates = [one.name for one in table.columns if one.data_type is DataType.DATE]
    months = Coverage(grain="month", periods=20, missing=4, examples=("2024-05",), last_whole=False)
    return TableFacts(
        table=table.name,
        rows=900,
        measured_rows=900,
        columns=tuple(ColumnFacts(column=name, whole=True, values=values) for name in texts),
        times=tuple(
            TimeFacts(
                column=name, first="2024-01-01", last="2025-12-20", days=500, coverage=(months,)
            )
            for name in dates
        ),
    )


def _fastest(work: Callable[[], object]) -> float:
    """Seconds of the fastest of a few rounds."""
    taken = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)


def _card(shop: Catalogue) -> str:
    return described(visible(shop, _POLICY), _POLICY, _QUESTION, [], _MOST_TOKENS)[0]


def _describes(database: duckdb.DuckDBPyConnection, shop: Catalogue) -> None:
    for table in shop.tables:
        database.execute(f'DESCRIBE "{table.name}"').fetchall()


def main() -> None:
    """Print size and time of the card by size of the source."""
    print("| tables | columns | card | tokens | built in | DESCRIBE of all | ratio |")
    print("|---|---|---|---|---|---|---|")
    for tables, columns in _SIZES:
        shop = shop_of(tables, columns)
        text = _card(shop)
        ours = _fastest(partial(_card, shop))
        with duckdb.connect() as database:
            for table in shop.tables:
                listing = ", ".join(f'"{column.name}" VARCHAR' for column in table.columns)
                database.execute(f'CREATE TABLE "{table.name}" ({listing})')
            plain = _fastest(partial(_describes, database, shop))
        print(
            f"| {tables} | {tables * columns:,} | {len(text.encode()) / 1_000:.1f} KB "
            f"| {tokens_in(text):,} | {ours * 1_000:.1f} ms | {plain * 1_000:.1f} ms "
            f"| {ours / plain:.2f} |"
        )


if __name__ == "__main__":
    main()
