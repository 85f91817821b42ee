"""The model path with a model that was played from the prompts alone.

`python -m bench.proposals.played` replays the exchanges beside this file and tells how many answers
were right and how sure they were told. `--queue FOLDER` puts what has no answer yet there, each as
a prompt to be answered by NAME.answer.json, {"call": the tool's name, "arguments": {…}}; run it
again until nothing waits, then `--record` keeps the answers. After a change of the instructions or
of what is said of data, look at it: `--accept` keeps answers as they are, for the prompts of now.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from bench.proposals.cassette import (
    Call,
    Cassette,
    ChangedPromptError,
    Queue,
    digest_of,
    parse_request,
)
from bench.proposals.checks import Probing
from bench.proposals.oracle import reasoner
from bench.reading.judging import Judgement, Truth, canonical_rows, judged
from bench.reading.plans import tested_rows
from bench.reading.protocol import Answered, Rows
from bench.reading.sets import Item, data_folder, load
from bench.reading.truths import truths
from bench.reading.verdicts import GOOD, Verdict, verdict
from bench.support_catalogue import Sources, kept_sources
from mesh.ids import new_id
from mesh.sureness import WORDS
from mesh.testing import model_server as served
from mesh.tool import ToolError
from services.planner.adapters.reasoner_together import TogetherReasoner
from services.planner.analysis.checking import checked
from services.planner.domain.analysis.planning import Planning, PlanningInput
from services.planner.domain.data_source import DataSource
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.statements.readable import QUERYING_TOOL

SETS = ("everyday", "analytical")
KEPT = Path(__file__).parent / "cassettes"
_MOST_ROWS = 200_000
_EACH_HELD_OUT, _EACH_STATISTICS = 6, 2


@dataclass
class Playing:
    """Answers requests as they come: from the cassette, from the queue, or not at all."""

    cassette: Cassette
    queue: Queue | None = None
    accept: bool = False
    question: str = ""
    requests: int = 0
    given: dict[str, tuple[str, Call]] = field(default_factory=dict)

    def ask(self, question: str) -> None:
        """From now on requests are about this question."""
        self.question, self.requests = question, 0

    def __call__(self, request: dict[str, Any]) -> served.Turn:
        """The turn that answers a request; a refusal where nobody answered it yet."""
        self.requests += 1
        name = f"{self.question}/{self.requests}"
        instructions, prompt = parse_request(request)
        text = digest_of(instructions)
        if self.accept or not self.cassette.instructions:
            self.cassette.instructions = text
        if text != self.cassette.instructions:
            self.cassette.changed.append("the instructions")
        call = self._recorded(name, prompt)
        if call is None and self.queue is not None:
            call = self.queue.answer(name, instructions, prompt)
        if call is None:
            return served.Refused(400)
        self.given[name] = (digest_of(prompt), call)
        return served.Answered(call.arguments, call.name)

    def _recorded(self, name: str, prompt: str) -> Call | None:
        if self.accept and name in self.cassette.answers:
            return self.cassette.answers[name][1]
        try:
            return self.cassette.answer(name, prompt)
        except ChangedPromptError:
            return None


@dataclass
class Figures:
    """What came of the questions."""

    verdicts: Counter[tuple[Verdict, str]] = field(default_factory=Counter)
    requests: int = 0
    asked: int = 0
    wrong: list[str] = field(default_factory=list)

    def count_correct(self, word: str = "") -> tuple[int, int]:
        """How many answers went well, and of how many: all, or those told with that word."""
        chosen = {key: n for key, n in self.verdicts.items() if not word or key[1] == word}
        return sum(n for key, n in chosen.items() if key[0] in GOOD), sum(chosen.values())


def questions(name: str) -> list[Item]:
    """The questions that are played of a set: all, or of the everyday ones the first of each
    database that is held out, one of each that cannot be answered or is to be asked back, and
    statistics from every database."""
    items = [item for item in load([name], data_folder(), print) if not item.after]
    if name != "everyday":
        return items
    chosen: dict[str, list[Item]] = {}
    for item in items:
        statistics = "statistics" in item.tags
        plain = _EACH_HELD_OUT if item.expect == "answer" else 1
        most = _EACH_STATISTICS if statistics else plain
        held = chosen.setdefault(f"{item.database} {statistics} {item.expect}", [])
        if (statistics or item.held_out) and len(held) < most:
            held.append(item)
    return [item for held in chosen.values() for item in held]


async def measured(items: Sequence[Item], playing: Playing) -> Figures:
    """Have all of them answered, one after the other."""
    figures, sources = Figures(), kept_sources()
    async with served.model_server() as server, reasoner(server) as together:
        server.script = playing
        for item in items:
            playing.ask(item.id)
            answer = await _answered(item, together, sources)
            figures.asked += 1
            figures.requests += playing.requests
            right = _truths(item, sources)
            judgement = judged(answer.rows, right) if answer.rows else Judgement.WRONG
            came = verdict(item, answer, judgement)
            figures.verdicts[came, answer.word] += 1
            if came not in GOOD:
                figures.wrong.append(f"{came}, {answer.word}: {item.id} {item.question}")
    return figures


def _truths(item: Item, sources: Sources) -> list[Truth]:
    """What is right. Truths of analytical questions, and of talks, are statements over the sources
    themselves."""
    if item.set not in ("analytical", "talks"):
        return truths(item)
    _, _, workspace = sources.open_together(item.paths)
    with workspace.cursor() as cursor:
        every = (cursor.execute(sql).fetchall() for sql in (item.sql, *item.also))
        return [Truth(canonical_rows(rows)) for rows in every]


async def _answered(item: Item, together: TogetherReasoner, sources: Sources) -> Answered:
    """What the planner would have answered."""
    catalogue, lookup, workspace = sources.open_together(item.paths)
    request = AnalysisRequest(
        request_id=new_id(),
        intent=item.question,
        data_sources=tuple(DataSource(file_path=str(path)) for path in item.paths),
        timestamp=datetime(2025, 1, 1, tzinfo=UTC),
    )
    evidence = Probing(workspace)
    given = PlanningInput(
        request=request, catalogue=catalogue, lookup=lookup, today=item.today, evidence=evidence
    )
    planning = await checked(await together.plan(given), given, together)
    return _as_answer(planning, workspace)


def _as_answer(planning: Planning, workspace: Any) -> Answered:
    """A decision as the sets' judge takes it, with the rows that its plan gives."""
    word = WORDS[planning.confidence]
    if planning.clarification is not None:
        return Answered("asked", reply=planning.clarification.question)
    if planning.draft is None:
        text = planning.failure.message if planning.failure is not None else ""
        return Answered("refused", reply=text)
    tasks = {task.task_id: task for task in planning.draft.subtasks}
    query = next(task for task in tasks.values() if task.tool_name == QUERYING_TOOL)
    doubts = (*planning.assumptions, *planning.caveats)
    answer = tasks[planning.draft.answer_task]
    try:
        with workspace.cursor() as cursor:
            run = cursor.execute(query.arguments["query"], query.arguments.get("params") or [])
            columns = [column[0] for column in run.description]
            rows = Rows(columns, run.fetchmany(_MOST_ROWS))
        if answer.tool_name == "stats.test":
            rows = tested_rows(answer.arguments, columns, rows.rows)
    except (duckdb.Error, ToolError):
        return Answered("answered", rows=None, word=word, doubts=doubts)
    return Answered("answered", rows=rows, word=word, doubts=doubts)


