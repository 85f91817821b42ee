"""What DuckDB's values are in the words of a target.

Each rule takes the target and a node of the qualified, typed tree (its parts already translated)
and gives the node that means the same there. What has no rule and is not in `SAME` is not
expressible; `NotExpressible` then says so, and the statement is computed over a copy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from services.executor.engines.spellings import counted_if
from services.executor.pushdown import aggregates, comparisons, numbers, texts, times
from services.executor.pushdown.target import Rule, Target


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SAME = _words(
    """
    Alias And Boolean Case Column CTE CurrentRow DataType DataTypeParam DenseRank Distinct Exists
    From Group Having Identifier If Is Join Limit Literal Not Null Offset Or Order Ordered Paren
    Rank RowNumber Select Star Subquery Table TableAlias Union Var Where Window WindowSpec With
    """
)
"""Classes that mean the same everywhere and that sqlglot writes rightly."""

RULES: dict[str, Rule] = {
    **dict.fromkeys(("EQ", "NEQ", "GT", "GTE", "LT", "LTE"), comparisons.compared),
    "Between": comparisons.between,
    "In": comparisons.within,
    "Like": texts.like,
    "ILike": texts.like_any_case,
    "Add": numbers.added,
    "Sub": numbers.added,
    "Mul": numbers.multiplied,
    "Neg": numbers.negated,
    "Div": numbers.divided,
    "IntDiv": numbers.whole_quotient,
    "Mod": numbers.remainder,
    "Abs": numbers.function("ABS"),
    "Floor": numbers.function("FLOOR"),
    "Ceil": numbers.function("CEIL"),
    "Round": numbers.rounded,
    "Cast": numbers.converted,
    "Coalesce": comparisons.first_there,
    "Nullif": comparisons.nothing_where,
    "Case": comparisons.cases,
    "If": comparisons.case_of,
    "Count": aggregates.counted,
    "Sum": aggregates.summed,
    "Avg": aggregates.average,
    "Min": aggregates.extreme,
    "Max": aggregates.extreme,
    "CountIf": lambda target, node: aggregates.summed_truths(target, counted_if(node)),
    "Stddev": aggregates.spread("stddev_samp"),
    "StddevSamp": aggregates.spread("stddev_samp"),
    "StddevPop": aggregates.spread("stddev_pop"),
    "Variance": aggregates.spread("var_samp"),
    "VariancePop": aggregates.spread("var_pop"),
    "Window": aggregates.windowed,
    "Year": times.part_of("year"),
    "Month": times.part_of("month"),
    "Day": times.part_of("day"),
    "DayOfMonth": times.part_of("day"),
    "Quarter": times.part_of("quarter"),
    "Hour": times.part_of("hour"),
    "Minute": times.part_of("minute"),
    "Second": times.part_of("second"),
    "Week": times.part_of("week"),
    "WeekOfYear": times.part_of("week"),
    "DayOfWeek": times.part_of("dow"),
    "DayOfWeekIso": times.part_of("isodow"),
    "DayOfYear": times.part_of("doy"),
    "Extract": times.extract,
    "DateTrunc": times.truncated,
    "TimestampTrunc": times.truncated,
    "DateDiff": times.distance,
    "TimeToStr": times.formatted,
    "Upper": texts.cased("upper"),
    "Lower": texts.cased("lower"),
    "Length": texts.length,
    "Left": texts.left,
    "Substring": texts.part_of_text,
    "DPipe": texts.joined,
}

# Functions that sqlglot has no class for, by DuckDB's name.
PLAIN_RULES: dict[str, Callable[[Target, list[exp.Expr]], exp.Expr]] = {
    "isodow": lambda target, given: times.part(target, "isodow", given[0]),
    "weekday": lambda target, given: times.part(target, "dow", given[0]),
    "date_part": times.dated_part,
    "datepart": times.dated_part,
}


def translated(target: Target, node: exp.Expr) -> exp.Expr | None:
    """The node by its rule; None where there is none."""
    name = type(node).__name__
    if name in target.rules:
        rule: Any = target.rules[name]
        return rule(target, node) if rule is not None else None
    if isinstance(node, exp.Anonymous):
        plain = PLAIN_RULES.get(str(node.this).lower())
        return plain(target, list(node.expressions)) if plain is not None else None
    if name in RULES:
        return RULES[name](target, node)
    return node if name in SAME else None
