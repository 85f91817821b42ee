"""The engine: results, limits, errors a repair can act on, and equal bytes for equal calls."""

from __future__ import annotations

import json
import re
import threading
import time
from pathlib import Path

import pyarrow as pa
import pytest

from mesh.policy import Policy
from mesh.pseudonym import presented, pseudonym
from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.engine import NOTES_KEY
from services.executor.sources.prepared import PreparedSource
from tests.busy import allowing
from tests.unit.executor.source_help import ask, open_file, open_text, write_shop

ENDLESS = "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r"
CARTESIAN = "SELECT count(*) FROM n a, n b, n c WHERE a.i + b.i + c.i = 7"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> PreparedSource:
    folder = tmp_path_factory.mktemp("shop")
    return open_file(folder, write_shop(folder))


def failure(shop: PreparedSource, sql: str) -> ToolError:
    with pytest.raises(ToolError) as caught:
        ask(shop, sql)
    return caught.value


def test_results_have_only_the_friendly_types(shop: PreparedSource) -> None:
    table = ask(
        shop,
        "SELECT sum(order_id) AS whole, 1.25 AS decimal, [1, 2] AS list, {'a': 1} AS struct, "
        "TIME '10:00' AS time, 1::UTINYINT AS small, 1.5::FLOAT AS single, true AS yes, "
        "max(ordered_at) AS moment, DATE '2020-01-01' AS day, NULL AS nothing, "
        "TIMESTAMPTZ '2020-01-01 00:00:00+02' AS zoned, 170141183460469231731687303715::HUGEINT "
        "AS huge FROM orders",
    )
    plain = {pa.int64(), pa.float64(), pa.string(), pa.bool_(), pa.date32(), pa.timestamp("us")}
    assert set(table.schema.types) <= {*plain, pa.decimal128(38, 0)}
    row = table.to_pylist()[0]
    assert (row["whole"], row["decimal"], row["list"], row["struct"]) == (
        46,
        1.25,
        "[1, 2]",
        '{"a": 1}',
    )
    assert row["zoned"].isoformat() == "2019-12-31T22:00:00"


def test_columns_of_one_name_are_told_apart(shop: PreparedSource) -> None:
    table = ask(shop, "SELECT o.customer_id, c.customer_id FROM orders o, customers c")
    assert table.column_names == ["customer_id", "customer_id_2"]


def test_parameters_are_values_never_sql(shop: PreparedSource) -> None:
    found = ask(shop, "SELECT name FROM customers WHERE city = ?", ["x' OR '1'='1"])
    assert found.num_rows == 0
    with pytest.raises(ToolError) as caught:
        ask(shop, "SELECT name FROM customers WHERE city = ?", [])
    assert caught.value.category is ErrorCategory.INVALID_ARGUMENTS


def test_a_missing_column_comes_with_candidates(shop: PreparedSource) -> None:
    error = failure(shop, "SELECT amont FROM orders")
    assert error.category is ErrorCategory.MISSING_COLUMN
    assert error.details == {"column": "amont", "candidates": ["amount"]}


def test_a_sum_of_text_is_a_type_mismatch_and_names_the_column(shop: PreparedSource) -> None:
    error = failure(shop, "SELECT sum(note) FROM orders")
    assert error.category is ErrorCategory.TYPE_MISMATCH
    assert (error.details["column"], error.details["type"]) == ("note", "VARCHAR")


def test_text_that_is_no_number_is_a_type_mismatch(shop: PreparedSource) -> None:
    error = failure(shop, "SELECT note::INTEGER FROM orders")
    assert error.category is ErrorCategory.TYPE_MISMATCH


def test_an_ungrouped_column_is_a_fault_of_the_statement(shop: PreparedSource) -> None:
    error = failure(shop, "SELECT note, count(*) FROM orders")
    assert error.category is ErrorCategory.SQL_SYNTAX
    assert "GROUP BY" in error.hint


def test_more_rows_than_allowed_are_refused_not_cut(shop: PreparedSource) -> None:
    assert ask(shop, "SELECT * FROM orders", row_limit=4).num_rows == 4
    with pytest.raises(ToolError) as caught:
        ask(shop, "SELECT * FROM orders", row_limit=3)
    assert caught.value.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert caught.value.details["limit"] == 3


def test_an_endless_query_ends_within_a_second_of_its_time(shop: PreparedSource) -> None:
    begun = time.monotonic()
    with pytest.raises(ToolError) as caught:
        ask(shop, ENDLESS, seconds=0.3)
    assert caught.value.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert time.monotonic() - begun < allowing(1.3)


