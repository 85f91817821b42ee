"""Parts of DuckDB statements in Spark's words.

Each rule takes a node of the qualified, typed tree (its arguments already translated) and gives
the node that means the same in Spark with ANSI semantics and the session in UTC. What has no rule
and is not in `SAME` is not expressible there; `NotExpressible` says so.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from services.executor.engines.spark.aggregates import (
    at_extreme,
    average,
    boolean,
    grouping_bits,
    joined_rows,
    median,
    percentile_cont,
    percentile_disc,
    quantile,
    summed,
)
from services.executor.engines.spark.casts import converted
from services.executor.engines.spark.dates import DATE_RULES
from services.executor.engines.spark.numbers import (
    above_zero,
    divided,
    logarithm,
    not_a_number,
    power,
    remainder,
    rounded,
    square_root,
    whole_quotient,
)
from services.executor.engines.spark.texts import (
    end_of,
    extract_match,
    found_at,
    joined,
    joined_all,
    joined_with,
    like,
    matches,
    padded,
    part_of_text,
    replace_match,
    replaced,
    substring,
    upper,
)
from services.executor.engines.spark.words import Rule, words
from services.executor.engines.spellings import COMPARISONS, comparable, counted_if

# Classes that mean the same in both and that sqlglot writes rightly.
SAME = words(
    """
    Abs Acos Alias And Asin Atan Atan2 BitwiseAnd BitwiseNot BitwiseOr Boolean CTE Case Cbrt Ceil
    Coalesce Column Contains Corr Cos Cosh Count CovarPop CovarSamp Cube CumeDist CurrentRow
    DataType DataTypeParam Degrees DenseRank Distinct EndsWith Except Exists Exp Filter FirstValue
    Floor From Greatest Group GroupingSets Having Identifier If Intersect Interval Is Join
    Lag LastDay LastValue Lead Least Length Limit Literal Lower MD5 Max Min Mul Neg Not
    NthValue Ntile Null Nullif Offset Or Order Ordered Paren PercentRank Pi Qualify Radians Rank
    RegrAvgx RegrAvgy RegrCount RegrR2 RegrSlope RegrIntercept RegrSxx RegrSxy RegrSyy Repeat
    Reverse Rollup RowNumber Select Sign Sin Sinh Star StartsWith Stddev StddevPop StddevSamp
    Subquery Table TableAlias Tan Tanh Translate Trim Tuple Union Values Var Variance
    VariancePop Where Window WindowSpec With WithinGroup Xor
    """
)


def _date_part(arguments: list[exp.Expr]) -> exp.Expr:
    name, value = arguments
    return DATE_RULES["Extract"](exp.Extract(this=exp.Var(this=name.name), expression=value))


PLAIN_RULES: dict[str, Callable[[list[exp.Expr]], exp.Expr]] = {"date_part": _date_part}

RULES: dict[str, Rule] = {
    **dict.fromkeys(COMPARISONS, comparable),
    "LogicalAnd": boolean("bool_and"),
    "LogicalOr": boolean("bool_or"),
    "Pad": padded,
    "CountIf": counted_if,
    "Grouping": grouping_bits,
    "ArgMax": at_extreme("max_by"),
    "ArgMin": at_extreme("min_by"),
    "Avg": average,
    "Cast": converted,
    "TryCast": converted,
    "Concat": joined_all,
    "ConcatWs": joined_with,
    "DPipe": joined,
    "Div": divided,
    "IntDiv": whole_quotient,
    "Mod": remainder,
    "Round": rounded,
    "Sum": summed,
    "Median": median,
    "Quantile": quantile,
    "PercentileCont": percentile_cont,
    "PercentileDisc": percentile_disc,
    "Substring": substring,
    "Upper": upper,
    "Left": end_of("left"),
    "Right": end_of("right"),
    "StrPosition": found_at,
    "SplitPart": part_of_text,
    "Replace": replaced,
    "Like": like,
    "ILike": like,
    "RegexpLike": matches,
    "RegexpExtract": extract_match,
    "RegexpReplace": replace_match,
    "Log": logarithm,
    "Sqrt": square_root,
    "Pow": power,
    "Ln": lambda node: above_zero("ln", node.this),
    "GroupConcat": joined_rows,
    "IsNan": not_a_number,
    "Escape": lambda node: node,
    **DATE_RULES,
}
