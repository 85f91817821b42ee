"""The chart of a proposal's result, by what its columns are: nobody is asked for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from services.planner.domain.analysis.repairing.queries import statement
from services.planner.domain.charts.along import Along
from services.planner.domain.charts.table import LINES, TABLE, made_true, suited
from services.planner.domain.language.kinds import ChartType
from services.planner.domain.plan import Subtask
from services.planner.domain.proposals.proposal import (
    LONGEST_NAME,
    MOST_COLUMNS,
    AskedTest,
    Proposal,
    ResultColumn,
)
from services.planner.domain.reader.grammar import chart_words
from services.planner.domain.reader.grammar.rules import Words
from services.planner.domain.reader.links.names import words_of
from services.planner.domain.reader.words.tokens import tokenise

CHART = "chart"
_SECONDS = 0.4
_MOST_BESIDE, _TWO = 3, 2
_NUMBERS = ("INT", "DOUBLE", "FLOAT", "DECIMAL", "REAL")
_TIMES = ("DATE", "TIMESTAMP")
_PER_CENT = ("%", "percent", "per cent", "pct")
_BY_PAIRS = ("correlation", "linear_regression")
_BY_GROUPS = ("t_test", "mann_whitney", "anova", "kruskal", "levene")
_BARS = (ChartType.BAR, ChartType.LINE)


def with_roles(proposal: Proposal, types: Mapping[str, str]) -> Proposal:
    """The proposal with a role for the columns that its statement gives, as far as a proposal has
    room for them; `types` are DuckDB's, by column in order. What holds no number is no measure,
    whatever was said of it."""
    said = {column.name.casefold(): column for column in proposal.columns}
    named = [(name, kind) for name, kind in types.items() if len(name) <= LONGEST_NAME]
    columns = tuple(
        _roled(name, kind, said.get(name.casefold())) for name, kind in named[:MOST_COLUMNS]
    )
    return proposal.model_copy(update={"columns": columns}) if columns else proposal


def chart_of(
    proposal: Proposal, types: Mapping[str, str], question: str, load: str
) -> Subtask | None:
    """The step that draws the rows of `load`; None where nothing is to be compared."""
    drawn = _drawn(proposal, types, question)
    if drawn is None:
        return None
    arguments = {"input": load, **drawn, "title": _title(drawn)}
    kind = str(drawn["type"]).replace("_", " ")
    return Subtask(
        task_id=CHART,
        description=f"{kind} chart",
        tool_name="plot.render",
        arguments=arguments,
        dependencies=(load,),
        invariants=("draws the rows as loaded",),
        estimated_cost_seconds=_SECONDS,
    )


def _title(drawn: Mapping[str, Any]) -> str:
    """What the chart shows, by the names of its columns."""
    split = [drawn[key] for key in ("x_col", "series_col") if key in drawn]
    if "y_col" not in drawn:
        return f"Spread of {split[0]}"
    if drawn["type"] == ChartType.SCATTER:
        return f"{drawn['y_col']} and {' by '.join(split)}"
    numbers = [drawn["y_col"], *drawn.get("more_cols", ())]
    return f"{' and '.join(numbers)} by {' and '.join(split)}"


def _roled(name: str, kind: str, said: ResultColumn | None) -> ResultColumn:
    number, time = kind.startswith(_NUMBERS) or "INT" in kind, kind.startswith(_TIMES)
    if said is None:
        role = "measure" if number else "date" if time else "label"
        return ResultColumn.model_validate({"name": name, "role": role})
    wrong = said.role in ("measure", "share") and not number
    return said.model_copy(update={"name": name} | ({"role": "label"} if wrong else {}))


def _drawn(proposal: Proposal, types: Mapping[str, str], question: str) -> dict[str, Any] | None:
    columns = proposal.columns
    if proposal.test is not None:
        return _of_test(proposal.test)
    if _is_one_row(proposal.statement):
        return None
    numbers = [c for c in columns if c.role == "measure"] or [c for c in columns if _part(c)]
    dates = [c for c in columns if c.role == "date"]
    names = [c for c in columns if c.role == "label"] or [c for c in columns if c.role == "key"]
    axes = [*dates, *names]
    if not numbers:
        return None
    if not axes:
        return _of_numbers(numbers)
    return _along(axes, numbers, columns, types, question) | _fraction(numbers[0], proposal)


def _along(
    axes: Sequence[ResultColumn],
    numbers: Sequence[ResultColumn],
    columns: Sequence[ResultColumn],
    types: Mapping[str, str],
    question: str,
) -> dict[str, Any]:
    """Numbers along a time or names; a second axis becomes series."""
    first, first_number = axes[0], numbers[0]
    along = _lies(first, types)
    series = axes[1] if len(axes) == _TWO and len(numbers) == 1 else None
    additive = first_number.additive
    kind = suited(along, series=series is not None, additive=additive)
    told: dict[str, Any] = {"additive": additive}
    named = _named(question)
    if named is ChartType.PIE and series is None and (additive or _part(first_number)):
        kind = ChartType.PIE
    elif named in LINES or named is ChartType.SCATTER:
        wanted = ChartType.MULTI_LINE if series is not None and named in LINES else named
        kind, why = made_true(
            wanted, along, first.name, series=series is not None, additive=additive
        )
        told |= {"remark": why} if why else {}
    told |= {"type": str(kind), "x_col": first.name, "y_col": first_number.name}
    if (meaning := TABLE[along].meaning) is not None and not types.get(first.name, "").startswith(
        "VARCHAR"
    ):
        told["x_meaning"] = meaning
    if series is not None:
        told["series_col"] = series.name
    elif len(axes) > 1:
        told["split_col"] = axes[1].name
    more = [c.name for c in numbers[1 : 1 + _MOST_BESIDE]]
    if more and kind in _BARS and len(axes) == 1:
        told["more_cols"] = more
    if first_number.unit:
        told["unit"] = first_number.unit
    if any(c.role == "rank" for c in columns):
        told["sort"] = "none"
    return told


def _lies(column: ResultColumn, types: Mapping[str, str]) -> Along:
    kind = types.get(column.name, "")
    if column.role == "date":
        if "INT" not in kind and not kind.startswith(_NUMBERS):
            return Along.TIME
        return Along.YEAR if "year" in words_of(column.name) else Along.CYCLE
    return Along.FLAG if kind == "BOOLEAN" else Along.NAME


def _of_numbers(numbers: Sequence[ResultColumn]) -> dict[str, Any]:
    """Single rows: the spread of one number, or points of two."""
    if len(numbers) == 1:
        return {"type": str(ChartType.HISTOGRAM), "x_col": numbers[0].name}
    x, y = numbers[:_TWO]
    return {
        "type": str(ChartType.SCATTER), "x_col": x.name, "y_col": y.name, "each_row": True,
        "additive": False,
    }  # fmt: skip


def _of_test(test: AskedTest) -> dict[str, Any] | None:
    """What shows a test's rows: points of a pair, boxes of groups."""
    pair = [*test.columns, *test.predictors]
    if test.test in _BY_PAIRS and len(pair) == _TWO and not test.by:
        # A regression explains its column by the predictor, which lies along x.
        y, x = pair if test.predictors else reversed(pair)
        drawn = {"type": str(ChartType.SCATTER), "x_col": x, "y_col": y, "trend": True}
        return {**drawn, "each_row": True, "additive": False}
    if test.test in _BY_GROUPS and test.by and test.columns:
        box = {"type": str(ChartType.BOX), "x_col": test.by, "y_col": test.columns[0]}
        return {**box, "each_row": True, "additive": False}
    return None


def _fraction(number: ResultColumn, proposal: Proposal) -> dict[str, Any]:
    """Whether a share is a part of one: what is multiplied is in per cent already."""
    whole = number.unit.casefold() in _PER_CENT or "100" in proposal.statement
    return {"fraction": True} if number.role == "share" and not whole else {}


def _part(column: ResultColumn) -> bool:
    return column.role == "share"


def _named(question: str) -> ChartType | None:
    """The kind of chart that the question names."""
    return next((cue.means for cue in Words(tokenise(question)).find(chart_words.KINDS)), None)


def _is_one_row(text: str) -> bool:
    """Whether a statement gives one row: nothing would be compared."""
    tree = statement(text)
    if not isinstance(tree, exp.Select):
        return False
    limit = tree.args.get("limit")
    if limit is not None and limit.expression is not None and limit.expression.name == "1":
        return True
    if tree.args.get("group") is not None:
        return False
    return any(
        found.find_ancestor(exp.Window) is None and found.find_ancestor(exp.Select) is tree
        for item in tree.expressions
        for found in item.find_all(exp.AggFunc)
    )
