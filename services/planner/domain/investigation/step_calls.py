"""The calls by which each hypothesis is tried, over tables that are made once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from services.planner.domain.catalogue import Frozen
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.history import CUBE, HISTORY, MARGINS, history_of
from services.planner.domain.investigation.hypothesis import Hypothesis, Test
from services.planner.domain.investigation.hypothesising import in_words
from services.planner.domain.investigation.leaves.calls import (
    cube_of_leaves,
    faults_of_leaves,
)
from services.planner.domain.investigation.state import Investigation
from services.planner.domain.plan import Subtask

_DRAWS_OF_ONE_IN_MANY = 999
"""Draws of chance for one of several dimensions: held against all of them, a p-value of the usual
199 could not be small enough."""


class StepInput(Frozen):
    """What the next step is decided from; `planned` are the tasks that there are already."""

    state: Investigation
    planned: frozenset[str] = frozenset()
    now: datetime

    @property
    def ground(self) -> Ground:
        """What the investigation stands on."""
        if self.state.grounded is None:
            raise ValueError("nothing is grounded yet")
        return self.state.grounded.ground


def calls_of(given: StepInput, hypothesis: Hypothesis) -> tuple[str, tuple[Subtask, ...]]:
    """Why this hypothesis is tried, in half a sentence, and the calls that try it."""
    return _TESTS[hypothesis.test](given, hypothesis)


def _with_tables(given: StepInput, call: Subtask) -> tuple[Subtask, ...]:
    """The call, after the two tables that it works on where nobody has made them yet: margins, and
    the cube of leaves."""
    if CUBE in given.planned:
        return (call,)
    if given.ground.leaf is not None:
        return (cube_of_leaves(given.ground), call)
    rows, begins = given.ground.rows, given.ground.history_start
    history = {} if begins is None else {"history_start": begins.isoformat()}
    return (
        Subtask(
            task_id=MARGINS,
            description="what each value of each dimension adds in both periods",
            tool_name="metric.margins",
            arguments=rows,
            invariants=("every row of both periods counts once in each dimension",),
        ),
        Subtask(
            task_id=CUBE,
            description="the metric of every combination, day by day",
            tool_name="metric.cube",
            arguments={**rows, **history},
            dependencies=(MARGINS,),
            invariants=("every row from the history's start on counts once",),
        ),
        call,
    )


def _quality(given: StepInput, hypothesis: Hypothesis) -> tuple[str, tuple[Subtask, ...]]:
    why = "if the data are at fault, nothing else counts"
    if given.ground.leaf is not None:
        return why, (faults_of_leaves(_task(given, "quality"), given.ground),)
    call = Subtask(
        task_id=_task(given, "quality"),
        description="gaps, repeated rows, missing values and changed units in both periods",
        tool_name="metric.quality",
        arguments=given.ground.rows,
        estimated_cost_seconds=0.5,
    )
    return why, (call,)


def _change(given: StepInput, hypothesis: Hypothesis) -> tuple[str, tuple[Subtask, ...]]:
    history = history_of(given.ground)
    of = HISTORY if history else CUBE
    call = Subtask(
        task_id=_task(given, "change"),
        description="the whole beside its forecast"
        if given.ground.leaf
        else "the whole, in both periods and beside earlier ones",
        tool_name="metric.change",
        arguments={**_periods(given), "input": of},
        dependencies=(of,),
        estimated_cost_seconds=0.3,
    )
    *tables, call = _with_tables(given, call)
    why = "what needs no explanation is not to be explained"
    return why, (*tables, *history, call)


def _search(given: StepInput, hypothesis: Hypothesis) -> tuple[str, tuple[Subtask, ...]]:
    call = Subtask(
        task_id=_task(given, "search"),
        description="segments of any combination of values that moved differently",
        tool_name="metric.search",
        arguments=_periods(given),
        dependencies=(CUBE,),
        estimated_cost_seconds=1.0,
    )
    return "all dimensions at once, and their combinations", _with_tables(given, call)


def _dimension(given: StepInput, hypothesis: Hypothesis) -> tuple[str, tuple[Subtask, ...]]:
    [name] = hypothesis.dimensions
    draws = {} if hypothesis.suspected else {"permutations": _DRAWS_OF_ONE_IN_MANY}
    call = Subtask(
        task_id=_task(given, "contribution"),
        description=f"what each value of {name} adds to the change"[:200],
        tool_name="metric.contribution",
        arguments={**_periods(given), "dimension": name, **draws},
        dependencies=(CUBE,),
        estimated_cost_seconds=0.3,
    )
    why = "it was suspected" if hypothesis.suspected else "by itself, to confirm it or rule it out"
    return why, _with_tables(given, call)


def _within(given: StepInput, hypothesis: Hypothesis) -> tuple[str, tuple[Subtask, ...]]:
    named = in_words(hypothesis.segment)
    call = Subtask(
        task_id=_task(given, "within"),
        description=f"what moved differently within {named}"[:200],
        tool_name="metric.search",
        arguments={
            **_periods(given),
            "dimensions": list(hypothesis.dimensions),
            "within": dict(hypothesis.segment),
        },
        dependencies=(CUBE,),
        estimated_cost_seconds=0.5,
    )
    return f"{named} stands out: is it all of it, or a part?", (call,)


_TESTS: Mapping[Test, Callable[[StepInput, Hypothesis], tuple[str, tuple[Subtask, ...]]]] = {
    Test.QUALITY: _quality,
    Test.CHANGE: _change,
    Test.SEARCH: _search,
    Test.ALIKE: _search,
    Test.DIMENSION: _dimension,
    Test.WITHIN: _within,
}


def _task(given: StepInput, what: str) -> str:
    return f"i{given.state.next_iteration:02d}_{what}"


def _periods(given: StepInput) -> dict[str, Any]:
    return given.ground.periods
