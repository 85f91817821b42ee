"""What does the causal pipeline cost beside its library calls? `python -m bench.causal.pipeline`

All agents run over generated data (100,000 rows of 20 columns), their calls one after another with
the arguments that they ask for, each frame digested and written as it is when it is stored. The
outermost calls of the libraries are timed apart in the same run (`bench/causal/library_time.py`):
their sum is what the same calls cost when they are made directly. Seconds are of processor, so that
others on the machine do not count; wanted is a ratio of 1.25 at most. `--rows` and `--columns` set
the size, `--seconds` the job's time, `--without` leaves tools out. The job's chain, its sockets and
its processes are not in it.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import resource
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from bench.causal.library_time import LibraryTime, children, counted_libraries
from bench.measure import arguments, keep, print_table
from mesh.frames.canonical import table_digest
from mesh.tool import PythonRun, ToolError
from services.planner.domain.calls import Artifact
from services.planner.domain.causal.agent import Brief, Seen
from services.planner.domain.causal.agents.registry import AGENTS
from services.planner.domain.causal.contracts import ORCHESTRATOR
from services.planner.domain.causal.data_models import DatasetInfo
from services.planner.domain.causal.knowledge import Knowledge
from services.planner.domain.causal.orchestrating import next_dispatch
from services.planner.domain.causal.patching import Patch
from services.planner.domain.causal.running import Run
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.plan import Subtask
from services.planner.domain.reporting.evidence import EvidenceTable

WANTED = 1.25
NOW = datetime(2026, 1, 5, tzinfo=UTC)
MOST_READ_ROWS = 5_000


def shop(rows: int, columns: int, seed: int = 1) -> pa.Table:
    """Numbers that hang together, skewed ones and categories; promo adds 1 to spend."""
    random = np.random.default_rng(seed)
    made: dict[str, Any] = {}
    for i in range(columns - 2):
        before = made.get(f"x{i - 1:02d}")
        if i % 6 == 5:
            made[f"x{i:02d}"] = np.array(["north", "south", "west"])[random.integers(0, 3, rows)]
        elif i % 6 == 4:
            made[f"x{i:02d}"] = random.exponential(1.0, rows)
        else:
            tied = 0.4 * before if i % 6 and before is not None else 0.0
            made[f"x{i:02d}"] = random.normal(size=rows) + tied
    score = 0.8 * made["x00"] - 0.4 * made["x01"]
    made["promo"] = (random.random(rows) < 1 / (1 + np.exp(-score))).astype(int)
    made["spend"] = made["promo"] + made["x00"] + 0.5 * made["x01"] + random.normal(size=rows)
    return pa.table(made)


@dataclass
class Context:
    """What a tool may reach: frames so far, and the data as a table of DuckDB."""

    data: pa.Table
    seconds: float
    inputs: dict[str, pa.Table] = field(default_factory=dict)
    row_limit: int = 200_000
    cancelled: threading.Event = field(default_factory=threading.Event)
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds_left(self) -> float:
        """A busy machine's waiting is not measured, so no call is cut off for it."""
        return self.seconds

    def query(self, sql: str, parameters: list[Any], row_limit: int, seconds: float) -> pa.Table:
        """One statement over the data."""
        import duckdb

        with duckdb.connect(config={"threads": 2}) as connection:
            connection.register("shop", self.data)
            found = connection.execute(sql, parameters).to_arrow_table()
        return found.slice(0, row_limit)

    def run_python(self, code: str, frames: Any) -> PythonRun:
        """No tool of a causal job asks for it."""
        raise NotImplementedError

    def progress(self, message: str, fraction: float | None = None) -> None:
        """Nobody watches."""


