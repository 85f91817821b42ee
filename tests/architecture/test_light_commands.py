"""What a command imports is most of what it takes: none imports what it does not need."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.architecture.tree import ROOT

_RUN = "import json, sys; from clients.python.cli.main import run; "
_NOT_FOR_LISTS = {
    "adbc_driver_manager",
    "alembic",
    "duckdb",
    "matplotlib",
    "numpy",
    "onnxruntime",
    "pandas",
    "pyarrow",
    "qdrant_client",
    "scipy",
    "sqlglot",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A home that both commands were given before: to make what they list takes migrations."""
    made = str(tmp_path_factory.mktemp("home"))
    _told("[run([listed, '--home', sys.argv[1]]) for listed in ('jobs', 'recipes')]", made)
    return made


def test_listing_jobs_makes_the_planners_store_and_no_other_service(home: str) -> None:
    loaded = _modules_of("jobs", "--home", home)

    assert "services.planner.service" in loaded
    made = {name for name in loaded if name.startswith("services.") and name.endswith(".service")}
    assert made == {"services.planner.service"}
    assert {name.partition(".")[0] for name in loaded} & _NOT_FOR_LISTS == set()
    rooms = ("services.planner.domain.query", "services.planner.domain.reader.understand")
    assert [name for name in loaded if name.startswith(rooms)] == []


def test_listing_recipes_needs_neither_the_executor_nor_the_reasoner(home: str) -> None:
    loaded = _modules_of("recipes", "--home", home)

    assert "services.executor.service" not in loaded
    assert "services.audit.service" not in loaded
    assert "services.planner.domain.reader.understand" not in loaded
    heavy = {"duckdb", "matplotlib", "numpy", "onnxruntime", "pandas", "pyarrow", "sqlglot"}
    assert {name.partition(".")[0] for name in loaded} & heavy == set()


def test_the_executor_is_put_together_without_an_engine() -> None:
    code = "import json, sys, services.executor.service; print(json.dumps([*sys.modules]))"
    output = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    names = set(json.loads(output))

    assert "mesh.text.stemming" not in names
    loaded = {name.partition(".")[0] for name in names}
    assert loaded & {"duckdb", "matplotlib", "pandas", "sqlglot"} == set()


def _modules_of(*arguments: str) -> set[str]:
    """Names of the modules that a process of its own has loaded at the end of a command."""
    code, names = _told("run(sys.argv[1:]), sorted(sys.modules)", *arguments)
    assert code == 0
    return set(names)


def _told(value: str, *arguments: str) -> list[Any]:
    """What an expression comes to in a process of its own."""
    output = subprocess.run(
        [sys.executable, "-c", f"{_RUN}print(json.dumps([*({value})]))", *arguments],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    told: list[Any] = json.loads(output.splitlines()[-1])
    return told


_TABLES_THEN_PANDAS = """
import sys
from mesh.arrow_alone import keep_pandas_away
keep_pandas_away()
import duckdb, pyarrow as pa
with duckdb.connect() as connection:
    connection.execute("CREATE TABLE numbers AS SELECT range AS n FROM range(3)")
    table = connection.execute("FROM numbers").to_arrow_table()
    connection.register("again", table)
    assert connection.execute("SELECT sum(n) FROM again").fetchone() == (3,)
assert "pandas" not in sys.modules
import pandas as pd
assert pa.array(pd.Series([1.0, float("nan"), None])).null_count == 2
assert pa.Table.from_pandas(pd.DataFrame({"a": pd.Categorical(["x", "y", "x"])})).num_rows == 3
assert table.to_pandas()["n"].sum() == 3
assert pd.__spec__.loader is pd.__loader__ and "SourceFileLoader" in repr(pd.__loader__)
"""


def test_arrow_and_duckdb_do_without_pandas_until_it_is_imported() -> None:
    subprocess.run([sys.executable, "-c", _TABLES_THEN_PANDAS], cwd=ROOT, check=True)
