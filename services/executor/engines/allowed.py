"""The allow-list of the SQL guard: what a statement may be made of. All else is refused.

Functions stand here under DuckDB's own names, which is how they are written, and every one has a
case in `tests/engines/cases` that compares it with the engine. Left out on purpose are functions
that read files, tables or settings by name (`read_csv`, `glob`, `query_table`, `getenv`,
`current_setting`), and functions whose value changes from call to call (`random`, `now`,
`current_date`, `reservoir_quantile`), because a result must come out the same when it is
recomputed.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Parts of a statement that are no functions, by the names of sqlglot's classes.
SHAPES = _words(
    """
    Add Alias All Any AtTimeZone Between BitwiseAnd BitwiseLeftShift BitwiseNot BitwiseOr
    BitwiseRightShift Boolean Bracket CTE Column Cube DPipe DataType DataTypeParam Distinct Div Dot
    EQ Escape Except Fetch Filter From GT GTE Glob Group GroupingSets Having ILike Identifier
    IgnoreNulls In IntDiv Intersect Interval Is Join LT LTE Lambda Lateral Like Limit
    LimitOptions Literal Mod Mul NEQ Neg Not Null NullSafeEQ NullSafeNEQ Offset Order Ordered Paren
    Placeholder PropertyEQ Qualify RespectNulls Rollup Select SimilarTo Slice Star Sub Subquery
    Table TableAlias Tuple Union Values Var Where Window WindowSpec With WithinGroup
    """
)

# What has a grammar of its own and is a function to sqlglot: operators, CASE, CAST, EXTRACT.
GRAMMAR = _words(
    """
    Abs And Array ArrayContainedBy ArrayContainsAll ArrayOverlaps Case Cast Exists Extract If
    JSONExtract JSONExtractScalar Map Or Pow RegexpFullMatch StartsWith StrPosition Struct Substring
    ToMap Trim TryCast Unnest
    """
)

FUNCTIONS = _words(
    """
    abs acos acosh add age any_value approx_count_distinct approx_quantile approx_top_k arg_max
    arg_min argmax argmin array_agg array_append array_cat array_concat array_contains
    array_distinct array_filter array_has array_has_all array_intersect array_length array_position
    array_prepend array_reverse array_reverse_sort array_slice array_sort array_to_string ascii asin
    asinh atan atan2 atanh avg bar bin bit_and bit_count bit_length bit_or bit_xor bool_and bool_or
    cbrt ceil ceiling century char_length character_length chr coalesce concat concat_ws contains
    corr cos cosh cot count count_if countif covar_pop covar_samp cume_dist damerau_levenshtein
    date_add date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc day dayname
    dayofmonth dayofweek dayofyear decade degrees dense_rank divide editdist3 ends_with entropy
    epoch epoch_ms epoch_ns epoch_us equi_width_bins era even exp factorial favg filter first
    first_value flatten floor format fsum gamma gcd generate_series geomean geometric_mean greatest
    greatest_common_divisor group_concat grouping grouping_id hamming histogram hour ifnull
    ilike_escape instr isfinite isinf isnan isodow isoyear jaccard jaro_similarity
    jaro_winkler_similarity json_array json_extract json_extract_path json_extract_path_text
    json_extract_string json_keys json_object json_type julian kahan_sum kurtosis kurtosis_pop lag
    last last_day last_value lcase lcm lead least least_common_multiple left left_grapheme len
    length length_grapheme levenshtein lgamma like_escape list list_aggregate list_append list_avg
    list_concat list_contains list_count list_distinct list_element list_extract list_filter
    list_first list_has list_has_all list_has_any list_last list_max list_median list_min
    list_position list_prepend list_reduce list_reverse list_reverse_sort list_slice list_sort
    list_stddev_pop list_stddev_samp list_sum list_transform list_unique list_value list_var_pop
    list_var_samp list_zip listagg ln log log10 log2 lower lpad ltrim mad make_date make_time
    make_timestamp map_extract map_keys map_values max max_by md5 median microsecond millennium
    millisecond min min_by minute mismatches mod mode month monthname multiply nanosecond nextafter
    nfc_normalize not_ilike_escape not_like_escape nth_value ntile nullif ord parse_dirname
    percent_rank percentile_cont percentile_disc pi pow power prefix product quantile quantile_cont
    quantile_disc quarter radians range rank reduce regexp_escape regexp_extract regexp_extract_all
    regexp_full_match regexp_matches regexp_replace regexp_split_to_array regr_avgx regr_avgy
    regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy repeat replace reverse
    right right_grapheme round round_even roundbankers row row_number rpad rtrim second sem sign
    signbit sin sinh skewness split split_part sqrt starts_with stddev stddev_pop stddev_samp
    str_split str_split_regex strftime string_agg string_split string_split_regex string_to_array
    strip_accents strlen strpos strptime struct_extract struct_pack substr substring_grapheme
    subtract suffix sum sumkahan tan tanh time_bucket to_days to_hours to_microseconds
    to_milliseconds to_minutes to_months to_seconds to_timestamp to_weeks to_years translate trunc
    try try_strptime typeof ucase unbin unicode unnest upper url_decode url_encode var_pop var_samp
    variance week weekday weekofyear xor year yearweek
    """
)

# Why a refused function is refused, where there is more to say than "not on the list".
CHANGING_FUNCTIONS = _words(
    """
    random uuid gen_random_uuid uuidv4 uuidv7 now today get_current_time get_current_timestamp
    transaction_timestamp current_localtime current_localtimestamp setseed current_date
    current_datetime current_time current_timestamp localtime localtimestamp reservoir_quantile
    """
)

# What other engines' functions are called in DuckDB.
COUNTERPARTS = {
    "to_char": "strftime(day, '%Y-%m')",
    "date_format": "strftime(day, '%Y-%m')",
    "format_date": "strftime(day, '%Y-%m')",
    "to_date": "strptime(text, '%Y-%m-%d')::DATE",
    "str_to_date": "strptime(text, '%Y-%m-%d')::DATE",
    "parse_date": "strptime(text, format)",
    "nvl": "coalesce(a, b)",
    "iif": "if(condition, a, b)",
    "to_number": "text::DECIMAL(18, 2)",
    "charindex": "strpos(text, part)",
    "percentile": "quantile_cont(value, 0.5)",
    "percentile_approx": "approx_quantile(value, 0.5)",
    "collect_list": "list(value)",
    "regexp_like": "regexp_matches(text, pattern)",
    "regexp_substr": "regexp_extract(text, pattern)",
    "dateadd": "day + INTERVAL 1 MONTH",
    "add_months": "day + INTERVAL 1 MONTH",
    "months_between": "date_diff('month', a, b)",
}

# The only functions that may stand where a table stands. Others take the name of a table as text
# (`histogram`, `query_table`) and would lead past the views.
TABLE_FUNCTIONS = _words("generate_series range unnest")
