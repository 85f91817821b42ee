"""The allow-list of the SQL guard: what a statement may be made of. All else is refused.

Names are those of sqlglot's expression classes, because they are what a statement parses into.
Left out on purpose are functions that read files, tables or settings by name (`read_csv`, `glob`,
`query_table`, `getenv`, `current_setting`), and functions whose value changes from call to call
(`random`, `now`, `current_date`), because a result must come out the same when it is recomputed.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SHAPES = _words(
    """
    Add Alias Aliases All Any AtTimeZone Between BitwiseAnd BitwiseLeftShift BitwiseNot BitwiseOr
    BitwiseRightShift BitwiseXor Boolean Bracket CTE Column Cube DPipe DataType DataTypeParam
    Distinct Div Dot EQ Escape Except Fetch Filter From GT GTE Glob Group GroupingSets Having ILike
    Identifier IgnoreNulls In IntDiv Intersect Interval IntervalSpan Is JSONPath JSONPathKey
    JSONPathRoot JSONPathSubscript Join Kwarg LT LTE Lambda Lateral Like Limit LimitOptions Literal
    Mod Mul NEQ Neg Not Null NullSafeEQ NullSafeNEQ Offset Order Ordered Paren Placeholder
    PropertyEQ Qualify RespectNulls Rollup Select SetOperation SimilarTo Slice Star Sub Subquery
    Table TableAlias Tuple Union Values Var Where Window WindowSpec With WithinGroup
    """
)

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

# Functions sqlglot has no class for, by DuckDB's own name.
PLAIN_FUNCTIONS = _words(
    """
    age array_length array_slice array_to_string bar bin bit_count bool_and bool_or century
    contains damerau_levenshtein date_part date_sub datepart datesub day dayname dayofmonth
    dayofweek dayofyear decade divide entropy epoch epoch_ms epoch_ns epoch_us equi_width_bins era
    even favg first format fsum gamma gcd geomean geometric_mean greatest_common_divisor hamming
    histogram hour ilike_escape instr isfinite isinf isnan isodow isoyear
    jaccard jaro_similarity jaro_winkler_similarity julian kahan_sum kurtosis_pop last lcase lcm
    least_common_multiple left_grapheme len length_grapheme lgamma like_escape list_aggregate
    list_avg list_concat list_contains list_count list_distinct list_element list_extract
    list_filter list_first list_has list_has_all list_has_any list_last list_max
    list_median list_min list_position list_reduce list_reverse list_slice list_sort list_stddev_pop
    list_stddev_samp list_sum list_transform list_unique list_value list_var_pop list_var_samp
    list_zip log10 log2 ltrim mad make_date make_time make_timestamp map_extract map_keys
    map_values max_by microsecond millennium millisecond min_by minute mismatches month monthname
    multiply nanosecond nextafter nfc_normalize not_ilike_escape not_like_escape ord parse_dirname
    position prefix product quantile_cont quantile_disc quarter range reduce regexp_escape
    regexp_extract_all regexp_full_match regexp_matches regexp_replace regexp_split_to_array
    reservoir_quantile right_grapheme round_even roundbankers row row_number rpad rtrim second sem
    signbit skewness split starts_with str_split str_split_regex strftime string_agg string_split
    string_split_regex string_to_array strip_accents strlen strpos strptime struct_extract
    struct_pack subtract substr substring_grapheme suffix sumkahan time_bucket
    to_days to_hours to_microseconds to_milliseconds to_minutes to_months to_seconds to_timestamp
    to_weeks to_years trunc try_strptime ucase unbin unicode url_decode url_encode week weekday
    weekofyear year yearweek add
    """
)

# Why a refused function is refused, where there is more to say than "not on the list".
CHANGING_FUNCTIONS = _words(
    """
    Rand Randn Uuid CurrentDate CurrentDatetime CurrentTime CurrentTimestamp Localtime
    Localtimestamp random uuid gen_random_uuid uuidv4 uuidv7 now today get_current_time
    get_current_timestamp transaction_timestamp current_localtime current_localtimestamp setseed
    """
)

# The only functions that may stand where a table stands. Others take the name of a table as text
# (`histogram`, `query_table`) and would lead past the views.
TABLE_FUNCTIONS = _words("generate_series range unnest")
