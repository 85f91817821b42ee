"""An engine is one folder: it declares itself, and nobody else knows what is in it."""

from __future__ import annotations

import grimp
import pytest

from assay.common.v1 import data_pb2
from services.executor.databases.kind import DatabaseKind, kind_of
from services.executor.engines.registry import by_scheme, databases, declared

ENGINES = "services.executor.engines"
# Statements are written in its dialect and bound by it, whichever engine runs them.
REFERENCE = "duckdb"


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("services", cache_dir=None)


def test_the_contract_names_every_engine_and_no_other() -> None:
    named = {name.removeprefix("ENGINE_").lower() for name, _ in data_pb2.Engine.items()}

    assert named - {"unspecified"} == set(declared())


def test_no_scheme_of_a_url_is_of_two_kinds_of_databases() -> None:
    assert len(by_scheme()) == sum(len(one.schemes) for one in databases().values())


@pytest.mark.parametrize("engine", sorted(databases()))
def test_a_kind_of_database_has_all_that_is_asked_of_it(engine: str) -> None:
    wanted = {name for name in vars(DatabaseKind) if not name.startswith("_")}

    assert wanted <= set(dir(kind_of(engine)))


@pytest.mark.parametrize("engine", sorted(set(declared()) - {REFERENCE}))
def test_nobody_imports_what_is_in_the_folder_of_an_engine(
    engine: str, graph: grimp.ImportGraph
) -> None:
    folder = f"{ENGINES}.{engine}"
    inside = {folder, *graph.find_descendants(folder)}
    importers = {
        importer
        for module in inside
        for importer in graph.find_modules_that_directly_import(module)
    }

    assert importers - inside == set()