def test_a_cartesian_product_is_cancelled_inside_the_database(tmp_path: Path) -> None:
    numbers = open_text(tmp_path, "n.csv", "i\n" + "\n".join(map(str, range(5_000))))
    cancelled = threading.Event()
    timer = threading.Timer(0.3, cancelled.set)
    timer.start()
    begun = time.monotonic()
    with pytest.raises(ToolError) as caught:
        ask(numbers, CARTESIAN, cancelled=cancelled)
    timer.join()
    assert caught.value.category is ErrorCategory.CANCELLED
    assert time.monotonic() - begun < allowing(1.5)


def test_memory_has_a_limit(shop: PreparedSource) -> None:
    error = failure(
        shop, "SELECT list(a.range || b.range::VARCHAR) AS l FROM range(20000) a, range(20000) b"
    )
    assert error.category is ErrorCategory.RESOURCE_EXHAUSTED
    assert error.details["limit"] == "memory"


def test_sums_of_floats_have_the_same_bits_every_time(tmp_path: Path) -> None:
    rows = "\n".join(f"{i % 7},{(i * 7919 % 100_003) / 7}" for i in range(300_000))
    source = open_text(tmp_path, "x.csv", "k,v\n" + rows)
    sql = "SELECT k, sum(v) AS s, avg(v) AS a, stddev(v) AS d FROM x GROUP BY k"
    first = ask(source, sql)
    assert all(ask(source, sql).equals(first) for _ in range(4))


def test_ties_are_broken_the_same_way(shop: PreparedSource) -> None:
    found = ask(shop, "SELECT order_id, amount FROM orders ORDER BY amount DESC LIMIT 1")
    assert found.to_pylist() == [{"order_id": 12, "amount": 30.0}]


