"""Whether what a model proposed may become a decision: everything is checked before anything runs.

The checks are for the model, which gets their words back. What passes is a plan like any other:
the planner validates it, the executor guards every statement, and the database has no way out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from services.planner.adapters.llm.numbers import Known
from services.planner.adapters.llm.proposal import Proposal, ProposedStep
from services.planner.adapters.llm.queries import dates_in, expression_problems, query_problems
from services.planner.adapters.llm.rehearsal import rehearse
from services.planner.domain.analysis.deliver import TABLE_TASK
from services.planner.domain.analysis.request import AnalysisRequest
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.language.planning.reasoning import reasons_of
from services.planner.domain.plan import PlanDraft, Subtask
from services.planner.domain.tooling import ToolDescription

_SQL, _PLOT, _TEST = "sql.run", "plot.render", "stats.test"
_NAMING: Mapping[str, tuple[str, ...]] = {
    _PLOT: ("x_col", "y_col", "series_col"),
    _TEST: ("columns", "by", "predictors"),
}
"""Arguments of tools that name columns of the frame they work on."""
_ROWS_A_SECOND = 5_000_000
_LONGEST_TEXT = 10_000  # what is longer takes seconds to check, and nobody reads it
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SECONDS = {_SQL: 0.05, _PLOT: 0.4}
_USUAL_SECONDS = 0.1
_FEWEST_OPTIONS = 2


@dataclass(frozen=True)
class Grounds:
    """What a proposal is held against: what the model was told, and nothing else."""

    request: AnalysisRequest
    catalogue: Catalogue
    tools: Mapping[str, ToolDescription]
    known: Known

    def problems(self, proposal: Proposal) -> list[str]:
        """Everything that is wrong with a proposal, in words; empty when it may be believed."""
        if unfit := _unfit_texts(proposal.model_dump()):
            return unfit
        if proposal.kind == "question":
            return list(self._question(proposal))
        if proposal.kind == "impossible":
            if not proposal.reason:
                return ["reason must say what the data lacks"]
            return list(self._stated([proposal.reason], []))
        draft = self.draft(proposal)
        limit = self.request.constraints.timeout_seconds
        found = draft.problems(frozenset(self.tools), limit)
        found += [] if proposal.understood else ["understood must say how the question was read"]
        outputs: dict[str, tuple[str, ...]] = {}
        for step in proposal.steps:
            if step.tool_name in self.tools:
                found += self.call_problems(step.tool_name, step.arguments, outputs, step.task_id)
            found += self._inputs(step)
        return found + list(self._words(proposal))

    def draft(self, proposal: Proposal) -> PlanDraft:
        """The plan that a proposal makes."""
        steps = tuple(self._subtask(step) for step in proposal.steps)
        said = [f"{proposal.reason.rstrip('.')}."] if proposal.reason else []
        return PlanDraft(
            subtasks=steps,
            reasoning=" ".join([*said, *reasons_of(steps, self._sources(steps))]),
            answer_task=proposal.answer_step,
        )

    def _sources(self, steps: Iterable[Subtask]) -> dict[str, str]:
        """What each query asks, for the plan's reasons."""
        found = {}
        for step in steps:
            words = set(re.findall(r"\w+", str(step.arguments.get("query", "")).casefold()))
            names = [t.name for t in self.catalogue.tables if t.name.casefold() in words]
            if names:
                found[step.task_id] = f"asks {' and '.join(names)} for the rows"
        return found

    def call_problems(
        self,
        tool_name: str,
        arguments: Mapping[str, Any],
        outputs: dict[str, tuple[str, ...]] | None = None,
        task_id: str = "",
    ) -> list[str]:
        """Everything that is wrong with one call. `outputs` collects the columns that queries
        give, by step, and tells a chart which there are."""
        outputs = {} if outputs is None else outputs
        if unfit := _unfit_texts(arguments):
            return unfit
        where = f"step {task_id}: " if task_id else ""
        found = list(_arguments(arguments, self.tools[tool_name].arguments_schema))
        if tool_name == _SQL:
            found += self._query(arguments, outputs, task_id)
        else:
            found += self._numbers(arguments)
        if tool_name in _NAMING and (there := outputs.get(str(arguments.get("input", "")))):
            found += _unknown_columns(arguments, _NAMING[tool_name], there)
        return [where + problem for problem in found]

    def _query(
        self, arguments: Mapping[str, Any], outputs: dict[str, tuple[str, ...]], task_id: str
    ) -> list[str]:
        query, parameters = arguments.get("query"), arguments.get("params", [])
        if not isinstance(query, str) or not isinstance(parameters, list):
            return ["query must be a text and params a list"]
        found = query_problems(query, self.catalogue, self.known)
        for value in parameters:
            found += [f"the number {n} is not known" for n in self.known.foreign(str(value))]
        if not found:
            columns, why_not = rehearse(query, parameters, self.catalogue)
            found = [f"the query cannot run: {why_not}"] if why_not else []
            outputs[task_id] = columns
        return found

    def _numbers(self, arguments: Mapping[str, Any]) -> Iterator[str]:
        for key, value in _leaves(arguments):
            if key == "expression" and isinstance(value, str):
                yield from expression_problems(value, self.known)
            elif isinstance(value, bool) or value is None:
                continue
            elif isinstance(value, int | float):
                if not self.known.allows_literal(str(value)):
                    yield f"{key} is {value}, which is neither in the question nor in the data"
            else:
                for number in self.known.foreign(str(value)):
                    yield f"{key} states a number that is not in the question: {number}"

    def _inputs(self, step: ProposedStep) -> Iterator[str]:
        wanted = step.arguments.get("input")
        if isinstance(wanted, str) and wanted not in step.dependencies:
            yield f"step {step.task_id} works on {wanted}, so its dependencies must name it"
        if step.task_id == TABLE_TASK:
            yield f"no step may be called {TABLE_TASK}: that one is added by itself"

    def _words(self, proposal: Proposal) -> Iterator[str]:
        queries = [str(step.arguments.get("query", "")) for step in proposal.steps]
        dates = [day for query in queries for day in dates_in(query)]
        said = [
            proposal.understood,
            proposal.reason,
            *proposal.assumptions,
            *(step.description for step in proposal.steps),
        ]
        yield from self._stated(said, dates)

    def _question(self, proposal: Proposal) -> Iterator[str]:
        if self.request.assume:
            yield "nothing may be asked: take the likeliest reading and state it in assumptions"
        if not proposal.question or len(proposal.options) < _FEWEST_OPTIONS:
            yield "a question needs its text and two to four options"
        yield from self._stated([proposal.question, *proposal.options, proposal.reason], [])

    def _stated(self, texts: Iterable[str], dates: Iterable[str]) -> Iterator[str]:
        for text in texts:
            for number in self.known.foreign(text, dates):
                yield f"{text[:60]!r} states a number that is not in the question: {number}"

    def _subtask(self, step: ProposedStep) -> Subtask:
        arguments = dict(step.arguments)
        cost = _SECONDS.get(step.tool_name, _USUAL_SECONDS)
        if step.tool_name == _SQL:
            limits = self.request.constraints
            arguments = {
                **arguments,
                "timeout": _least(arguments.get("timeout"), int(limits.timeout_seconds)),
                "row_limit": _least(arguments.get("row_limit"), limits.row_limit),
            }
            query = str(arguments.get("query", ""))
            named = [t.rows for t in self.catalogue.tables if t.name in query]
            cost += sum(named) / _ROWS_A_SECOND
        return Subtask(
            task_id=step.task_id,
            description=step.description,
            tool_name=step.tool_name,
            arguments=arguments,
            dependencies=step.dependencies,
            estimated_cost_seconds=cost,
        )


