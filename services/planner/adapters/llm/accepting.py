"""Whether a filled form may become a decision, and the plan that it becomes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from services.planner.adapters.llm.checking import Grounds, unfit_texts
from services.planner.adapters.llm.forms import ProposedAnswer
from services.planner.adapters.llm.proposing import proposal_of
from services.planner.adapters.llm.queries import numbers_written
from services.planner.domain.analysis.deliver import with_files
from services.planner.domain.analysis.own_statement import FACTS, rows_counted
from services.planner.domain.plan import FURTHER, PlanDraft, Subtask
from services.planner.domain.proposals.charting import chart_of
from services.planner.domain.proposals.intended import Intended, intended
from services.planner.domain.proposals.naming import with_names
from services.planner.domain.proposals.roles import with_roles
from services.planner.domain.query.intent import Intent
from services.planner.domain.query.planning.reasoning import reasons_of
from services.planner.domain.question import Deliverable
from services.planner.domain.statements.parsing import statement
from services.planner.domain.statements.proposal import AskedTest, Proposal
from services.planner.domain.statements.requested_test import ONLY_REQUESTED

LOAD, TEST = "load", "test"
_SQL, _PLOT, _TESTING = "sql.run", "plot.render", "stats.test"
_ROWS_A_SECOND = 5_000_000
_START_UP_SECONDS, _TEST_SECONDS = 0.05, 0.2
_FEWEST_OPTIONS = 2
_WITH_METHODS = frozenset(("correlation", "normality", "outliers"))
"""Tests of which there are several kinds; of the others "welch" or "ols" says what they are."""
_WITHOUT_COLUMNS = "missing"


@dataclass(frozen=True)
class Accepted:
    """A proposal without problems, its plan, and the intent that it is, if it is one."""

    proposal: Proposal
    draft: PlanDraft
    intent: Intent | None = None


def problems(form: ProposedAnswer, grounds: Grounds, by: str) -> list[str]:
    """Everything that is wrong with a filled form, in words; empty when it may be believed."""
    if unfit := unfit_texts(form.model_dump()):
        return unfit
    if form.kind == "question":
        return list(_question(form, grounds))
    if form.kind == "impossible":
        if not form.reason:
            return ["reason must say what the data lacks"]
        return list(grounds.stated([form.reason]))
    proposal = proposal_of(form, by)
    found = proposal.problems(grounds.request.intent)
    if statement(proposal.statement) is None:
        return found
    wrong, types = grounds.tried(proposal.statement)
    found += wrong
    for part in proposal.further:
        found += [f"{part.title[:60]!r}: {why}" for why in grounds.tried(part.statement)[0]]
    found += _list_stated(proposal, grounds)
    if not wrong:
        found += _columns(proposal, types, grounds)
        draft = _accepted(with_roles(proposal, types, grounds.catalogue), types, grounds).draft
        found += draft.problems(frozenset(grounds.tools), _seconds(grounds))
    return found


def accepted(form: ProposedAnswer, grounds: Grounds, by: str) -> Accepted:
    """The proposal and the plan of a form of kind answer that has no problems.

    Alternatives that do not hold are left out, and so are reasons that state numbers.
    """
    proposal = proposal_of(form, by)
    _, types = grounds.tried(proposal.statement)
    bindings = [
        one.model_copy(update={"because": ""})
        if one.fragment and grounds.known.foreign(one.because)
        else one
        for one in proposal.bindings
    ]
    others = [
        one
        for one in proposal.alternatives
        if not grounds.tried(one.statement)[0]
        and not list(grounds.stated([one.interpretation], numbers_written(one.statement)))
    ]
    update = {"bindings": tuple(bindings), "alternatives": tuple(others)}
    proposal = with_names(proposal.model_copy(update=update), types)
    _, types = grounds.tried(proposal.statement)
    proposal = with_roles(proposal, types, grounds.catalogue)
    made = _accepted(proposal, types, grounds)
    return replace(made, draft=with_files(made.draft, grounds.request.deliverables))


def tests_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of tests that a proposal can say whole, as the schema of the tool has them."""
    return tuple(name for name in _choices(schema, "test") if name not in ONLY_REQUESTED)


def _choices(schema: Mapping[str, Any], argument: str) -> tuple[str, ...]:
    """What an argument of a tool may be, where its schema lists that."""
    named = schema.get("properties", {}).get(argument, {}).get("enum", ())
    return tuple(str(name) for name in named)


def _list_stated(proposal: Proposal, grounds: Grounds) -> Iterator[str]:
    """What its words and the values that it chose itself state."""
    texts = [proposal.interpretation, proposal.grain, *proposal.assumptions]
    texts += [one.because for one in proposal.bindings if not one.fragment]
    yield from grounds.stated(texts, numbers_written(proposal.statement))
    yield from grounds.stated(column.unit for column in proposal.columns)
    yield from grounds.stated(part.title for part in proposal.further)
    test = proposal.test
    if test is not None and not grounds.known.allows_literal(str(test.expected)):
        yield f"expected is {test.expected}, which is neither in the question nor in the data"


