"""Cards, social security numbers and telephone numbers that are stored as digits are masked."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mesh.policy import Policy
from mesh.recognising.numbers import luhn
from services.executor.engines.workspace import WorkspacePool
from services.executor.sources.describe import Describer
from services.executor.sources.lookup import ValueLookup
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import ask, open_file, open_text
from tests.unit.executor.workbook_help import rows_xml, workbook

RANDOM = random.Random(7)
BLOCKED = Policy(blocked_patterns=("credit_card", "ssn", "phone"))
ROWS = 60


def card() -> int:
    first = f"4{RANDOM.randrange(10**14):014d}"
    return next(int(f"{first}{last}") for last in range(10) if luhn(f"{first}{last}"))


PANS = [card() for _ in range(ROWS)]
PEOPLE = [
    int(
        f"{RANDOM.choice([*range(1, 666), *range(667, 900)]):03d}"
        f"{RANDOM.randrange(1, 100):02d}{RANDOM.randrange(1, 10_000):04d}"
    )
    for _ in range(ROWS)
]
LINES = [
    int(
        f"{RANDOM.choice((212, 415, 646))}{RANDOM.randrange(200, 999)}{RANDOM.randrange(10**4):04d}"
    )
    for _ in range(ROWS)
]
ORDERS = [4_000_000_000_000_000 + 7 * number for number in range(ROWS)]
TABLE = pa.table(
    {"pan": PANS, "person": PEOPLE, "line": LINES, "order_no": ORDERS, "amount": [5] * ROWS}
)
SECRETS = {str(value) for value in [*PANS, *PEOPLE, *LINES]}


def csv(folder: Path) -> PreparedSource:
    lines = [",".join(TABLE.column_names)]
    lines += [",".join(map(str, row.values())) for row in TABLE.to_pylist()]
    return open_text(folder, "t.csv", "\n".join(lines) + "\n")


def json_lines(folder: Path) -> PreparedSource:
    return open_text(folder, "t.jsonl", "\n".join(map(json.dumps, TABLE.to_pylist())))


def parquet(folder: Path) -> PreparedSource:
    pq.write_table(TABLE, folder / "t.parquet")
    return open_file(folder, folder / "t.parquet")


def floats(folder: Path) -> PreparedSource:
    columns = [column.cast(pa.float64()) for column in TABLE.columns]
    pq.write_table(pa.Table.from_arrays(columns, TABLE.column_names), folder / "t.parquet")
    return open_file(folder, folder / "t.parquet")


def decimals(folder: Path) -> PreparedSource:
    columns = [column.cast(pa.decimal128(20, 0)) for column in TABLE.columns]
    pq.write_table(pa.Table.from_arrays(columns, TABLE.column_names), folder / "t.parquet")
    return open_file(folder, folder / "t.parquet")


def arrow(folder: Path) -> PreparedSource:
    with (
        pa.OSFile(str(folder / "t.arrow"), "wb") as file,
        pa.ipc.new_file(file, TABLE.schema) as to,
    ):
        to.write_table(TABLE)
    return open_file(folder, folder / "t.arrow")


def excel(folder: Path) -> PreparedSource:
    rows = [TABLE.column_names, *(list(row.values()) for row in TABLE.to_pylist())]
    (folder / "t.xlsx").write_bytes(workbook({"t": rows_xml(rows)}))
    return open_file(folder, folder / "t.xlsx")


def duck(folder: Path) -> PreparedSource:
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.register("given", TABLE)
        connection.execute("CREATE TABLE t AS FROM given")
    return open_file(folder, folder / "t.duckdb")


def sqlite(folder: Path) -> PreparedSource:
    with sqlite3.connect(folder / "t.sqlite") as connection:
        connection.execute("CREATE TABLE t (pan INTEGER, person, line, order_no, amount INTEGER)")
        connection.executemany(
            "INSERT INTO t VALUES (?, ?, ?, ?, ?)", [tuple(r.values()) for r in TABLE.to_pylist()]
        )
    return open_file(folder, folder / "t.sqlite")


PLACES = [csv, json_lines, parquet, floats, decimals, arrow, excel, duck, sqlite]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_digits_are_masked_wherever_they_are_stored(
    place: Callable[[Path], PreparedSource], tmp_path: Path
) -> None:
    source = place(tmp_path)
    rows = ask(source, f'SELECT * FROM "{source.tables[0].name}"', policy=BLOCKED).to_pylist()
    for name, kind in {"pan": "credit_card", "person": "ssn", "line": "phone"}.items():
        assert all(re.fullmatch(rf"\[{kind} [a-z]{{13}}\]", row[name]) for row in rows), name
        assert len({row[name] for row in rows}) == len(set(TABLE[name].to_pylist()))
    assert [int(row["order_no"]) for row in rows] == ORDERS
    assert not [secret for secret in SECRETS if secret in str(rows)]


@pytest.mark.parametrize("place", [csv, floats], ids=lambda place: place.__name__)
def test_nothing_that_describes_them_tells_them(
    place: Callable[[Path], PreparedSource], tmp_path: Path
) -> None:
    source, pool = place(tmp_path), WorkspacePool()
    described = Describer(pool).describe([source], BLOCKED)
    told = described.model_dump_json()
    assert not [secret for secret in SECRETS if secret in told]
    kinds = {column.name: column.data_type.value for column in described.tables[0].columns}
    assert kinds["pan"] == kinds["person"] == kinds["line"] == "string"
    assert any("pan holds digits that policy blocks (credit_card)" in n for n in described.notes)
    assert not ValueLookup(pool).lookup([source], [str(PANS[0]), str(PEOPLE[0])], BLOCKED)


def test_without_the_pattern_they_stay_numbers(tmp_path: Path) -> None:
    rows = ask(csv(tmp_path), "SELECT pan, person FROM t", policy=Policy(blocked_patterns=("ip",)))
    assert rows["pan"].to_pylist() == PANS
    assert rows["person"].to_pylist() == PEOPLE


def test_a_number_and_a_text_of_the_same_card_have_one_pseudonym(tmp_path: Path) -> None:
    pq.write_table(pa.table({"n": PANS, "t": list(map(str, PANS))}), tmp_path / "t.parquet")
    source = open_file(tmp_path, tmp_path / "t.parquet")
    found = ask(source, "SELECT count(*) AS n FROM t WHERE n = t", policy=BLOCKED)
    assert found.to_pylist() == [{"n": ROWS}]


def test_leading_zeros_are_no_other_person(tmp_path: Path) -> None:
    texts = [f"{number:09d}" for number in PEOPLE]
    pq.write_table(pa.table({"n": PEOPLE, "t": texts}), tmp_path / "t.parquet")
    source = open_file(tmp_path, tmp_path / "t.parquet")
    found = ask(source, "SELECT count(*) AS n FROM t WHERE n = t", policy=BLOCKED)
    assert found.to_pylist() == [{"n": ROWS}]


def test_a_sign_for_an_unknown_number_hides_nothing_from_being_looked_at(tmp_path: Path) -> None:
    floats = [*map(float, PEOPLE), float("nan")]
    table = {"pan": [*PANS, -1], "who": [*PEOPLE, -999], "whom": floats}
    pq.write_table(pa.table(table), tmp_path / "t.parquet")
    source = open_file(tmp_path, tmp_path / "t.parquet")
    rows = ask(source, "SELECT * FROM t", policy=BLOCKED).to_pylist()
    assert all(row["pan"][0] == row["who"][0] == row["whom"][0] == "[" for row in rows[:-1])
    assert rows[-1] == {"pan": "-1", "who": "-999", "whom": "nan"}


def test_a_column_that_refers_to_one_of_people_holds_people(tmp_path: Path) -> None:
    """Two rows would say too little by themselves, and could not be joined."""
    with sqlite3.connect(tmp_path / "t.sqlite") as connection:
        connection.execute("CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT)")
        connection.execute("CREATE TABLE visits (id INTEGER, who INTEGER REFERENCES people (id))")
        connection.executemany("INSERT INTO people VALUES (?, 'x')", [(p,) for p in set(PEOPLE)])
        connection.executemany("INSERT INTO visits VALUES (?, ?)", [(9, PEOPLE[0]), (7, PEOPLE[1])])
    source = open_file(tmp_path, tmp_path / "t.sqlite")
    sql = "SELECT v.id AS visit, who FROM visits v JOIN people p ON p.id = v.who ORDER BY visit"
    rows = ask(source, sql, policy=BLOCKED).to_pylist()
    assert [row["visit"] for row in rows] == [7, 9]
    assert all(row["who"].startswith("[ssn ") for row in rows)


def test_an_expression_of_ones_own_is_tried_on_numbers(tmp_path: Path) -> None:
    policy = Policy(blocked_patterns=(r"\b9\d{6}\b",))
    source = open_text(tmp_path, "t.csv", "badge,n\n9000001,5\n9000002,6\n12,7\n")
    rows = ask(source, "SELECT badge, n FROM t ORDER BY n", policy=policy).to_pylist()
    assert [row["badge"][:9] for row in rows] == ["[blocked ", "[blocked ", "12"]
    assert [row["n"] for row in rows] == [5, 6, 7]
    notes = Describer(WorkspacePool()).describe([source], policy).notes
    assert any("a few other numbers of each column" in note for note in notes)
    words = Policy(blocked_patterns=("salary",))
    assert not Describer(WorkspacePool()).describe([source], words).notes


def test_columns_that_were_looked_at_in_part_are_told(tmp_path: Path) -> None:
    lines = [f"{1_000_000 + 3 * number},{number % 7}" for number in range(2_500)]
    source = open_text(tmp_path, "t.csv", "\n".join(["order_no,n", *lines]))
    told = [
        note
        for note in Describer(WorkspacePool()).describe([source], BLOCKED).notes
        if "not all, and none found" in note
    ]
    assert len(told) == 1
    assert told[0].endswith(": t.order_no")
    assert not Describer(WorkspacePool()).describe([source], Policy()).notes
