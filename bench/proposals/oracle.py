"""The ceiling of the model path: an endpoint that answers with the truth, or with one mistake.

`python -m bench.proposals.oracle` has every question of a set answered by a model that proposes the
right statement, over HTTP and through all that stands between: the form, checks, the rules' reading
beside it, the comparison. Asked anew it gives a right one that is written otherwise, where the set
has one. `--faulty` plants one mistake into each, and another one into a second sample; `--stubborn`
the same into both. Told are how many answers are right, how sure they are told, what was refused,
and what a question takes.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import math
import re
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any

import sqlglot
from pydantic import SecretStr
from sqlglot import exp

from bench.proposals.checks import Truth, rows, took, truths
from bench.proposals.mutations import mutated
from mesh import sureness
from mesh.clock import SystemClock
from mesh.ids import new_id
from mesh.storage.database import open_database
from mesh.testing.model_server import Answered, ModelServer, Script, model_server
from services.executor.catalogue import ToolCatalogue
from services.planner.adapters.llm.building import language_model
from services.planner.adapters.reasoner_rules import RulesReasoner
from services.planner.adapters.reasoner_together import TogetherReasoner
from services.planner.analysis.checking import checked
from services.planner.domain.analysis.planning import Planning, PlanningInput
from services.planner.domain.asked_once import AskedOnce
from services.planner.domain.data_source import DataSource
from services.planner.domain.proposals.comparing import Column, Rows
from services.planner.domain.proposals.rewriting import with_names
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.statements.readable import QUERYING_TOOL
from services.planner.domain.tooling import ToolDescription
from services.planner.service import MIGRATIONS
from services.planner.settings import PlannerSettings

_MODEL, _KEY = "openai:oracle", "sk-none"
_TODAY = date(2025, 1, 1)
_WORD = re.compile(r"[^\W_]+")


@dataclass
class Figures:
    """What came of the questions."""

    asked: int = 0
    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    without: Counter[str] = field(default_factory=Counter)
    by_kind: Counter[str] = field(default_factory=Counter)
    doubted_by_kind: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    prompt_bytes: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    computing: list[float] = field(default_factory=list)


@asynccontextmanager
async def reasoner(server: ModelServer) -> AsyncIterator[TogetherReasoner]:
    """Rules and the model, as the planner builds them."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = open_database(f"sqlite:///{folder / 'planner.sqlite'}", MIGRATIONS)
        stack.push_async_callback(database.close)
        settings = PlannerSettings(
            llm=_MODEL,
            llm_key=SecretStr(_KEY),
            llm_base_url=server.base_url,
            llm_job_tokens=0,
            llm_day_tokens=0,
            llm_failures=1_000_000,
        )

        async def tools() -> Sequence[ToolDescription]:
            return _tools()

        model = language_model(settings, tools, database, SystemClock())
        yield TogetherReasoner(RulesReasoner(), await stack.enter_async_context(model))


@cache
def _tools() -> tuple[ToolDescription, ...]:
    """The executor's tools as it describes them."""
    return tuple(
        ToolDescription(
            name=tool.name,
            description=tool.description,
            arguments_schema=tool.arguments.model_json_schema(),
        )
        for tool in ToolCatalogue().all()
    )


def form(question: str, sql: str) -> dict[str, Any]:
    """The model's form. Every word of the question is bound to some part of the statement, as of a
    model that is sure of itself: what it says of words tells nothing."""
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    where = tree.find(exp.Where)
    part = where.this.sql("duckdb") if where is not None else str(tree.expressions[0])
    fragment = part if part in sql else sql[: sql.upper().find(" FROM ")]
    words = [word for word in _WORD.findall(question) if len(word) > 1]
    return {
        "kind": "answer",
        "interpretation": question[:500],
        "statement": sql,
        "bindings": [
            {"words": word, "fragment": fragment[:500], "kind": "value"}
            for word in dict.fromkeys(words[:40])
        ],
    }