def _least(wanted: Any, most: int) -> int:
    sensible = isinstance(wanted, int) and not isinstance(wanted, bool) and wanted > 0
    return min(wanted, most) if sensible else most


def _arguments(given: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    """Arguments that a tool does not have, and those it cannot do without."""
    there = schema.get("properties", {})
    names = ", ".join(there)
    for name in given:
        if name not in there:
            yield f"there is no argument {name!r}; there are {names}"
    for name in schema.get("required", []):
        if name not in given:
            yield f"the argument {name!r} is missing"


def _unknown_columns(
    arguments: Mapping[str, Any], keys: Iterable[str], there: Iterable[str]
) -> Iterator[str]:
    for key in keys:
        named = arguments.get(key)
        for column in named if isinstance(named, list | tuple) else [named]:
            if column is not None and column not in there:
                yield f"{key} is {column!r}; the columns there are {', '.join(there)}"


def _unfit_texts(node: Any) -> list[str]:
    """What no text of a proposal may be, before any of them is looked at more closely."""
    texts = [value for _, value in _leaves(node) if isinstance(value, str)]
    found = []
    if any(len(text) > _LONGEST_TEXT for text in texts):
        found.append(f"a text or query of it is longer than {_LONGEST_TEXT:,} characters")
    if any(_CONTROL.search(text) for text in texts):
        found.append("its texts hold control characters: leave them out")
    return found


def _leaves(node: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(node, Mapping):
        for name, value in node.items():
            yield from _leaves(value, str(name))
    elif isinstance(node, list | tuple):
        for value in node:
            yield from _leaves(value, key)
    else:
        yield key, node