@dataclass
class Pipeline:
    """A job's agents and what their calls gave so far."""

    context: Context
    without: frozenset[str]
    libraries: LibraryTime
    seen: Seen = field(default_factory=lambda: Seen({}, {}, {}, {}, {}))
    spent: dict[str, list[float]] = field(default_factory=lambda: defaultdict(lambda: [0.0] * 3))
    failed: dict[str, str] = field(default_factory=dict)

    def run(self, brief: Brief, treatment: str, outcome: str) -> AnalysisState:
        """Dispatch agents until the orchestrator has nobody left."""
        begun = AnalysisState.created(
            "a" * 32,
            DatasetInfo(url="shop.parquet"),
            NOW,
            treatment_variable=treatment,
            outcome_variable=outcome,
        )
        run = Run(state=begun)
        while (dispatch := next_dispatch(run, self.seen, brief, NOW)) is not None:
            run = run.dispatched(dispatch)
            names = [name for name in run.waiting_for if name != ORCHESTRATOR]
            for task in dispatch.subtasks:
                self.call(task)
            while asked := [c for n in names for c in AGENTS[n].calls(run.state, self.seen, brief)]:
                for task in asked:
                    self.call(task)
            for name in run.waiting_for:
                writes = {}
                if name != ORCHESTRATOR:
                    writes = AGENTS[name].writes(run.state, self.seen, brief)[0]
                run = run.patched(Patch(agent=name, writes=writes, made_at=NOW))
        return run.state

    def call(self, task: Subtask) -> None:
        """Make a call, store its frame, and note what it took."""
        name = task.tool_name.removeprefix("causal.")
        tables, frames = dict(self.seen.tables), dict(self.seen.frames)
        files, notes, failed = dict(self.seen.files), dict(self.seen.notes), dict(self.seen.failed)
        own, inside = time.process_time() + children(), self.libraries.total
        try:
            if name in self.without:
                raise ToolError("invalid_arguments", "left out")  # type: ignore[arg-type]
            module = importlib.import_module(f"services.executor.tools.causal_{name}")
            tool = getattr(module, f"causal_{name}")
            given = tool.arguments(**json.loads(json.dumps(task.arguments)))
            result = tool.run(given, self.context)
            if result.frame is not None:
                digest = stored(result.frame)
                self.context.inputs[task.task_id] = result.frame
                frames[task.task_id] = digest
                if result.frame.num_rows <= MOST_READ_ROWS and task.task_id != "data":
                    tables[task.task_id] = EvidenceTable(
                        task.task_id, "c" * 32, digest, result.frame
                    )
            if result.files:
                files[task.task_id] = tuple(
                    Artifact(
                        artifact_id=f.name,
                        request_id="bench",
                        artifact_type=f.kind,
                        content_ref=f.name,
                        size_bytes=len(f.content),
                        created_at=NOW,
                        content_hash=hashlib.sha256(f.content).hexdigest(),
                    )
                    for f in result.files
                )
            if result.notes:
                notes[task.task_id] = result.notes
        except ToolError as error:
            failed[task.task_id] = str(error)
        self.seen = Seen(tables, frames, files, notes, failed)
        took = time.process_time() + children() - own
        entry = f"{name} {task.arguments.get('method', '')}".strip()
        for place, value in enumerate((1.0, took, self.libraries.total - inside)):
            self.spent[entry][place] += value


def stored(frame: pa.Table) -> str:
    """A frame's digest, once it is written as the executor keeps it."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, frame.schema) as writer:
        writer.write_table(frame)
    return table_digest(frame)


def main() -> None:
    """Run the pipeline once and tell both sums."""
    parser = arguments("causal.pipeline", __doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=900.0)
    parser.add_argument("--without", nargs="*", default=[])
    asked = parser.parse_args()
    table = shop(asked.rows, asked.columns)
    before = [name for name in table.column_names if name.startswith("x")]
    known = Knowledge(tiers=(tuple(before), ("promo",), ("spend",)))
    brief = Brief(relation="SELECT * FROM shop", knowledge=known, seconds=asked.seconds)
    with counted_libraries() as libraries:
        pipeline = Pipeline(Context(table, asked.seconds), frozenset(asked.without), libraries)
        began, wall = time.process_time() + children(), time.monotonic()
        state = pipeline.run(brief, "promo", "spend")
        whole, wall = time.process_time() + children() - began, time.monotonic() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows = [
        {"call": name, "calls": int(v[0]), "seconds": round(v[1], 2), "libraries": round(v[2], 2)}
        for name, v in sorted(pipeline.spent.items())
    ]
    print_table("Seconds of processor by call", list(rows[0]), [list(r.values()) for r in rows])
    parts = sorted(libraries.seconds.items(), key=lambda item: -item[1])
    parts.append(("the notebook's kernel", libraries.kernel))
    counted = [[name, libraries.calls[name], round(value, 2)] for name, value in parts]
    print_table("Libraries", ["entry point", "calls", "seconds"], counted)
    newest = state.newest_critique
    values = {
        "rows": asked.rows,
        "columns": asked.columns,
        "pipeline_seconds": round(whole, 1),
        "library_seconds": round(libraries.total, 1),
        "wall_seconds": round(wall, 1),
        "ratio": round(whole / libraries.total, 2),
        "wanted": WANTED,
        "peak_mb": round(peak),
        "verdict": newest.decision.value if newest else "none",
    }
    print(json.dumps(values), json.dumps(pipeline.seen.failed, indent=1), flush=True)
    keep({"totals": values, "calls": rows}, asked.json)


if __name__ == "__main__":
    main()