def chosen_mistakes(truth: Truth, right: Any) -> list[tuple[str, str]]:
    """The mistakes that change the result, one of them first, the same every time."""
    every = [
        (kind, sql)
        for kind, sql in mutated(truth.sql, truth.catalogue)
        if (found := rows(truth.run, sql)) is not None and found != right
    ]
    number = int(hashlib.sha256(truth.question.encode()).hexdigest(), 16)
    first = number % len(every) if every else 0
    return every[first:] + every[:first]


async def asked(
    truth: Truth,
    samples: Sequence[str],
    together: TogetherReasoner,
    server: ModelServer,
    thinking: float = 0.0,
) -> Planning:
    """What is decided on a question that the model answers with these statements, one each time
    that it is asked anew."""
    server.will()
    server.script = _answering(truth.question, samples, thinking)
    request = AnalysisRequest(
        request_id=new_id(),
        intent=truth.question,
        data_sources=(DataSource(file_path="/data/bench"),),
        timestamp=datetime(2025, 1, 1, tzinfo=UTC),
        assume=True,
    )

    evidence = AskedOnce(truth.evidence)
    given = PlanningInput(
        request=request,
        catalogue=truth.catalogue,
        lookup=truth.lookup,
        today=_TODAY,
        evidence=evidence,
    )
    return await checked(await together.plan(given), given, together)


def _answering(question: str, samples: Sequence[str], thinking: float) -> Script:
    """Answers anew where nothing was answered yet, and stays with it where it was given back."""
    asked = 0

    def answered(request: dict[str, Any]) -> Answered:
        nonlocal asked
        asked += not any(value["role"] == "assistant" for value in request["messages"])
        sql = samples[min(asked, len(samples)) - 1]
        return Answered(form(question, sql), seconds=thinking)

    return answered


async def measure(
    every: Sequence[Truth],
    faulty: bool,
    show: bool,
    thinking: float = 0.0,
    *,
    stubborn: bool = False,
) -> Figures:
    """Have all questions answered, one after the other, by a model that takes so many seconds."""
    figures = Figures()
    async with model_server() as server, reasoner(server) as together:
        for truth in every:
            right = rows(truth.run, truth.sql)
            if right is None:
                continue
            kind, samples = "", [truth.sql, *truth.also[:1]]
            if faulty:
                if not (mistakes := chosen_mistakes(truth, right)):
                    continue
                kind, samples = mistakes[0][0], [sql for _, sql in mistakes[:2]]
                samples = samples[:1] if stubborn else [*samples, truth.sql][:2]
            began, computed = time.perf_counter(), time.process_time()
            planning = await asked(truth, samples, together, server, thinking)
            waited = thinking * len(server.asked)
            figures.seconds.append(max(time.perf_counter() - began - waited, 0.0))
            figures.computing.append(time.process_time() - computed)
            _count(figures, truth, planning, right, kind, server, show=show)
    return figures


def _count(
    figures: Figures,
    truth: Truth,
    planning: Planning,
    right: Any,
    kind: str,
    server: ModelServer,
    *,
    show: bool,
) -> None:
    figures.asked += 1
    figures.requests += len(server.asked)
    figures.prompt_bytes += [len(prompt.encode()) for prompt in server.prompts[:1]]
    text = sureness.describe_level(planning.confidence)
    if planning.draft is None:
        figures.without["asked back" if planning.clarification else "refused"] += 1
        return
    found = _given(planning, truth)
    is_right = found is not None and _is_answer(found, truth, right)
    (figures.right if is_right else figures.wrong)[text] += 1
    if kind:
        figures.by_kind[kind] += 1
        figures.doubted_by_kind[kind] += is_right or text == "doubtful" or _has_finding(planning)
    if show and not truth.apart and is_right is bool(kind):
        print(f"  {text} {truth.database}: {truth.question}\n    {planning.caveats}")


def _has_finding(planning: Planning) -> bool:
    return any(re.match(r"[A-Z]\d\d: ", one) for one in planning.assumptions)


