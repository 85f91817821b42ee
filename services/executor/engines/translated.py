"""What a translated statement may be made of, by the names of sqlglot's classes.

The last look at what goes to PostgreSQL or Spark: what it was translated from has passed the guard,
whose list is in `allowed.py`, under DuckDB's own names.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTIONS = _words(
    """
    Abs Acos Acosh AddMonths And AnyValue ApproxDistinct ApproxQuantile ApproxTopK ArgMax ArgMin
    Array ArrayAgg ArrayAll ArrayAny ArrayAppend ArrayConcat ArrayContains ArrayContainsAll
    ArrayDistinct ArrayExcept ArrayFilter ArrayFirst ArrayIntersect ArrayLast ArrayMax ArrayMin
    ArrayOverlaps ArrayPosition ArrayPrepend ArrayRemove ArrayReverse ArraySize ArraySlice ArraySort
    ArraySum ArrayToString Ascii Asin Asinh Atan Atan2 Atanh Avg BitLength BitwiseAndAgg
    BitwiseCount BitwiseOrAgg BitwiseXorAgg Case Cast Cbrt Ceil Chr Coalesce Concat ConcatWs
    Contains Corr Cos Cosh Cot Count CountIf CovarPop CovarSamp CumeDist Date DateAdd DateBin
    DateDiff DateFromParts DateStrToDate DateSub DateToDateStr DateTrunc Datetime DatetimeAdd
    DatetimeDiff DatetimeSub DatetimeTrunc Day DayOfMonth DayOfWeek DayOfWeekIso DayOfYear Dayname
    Degrees DenseRank EndsWith EqualNull Exists Exp Explode Extract Factorial First FirstValue
    Flatten Floor Format FromISO8601Date GenerateDateArray GenerateSeries GenerateTimestampArray
    Greatest GroupConcat Grouping GroupingId Hour If Initcap IsInf IsNan JSONArray JSONArrayContains
    JSONExists JSONExtract JSONExtractArray JSONExtractScalar JSONKeys JSONObject JSONType
    JarowinklerSimilarity Kurtosis Lag Last LastDay LastValue Lead Least Left Length Levenshtein
    List Ln Log LogicalAnd LogicalOr Lower MD5 MakeInterval Map MapKeys Max Median Min Minute Mode
    Month Monthname MonthsBetween NthValue Ntile Nullif NumberToStr Nvl2 Or Pad ParseTime
    PercentRank PercentileCont PercentileDisc Pi Pow Quantile Quarter Radians Rank Reduce
    RegexpCount RegexpExtract RegexpExtractAll RegexpFullMatch RegexpILike RegexpLike RegexpReplace
    RegexpSplit RegrAvgx RegrAvgy RegrCount RegrIntercept RegrR2 RegrSlope RegrSxx RegrSxy RegrSyy
    Repeat Replace Reverse Right Round RowNumber Second Sign Sin Sinh Skewness Split SplitPart Sqrt
    StartsWith Stddev StddevPop StddevSamp StrPosition StrToDate StrToTime StrToUnix Struct
    StructExtract Substring Sum Tan Tanh Time TimeAdd TimeDiff TimeFromParts TimeStrToDate
    TimeStrToTime TimeSub TimeToStr TimeToUnix TimeTrunc Timestamp TimestampAdd TimestampDiff
    TimestampFromParts TimestampSub TimestampTrunc ToChar ToDays Transform Translate Trim Trunc Try
    TryCast TsOrDsAdd TsOrDsDiff TsOrDsToDate TsOrDsToTime TsOrDsToTimestamp Typeof Unicode
    UnixMillis UnixSeconds UnixToStr UnixToTime Unnest Upper Variance VariancePop Week WeekOfYear
    WidthBucket Xor Year YearOfWeek
    """
)
