"""Functions of DuckDB in PostgreSQL's words.

Each rule takes a node of the qualified, typed tree (its arguments already translated) and gives
the node that means the same in PostgreSQL. What has no rule and is not in `SAME` is not expressible
there; `NotExpressible` then says so, and the statement is computed over a copy.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from services.executor.engines.postgres.aggregates import (
    at_extreme,
    average,
    median,
    one_of,
    percentile,
    quantile,
    without_nulls,
)
from services.executor.engines.postgres.numbers import (
    converted,
    converted_or_null,
    divided,
    floated,
    logarithm,
    not_a_number,
    remainder,
    rounded,
    whole_quotient,
)
from services.executor.engines.postgres.texts import (
    cased,
    ends_with,
    extract_match,
    found_at,
    holds,
    joined,
    joined_all,
    like,
    like_any_case,
    matches,
    matches_whole,
    padded,
    part_between,
    part_of_text,
    replace_match,
    trimmed,
)
from services.executor.engines.postgres.times import (
    dated_part,
    distance,
    extract,
    extracted,
    formatted,
    named_part,
    part_of,
    seconds,
    truncated,
)
from services.executor.engines.postgres.words import (
    Rule,
    call,
    cast,
)
from services.executor.engines.spellings import COMPARISONS, comparable, counted_if


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Classes that mean the same in both and that sqlglot writes rightly.
SAME = _words(
    """
    Add Alias All And Any BitwiseAnd BitwiseLeftShift BitwiseNot BitwiseOr BitwiseRightShift Boolean
    CTE Case Coalesce Column Concat ConcatWs Count Cube CumeDist CurrentRow DataType DataTypeParam
    DenseRank Distinct Except Exists Filter FirstValue From Greatest Group GroupingSets Grouping
    Having Identifier If Intersect Interval Is Join Lag LastValue Lead Least Length Limit Literal
    Max Min Mul Neg Not NthValue Ntile Null Nullif Offset Or Order Ordered Paren PercentRank
    PercentileCont PercentileDisc Pi Pow Quarter Radians Degrees Rank Repeat Replace Reverse Rollup
    RowNumber Select Sign Sin Cos Tan Asin Acos Atan Atan2 Sqrt Cbrt Exp Ln Star Sub Subquery Sum
    Table TableAlias Tuple Union Values Var Where Window WindowSpec With WithinGroup Xor Abs Ceil
    Floor MD5 Ascii Translate Left Right Corr CovarPop CovarSamp RegrAvgx RegrAvgy RegrCount
    RegrIntercept RegrR2 RegrSlope RegrSxx RegrSxy RegrSyy LogicalAnd LogicalOr StartsWith ArrayAgg
    GroupConcat Array Unnest Fetch
    """
)

RULES: dict[str, Rule] = {
    **dict.fromkeys(COMPARISONS, comparable),
    "Div": divided,
    "IntDiv": whole_quotient,
    "Mod": remainder,
    "Round": rounded,
    "Cast": converted,
    "TryCast": converted_or_null,
    "DPipe": joined,
    "Concat": joined_all,
    "ConcatWs": joined_all,
    "Avg": average,
    "Stddev": floated("stddev_samp"),
    "StddevSamp": floated("stddev_samp"),
    "StddevPop": floated("stddev_pop"),
    "Variance": floated("var_samp"),
    "VariancePop": floated("var_pop"),
    "Sqrt": floated("sqrt"),
    "Exp": floated("exp"),
    "Ln": floated("ln"),
    "Log": logarithm,
    "Pow": lambda node: call("power", cast(node.this, "float8"), cast(node.expression, "float8")),
    "SplitPart": part_between,
    "IsNan": not_a_number,
    "Median": median,
    "Quantile": quantile,
    "PercentileCont": percentile,
    "PercentileDisc": percentile,
    "AnyValue": one_of,
    "First": one_of,
    "ArgMax": at_extreme(True),
    "ArgMin": at_extreme(False),
    "CountIf": counted_if,
    "Year": part_of("year"),
    "Month": part_of("month"),
    "Day": part_of("day"),
    "DayOfMonth": part_of("day"),
    "Quarter": part_of("quarter"),
    "Hour": part_of("hour"),
    "Minute": part_of("minute"),
    "Week": part_of("week"),
    "WeekOfYear": part_of("week"),
    "DayOfWeek": part_of("dow"),
    "DayOfWeekIso": part_of("isodow"),
    "DayOfYear": part_of("doy"),
    "Second": lambda node: seconds(node.this),
    "Extract": extract,
    "DateTrunc": truncated,
    "TimestampTrunc": truncated,
    "DateDiff": distance,
    "TsOrDsToDate": lambda node: cast(node.this, "date"),
    "Date": lambda node: cast(node.this, "date"),
    "TimeToStr": formatted,
    "Dayname": named_part("FMDay"),
    "Monthname": named_part("FMMonth"),
    "Upper": cased("upper"),
    "Lower": cased("lower"),
    "Like": like,
    "ILike": like_any_case,
    "RegexpLike": matches,
    "RegexpFullMatch": matches_whole,
    "SimilarTo": matches_whole,
    "RegexpExtract": extract_match,
    "RegexpReplace": replace_match,
    "Substring": part_of_text,
    "StrPosition": found_at,
    "Contains": holds,
    "EndsWith": ends_with,
    "Trim": trimmed,
    "Pad": padded,
    "Escape": lambda node: node,
    "IgnoreNulls": without_nulls,
}

# Functions that sqlglot has no class for, by DuckDB's name.
PLAIN_RULES: dict[str, Callable[[list[exp.Expr]], exp.Expr]] = {
    "isodow": lambda given: extracted("isodow", given[0]),
    "isoyear": lambda given: extracted("isoyear", given[0]),
    "decade": lambda given: extracted("decade", given[0]),
    "century": lambda given: extracted("century", given[0]),
    "date_part": lambda given: dated_part(given),
    "datepart": lambda given: dated_part(given),
    "weekday": lambda given: extracted("dow", given[0]),
    "strlen": lambda given: cast(call("octet_length", given[0]), "int8"),
    "instr": lambda given: cast(call("strpos", *given), "int8"),
    "prefix": lambda given: call("starts_with", *given),
    "log10": lambda given: call("log", cast(given[0], "float8")),
    "bool_and": lambda given: call("bool_and", given[0]),
    "bool_or": lambda given: call("bool_or", given[0]),
}
