"""Facts are measured once for each set of sources under a policy, beside whatever is asked of them.

Nobody waits for them but who looks closely: a description brings those that are there, and has the
others measured once the executor is quiet. They lie in the folder of the first source, and go with
it.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mesh.digest import sha256_hex
from mesh.errors import AssayError
from mesh.policy import Policy
from services.executor.databases.live import live
from services.executor.domain.description import SourceDescription
from services.executor.domain.facts import Facts
from services.executor.doubts.order import gravest_first
from services.executor.facts.asking import Ask, Rows, UnansweredError
from services.executor.facts.measuring import measured
from services.executor.sources.prepared import PreparedSource

if TYPE_CHECKING:
    from services.executor.engines.workspace import WorkspacePool

log = logging.getLogger("assay.executor")

SECONDS, STATEMENT_SECONDS = 10.0, 2.0
_VERSION = "3"  # of what is measured: facts of another are measured anew
_KEPT = 64
_MOST_WAITING = 32
_FRAME = "arrow"
_QUIET_SECONDS, _PATIENCE_SECONDS = 1.0, 60.0  # a question pauses while it is planned


class FactsKeeper:
    """Measures facts of files in a thread of its own; `busy` says whether somebody else is served.

    Threads may share it.
    """

    def __init__(self, pool: WorkspacePool, busy: Callable[[], bool]) -> None:
        self._pool = pool
        self._busy = busy
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Facts] = OrderedDict()
        self._waiting: OrderedDict[str, Callable[[], object]] = OrderedDict()
        self._working: threading.Thread | None = None
        self.closed = threading.Event()

    def close(self) -> None:
        """Stop measuring, and wait until that is so."""
        self.closed.set()
        self.settled()

    def settled(self) -> None:
        """Wait until all that waits was measured. Blocks."""
        with self._lock:
            working = self._working
        if working is not None:
            working.join()

    def kept(self, sources: Sequence[PreparedSource], policy: Policy) -> Facts | None:
        """Facts that were measured; None where none were, or not by this version."""
        if not sources:
            return None
        key = _key(sources, policy)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        with suppress(OSError, ValueError):
            digest, _, written = _file(sources, key).read_text("utf-8").partition("\n")
            if digest != sha256_hex(written.encode()):
                return None  # damaged: measured anew
            found = Facts.model_validate_json(written)
            self._keep(key, found)
            return found
        return None

    def measure_beside(
        self, sources: Sequence[PreparedSource], description: SourceDescription, policy: Policy
    ) -> None:
        """Have facts measured when the executor is quiet. Of databases that are asked where they
        are none are: that would be work for them that nobody asked for."""
        if not sources or any(live(source) for source in sources):
            return

        def work() -> None:
            if self.kept(sources, policy) is None:
                self._store(sources, policy, self._measured(sources, description, policy))

        self.beside(_key(sources, policy), work)

    def beside(self, key: str, work: Callable[[], object]) -> None:
        """Have work done when the executor is quiet; that of one key once."""
        with self._lock:
            self._waiting.setdefault(key, work)
            while len(self._waiting) > _MOST_WAITING:
                self._waiting.popitem(last=False)
            if self._working is None and not self.closed.is_set():
                self._working = threading.Thread(target=self._work, name="facts", daemon=True)
                self._working.start()

    def measure(
        self,
        sources: Sequence[PreparedSource],
        description: SourceDescription,
        policy: Policy,
        elsewhere: Ask,
    ) -> Facts:
        """Facts, kept or measured now, within ten seconds; of a database by `elsewhere`. Blocks."""
        if not sources:
            return Facts()
        if (known := self.kept(sources, policy)) is not None:
            return known
        if any(live(source) for source in sources):
            found = _with_doubts(measured(description, elsewhere), description, elsewhere)
        else:
            found = self._measured(sources, description, policy)
        self._store(sources, policy, found)
        return found

    def _work(self) -> None:
        """Measure what waits, one after another, while nobody else is served."""
        while True:
            with self._lock:
                if self.closed.is_set() or not self._waiting:
                    self._working = None
                    return
                _, work = self._waiting.popitem(last=False)
            self._wait_for_quiet()
            if self.closed.is_set():
                continue
            try:
                work()
            except AssayError as error:  # as a file that went away, which whoever asks is told
                log.info("work beside ended: %s", error.message)
            except Exception:  # a question is answered without
                log.exception("facts were not measured")

    def _wait_for_quiet(self) -> None:
        deadline, quiet = time.monotonic() + _PATIENCE_SECONDS, 0.0
        while quiet < _QUIET_SECONDS and time.monotonic() < deadline:
            if self.closed.wait(_QUIET_SECONDS / 4):
                return
            quiet = 0.0 if self._busy() else quiet + _QUIET_SECONDS / 4

    def _measured(
        self, sources: Sequence[PreparedSource], description: SourceDescription, policy: Policy
    ) -> Facts:
        with self._asking(sources, policy) as ask:
            # What an earlier job gave is Arrow, and no part of the file that it was computed from.
            computed = {source.label for source in sources if _FRAME in source.kinds}
            return measured(description, ask, computed)

    @contextmanager
    def _asking(self, sources: Sequence[PreparedSource], policy: Policy) -> Iterator[Ask]:
        """Statements of our own over the views of a workspace: policy is in these."""
        import duckdb

        from services.executor.engines.duckdb.stopwatch import interrupted_when

        end = time.monotonic() + SECONDS
        limit = end

        def late() -> bool:
            return self.closed.is_set() or time.monotonic() > limit

        with (
            self._pool.get(sources, policy).cursor() as cursor,
            interrupted_when(cursor, late),
        ):

            def ask(sql: str, most: int) -> Rows:
                nonlocal limit
                limit = min(end, time.monotonic() + STATEMENT_SECONDS)
                if late():
                    raise UnansweredError
                try:
                    return cursor.execute(sql).fetchmany(most)
                except duckdb.Error as error:
                    raise UnansweredError from error
                finally:
                    limit = end

            yield ask

    def _store(self, sources: Sequence[PreparedSource], policy: Policy, found: Facts) -> None:
        """Keep facts that were measured to the end; others may come further another time."""
        if self.closed.is_set():
            return
        key = _key(sources, policy)
        self._keep(key, found)
        if found.unfinished or any(live(source) for source in sources):
            return
        file = _file(sources, key)
        rejected = file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):  # the disk is full, or the source was swept: measured again
            written = found.model_dump_json()
            rejected.write_text(f"{sha256_hex(written.encode())}\n{written}", "utf-8")
            rejected.replace(file)

    def _keep(self, key: str, found: Facts) -> None:
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)


def _with_doubts(facts: Facts, description: SourceDescription, ask: Ask) -> Facts:
    """Facts of a database with doubts, which of files were looked for when they were read."""
    # Here, because the executor is put together without what measures.
    from services.executor.doubts.finding import doubts_in, seen_described

    found = [
        doubt for table in description.tables for doubt in doubts_in(seen_described(table), ask)
    ]
    offered = (doubt.model_copy(update={"repairs": (), "certain": False}) for doubt in found)
    return facts.model_copy(update={"doubts": tuple(gravest_first([*offered, *facts.doubts]))})


def _key(sources: Sequence[PreparedSource], policy: Policy) -> str:
    return sha256_hex("\n".join((_VERSION, policy.key, *(s.digest for s in sources))).encode())


def _file(sources: Sequence[PreparedSource], key: str) -> Path:
    return sources[0].database.with_name(f"facts-{key[:32]}.json")
