"""A mesh whose planner is killed while everything around it goes on."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from services.executor.tools import df_transform, plot_render, sql_run, table_write
from tests.fault.support import LEASE, Ledger, Ward, the_ward
from tests.mesh.conftest import quick_memory, sales  # noqa: F401 - fixtures

TOOLS = {
    "sql_run": sql_run,
    "df_transform": df_transform,
    "plot_render": plot_render,
    "table_write": table_write,
}


@pytest.fixture(scope="module")
def ledger() -> Iterator[Ledger]:
    """What tools completed, over the lives of all planners."""
    kept = Ledger()
    with pytest.MonkeyPatch.context() as patch:
        for name, module in TOOLS.items():
            patch.setattr(module, name, kept.watch(name, getattr(module, name)))
        for name, value in LEASE.items():
            patch.setenv(name, value)
        yield kept


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ward(ledger: Ledger) -> AsyncIterator[Ward]:
    """Peers and a second planner in this process; short, because a socket's path must be."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        async with the_ward(Path(folder), ledger) as ward:
            yield ward
