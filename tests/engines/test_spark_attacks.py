"""The walls around SQL on Spark: guard, translation, and a query in parentheses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mesh.policy import Policy
from mesh.testing.spark import SparkServer
from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.spark.connect import connected
from services.executor.engines.spark.engine import SparkEngine
from services.executor.engines.spark.translate import check
from tests.engines.spark_attacks import BEFORE_THE_LAST_LOOK, BOTH_WALLS, GUARD_ALONE
from tests.engines.spark_world import shop_without_server
from tests.engines.world import Place

REFUSALS = {
    ErrorCategory.POLICY_DENIED,
    ErrorCategory.MISSING_COLUMN,
    ErrorCategory.SQL_SYNTAX,
    ErrorCategory.TYPE_MISMATCH,
}
VIEW = "target"


@dataclass(frozen=True)
class Fortress:
    """An engine, and a session like the engine's whose state can be looked at."""

    place: Place
    session: Any
    server: SparkServer
    out: Path
    home: Path

    def state(self) -> str:
        catalog = self.session.catalog
        tables = self.session.sql("SHOW TABLES").toArrow().to_pylist()
        return json.dumps(
            {
                "tables": tables,
                "databases": [database.name for database in catalog.listDatabases()],
                "functions": self.session.sql("SHOW USER FUNCTIONS").toArrow().to_pylist(),
                "settings": self.session.sql("SET").toArrow().to_pylist(),
                "rows": self.session.table(VIEW).toArrow().to_pylist(),
                "files": sorted(str(p) for p in self.home.rglob("*") if p.is_file()),
                "warehouse": sorted(str(p) for p in (self.server.folder / "warehouse").rglob("*")),
            }
        )

    def spelled(self, attack: str, view: str) -> str:
        return attack.replace("{out}", str(self.out)).replace("{view}", view)


@pytest.fixture(scope="module")
def fortress(spark: SparkServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fortress]:
    folder = tmp_path_factory.mktemp("fortress")
    shop = shop_without_server(folder)
    engine = SparkEngine(spark.address, folder / "copies")
    place = Place(engine, [shop])
    place.ask("SELECT count(*) FROM orders")
    session = connected(spark.address)
    session.range(3).createOrReplaceTempView(VIEW)
    yield Fortress(place, session, spark, folder / "loot", folder)
    session.client.release_session()
    engine.close()


@pytest.fixture(scope="module")
def before(fortress: Fortress) -> str:
    return fortress.state()


@pytest.mark.parametrize("attack", BOTH_WALLS + GUARD_ALONE)
def test_no_attack_passes_the_guard(attack: str, fortress: Fortress) -> None:
    with pytest.raises((ToolError, NotExpressible)) as refusal:
        fortress.place.ask(fortress.spelled(attack, "orders"), seconds=20)
    if isinstance(refusal.value, ToolError):
        assert refusal.value.category in REFUSALS
        assert refusal.value.message
    assert not fortress.out.exists()


def test_the_attacks_left_everything_as_it_was(fortress: Fortress, before: str) -> None:
    for attack in BOTH_WALLS + GUARD_ALONE:
        with pytest.raises((ToolError, NotExpressible)):
            fortress.place.ask(fortress.spelled(attack, "orders"), seconds=20)
    assert fortress.state() == before


@pytest.mark.parametrize("attack", BOTH_WALLS)
def test_spark_refuses_too_what_stands_where_a_query_is_expected(
    attack: str, fortress: Fortress, before: str
) -> None:
    """Without guard and translation, wrapped as every statement of the engine is."""
    from pyspark.errors import AnalysisException, ParseException

    inner = fortress.spelled(attack, VIEW)
    with pytest.raises((AnalysisException, ParseException)):
        fortress.session.sql(f"SELECT CAST(`c0` AS STRING) AS `c0` FROM ({inner}) AS q(`c0`)")
    assert fortress.state() == before
    assert not fortress.out.exists()


@pytest.mark.parametrize(
    "attack", [a for a in BOTH_WALLS + GUARD_ALONE if a not in BEFORE_THE_LAST_LOOK]
)
def test_the_last_look_refuses_what_the_guard_would_have(attack: str, fortress: Fortress) -> None:
    # What cannot be read back is left to DuckDB, whose guard refuses it.
    with pytest.raises((ToolError, NotExpressible)) as refusal:
        check(fortress.spelled(attack, "orders"), frozenset({"orders"}))
    if isinstance(refusal.value, ToolError):
        assert refusal.value.category is ErrorCategory.POLICY_DENIED


def test_a_hidden_column_is_not_in_the_view(spark_places: dict[str, Place]) -> None:
    policy = Policy(allowed_columns=("order_id", "amount"))
    with pytest.raises(ToolError) as refusal:
        spark_places["spark"].ask("SELECT price FROM orders", policy=policy)
    assert refusal.value.category is ErrorCategory.POLICY_DENIED
    table = spark_places["spark"].ask("SELECT * FROM orders", policy=policy)
    assert table.column_names == ["order_id", "amount"]


def test_texts_that_policy_may_block_are_left_to_another_engine(
    spark_places: dict[str, Place],
) -> None:
    policy = Policy(blocked_patterns=("email",))
    with pytest.raises(NotExpressible, match="texts that policy may block"):
        spark_places["spark"].ask("SELECT note, count(*) FROM orders GROUP BY note", policy=policy)
    with pytest.raises(NotExpressible):
        spark_places["spark"].ask("SELECT * FROM orders", policy=policy)
    sql = "SELECT customer_id, sum(quantity) AS q FROM orders GROUP BY customer_id"
    found = spark_places["spark"].ask(sql, policy=policy)
    assert found.to_pydict() == spark_places["duckdb"].ask(sql, policy=policy).to_pydict()
