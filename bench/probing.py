"""How fast does the executor try a hundred candidate queries?

A hundred small queries over one SQLite database, as the planner would write them, are probed
through the executor's own code, in query processes as the service has them and in one process, and
beside that run by plain DuckDB over the same tables, all in one process and with nothing checked.

    python -m bench.probing [--json FILE]
"""

from __future__ import annotations

import asyncio
import tempfile
import threading
from pathlib import Path
from typing import Any

from bench.measure import arguments, keep, milliseconds, print_table, repeated
from bench.support_catalogue import Sources
from examples.shop import write_shop
from mesh.policy import Policy
from services.executor.domain.source import DataSource
from services.executor.engines.duckdb_engine import DuckDBEngine
from services.executor.engines.guard import guard
from services.executor.engines.query_processes import QueryProcesses
from services.executor.engines.quick_guard import quickly_guarded
from services.executor.engines.workspace import WorkspacePool, flat_tables