def printed(name: str, figures: Figures) -> None:
    """Print the figures of one set, with what went wrong."""
    good, all_ = figures.count_correct()
    print(f"{name}: {good} of {all_} right, {figures.requests / max(all_, 1):.2f} requests each")
    for word in WORDS.values():
        right, number = figures.count_correct(word)
        print(f"  told {word:<8} {number:>4}, of these right {right}")
    for line in figures.wrong:
        print(f"  {line}")


def main() -> int:
    """Replay, or put prompts into a queue; 1 where something waits or has changed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append", choices=SETS)
    parser.add_argument("--queue", type=Path)
    parser.add_argument("--record", action="store_true", help="keep the answers of the queue")
    parser.add_argument("--accept", action="store_true", help="answers stand for prompts of now")
    given = parser.parse_args()
    complete = True
    for name in given.set or SETS:
        path = KEPT / f"{name}.jsonl"
        queue = Queue(given.queue) if given.queue else None
        playing = Playing(Cassette.read(path), queue, given.accept)
        figures = asyncio.run(measured(questions(name), playing))
        printed(name, figures)
        waiting = queue.waiting if queue else []
        changed = list(dict.fromkeys(playing.cassette.changed))
        if waiting:
            print(f"  {len(waiting)} prompts wait in {given.queue}")
        if changed:
            print(f"  changed since they were answered: {', '.join(changed[:9])} ({len(changed)})")
        complete &= not waiting and not changed
        if (given.record or given.accept) and playing.given:
            KEPT.mkdir(exist_ok=True)
            Cassette(playing.cassette.instructions, playing.given).write(path)
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
