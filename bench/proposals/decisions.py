"""Decisions as the planner makes them, on questions whose answers are known, right or wrong.

A model is played: it proposes the truth, a planted mistake (`mutations.py`), or what the rules took
the question for where they took it wrongly, which is how a question is really misread. All goes the
planner's own way: the rules' reading beside it, the comparison of results, every check.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

import sqlglot

from bench.proposals.checks import Probing, rows
from bench.proposals.mutations import mutated
from bench.proposals.played import _as_answer, _truths
from bench.reading.judging import Judgement, Truth, judged
from bench.reading.sets import TEMPLATES, Item, data_folder, held_out, load, sample
from bench.reading.verdicts import GOOD, verdict
from bench.support_catalogue import kept_sources
from mesh.ids import new_id
from services.planner.adapters.llm.agreement import compared
from services.planner.adapters.reasoner_rules import RulesReasoner
from services.planner.adapters.reasoner_together import TogetherReasoner
from services.planner.analysis.checking import seen_of, with_findings
from services.planner.domain.analysis.planning import Planning, PlanningInput
from services.planner.domain.checks.judging import judge
from services.planner.domain.confidence.seen import Kind, Seen
from services.planner.domain.data_source import DataSource
from services.planner.domain.model_use import ModelUse
from services.planner.domain.plan import PlanDraft, Subtask
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.statements.readable import QUERYING_TOOL

Case = Literal[
    "rules",
    "chosen",
    "chosen in vain",
    "truth",
    "slip",
    "misread",
    "shared",
    "statement",
    "faulty statement",
]
"""What was decided on: the question by the rules alone; the reading that is right, of those that
they offer, as a person chooses it, and the first of them where none is; the truth, a planted slip
or a misreading as a model proposes it, the misreading once as one that the rules do not share, once
as theirs; a person's statement, as it is and with a fault that a statement shows by itself."""
BY_RULES: tuple[Case, ...] = ("rules", "chosen", "chosen in vain")
_OF_RULES: tuple[Kind, ...] = ("rules", "edit", "chosen")

_MODEL = "openai:played"
_SLIPS = 2
_RULES_ALONE, _MODEL_ALONE = ("short",), ("queries",)
_MOST = {"short": 200, "queries": 160}
OF_STATEMENTS = (
    "join without condition",
    "join at the wrong grain",
    "wrong literal",
    "not in with empty",
    "text for number",
    "inner for left",
)
"""Mistakes that are ones whatever was asked. Others change what is asked, and of a person's own
statement that is what is meant."""


@dataclass(frozen=True)
class Decision:
    """What was seen of a decision, and whether its answer was right. `apart` says that it is none
    to fit by; `alike` of a truth how many of `others`, as right and written otherwise, are seen to
    give the same."""

    question: str
    set: str
    database: str
    apart: bool
    case: Case
    seen: Seen
    right: bool
    alike: int = 0
    others: int = 0

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {**asdict(self), "seen": self.seen.model_dump(mode="json", exclude_defaults=True)}

    @classmethod
    def read(cls, told: dict[str, Any]) -> Decision:
        """From its JSON."""
        return cls(**{**told, "seen": Seen.model_validate(told["seen"])})

    @property
    def of_template(self) -> bool:
        """Whether no person asked it in these words."""
        return self.set in TEMPLATES

    @property
    def looked_at(self) -> bool:
        """Whether people saw what the rules do there while they wrote them."""
        return self.case in BY_RULES and not self.of_template and not self.apart


class _Played:
    """A model that proposes what it is told to."""

    name = _MODEL

    def __init__(self) -> None:
        self.will = Planning()

    async def plan(self, given: PlanningInput) -> Planning:
        return self.will


class _Kept(RulesReasoner):
    """The rules, which read each question once."""

    def __init__(self) -> None:
        self.planning = Planning()

    async def plan(self, given: PlanningInput) -> Planning:
        return self.planning


