"""A large file is read first for what is asked of it; nothing else of it is taken for known."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from mesh.errors import SCHEMA_CHANGED, AssayError
from mesh.policy import Policy
from services.executor.adapters.stored_calls import StoredCalls
from services.executor.call import RunningContext
from services.executor.checking import damages
from services.executor.domain.source import DataSource
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.workspace import Workspace, WorkspacePool
from services.executor.places import Places
from services.executor.remote.fetching import RemoteSources
from services.executor.sources import partly
from services.executor.sources.describe import Describer
from services.executor.sources.library import SourceLibrary
from services.executor.sources.partly import asked_words, is_unread, may_touch, named_columns
from services.executor.sources.prepared import PreparedSource
from tests.reading import READERS

ROWS = 6_000
QUESTION = "sum of quantity by region"


@pytest.fixture(autouse=True)
def _every_file_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partly, "LARGE_BYTES", 1)


def _row(i: int) -> str:
    region = ("North", "South", "East")[i % 3]
    return f"{i},2024-{i % 12 + 1:02}-{i % 28 + 1:02},{region},{i % 9 + 1},{i % 200 / 4},{i % 40}"


def _sales(path: Path, *changes: tuple[int, str], rows: int = ROWS) -> DataSource:
    """Sales, some of their lines (from the first row) replaced."""
    lines = [_row(i) for i in range(rows)]
    for place, line in changes:
        lines[place] = line
    head = "sale_id,sold_on,region,quantity,unit_price,customer"
    path.write_text("\n".join([head, *lines, ""]), "utf-8")
    return DataSource(file_path=str(path))


def _asked(source: DataSource, about: str = QUESTION) -> DataSource:
    return source.model_copy(update={"asked": asked_words(about)})


def _rows(source: PreparedSource, sql: str) -> list[tuple[Any, ...]]:
    with Workspace([source], Policy(), memory_limit="1GB").cursor() as cursor:
        return cursor.execute(sql).fetchall()


@pytest.fixture
def library(tmp_path: Path) -> SourceLibrary:
    return SourceLibrary(tmp_path / "home", processes=READERS)


def test_what_a_question_names_and_all_texts_are_read_first(
    library: SourceLibrary, tmp_path: Path
) -> None:
    source = _sales(tmp_path / "sales.csv")
    part = library.open(_asked(source))
    assert part.unread == ("sale_id", "sold_on", "unit_price", "customer")
    assert [c.name for c in part.tables[0].columns] == [
        "sale_id",
        "sold_on",
        "region",
        "quantity",
        "unit_price",
        "customer",
    ]
    known = part.tables[0].statistics["unit_price"]
    assert (known.exact, known.nulls, 150 <= known.distinct <= 250) == (False, 0, True)
    assert part.tables[0].statistics["sale_id"].distinct > 0.9 * ROWS, "each seems to be another"
    assert "read for what is asked" in part.notes[0]
    sql = "SELECT region, sum(quantity), count(*) FROM sales GROUP BY 1 ORDER BY 1"
    whole = library.open(source)
    assert not whole.unread
    assert _rows(part, sql) == _rows(whole, sql)
    assert part.schema_fingerprint == whole.schema_fingerprint


def test_it_stays_for_what_touches_nothing_else_and_is_read_whole_for_all_other_use(
    library: SourceLibrary, tmp_path: Path
) -> None:
    source = _sales(tmp_path / "sales.csv")
    part = library.open(_asked(source))
    assert library.known(_asked(source)), "no turn is waited for"
    assert library.open(source, used_by=()).digest == part.digest
    assert library.open(source, used_by=("SELECT sum(quantity) FROM sales",)).digest == part.digest
    assert library.open(_asked(source, "mean quantity by region")).digest == part.digest
    whole = library.open(source, used_by=("SELECT sum(quantity), max(unit_price) FROM sales",))
    assert not whole.unread
    assert whole.digest == part.content_digest != part.digest
    assert library.open(_asked(source)).digest == whole.digest, "it is there now"


@pytest.mark.parametrize("about", ["unit price by region", "how did quantity grow", "what is here"])
def test_another_question_that_names_more_has_it_read_whole(
    library: SourceLibrary, tmp_path: Path, about: str
) -> None:
    source = _sales(tmp_path / "sales.csv")
    assert library.open(_asked(source)).unread
    assert not library.open(_asked(source, about)).unread


def test_small_files_told_files_and_questions_that_name_nothing_are_read_whole(
    library: SourceLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = _sales(tmp_path / "sales.csv")
    told = source.model_copy(
        update={"options": source.options.model_copy(update={"delimiter": ","})}
    )
    assert not library.open(_asked(told)).unread
    assert not library.open(_asked(source, "what is here")).unread
    other = _sales(tmp_path / "other.csv")
    monkeypatch.setattr(partly, "LARGE_BYTES", 1 << 30)
    assert not library.open(_asked(other)).unread


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM sales",
        "SELECT count(unit_price) FROM sales",
        "SELECT count(*) FROM sales WHERE unit_price IS NULL",
        "SELECT count(*) FROM sales WHERE unit_price > 3 OR quantity > 2",
        "SELECT coalesce(unit_price, 0) FROM sales",
        "SELECT try_cast(unit_price AS VARCHAR) FROM sales",
        "SELECT region FROM sales ORDER BY unit_price",
        "SELECT count(DISTINCT sales) FROM sales",
        "SELECT max(COLUMNS('.*price')) FROM sales",
        "SELECT count(*) FROM sales AS one JOIN sales AS other USING (sold_on)",
    ],
)
def test_a_column_that_was_not_read_fails_aloud(
    library: SourceLibrary, tmp_path: Path, sql: str
) -> None:
    part = library.open(_asked(_sales(tmp_path / "sales.csv")))
    with pytest.raises(duckdb.Error) as failed:
        _rows(part, sql)
    assert is_unread(str(failed.value))
    assert _rows(part, "SELECT count(*) FROM sales WHERE quantity > 0") == [(ROWS,)]


def _context(library: SourceLibrary, source: DataSource) -> tuple[RunningContext, list[bool]]:
    opened: list[bool] = []
    engine = DuckDBEngine()

    class Engines:
        """The embedded engine alone."""

        def query(self, sources: Any, sql: str, parameters: Any, **limits: Any) -> Any:
            limits.pop("wanted")
            return engine.query(sources, sql, parameters, **limits)

    def whole() -> Sequence[PreparedSource]:
        opened.append(True)
        return [library.open(source)]

    context = RunningContext(
        inputs={},
        row_limit=10,
        deadline=float("inf"),
        cancelled=threading.Event(),
        engines=Engines,  # type: ignore[arg-type]
        open_sources=whole,
        policy=Policy(),
        report=lambda *_: None,
        sandbox=None,  # type: ignore[arg-type]
        open_for=lambda sql: [library.open(source, used_by=(sql,))],
    )
    return context, opened


@pytest.mark.parametrize(
    ("sql", "answer", "whole"),
    [
        ("SELECT sum(quantity) AS n FROM sales", sum(i % 9 + 1 for i in range(ROWS)), False),
        ("SELECT max(unit_price) AS n FROM sales", 49.75, True),
        ("SELECT count(DISTINCT sales) AS n FROM sales", ROWS, True),
    ],
)
def test_a_statement_gets_what_it_uses_however_it_names_it(
    library: SourceLibrary, tmp_path: Path, sql: str, answer: float, whole: bool
) -> None:
    source = _sales(tmp_path / "sales.csv")
    assert library.open(_asked(source)).unread
    context, opened = _context(library, source)
    found = context.query(sql, [], 10, 60.0).to_pylist()
    assert found == [{"n": answer}]
    assert library.open(source, used_by=()).unread == () if whole else not opened


def test_what_a_sample_did_not_show_is_told_by_all_rows(
    library: SourceLibrary, tmp_path: Path
) -> None:
    """A price that is no number, and a stand-in among the values that are asked for."""
    rows, odd = 60_000, 20_500
    changes = [
        (odd, f"{odd},2024-01-01,North,5,about 7,3"),
        *((30_000 + i, f"{30_000 + i},2024-01-01,North,-999,2.5,3") for i in range(30)),
    ]
    source = _sales(tmp_path / "sales.csv", *changes, rows=rows)
    part = library.open(_asked(source))
    whole = library.open(source)
    assert "unit_price" in part.unread
    assert _rows(whole, f"SELECT unit_price FROM sales WHERE sale_id = {odd}") == [("about 7",)]
    assert part.schema_fingerprint != whole.schema_fingerprint, "which calls of a job are held to"
    seen = [
        [(d.code, d.column, d.rows, d.repaired) for d in one.doubts if d.column == "quantity"]
        for one in (part, whole)
    ]
    assert seen[0] == seen[1] == [("stand-in", "quantity", 30, True)]
    sql = "SELECT region, sum(quantity) FROM sales GROUP BY 1 ORDER BY 1"
    assert _rows(part, sql) == _rows(whole, sql)


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ("too,few", 59_999),
        (f"{_row(21_000)},too,many", 59_999),
        ("", 59_999),
        (",,,,,", 59_999),
        ('1,2024-01-01,North,5,"2"5,3', 59_999),
        ('1,2024-01-01,North,5,"2.5,3', 59_999),
        ('1,2024-01-01,North,5,"2\n5",3', 60_000),
    ],
)
def test_rows_that_do_not_fit_are_kept_aside_whichever_columns_are_read(
    library: SourceLibrary, tmp_path: Path, line: str, rows: int
) -> None:
    source = _sales(tmp_path / "sales.csv", (21_000, line), rows=60_000)
    part, whole = library.open(_asked(source)), library.open(source)
    assert "unit_price" in part.unread
    assert part.tables[0].rejected == whole.tables[0].rejected
    assert part.rows == whole.rows == rows
    sql = "SELECT region, sum(quantity), count(quantity) FROM sales GROUP BY 1 ORDER BY 1"
    assert _rows(part, sql) == _rows(whole, sql)


def test_a_job_is_held_to_what_it_was_planned_over(library: SourceLibrary, tmp_path: Path) -> None:
    """The whole has a text where the sample had numbers: a plan without that column goes on."""
    odd = (20_500, "20500,2024-01-01,North,5,about 7,3")
    source = _sales(tmp_path / "sales.csv", odd, rows=60_000)
    part = library.open(_asked(source))
    assert part.schema_fingerprint != library.open(source).schema_fingerprint
    places = Places(library, None, RemoteSources(library.home, None))  # type: ignore[arg-type]
    planned = source.model_copy(update={"schema_fingerprint": part.schema_fingerprint})
    never = threading.Event()
    fitting = places.opened(planned, never, ("SELECT sum(quantity) FROM sales",))
    assert not fitting.unread
    for used_by in (("SELECT sum(unit_price) FROM sales",), None):
        with pytest.raises(AssayError) as changed:
            places.opened(planned, never, used_by)
        assert changed.value.reason is SCHEMA_CHANGED


def test_both_forms_have_one_digest_in_proofs_and_seals_of_their_own(
    library: SourceLibrary, tmp_path: Path
) -> None:
    source = _sales(tmp_path / "sales.csv")
    part = library.open(_asked(source))

    def found(opened: PreparedSource) -> list[str]:
        digest = opened.content_digest
        return list(
            damages(StoredCalls(None), library.folder, [], [digest], {digest: opened.seal})  # type: ignore[arg-type]
        )

    assert found(part) == []
    whole = library.open(source)
    assert part.seal != whole.seal
    assert (found(part), found(whole)) == ([], [])
    file = part.file(part.tables[0])
    assert file is not None
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert found(part) != []
    again = SourceLibrary(tmp_path / "other", processes=READERS).open(_asked(source))
    assert (again.digest, again.seal) == (part.digest, part.seal)


def test_a_description_says_which_columns_were_not_read(
    library: SourceLibrary, tmp_path: Path
) -> None:
    part = library.open(_asked(_sales(tmp_path / "sales.csv")))
    (table,) = Describer(WorkspacePool()).describe([part], Policy()).tables
    assert tuple(c.name for c in table.columns if c.unread) == part.unread


@pytest.mark.parametrize(
    ("about", "named"),
    [
        ("total quantity by region", {"quantity"}),
        ("Quantities per Region", {"quantity"}),
        ("unit prices in 2023", {"unit_price", "sold_on"}),
        ("monthly quantity", {"quantity", "sold_on"}),
        ("SELECT max(unit_price) FROM sales", {"unit_price"}),
        ("how many rows are there", set()),
        ("revenue by region", None),
    ],
)
def test_words_name_columns(about: str, named: set[str] | None) -> None:
    columns = {"quantity": False, "unit_price": False, "sold_on": True}
    assert named_columns(columns, asked_words(about)) == named


@pytest.mark.parametrize(
    ("statement", "touches"),
    [
        ("SELECT sum(quantity) FROM sales", False),
        ("SELECT count(*), quantity*2 FROM sales", False),
        ('SELECT "Unit_Price" FROM sales', True),
        ("SELECT  * FROM sales", True),
        ("SELECT sales.* FROM sales", True),
        ("SELECT quantity, * FROM sales", True),
    ],
)
def test_statements_are_looked_at_for_what_was_not_read(statement: str, touches: bool) -> None:
    assert may_touch(["unit_price"], statement) is touches
