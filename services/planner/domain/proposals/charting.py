"""The chart of a proposal's result, by what its columns are: nobody is asked for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from mesh.text.spelling import capitalised
from services.planner.domain.charts.labels import in_full
from services.planner.domain.charts.table import LINES, TABLE, made_true, suited
from services.planner.domain.lexicon.tokens import tokenise
from services.planner.domain.plan import Subtask
from services.planner.domain.proposals.roles import is_number_type
from services.planner.domain.query.along import Along
from services.planner.domain.query.kinds import ChartType
from services.planner.domain.reader.grammar import chart_words
from services.planner.domain.reader.grammar.rules import Words
from services.planner.domain.reporting.shape import is_full_name
from services.planner.domain.reporting.units import parted
from services.planner.domain.statements.column import ResultColumn
from services.planner.domain.statements.parsing import statement
from services.planner.domain.statements.proposal import AskedTest, Proposal

CHART = "chart"
_SECONDS = 0.4
_MOST_BESIDE, _TWO = 3, 2
_BY_PAIRS = ("correlation", "linear_regression")
_BY_GROUPS = ("t_test", "mann_whitney", "anova", "kruskal", "levene")
_BARS = (ChartType.BAR, ChartType.LINE)


def chart_of(
    proposal: Proposal, types: Mapping[str, str], question: str, load: str, source: str = ""
) -> Subtask | None:
    """The step that draws the rows of `load`, which come from `source`; None where nothing is to be
    compared."""
    drawn = _drawn(proposal, types, question)
    if drawn is None:
        return None
    arguments = {"input": load, **drawn, **_labels(drawn), "title": capitalised(_title(drawn))}
    arguments |= {"source": source} if source else {}
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
    split = [_label(drawn[key]) for key in ("x_col", "series_col", "split_col") if key in drawn]
    if "y_col" not in drawn:
        return f"Spread of {split[0]}"
    numbers = [_label(name) for name in (drawn["y_col"], *drawn.get("more_cols", ()))]
    if drawn["type"] == ChartType.SCATTER:
        return f"{numbers[0]} and {' by '.join(split)}"
    return f"{', '.join(numbers[:-1])}{' and ' if numbers[1:] else ''}{numbers[-1]} by " + (
        " and ".join(split)
    )


def _labels(drawn: Mapping[str, Any]) -> dict[str, str]:
    """What axes are called, where that is not the name of their column."""
    axes = (("x_label", "x_col"), ("y_label", "y_col"), ("series_label", "series_col"))
    texts = {key: _label(drawn[name]) for key, name in axes if name in drawn}
    if "split_col" in drawn:
        texts["series_label"] = _label(drawn["split_col"])
    return texts


def _label(column: str) -> str:
    """A column's name in full words, without its unit."""
    return in_full(parted(column)[0])


def _drawn(proposal: Proposal, types: Mapping[str, str], question: str) -> dict[str, Any] | None:
    columns = proposal.columns
    if proposal.test is not None:
        return _of_test(proposal.test)
    if _is_one_row(proposal.statement):
        return None
    numbers = [c for c in columns if c.role == "measure"] or [c for c in columns if _part(c)]
    dates = [c for c in columns if c.role == "date"]
    names = [c for c in columns if c.role == "label"] or [c for c in columns if c.role == "key"]
    axes = [*_turned(names), *dates] if len(dates) > 1 and names else [*dates, *_turned(names)]
    if not numbers:
        return None
    if not axes:
        return _of_numbers(numbers)
    drawn = _along(axes, numbers, columns, types, question)
    return drawn | ({"fraction": True} if numbers[0].fraction else {})


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
    if series is not None and is_full_name(series.name, first.name):
        series = None
    additive = first_number.additive
    kind = suited(along, series=series is not None, additive=additive)
    values: dict[str, Any] = {"additive": additive}
    named = chart_named(question)
    if named is ChartType.PIE and series is None and (additive or _part(first_number)):
        kind = ChartType.PIE
    elif named in LINES or named is ChartType.SCATTER:
        wanted = ChartType.MULTI_LINE if series is not None and named in LINES else named
        kind, why = made_true(
            wanted, along, first.name, series=series is not None, additive=additive
        )
        values |= {"remark": why} if why else {}
    values |= {"type": str(kind), "x_col": first.name, "y_col": first_number.name}
    if (meaning := TABLE[along].meaning) is not None and not types.get(first.name, "").startswith(
        "VARCHAR"
    ):
        values["x_meaning"] = meaning
    if series is not None:
        values["series_col"] = series.name
    elif len(axes) > 1:
        values["split_col"] = axes[1].name
    more = [c.name for c in numbers[1 : 1 + _MOST_BESIDE]]
    if more and kind in _BARS and len(axes) == 1:
        values["more_cols"] = more
    if unit := first_number.unit or parted(first_number.name)[1]:
        values["unit"] = unit
    if any(c.role == "rank" for c in columns):
        values["sort"] = "none"
    return values


def _turned(names: Sequence[ResultColumn]) -> list[ResultColumn]:
    """The columns that name rows; of people the last name before the first, which many share."""
    if len(names) > 1 and is_full_name(names[0].name, names[1].name):
        return [names[1], names[0], *names[2:]]
    return list(names)


def _lies(column: ResultColumn, types: Mapping[str, str]) -> Along:
    kind = types.get(column.name, "")
    if column.role == "date":
        if not is_number_type(kind):
            return Along.TIME
        return Along.YEAR if column.grain == "year" else Along.CYCLE
    return Along.FLAG if kind == "BOOLEAN" else Along.NAME


def _of_numbers(numbers: Sequence[ResultColumn]) -> dict[str, Any]:
    """Single rows: the spread of one number, or points of two."""
    if len(numbers) == 1:
        return {"type": str(ChartType.HISTOGRAM), "x_col": numbers[0].name}
    x, y = numbers[:_TWO]
    return {
        "type": str(ChartType.SCATTER),
        "x_col": x.name,
        "y_col": y.name,
        "each_row": True,
        "additive": False,
    }


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


def _part(column: ResultColumn) -> bool:
    return column.role == "share"


def chart_named(question: str) -> ChartType | None:
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