def _columns(proposal: Proposal, types: Mapping[str, str], grounds: Grounds) -> Iterator[str]:
    """Columns that the statement does not give, and tests that there are not."""
    there = ", ".join(types)
    known = {name.casefold() for name in types}
    for column in proposal.columns:
        if types and column.name.casefold() not in known:
            yield f"columns names {column.name!r}; those of the statement are {there}"
    test = proposal.test
    if test is None:
        return
    for name in (*test.columns, *test.predictors, *([test.by] if test.by else [])):
        if types and name not in types:
            yield f"test names the column {name!r}; those of the statement are {there}"
    if not test.columns and test.test != _WITHOUT_COLUMNS:
        yield "test must name its columns"
    tool = grounds.tools.get(_TESTING)
    schema = tool.arguments_schema if tool is not None else {}
    names, methods = tests_of(schema), _choices(schema, "method")
    if names and test.test not in names:
        yield f"there is no test {test.test!r}; there are {', '.join(names)}"
    chosen = test.method if test.test in _WITH_METHODS else ""
    if methods and chosen and chosen not in methods:
        yield f"there is no method {chosen!r}: leave it empty, or one of {', '.join(methods)}"


def _question(form: ProposedAnswer, grounds: Grounds) -> Iterator[str]:
    if grounds.request.assume:
        yield "nothing may be asked: take the likeliest reading and state it in assumptions"
    if not form.question or len(form.options) < _FEWEST_OPTIONS:
        yield "a question needs its text and two to four options"
    yield from grounds.stated([form.question, *form.options, form.reason])


def _accepted(proposal: Proposal, types: Mapping[str, str], grounds: Grounds) -> Accepted:
    """The statement, the test over its rows if one is asked for, the chart that they allow, and of
    one that an intent says as well what stands beside that."""
    steps = [_load(proposal.statement, grounds)]
    known_intended = _find_intent(proposal, types, grounds)
    if proposal.test is not None:
        steps.append(_test(proposal.test))
    wanted = Deliverable.CHARTS in grounds.request.deliverables and _PLOT in grounds.tools
    if known_intended is not None:
        steps += [task for task in known_intended.beside if task.tool_name in grounds.tools]
    elif wanted:
        source = _source(proposal.statement, grounds)
        chart = chart_of(proposal, types, grounds.request.intent, LOAD, source)
        steps += [chart] if chart is not None else []
    counted = FACTS in {task.task_id for task in steps}
    if not counted and any("{rows}" in one for one in proposal.sentences):
        steps.append(rows_counted())
    steps += _further(proposal, grounds)
    names, read_as = _read(proposal.statement, grounds), proposal.interpretation.rstrip(".")
    sources = {LOAD: f"asks {' and '.join(names)} for the rows"} if names else {}
    draft = PlanDraft(
        subtasks=tuple(steps),
        reasoning=" ".join([f"{read_as}.", *reasons_of(steps, sources)]),
        answer_task=TEST if proposal.test is not None else LOAD,
    )
    return Accepted(proposal, draft, known_intended.intent if known_intended is not None else None)


def _find_intent(proposal: Proposal, types: Mapping[str, str], grounds: Grounds) -> Intended | None:
    """The intent of a proposal's one statement; None of one that is tested."""
    if proposal.test is not None or proposal.further:
        return None
    catalogue, request = grounds.catalogue, grounds.request
    return intended(proposal.statement, list(types), request, catalogue, proposal.columns)


def _further(proposal: Proposal, grounds: Grounds) -> Iterator[Subtask]:
    """A query for each further result, called by its title."""
    for number, part in enumerate(proposal.further, 1):
        named = {"task_id": f"{FURTHER}{number}", "description": part.title}
        yield _load(part.statement, grounds).model_copy(update=named)


def _load(query: str, grounds: Grounds) -> Subtask:
    names, limits = _read(query, grounds), grounds.request.constraints
    rows = sum(table.rows for table in grounds.catalogue.tables if table.name in names)
    return Subtask(
        task_id=LOAD,
        description=f"query {', '.join(names)}",
        tool_name=_SQL,
        arguments={
            "query": query,
            "timeout": max(1, int(limits.timeout_seconds)),
            "row_limit": limits.row_limit,
        },
        estimated_cost_seconds=_START_UP_SECONDS + rows / _ROWS_A_SECOND,
    )


def _test(test: AskedTest) -> Subtask:
    besides = set() if test.test in _WITH_METHODS else {"method"}
    given = test.model_dump(mode="json", exclude_defaults=True, exclude=besides)
    return Subtask(
        task_id=TEST,
        description=test.test.replace("_", " "),
        tool_name=_TESTING,
        arguments={"input": LOAD, **given},
        dependencies=(LOAD,),
        estimated_cost_seconds=_TEST_SECONDS,
    )


def _read(text: str, grounds: Grounds) -> list[str]:
    """The tables that a statement names."""
    words = set(re.findall(r"\w+", text.casefold()))
    return [
        table.name
        for table in grounds.catalogue.tables
        if set(re.findall(r"\w+", table.name.casefold())) <= words
    ]


def _source(text: str, grounds: Grounds) -> str:
    """The source whose tables a statement names first."""
    named = _read(text, grounds)
    return next((t.source_name for t in grounds.catalogue.tables if t.name in named), "")


def _seconds(grounds: Grounds) -> float:
    return grounds.request.constraints.timeout_seconds
