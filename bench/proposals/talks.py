"""Conversations with a model: how often a follow-up is right. `python -m bench.proposals.talks`

Twenty conversations of five turns (`talks.yaml`) are held with a whole mesh, whose model is an
endpoint that answers each turn with its truth: told are how many turns are right and how sure they
are told, the requests that a turn takes, and what was refused. `--rules`
holds them without a model. Half of the conversations are apart: of those nothing is shown.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml

from assay.common.v1 import conversation_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import conversation_service_pb2 as pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from bench.proposals.checks import rows
from bench.proposals.oracle import form, same
from bench.reading.sets import data_folder
from bench.support_catalogue import kept_sources
from clients.python import words_of
from examples.retailer import write_retailer
from mesh.ids import new_id
from mesh.testing.mesh import running_mesh
from mesh.testing.model_server import Answered, ModelServer, Refused, Turn, model_server
from services.__main__ import factories
from services.planner.domain.statements.readable import QUERYING_TOOL
from tests.mesh.support import Caller

_FILE = Path(__file__).with_name("talks.yaml")
_MESSAGE = re.compile(r"\n(?:Question|Said now|Said against how it was read): (.+)\Z", re.DOTALL)
_SECONDS = 120


@dataclass(frozen=True)
class Talk:
    """A conversation as written; `path` is its data."""

    name: str
    path: Path
    apart: bool
    turns: Sequence[Mapping[str, str]]


@dataclass
class Figures:
    """What came of the turns."""

    turns: int = 0
    follow_ups: int = 0
    right_follow_ups: int = 0
    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    without: Counter[str] = field(default_factory=Counter)
    requests: int = 0


@dataclass
class Oracle:
    """Answers each turn of the conversation that is held with its truth."""

    turns: Mapping[str, str] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)

    def __call__(self, request: dict[str, Any]) -> Turn:
        """The form that is right for what is said now."""
        texts = [m["content"] for m in request["messages"] if m["role"] == "user"]
        sentence = next((m[1] for text in texts if (m := _MESSAGE.search(str(text)))), "")
        if sentence not in self.turns:
            self.unknown.append(sentence)
            return Refused(500)
        return Answered(form(sentence, self.turns[sentence]))


def written(example: Path) -> Iterator[Talk]:
    """All conversations whose data are there."""
    for held in yaml.safe_load(_FILE.read_text(encoding="utf-8")).values():
        path = data_folder() / held["data"] if held["data"] else example
        for name, talk in held["talks"].items():
            if path.exists():
                yield Talk(name, path, bool(talk.get("apart")), talk["turns"])


async def held(
    talk: Talk, caller: Caller, model: ModelServer, figures: Figures, *, show: bool
) -> None:
    """Hold one conversation."""
    _, _, run = kept_sources().open_together([talk.path])
    model.script = Oracle({turn["say"]: turn["sql"] for turn in talk.turns})
    conversation = ""
    for number, turn in enumerate(talk.turns):
        asked = len(model.asked)
        conversation, response = await _send_message(caller, turn["say"], talk.path, conversation)
        figures.requests += len(model.asked) - asked
        figures.turns += 1
        figures.follow_ups += number > 0
        job = await _job(caller, response)
        if job is None or job.HasField("failure") or not job.HasField("answer"):
            why = response.failure.reason or "asked back"
            figures.without[why] += 1
            if show and not talk.apart:
                value = response.failure.message
                print(f"  {why} {talk.name}: {turn['say']}\n    {value}")
            continue
        value = words_of.sureness(job.answer)
        found = await _rows(caller, job.job_id, run)
        right = rows(run, turn["sql"])
        is_right = found is not None and right is not None and same(found, right)
        (figures.right if is_right else figures.wrong)[value] += 1
        figures.right_follow_ups += is_right and number > 0
        if show and not talk.apart:
            print(f"  {'right' if is_right else 'WRONG'} {value} {talk.name}: {turn['say']}")
            print(f"    {response.edit or '-'}\n    {list(job.answer.caveats)}")


async def _send_message(
    caller: Caller, words: str, path: Path, conversation: str
) -> tuple[str, conversation_pb2.AgentResponse]:
    request = pb.AskRequest(request_id=new_id(), conversation_id=conversation, content=words)
    if not conversation:
        request.terms.data_sources.add(file_path=str(path))
        request.terms.assume = True
    response = conversation_pb2.AgentResponse()
    async for value in caller.conversations.Ask(request, timeout=_SECONDS):
        if value.HasField("asked"):
            conversation = value.asked.conversation.conversation_id
        elif value.HasField("response"):
            response = value.response
    return conversation, response


async def _job(caller: Caller, response: Any) -> Any:
    if not response.job_id:
        return None
    return (await caller.jobs.GetJob(jobs_pb.GetJobRequest(job_id=response.job_id))).job


async def _rows(caller: Caller, job_id: str, run: Any) -> Any:
    """The rows of the query that answered, run anew."""
    listing = records_pb.ListEntriesRequest(job_id=job_id)
    for entry in (await caller.records.ListEntries(listing)).entries:
        called = json.loads(entry.event_data_json) if entry.event_type == "tool_called" else {}
        if called.get("tool_name") == QUERYING_TOOL:
            given = called["arguments"]
            return rows(run, str(given["query"]), list(given.get("params") or ()))
    return None


@asynccontextmanager
async def mesh(folder: Path, model: ModelServer, *, rules: bool) -> AsyncIterator[Caller]:
    """A caller of a mesh that asks the model, or none."""
    asks = (
        {}
        if rules
        else {
            "ASSAY_LLM": "openai:oracle",
            "ASSAY_LLM_KEY": "sk-none",
            "ASSAY_LLM_BASE_URL": model.base_url,
            "ASSAY_LLM_JOB_TOKENS": "0",
            "ASSAY_LLM_DAY_TOKENS": "0",
        }
    )
    with patch.dict(os.environ, {"ASSAY_EMBEDDER": "hashed", **asks}):
        async with (
            running_mesh(folder / "home", factories) as settings,
            Caller(settings, "ann") as caller,
        ):
            yield caller


async def measure(rules: bool, show: bool, only: str) -> dict[str, Figures]:
    """Hold all conversations, one after the other; the figures of those apart by themselves."""
    figures = {"open": Figures(), "apart": Figures()}
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept)
        example = next(p for p in write_retailer(folder) if p.suffix == ".sqlite")
        async with model_server() as model, mesh(folder, model, rules=rules) as caller:
            for talk in written(example):
                if only in talk.name:
                    mine = figures["apart" if talk.apart else "open"]
                    await held(talk, caller, model, mine, show=show)
    return figures


def printed(name: str, figures: Figures) -> None:
    """Print the figures of one half."""
    whole, later = max(figures.turns, 1), max(figures.follow_ups, 1)
    print(f"{name}: {figures.turns} turns, {figures.requests / whole:.2f} requests each")
    print(f"  follow-ups right {100 * figures.right_follow_ups / later:.0f} %")
    for label, counted in (("right", figures.right), ("wrong", figures.wrong)):
        parts = ", ".join(f"{text} {n}" for text, n in counted.most_common())
        print(f"  {label:<6} {100 * counted.total() / whole:3.0f} %  ({parts})")
    print(f"  no answer {dict(figures.without)}")


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", action="store_true", help="without a model")
    parser.add_argument("--show", action="store_true", help="each turn that is not apart")
    parser.add_argument("--only", default="", help="conversations with this in their name")
    given = parser.parse_args()
    for name, figures in asyncio.run(measure(given.rules, given.show, given.only)).items():
        if figures.turns:
            printed(name, figures)


if __name__ == "__main__":
    main()
