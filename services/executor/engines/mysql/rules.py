"""Functions of DuckDB in the words of MySQL and MariaDB.

Each rule takes a node of the qualified, typed tree (its arguments already translated) and gives
the node that means the same there. What has no rule and is not in `SAME` is not expressible;
`NotExpressible` then says so, and the statement is computed over a copy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from services.executor.engines.mysql import aggregates, numbers, texts, times
from services.executor.engines.mysql.comparisons import compared, distinct_from
from services.executor.engines.mysql.words import Rule, call, cast
from services.executor.engines.spellings import COMPARISONS, counted_if


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Classes that mean the same in both and that sqlglot writes rightly.
SAME = _words(
    """
    Alias And As Boolean CTE Case Coalesce Column CurrentRow DataType DataTypeParam
    DenseRank Distinct Except Exists FirstValue From Group Having Identifier If Intersect Interval
    Is Join LastValue Limit Literal Max Min Not NthValue Ntile Null Nullif Offset Or Order Ordered
    Paren Pi Rank RowNumber Select Star Subquery Table TableAlias Tuple Union Var
    Where Window WindowSpec With Abs Anonymous
    """
)
_ANY: Any = texts

RULES: dict[str, Rule] = {
    **dict.fromkeys(COMPARISONS, compared),
    "NullSafeEQ": distinct_from,
    "NullSafeNEQ": distinct_from,
    "Add": numbers.added,
    "Sub": numbers.added,
    "Mul": numbers.multiplied,
    "Neg": numbers.multiplied,
    "Div": numbers.divided,
    "IntDiv": numbers.whole_quotient,
    "Mod": numbers.remainder,
    "Round": numbers.rounded,
    "Cast": numbers.converted,
    "Pow": numbers.power,
    "Sqrt": numbers.only_above("sqrt", "0", at_least=True),
    "Ln": numbers.only_above("ln", "0", at_least=False),
    "Log": numbers.logarithm,
    "Exp": numbers.floated("exp"),
    "Sin": numbers.floated("sin"),
    "Cos": numbers.floated("cos"),
    "Tan": numbers.floated("tan"),
    "Atan": numbers.floated("atan"),
    "Radians": numbers.floated("radians"),
    "Degrees": numbers.floated("degrees"),
    "Floor": lambda node: call("floor", node.this),
    "Ceil": lambda node: call("ceiling", node.this),
    "Sign": lambda node: call("sign", node.this),
    "IsNan": numbers.not_a_number,
    "Greatest": numbers.extreme("greatest"),
    "Least": numbers.extreme("least"),
    "Avg": aggregates.average,
    "Sum": aggregates.summed,
    "Count": aggregates.counted,
    "Stddev": aggregates.spread("stddev_samp"),
    "StddevSamp": aggregates.spread("stddev_samp"),
    "StddevPop": aggregates.spread("stddev_pop"),
    "Variance": aggregates.spread("var_samp"),
    "VariancePop": aggregates.spread("var_pop"),
    "CountIf": counted_if,
    "Window": aggregates.windowed,
    "LogicalAnd": aggregates.of_truths(exp.Min),
    "LogicalOr": aggregates.of_truths(exp.Max),
    "Lag": aggregates.shifted,
    "Lead": aggregates.shifted,
    "GroupConcat": texts.group_joined,
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
    "Dayname": times.named("dayname"),
    "Monthname": times.named("monthname"),
    "Upper": _ANY.cased("upper"),
    "Lower": _ANY.cased("lower"),
    "Like": texts.like,
    "ILike": texts.like_any_case,
    "Escape": texts.escaped,
    "RegexpLike": texts.matches,
    "RegexpFullMatch": texts.matches_whole,
    "SimilarTo": texts.matches_whole,
    "RegexpExtract": texts.extract_match,
    "RegexpReplace": texts.replace_match,
    "Length": lambda node: call("char_length", texts.as_text(node.this)),
    "Left": _ANY.end_of_text("left"),
    "Right": _ANY.end_of_text("right"),
    "Replace": texts.replaced,
    "Reverse": lambda node: call("reverse", node.this),
    "MD5": lambda node: call("md5", node.this),
    "Substring": texts.part_of_text,
    "StrPosition": texts.found_at,
    "Contains": texts.holds,
    "StartsWith": lambda node: texts.starts_with(node.this, node.expression),
    "EndsWith": texts.ends_with,
    "SplitPart": texts.part_between,
    "DPipe": texts.joined,
    "Concat": texts.joined_all,
    "ConcatWs": texts.joined_all,
    "Trim": texts.trimmed,
    "Pad": texts.padded,
}

MAKE_TEXT = _words(
    """
    Concat ConcatWs DPipe Dayname GroupConcat Left Lower MD5 Monthname Pad RegexpExtract
    RegexpReplace Replace Reverse Right SplitPart Substring TimeToStr Trim Upper
    """
)
"""Classes whose result is a text, whatever sqlglot knows of it."""

# Functions that sqlglot has no class for, by DuckDB's name.
PLAIN_RULES: dict[str, Callable[[list[exp.Expr]], exp.Expr]] = {
    "isodow": lambda given: times.extracted("isodow", given[0]),
    "isoyear": lambda given: times.extracted("isoyear", given[0]),
    "decade": lambda given: times.extracted("decade", given[0]),
    "weekday": lambda given: times.extracted("dow", given[0]),
    "date_part": times.dated_part,
    "datepart": times.dated_part,
    "strlen": lambda given: call("octet_length", given[0]),
    "instr": lambda given: call("locate", given[1], given[0]),
    "prefix": lambda given: texts.starts_with(given[0], given[1]),
    "log10": lambda given: numbers.logarithm(exp.Log(this=given[0])),
    "bool_and": lambda given: aggregates.of_truths(exp.Min)(exp.Paren(this=given[0])),
    "bool_or": lambda given: aggregates.of_truths(exp.Max)(exp.Paren(this=given[0])),
    "pi": lambda given: cast(call("pi"), "double"),
}
