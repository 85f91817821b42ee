"""Fixtures that several kinds of tests share."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from mesh.testing.postgres import PostgresAbsent, fresh_database, postgres_server
from tests import children
from tests.scheduling import SPARK, Together, together
from tests.spending import Spending
from tests.thorough import THOROUGH

# Tests share the processors: threads of linear algebra wait for each other by spinning, which takes
# them from all others, and makes a causal job take four times as long.
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

# An executor's own processes are forked, too, but where they are the subject.
children.fork_children()

# What is remembered must not depend on how busy the machine is; who tests the limit sets another.
os.environ.setdefault("ASSAY_PLANNER_RECALL_SECONDS", "30")
# Nor how sure an answer is told to be, by how many of its readings could be tried in time.
os.environ.setdefault("ASSAY_PLANNER_PROBE_SECONDS", "10")

# There are no plugins of pydantic's, and to look for them takes each process the time of an import.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")

# Every mesh of a test would start two processes for queries, most for one question.
os.environ.setdefault("ASSAY_EXECUTOR_QUERY_PROCESSES", "1")

# Commands of tests leave nothing running behind them; who tests the mesh in the background says so.
os.environ.setdefault("ASSAY_BACKGROUND", "0")

# Nor what a property test finds: an example that is slow on a busy machine is no counterexample.
# A few examples, the same in every run; where everything is run, many, and others each time.
hypothesis.settings.register_profile("assay", deadline=None, max_examples=25, derandomize=True)
hypothesis.settings.register_profile("thorough", deadline=None)
if hypothesis.settings.get_current_profile_name() != "mutants":  # which scripts/mutants loads
    hypothesis.settings.load_profile("thorough" if THOROUGH else "assay")

# What `make test` runs: that it works, in minutes. All the rest is CI's.
FIRST = tuple((Path(__file__).parent / "first.txt").read_text(encoding="utf-8").splitlines())
FIRST_BY_NAME = tuple(line for line in FIRST if "::" in line)
# What it leaves out of the folders and files that it runs whole, since it takes longer.
LONG = frozenset((Path(__file__).parent / "long.txt").read_text(encoding="utf-8").splitlines())
# What CI leaves to `make test-all`, but for what it runs whatever that takes.
WHOLE = frozenset((Path(__file__).parent / "whole.txt").read_text(encoding="utf-8").splitlines())
REST = tuple((Path(__file__).parent / "rest.txt").read_text(encoding="utf-8").splitlines())

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture
def from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of the executor begin from nothing, as they do for users."""
    monkeypatch.setenv(children.VARIABLE, children.WHOLE)


@pytest.fixture(scope="session", autouse=True)
def _no_tracer_of_this_process() -> Iterator[None]:
    """Spans of one test are no parents of what another calls: a process has one tracer for good."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("opentelemetry.trace.set_tracer_provider", lambda provider: None)
        yield


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of a PostgreSQL server; skips where none can be run."""
    try:
        with postgres_server() as server:
            yield server
    except PostgresAbsent as error:
        pytest.skip(f"no PostgreSQL here: {error}")


@pytest.fixture(scope="session")
def postgres(postgres_url: str) -> Callable[[], str]:
    """Gives URLs of new, empty PostgreSQL databases."""
    return lambda: fresh_database(postgres_url)


@pytest.fixture(scope="session")
def migrated_postgres(postgres_url: str) -> Callable[[Path], str]:
    """Gives URLs of new PostgreSQL databases, migrated as a folder says."""
    from tests.migrated import migrated_database  # brings libraries that few tests need

    return lambda migrations: migrated_database(postgres_url, migrations)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data beside the checkout; skips where it is not."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"no shared data at {SHARED_DATA}")
    return SHARED_DATA


def pytest_configure(config: pytest.Config) -> None:
    """Tell of tests that take more of the processor than they may."""
    config.pluginmanager.register(Spending(), "spending")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file of which nothing is run: `make test` and `make test-rest` leave many out."""
    wanted = str(config.option.markexpr)
    if collection_path.suffix != ".py" or not collection_path.name.startswith("test_"):
        return None
    name = str(collection_path.relative_to(Path(__file__).parent))
    if wanted == "first":
        return not any(line.startswith(name) or name.startswith(line) for line in FIRST)
    if wanted.startswith("not first"):
        whole = any(name.startswith(line) for line in FIRST if "::" not in line)
        return whole and not any(line.startswith(name) for line in LONG)
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests as first.txt, long.txt, whole.txt and rest.txt say (scripts/tiers.py), and begin
    with those that ask Spark: no process should wait at the end for what another began late.
    """
    for item in items:
        name = item.nodeid.removeprefix("tests/")
        function = name.partition("[")[0]
        if name.startswith(FIRST_BY_NAME) or (name.startswith(FIRST) and function not in LONG):
            item.add_marker("first")
        elif function in WHOLE and not name.startswith(REST):
            item.add_marker("whole")

    items.sort(key=lambda item: together(item.nodeid) != SPARK)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Let the collector pass over what all modules and tests are made of: it lives until the end,
    and to look through it takes a second, again and again, of every process that runs tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)  # mutants run without xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Together:
    """What belongs together is run by one process, whatever `--dist` says."""
    return Together(config, log)