class Collecting:
    """Makes the decisions on one question after the other."""

    def __init__(self) -> None:
        self._sources = kept_sources()
        self._rules, self._model, self._kept = RulesReasoner(), _Played(), _Kept()
        self._together = TogetherReasoner(self._kept, self._model)  # type: ignore[arg-type]

    async def of(self, item: Item) -> AsyncIterator[Decision]:
        """Every decision on a question."""
        catalogue, lookup, workspace = self._sources.open_together(item.paths)
        given: PlanningInput | None = None
        planning = Planning()
        for words in (*item.after, item.question):
            follows = planning if given is not None else None
            given = PlanningInput(
                request=_request(words, item),
                catalogue=catalogue,
                lookup=lookup,
                today=item.today,
                evidence=Probing(workspace),
                before=follows,
            )
            planning = await self._rules.plan(given)
        assert given is not None
        made = Decision(
            item.question, item.set, item.database, _apart(item), "rules", Seen(), right=False
        )
        by_rules = await _checked(planning, given)
        answer = _as_answer(by_rules, workspace)
        truths = _truths(item, self._sources)
        judgement = judged(answer.rows, truths) if answer.rows else Judgement.WRONG
        good = verdict(item, answer, judgement) in GOOD
        if planning.draft is not None and item.set not in _MODEL_ALONE:
            yield replace(made, seen=by_rules.seen, right=good)
        if item.set not in TEMPLATES and not item.after:
            async for one in self._chosen(given, workspace, made, truths):
                yield one
        if item.expect != "answer" or not item.sql or item.set in _RULES_ALONE:
            return
        if item.after:  # what goes on from a decision that is sure
            before = given.before if given.before and given.before.draft else _proposal(item.sql)
            given = replace(given, before=before.model_copy(update={"confidence": "high"}))
        self._kept.planning = planning
        misread = _query(planning) if planning.draft is not None and not good else None
        async for one in self._proposed(item, given, workspace, made, misread):
            if (
                one.seen.kind not in _OF_RULES
            ):  # what cannot stand leaves them alone: measured above
                yield one

    async def _chosen(
        self, given: PlanningInput, workspace: Any, made: Decision, truths: Sequence[Truth]
    ) -> AsyncIterator[Decision]:
        """What comes of a question back: the right reading where one was offered, else the first of
        them, for people take that now and then."""
        request = given.request.model_copy(update={"assume": False})
        asking = replace(given, request=request)
        asked = await self._rules.plan(asking)
        if asked.clarification is None:
            return
        first: Decision | None = None
        for option in asked.clarification.options:
            planning = await self._rules.plan(replace(asking, reply=option, asked=asked))
            if planning.draft is None:
                continue
            known_planning = await _checked(planning, asking)
            rows = _as_answer(known_planning, workspace).rows
            right = bool(rows) and judged(rows, truths) in (Judgement.RIGHT, Judgement.EXTRA)
            one = replace(made, seen=known_planning.seen, right=right, case="chosen")
            if right:
                yield one
                return
            first = first or replace(one, case="chosen in vain")
        if first is not None:
            yield first

    async def _proposed(
        self,
        item: Item,
        given: PlanningInput,
        workspace: Any,
        made: Decision,
        misread: tuple[str, Sequence[Any]] | None,
    ) -> AsyncIterator[Decision]:
        """The decisions on what a model proposes, and on the same statements as a person's."""
        sql = _in_duckdb(item.sql, item.dialect)
        right = rows(workspace, sql)
        if right is None:
            return
        others = [other for one in item.also if (other := _in_duckdb(one, item.dialect)) != sql]
        alike = [await compared(_plan(sql), _plan(one), given) for one in others]
        same = sum(one.agrees for one in alike)
        seen = await self._seen(sql, given)
        yield replace(made, case="truth", seen=seen, right=True, alike=same, others=len(others))
        yield replace(made, case="statement", seen=await _of_person(sql, given), right=True)
        slips = list(_mistakes(item, sql, given, workspace, right))
        for _, slip in slips[:_SLIPS]:
            yield replace(made, case="slip", seen=await self._seen(slip, given), right=False)
        for kind, slip in slips:
            if kind in OF_STATEMENTS:
                seen = await _of_person(slip, given)
                yield replace(made, case="faulty statement", seen=seen, right=False)
        if misread is not None:
            sql, params = misread
            seen = await self._seen(sql, given, params, alone=True)
            yield replace(made, case="misread", seen=seen, right=False)
            agreed = self._kept.planning.seen.model_copy(update={"beside": "same"})
            theirs = self._kept.planning.model_copy(update={"seen": agreed})
            theirs = await _checked(theirs, given)
            yield replace(made, case="shared", seen=theirs.seen, right=False)

    async def _seen(
        self, sql: str, given: PlanningInput, params: Sequence[Any] = (), *, alone: bool = False
    ) -> Seen:
        """What is seen of a model's proposal; `alone` as one that the rules do not share."""
        planning = _proposal(sql, params)
        if given.before is not None:
            planning = planning.model_copy(update={"said": ("", given.request.intent)})
        self._model.will = planning
        if alone:
            level = self._kept.planning.confidence
            other = planning.seen.model_copy(update={"beside": "other", "level": level})
            planning = planning.model_copy(update={"seen": other})
        else:
            planning = await self._together.plan(given)
        return (await _checked(planning, given)).seen


