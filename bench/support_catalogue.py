"""One database as the planner sees it in the mesh: read, described and searched by the executor."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from mesh.policy import Policy
from services.executor import contract_probing
from services.executor.contract_description import description_to
from services.executor.contract_facts import facts_to
from services.executor.databases.session import Sessions
from services.executor.domain.source import DataSource
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.postgres.engine import PostgresEngine
from services.executor.engines.workspace import Workspace, WorkspacePool
from services.executor.facts.keeping import FactsKeeper
from services.executor.probing.prober import Prober
from services.executor.sources.describe import Describer
from services.executor.sources.disposable.pool import DisposableProcesses
from services.executor.sources.library import SourceLibrary
from services.executor.sources.lookup import ValueLookup as ValueIndex
from services.executor.sources.prepared import PreparedSource
from services.executor.sources.processes import reader_processes
from services.planner import contract
from services.planner.domain.catalogue import Catalogue, ValueHit
from services.planner.domain.evidence import (
    USUAL_LIMITS,
    Outcome,
    ProbedQuery,
    ProbeLimits,
)

Rows = tuple[list[str], list[tuple[Any, ...]]]
RunSql = Callable[[str, Sequence[Any]], Rows]
_NO_RULES = Policy()


class Lookup:
    """The executor's index of values, as the planner asks it."""

    def __init__(self, index: ValueIndex, sources: Sequence[PreparedSource]) -> None:
        self._index = index
        self._sources = sources

    async def __call__(self, phrases: Sequence[str]) -> Sequence[ValueHit]:
        """Hits for all phrases, best first."""
        found = self._index.lookup(self._sources, phrases, _NO_RULES)
        return [ValueHit.model_validate(hit.model_dump()) for hit in found]


class LocalEvidence:
    """The executor's prober, as the planner asks it: through the contract, without gRPC."""

    def __init__(self, prober: Prober, sources: Sequence[PreparedSource]) -> None:
        self._prober = prober
        self._sources = sources

    async def __call__(
        self, queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
    ) -> list[Outcome]:
        """An outcome for each query, in their order."""
        candidates = contract_probing.candidates_from(map(contract.probe_query_to, queries))
        spent = contract_probing.limits_from(contract.probe_limits_to(limits), limits.seconds)
        cancelled = threading.Event()
        try:
            found = await asyncio.to_thread(
                self._prober.probe, self._sources, candidates, spent, _NO_RULES, cancelled
            )
        finally:
            cancelled.set()
        return [contract.outcome_from(contract_probing.outcome_to(one)) for one in found]


@cache
def _readers() -> DisposableProcesses:
    """One for all sources: to start another takes longer than to read a small database."""
    return reader_processes()


class Sources:
    """Opens databases one after the other; what is read is kept under `home`."""

    def __init__(self, home: Path) -> None:
        self._library = SourceLibrary(home, processes=_readers())
        self._pool = WorkspacePool()
        self._describer = Describer(self._pool)
        self._facts = FactsKeeper(self._pool, lambda: False)
        self._values = ValueIndex(self._pool)
        self._prober = Prober(DuckDBEngine(self._pool), {"postgres": PostgresEngine(Sessions())})

    def open(self, path: Path) -> tuple[Catalogue, Lookup, RunSql]:
        """The database at `path`: what a reasoner may know of it, and a way to run its SQL."""
        catalogue, lookup, workspace = self.open_together([path])

        def run_sql(query: str, params: Sequence[Any]) -> Rows:
            with workspace.cursor() as cursor:
                result = cursor.execute(query, list(params))
                return [c[0] for c in result.description or ()], result.fetchall()

        return catalogue, lookup, run_sql

    def open_together(self, paths: Sequence[Path]) -> tuple[Catalogue, Lookup, Workspace]:
        """The files at `paths` as the sources of one request."""
        prepared = [self._library.open(DataSource(file_path=str(path))) for path in paths]
        workspace = self._pool.get(prepared, _NO_RULES)
        return self._catalogue(prepared), Lookup(self._values, prepared), workspace

    def evidence(self, *paths: Path) -> LocalEvidence:
        """What the databases at `paths` say of candidate queries; they are read at most once."""
        opened = [self._library.open(DataSource(file_path=str(path))) for path in paths]
        return LocalEvidence(self._prober, opened)

    def _catalogue(self, prepared: Sequence[PreparedSource]) -> Catalogue:
        source_description = self._describer.describe(prepared, _NO_RULES)
        answer = description_to(source_description, prepared, [])
        answer.facts.CopyFrom(
            facts_to(self._facts.measure(prepared, source_description, _NO_RULES, _nowhere))
        )
        return contract.catalogue_from(answer)


def _nowhere(sql: str, most: int) -> list[tuple[Any, ...]]:
    raise AssertionError("files are not asked elsewhere")


def kept_sources() -> Sources:
    """Sources that later runs of a bench find read."""
    home = Path(tempfile.gettempdir()) / "assay-bench-sources"
    home.mkdir(exist_ok=True)
    return Sources(home)


def open_source(path: Path) -> tuple[Catalogue, Lookup, RunSql]:
    """The database at `path`, opened by itself."""
    return kept_sources().open(path)
