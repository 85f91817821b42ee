"""What a database cannot do with a value is told as the statement's fault, never as its own.

The folder's fixtures start a PostgreSQL server: its words for what it cannot do are its own.
"""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from mesh.policy import Policy
from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.copying import Copies
from services.executor.domain.source import DataSource
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.duckdb.query_processes import QueryProcesses
from services.executor.engines.engines import Engines
from services.executor.engines.postgres.engine import PostgresEngine
from services.executor.sources.library import SourceLibrary
from tests.engines.world import Place, open_database, run
from tests.reading import READERS

EMAIL = Policy(blocked_patterns=("email",))
DOCUMENTS = """('{"name": "Zoë", "mail": "zoe@example.org"}'), ('{"name": "Bob"}')"""


@pytest.fixture(scope="module")
def documents(uri: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Place]]:
    """A table of JSON in a file, and in a database whose rows are copied for what it cannot say."""
    folder = tmp_path_factory.mktemp("documents")
    run(uri, "CREATE TABLE documents (told jsonb)", f"INSERT INTO documents VALUES {DOCUMENTS}")
    library, database = open_database(uri, folder / "databases")
    with duckdb.connect(str(folder / "documents.duckdb")) as file:
        file.execute("CREATE TABLE documents (told json)")
        file.execute(f"INSERT INTO documents VALUES {DOCUMENTS}")
    sources = SourceLibrary(folder / "home", processes=READERS)
    stored = sources.open(DataSource(file_path=str(folder / "documents.duckdb")))
    duck = DuckDBEngine(processes=QueryProcesses("512MB", 1))
    chosen = Engines(duck, {"postgres": PostgresEngine(library.sessions)}, Copies(library.sessions))
    yield {"file": Place(duck, [stored]), "database": Place(chosen, [database])}
    duck.close()
    library.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT lpad('a', 1000000000, 'b') AS x",
        "SELECT lpad(note, 1000000000, 'b') AS x FROM orders",
        "SELECT length(rpad(note, 1000000000, 'b')) AS x FROM orders",
        "SELECT repeat(note, 300000000) AS x FROM orders",
    ],
)
def test_a_text_that_postgresql_cannot_hold_is_refused(sql: str, places: dict[str, Place]) -> None:
    with pytest.raises(ToolError, match="larger than the database takes") as refused:
        places["chosen"].ask(sql)
    assert refused.value.category is ErrorCategory.RESOURCE_EXHAUSTED


@pytest.mark.parametrize("where", ["file", "database"])
def test_json_in_a_cell_that_policy_blocks_is_refused_in_words(
    where: str, documents: dict[str, Place]
) -> None:
    for sql in (
        "SELECT told ->> 'name' AS x FROM documents",
        "SELECT json_extract_string(told, '$.name') AS x FROM documents",
    ):
        with pytest.raises(ToolError, match="cannot be read as JSON") as refused:
            documents[where].ask(sql, policy=EMAIL)
        assert refused.value.category is ErrorCategory.TYPE_MISMATCH
        assert "zoe@" not in f"{refused.value} {refused.value.hint} {refused.value.details}"
        assert documents[where].ask(sql).column("x").to_pylist() == ["Zoë", "Bob"]