def items_of(names: Sequence[str], limit: int | None) -> Iterator[Item]:
    """The questions of these sets; of templates and of plain ones so many that they outweigh no
    others. The reader has learnt from `queries`: what the rules alone do there counts for nothing.
    """
    for name in names:
        most = [one for one in (limit, _MOST.get(name)) if one is not None]
        yield from sample(load([name], data_folder(), print), min(most) if most else None)


def _apart(item: Item) -> bool:
    """Whether nothing is fitted by it: databases that nobody looks at."""
    return item.held_out or (item.set in _MOST and held_out(item.database))


async def _checked(planning: Planning, given: PlanningInput) -> Planning:
    return await with_findings(planning, given.request.intent, given.catalogue, given.evidence)


async def _of_person(sql: str, given: PlanningInput) -> Seen:
    judgement = await judge(sql, given.catalogue, given.evidence)
    return seen_of(Planning(seen=Seen(proposer="person")), [judgement])


def _mistakes(
    item: Item, sql: str, given: PlanningInput, workspace: Any, right: Any
) -> Iterator[tuple[str, str]]:
    """Statements with one mistake that changes the result, in an order of their own."""
    every = [
        (kind, text)
        for kind, text in mutated(sql, given.catalogue)
        if (found := rows(workspace, text)) is not None and found != right
    ]
    yield from sorted(
        every, key=lambda one: hashlib.sha256(f"{item.id} {one[0]}".encode()).hexdigest()
    )


def _request(words: str, item: Item) -> AnalysisRequest:
    return AnalysisRequest(
        request_id=new_id(),
        intent=words,
        assume=True,
        data_sources=tuple(DataSource(file_path=str(path)) for path in item.paths),
        timestamp=datetime(2025, 1, 1, tzinfo=UTC),
    )


def _in_duckdb(sql: str, dialect: str) -> str:
    return sqlglot.transpile(sql, read=dialect, write="duckdb")[0]


def _query(planning: Planning) -> tuple[str, Sequence[Any]] | None:
    """The statement of a plan whose answer is its rows, with its parameters."""
    tasks = planning.draft.subtasks if planning.draft is not None else ()
    asked = [task.arguments for task in tasks if task.tool_name == QUERYING_TOOL]
    if len(asked) != 1 or any(task.tool_name == "stats.test" for task in tasks):
        return None
    return str(asked[0]["query"]), list(asked[0].get("params") or ())


def _plan(sql: str, params: Sequence[Any] = ()) -> PlanDraft:
    arguments = {"query": sql, "params": list(params)}
    task = Subtask(
        task_id="load", description="query", tool_name=QUERYING_TOOL, arguments=arguments
    )
    return PlanDraft(subtasks=(task,), reasoning="", answer_task="load")


def _proposal(sql: str, params: Sequence[Any] = ()) -> Planning:
    return Planning(
        understood="as asked",
        draft=_plan(sql, params),
        confidence="medium",
        decided_by=_MODEL,
        model_use=ModelUse(model=_MODEL, requests=1),
        seen=Seen(proposer="model"),
    )
