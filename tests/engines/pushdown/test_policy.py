"""What policy hides stays hidden in a database that is asked through a target, and what is sent
there only reads."""

from __future__ import annotations

import pytest

from mesh.policy import Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.engine import ENGINE_KEY
from services.executor.engines.expressible import NotExpressible
from services.executor.pushdown.engine import PushdownEngine
from services.executor.pushdown.guard import checked
from tests.engines.pushdown.kinds import ENGINES
from tests.engines.test_flightsql_policy import EMAIL, MASKED, NAMES
from tests.engines.world import Place
from tests.unit.executor.sql_attacks import BOTH_WALLS, GUARD_ALONE

pytestmark = pytest.mark.parametrize("engine", ENGINES)
ONLY_COPIED = ("string_agg", "regexp_extract")


@pytest.mark.parametrize("sql", MASKED)
@pytest.mark.parametrize("place", ["there", "copies"])
def test_a_blocked_cell_is_masked_before_any_function_sees_it(
    sql: str, place: str, engine: str, shop: dict[str, Place]
) -> None:
    del engine
    if place == "there" and any(word in sql for word in ONLY_COPIED):
        with pytest.raises(NotExpressible):
            shop[place].ask(sql, policy=EMAIL)
        return
    found = shop[place].ask(sql, policy=EMAIL)
    cells = str(found.to_pydict()).lower()
    assert "ada" not in cells
    assert "example" not in cells
    assert found.num_rows == shop["duckdb"].ask(sql, policy=EMAIL).num_rows


def test_masked_groups_stay_apart(engine: str, shop: dict[str, Place]) -> None:
    sql = (
        "SELECT name AS who, count(*) AS n, sum(quantity) AS q FROM orders JOIN customers"
        " USING (customer_id) GROUP BY ALL"
    )
    plain = shop["duckdb"].ask(sql).to_pylist()
    found = shop["there"].ask(sql, policy=NAMES)
    masked = found.to_pylist()
    assert found.schema.metadata[ENGINE_KEY] == engine.encode()
    assert all(row["who"].startswith("[blocked ") for row in masked)
    assert sorted((r["n"], r["q"]) for r in masked) == sorted((r["n"], r["q"]) for r in plain)


def test_what_is_told_by_its_pseudonym_can_be_asked_for(
    engine: str, shop: dict[str, Place]
) -> None:
    del engine
    sql = "SELECT note, count(*) AS n FROM orders GROUP BY note HAVING note LIKE '%_'"
    told = shop["there"].ask(sql, policy=EMAIL).to_pylist()
    ((masked, rows),) = [(r["note"], r["n"]) for r in told if r["note"].startswith("[email ")]
    asked = "SELECT count(*) AS n FROM orders WHERE note = ?"
    assert shop["there"].ask(asked, [masked], policy=EMAIL).to_pylist() == [{"n": rows}]


def test_a_blocked_column_does_not_exist(engine: str, shop: dict[str, Place]) -> None:
    del engine
    with pytest.raises(ToolError) as refusal:
        shop["there"].ask("SELECT email FROM customers", policy=EMAIL)
    assert refusal.value.details["reason"] == "COLUMN_BLOCKED"


def test_many_texts_to_judge_are_judged_over_a_copy(
    engine: str, shop: dict[str, Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    del engine
    monkeypatch.setattr("services.executor.databases.masking.MOST_TEXTS", 0)
    found = shop["chosen"].ask("SELECT note FROM orders", policy=Policy(blocked_patterns=("ada",)))
    assert found.schema.metadata[ENGINE_KEY] == b"duckdb"
    assert "ada" not in str(found.to_pydict())


def test_texts_hold_any_sign_and_stay_texts(engine: str, shop: dict[str, Place]) -> None:
    del engine
    for text in ("it's", "a\\", "\\'", "'; DROP TABLE orders; --", "{0}", "\n", "`", '"', "%", "ß"):
        rows = shop["there"].ask("SELECT count(*) AS n, max(?) AS t FROM orders", [text])
        assert rows.to_pylist() == [{"n": 120, "t": text}]


def test_no_attack_is_sent(engine: str, shop: dict[str, Place]) -> None:
    del engine
    place = shop["there"]
    assert isinstance(place.engine, PushdownEngine)
    unreachable = Place(_Unreachable(place.engine), place.sources)
    for attack in BOTH_WALLS + GUARD_ALONE:
        with pytest.raises((ToolError, NotExpressible)):
            unreachable.ask(attack.replace("{out}", "/tmp/x"))


class _Unreachable:
    """An engine whose server nobody may speak to."""

    def __init__(self, engine: PushdownEngine) -> None:
        self._engine = engine

    def query(self, *given: object, **terms: object) -> object:
        class Refusing:
            def open(self, *given: object, **terms: object) -> object:
                raise AssertionError("an attack was about to be sent")

        kept, self._engine.sessions = self._engine.sessions, Refusing()  # type: ignore[assignment]
        try:
            return self._engine.query(*given, **terms)  # type: ignore[arg-type]
        finally:
            self._engine.sessions = kept


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1; DROP TABLE orders",
        "DELETE FROM orders",
        "SELECT * FROM url('http://127.0.0.1/', 'CSV', 'a String')",
        "SELECT file('/etc/passwd')",
        "SELECT 1 /* + hint */",
        "SET max_memory_usage = 1",
        "SELECT * FROM orders INTO OUTFILE '/tmp/x'",
    ],
)
def test_what_is_not_one_known_select_is_not_sent(
    statement: str, engine: str, shop: dict[str, Place]
) -> None:
    del engine
    target = shop["there"].engine._target  # type: ignore[attr-defined]
    with pytest.raises((ToolError, NotExpressible)) as refusal:
        checked(target, statement)
    if isinstance(refusal.value, ToolError):
        assert refusal.value.category is ErrorCategory.POLICY_DENIED