def _given(planning: Planning, truth: Truth) -> Any:
    """The rows of the plan's first query."""
    tasks = planning.draft.subtasks if planning.draft is not None else ()
    query = next((t.arguments for t in tasks if t.tool_name == QUERYING_TOOL), None)
    if query is None:
        return None
    return rows(truth.run, str(query["query"]), list(query.get("params") or ()))


def _is_answer(found: Any, truth: Truth, right: Any) -> bool:
    """Whether a result tells what the truth does, or what is as right."""
    if same(found, right):
        return True
    others = (rows(truth.run, sql) for sql in truth.also)
    return any(same(found, other) for other in others if other is not None)


def same(found: Any, right: Any) -> bool:
    """Whether two results tell the same: equal rows, or the right columns among more of them, with
    shares in per cent or as parts of one, and names in one column or in two."""
    if found == right:
        return True
    if len(found) != len(right) or not right:
        return False
    columns = [sorted(column, key=repr) for column in zip(*found, strict=True)]
    in_one = with_names(_as_rows(right), _as_rows(found)).columns
    wanted = [sorted(column.cells, key=repr) for column in in_one]
    return all(any(_alike(column, other) for other in columns) for column in wanted)


def _as_rows(found: Any) -> Rows:
    cells = list(zip(*found, strict=True))
    return Rows(tuple(Column(f"c{n}", held) for n, held in enumerate(cells)), len(found))


def _alike(wanted: list[Any], given: list[Any]) -> bool:
    """Whether two columns hold the same, in any order, one perhaps in per cent."""
    if wanted == given:
        return True
    if any(isinstance(cell, str) and cell for cell in (*wanted, *given)):
        return False
    ours, theirs = (sorted(c for c in cells if c != "") for cells in (wanted, given))
    if len(ours) != len(theirs):
        return False
    pairs = list(zip(ours, theirs, strict=True))
    return any(
        all(math.isclose(one * factor, other, rel_tol=1e-6) for one, other in pairs)
        for factor in (0.01, 100.0)
    )


def printed(name: str, figures: Figures, *, faulty: bool) -> None:
    """Print the figures of one set."""
    whole = max(figures.asked, 1)
    print(f"{name}: {figures.asked} questions, {figures.requests / whole:.2f} requests each")
    for label, counted in (("right", figures.right), ("wrong", figures.wrong)):
        parts = ", ".join(f"{text} {n}" for text, n in counted.most_common())
        print(f"  {label:<8} {100 * counted.total() / whole:5.1f} %  ({parts})")
    print(f"  no answer {dict(figures.without)}")
    sure = figures.right["sure"] + figures.wrong["sure"]
    if sure:
        share = 100 * figures.right["sure"] / sure
        print(f"  told sure {100 * sure / whole:.1f} %, right when sure {share:.1f} %")
    sizes = sorted(figures.prompt_bytes)
    print(f"  prompt {sizes[len(sizes) // 2] / 1000:.1f} kB in the median")
    print(f"  own work {took(figures.seconds)}, {took(figures.computing)} of it computing")
    if faulty:
        for kind, n in figures.by_kind.most_common():
            doubted = figures.doubted_by_kind[kind]
            print(f"  {kind:<26} {doubted:>4} of {n:>4}  {100 * doubted / n:5.1f} %")


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--faulty", action="store_true", help="plant one mistake into each")
    parser.add_argument("--stubborn", action="store_true", help="with the same one every time")
    parser.add_argument("--show", action="store_true", help="what is not as it should be")
    parser.add_argument(
        "--thinking", type=float, default=0.0, help="seconds the model takes, which are not counted"
    )
    given = parser.parse_args()
    faulty = given.faulty or given.stubborn
    for name in given.set or ["queries", "everyday"]:
        every = list(truths([name], given.limit))
        figures = asyncio.run(
            measure(every, faulty, given.show, given.thinking, stubborn=given.stubborn)
        )
        printed(name, figures, faulty=faulty)


if __name__ == "__main__":
    main()