def test_two_sources_with_one_table_name_stand_side_by_side(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = open_text(tmp_path / "a", "t.csv", "x\n1\n")
    second = open_text(tmp_path / "b", "t.csv", "x\n2\n")
    found = ask([first, second], "SELECT t.x AS a, t_2.x AS b FROM t, t_2")
    assert found.to_pylist() == [{"a": 1, "b": 2}]


def test_a_blocked_column_is_neither_named_nor_in_a_star(shop: PreparedSource) -> None:
    policy = Policy(blocked_patterns=("email",))
    assert "email" not in ask(shop, "SELECT * FROM customers", policy=policy).column_names
    with pytest.raises(ToolError) as caught:
        ask(shop, "SELECT c.email FROM customers c", policy=policy)
    assert caught.value.category is ErrorCategory.POLICY_DENIED
    assert caught.value.details["column"] == "email"
    with pytest.raises(ToolError):
        ask(shop, "SELECT name FROM customers ORDER BY email", policy=policy)


def test_blocked_text_is_masked_and_counted(shop: PreparedSource) -> None:
    table = ask(
        shop,
        "SELECT note FROM orders WHERE note IS NOT NULL",
        policy=Policy(blocked_patterns=("email",)),
    )
    masked, *rest = table.column("note").to_pylist()
    assert re.fullmatch(r"\[email [a-z]{13}\]", masked)
    assert rest == ["gift", "gift"]
    assert json.loads(table.schema.metadata[NOTES_KEY]) == ["1 cell blocked by policy"]


@pytest.mark.parametrize(
    "expression",
    [
        "substring(note, 6, 20)",
        "upper(note)",
        "reverse(note)",
        "split_part(note, ' ', 2)",
        "list(note)",
        "replace(note, '@', ' at ')",
    ],
)
def test_no_function_takes_blocked_text_apart(shop: PreparedSource, expression: str) -> None:
    policy = Policy(blocked_patterns=("email",))
    shown = str(ask(shop, f"SELECT {expression} AS x FROM orders", policy=policy).to_pylist())
    assert "example" not in shown.lower()
    assert "elpmaxe" not in shown.lower()


@pytest.mark.parametrize(
    "expression",
    [
        "upper(note)",
        "lower(note)",
        "trim(note)",
        "reverse(reverse(note))",
        "note || ''",
        "concat_ws('', note, NULL)",
        "strip_accents(note)",
        "replace(note, '@', '-')",
        "list_extract(array_agg(note), 1)",
        "regexp_extract(note, '.*')",
        "max(note)",
    ],
)
def test_what_leaves_a_pseudonym_whole_shows_the_same_pseudonym(
    shop: PreparedSource, expression: str
) -> None:
    policy = Policy(blocked_patterns=("email",))
    sql = "SELECT {} AS x FROM orders WHERE note LIKE '%_' AND note != 'gift' GROUP BY note"
    plain = ask(shop, sql.format("note"), policy=policy)["x"].to_pylist()
    assert ask(shop, sql.format(expression), policy=policy)["x"].to_pylist() == plain


@pytest.mark.parametrize(
    "expression",
    [
        "left(note, 4)",
        "right(note, 3)",
        "substr(note, 2, 5)",
        "substring(note FROM 4)",
        "reverse(note)",
        "split(note, left(note, 1))[2]",
        "regexp_extract(note, '.{5}')",
        "note[3:6]",
        "replace(note, left(note, 2), '')",
        "translate(note, left(note, 1), 'x')",
    ],
)
def test_what_is_left_of_a_pseudonym_looks_like_no_value(
    shop: PreparedSource, expression: str
) -> None:
    sql = f"SELECT {expression} AS x FROM orders WHERE note LIKE '%_' AND note != 'gift'"
    found = ask(shop, sql, policy=Policy(blocked_patterns=("email",)))["x"].to_pylist()
    assert [re.sub(r"x|[\[\]\"]", "", text.replace("[blocked]", "")) for text in found] == [""]


@pytest.mark.parametrize(
    "expression", ["regexp_replace(note, '\\W', '', 'g')", "regexp_extract(note, '[a-z0-9]+')"]
)
def test_no_letter_or_digit_comes_out_of_a_pseudonym(shop: PreparedSource, expression: str) -> None:
    sql = f"SELECT {expression} AS x FROM orders WHERE note LIKE '%_' AND note != 'gift'"
    found = ask(shop, sql, policy=Policy(blocked_patterns=("email",)))["x"].to_pylist()
    assert found == [""]


@pytest.mark.parametrize(
    "expression",
    [
        "md5(note)",
        "ascii(note)",
        "unicode(note)",
        "ord(note)",
        "bin(note)",
        "url_encode(note)",
        "note::BLOB",
        "hamming(note, note)",
    ],
)
def test_functions_that_would_make_other_signs_of_a_pseudonym_are_refused(
    shop: PreparedSource, expression: str
) -> None:
    with pytest.raises(ToolError, match="takes texts apart"):
        ask(shop, f"SELECT {expression} AS x FROM orders", policy=Policy(blocked_patterns=("ip",)))


def test_a_group_that_was_told_by_its_pseudonym_can_be_asked_for(shop: PreparedSource) -> None:
    policy = Policy(blocked_patterns=("email",))
    told = ask(shop, "SELECT note FROM orders WHERE note LIKE '%_'", policy=policy)
    masked = next(text for text in told["note"].to_pylist() if text.startswith("[email"))
    found = ask(shop, "SELECT count(*) AS n FROM orders WHERE note = ?", [masked], policy=policy)
    assert found.to_pylist() == [{"n": 1}]
    found = ask(shop, f"SELECT count(*) AS n FROM orders WHERE note = '{masked}'", policy=policy)
    assert found.to_pylist() == [{"n": 1}]


def test_equal_texts_of_two_files_have_one_pseudonym(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    left = open_text(tmp_path / "a", "l.csv", "who,n\na@x.org,1\nb@x.org,2\n")
    right = open_text(tmp_path / "b", "r.csv", "whom,m\nb@x.org,3\nc@x.org,4\n")
    sql = "SELECT n, m, who = whom AS same FROM l JOIN r ON who = whom"
    found = ask([left, right], sql, policy=Policy(blocked_patterns=("email",)))
    assert found.to_pylist() == [{"n": 2, "m": 3, "same": True}]


def test_a_cell_that_is_spelled_like_a_pseudonym_is_masked_too(tmp_path: Path) -> None:
    forged = pseudonym("x", "email", b"key")
    source = open_text(tmp_path, "p.csv", f"who\n{forged}\nplain\n")
    found = ask(source, "SELECT who FROM p", policy=Policy(blocked_patterns=("nothing",)))
    first, second = found["who"].to_pylist()
    assert first.startswith("[blocked ")
    assert first != presented(forged)
    assert second == "plain"


def test_joins_and_counts_over_blocked_text_stay_right(tmp_path: Path) -> None:
    source = open_text(tmp_path, "p.csv", "who\na@x.org\nb@x.org\na@x.org\n")
    policy = Policy(blocked_patterns=(r"\w+@\w+\.org",))
    sql = "SELECT count(DISTINCT a.who) AS d, count(*) AS n FROM p a JOIN p b ON a.who = b.who"
    assert ask(source, sql, policy=policy).to_pylist() == [{"d": 2, "n": 5}]


def test_a_whitelist_leaves_only_its_columns(shop: PreparedSource) -> None:
    policy = Policy(allowed_columns=("orders.amount", "NAME"))
    assert ask(shop, "SELECT * FROM orders", policy=policy).column_names == ["amount"]
    assert ask(shop, "SELECT * FROM customers", policy=policy).column_names == ["name"]


def test_many_threads_share_one_engine(shop: PreparedSource) -> None:
    wrong: list[object] = []

    def work(number: int) -> None:
        sql = "SELECT count(*) AS n FROM orders WHERE customer_id = ?"
        expected = {1: 2, 2: 2, 3: 0}[number % 3 + 1]
        found = ask(shop, sql, [number % 3 + 1]).to_pylist()[0]["n"]
        if found != expected:
            wrong.append((number, found))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
