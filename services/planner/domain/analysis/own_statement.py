"""A statement that a person wrote: run as it is, in place of a question.

Nothing is read into it, nothing of it is changed when it fails, and nothing is learnt from it. What
checks find in it is told before its numbers.
"""

from __future__ import annotations

from collections.abc import Iterable

from mesh.errors import COLUMN_BLOCKED, AssayError
from services.planner.domain.analysis.deliver import with_files
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.confidence.seen import Seen
from services.planner.domain.plan import PlanDraft, Subtask
from services.planner.domain.question import AnalysisRequest, Deliverable
from services.planner.domain.statements.parsing import names_in
from services.planner.domain.statements.readable import QUERYING_TOOL

LOAD, FACTS, TEST, CHART = "load", "facts", "test", "chart"
TESTING_TOOL = "stats.test"
_TEST_SECONDS, _CHART_SECONDS = 0.5, 0.4
_UNDERSTOOD = "your statement, run as it is"
_WORDS = frozenset({Deliverable.SUMMARY, Deliverable.REPORTS})


def planned_statement(request: AnalysisRequest, catalogue: Catalogue, tried: int = 0) -> Planning:
    """The plan of a request that holds a statement: that one query, its rows counted for the words,
    and their file; the test of its rows where one is asked for, the session holding `tried` before.

    Of a statement that an intent says as well, and that names what it works out, there is what
    stands beside that, as its chart; of any other no chart: nothing was asked that one could show.
    How sure its numbers are, and what is told before them, is for checks to say."""
    # Here, because lists of jobs come by this module and read no statement.
    from services.planner.domain.proposals.intended import intended
    from services.planner.domain.reporting.scope import described_scope

    limits = request.constraints
    load = Subtask(
        task_id=LOAD,
        description="run your statement",
        tool_name=QUERYING_TOOL,
        arguments={
            "query": request.statement,
            "params": [],
            "timeout": max(1, int(limits.timeout_seconds)),
            "row_limit": limits.row_limit,
        },
        invariants=("as it was written",),
    )
    if request.test.kind:
        return _planned_test(request, load, tried + 1)
    if request.chart.kind:
        return _planned_chart(request, load)
    known_intended = intended(request.statement, (), request, catalogue)
    if known_intended is not None and (words := described_scope(known_intended.intent)):
        load = load.model_copy(update={"description": f"{load.description}: {words}"})
    counted = (rows_counted(),) if _WORDS & set(request.deliverables) else ()
    beside = counted if known_intended is None else known_intended.beside
    why = "The statement is run as it is."
    reasoning = f"{why} {known_intended.reasoning}" if known_intended is not None else why
    draft = PlanDraft(subtasks=(load, *beside), answer_task=LOAD, reasoning=reasoning)
    return Planning(
        understood=_UNDERSTOOD,
        reason="a statement leaves nothing to decide",
        intent=known_intended.intent.model_dump(mode="json") if known_intended is not None else {},
        draft=with_files(draft, request.deliverables),
        decided_by="rules",
        seen=Seen(proposer="person"),
    )


def _planned_test(request: AnalysisRequest, load: Subtask, tried: int) -> Planning:
    """The plan of a test over the rows of a statement: its numbers are the answer."""
    tested = Subtask(
        task_id=TEST,
        description=f"{request.test.kind} over the rows",
        tool_name=TESTING_TOOL,
        arguments={"input": LOAD, **request.test.arguments(tried)},
        dependencies=(LOAD,),
        invariants=("every row with a missing value is left out and counted",),
        estimated_cost_seconds=_TEST_SECONDS,
    )
    draft = PlanDraft(
        subtasks=(load, tested),
        answer_task=TEST,
        reasoning="The statement is run as it is, and its rows are tested as was asked.",
    )
    return Planning(
        understood=f"{_UNDERSTOOD}, and a test of its rows",
        reason="a statement and a test leave nothing to decide",
        draft=with_files(draft, request.deliverables),
        decided_by="rules",
        seen=Seen(proposer="person"),
    )


def _planned_chart(request: AnalysisRequest, load: Subtask) -> Planning:
    """The plan of a chart of the rows of a statement, which are the answer."""
    arguments = request.chart.arguments()
    drawn = Subtask(
        task_id=CHART,
        description=f"{arguments['type'].replace('_', ' ')} chart",
        tool_name="plot.render",
        arguments={"input": LOAD, **arguments},
        dependencies=(LOAD,),
        invariants=("draws the rows as loaded",),
        estimated_cost_seconds=_CHART_SECONDS,
    )
    counted = (rows_counted(),) if _WORDS & set(request.deliverables) else ()
    draft = PlanDraft(
        subtasks=(load, drawn, *counted),
        answer_task=LOAD,
        reasoning="The statement is run as it is, and its rows are drawn as was asked.",
    )
    return Planning(
        understood=f"{_UNDERSTOOD}, and a chart of its rows",
        reason="a statement and a chart leave nothing to decide",
        draft=with_files(draft, request.deliverables),
        decided_by="rules",
        seen=Seen(proposer="person"),
    )


def statement_refused(
    statement: str, blocked_columns: Iterable[str], catalogue: Catalogue
) -> AssayError | None:
    """The refusal of a statement that names a column policy took away, or None.

    `blocked_columns` are spelled table.column. A name that an allowed column bears too is not held
    against the statement; what cannot be parsed is left to the engine's guard.
    """
    named = names_in(statement)
    allowed = {column.name.casefold() for table in catalogue.tables for column in table.columns}
    for name in blocked_columns:
        if name.rpartition(".")[2].casefold() in named - allowed:
            return AssayError(
                COLUMN_BLOCKED,
                f"not permitted: column {name} is blocked by policy",
                metadata={"column": name},
            )
    return None


def names_used(statement: str, catalogue: Catalogue) -> str:
    """The tables and columns of the catalogue that a statement names, quoted, with a space between.

    A star names every column: of which tables is not looked at.
    """
    named = names_in(statement)
    names = [table.name for table in catalogue.tables if table.name.casefold() in named]
    names += [
        column.name
        for table in catalogue.tables
        for column in table.columns
        if "*" in named or column.name.casefold() in named
    ]
    return " ".join(f'"{name}"' for name in dict.fromkeys(names))


def rows_counted() -> Subtask:
    """The step that tells how many rows came: all that is known of rows that were not planned."""
    counted = {"function": "count", "name": "rows"}
    return Subtask(
        task_id=FACTS,
        description="how many rows",
        tool_name="df.transform",
        arguments={
            "input": LOAD,
            "steps": [{"operation": "aggregate", "by": [], "measures": [counted]}],
        },
        dependencies=(LOAD,),
        invariants=("exactly one row",),
        estimated_cost_seconds=0.02,
    )
