"""The parts of DuckDB's own trees that `plain_trees` knows, by the names that DuckDB gives them."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


OPERATORS = _words(
    """
    + - * / // % || ~~ !~~ ~~* !~~* like_escape ilike_escape not_like_escape not_ilike_escape
    count_star substring trim
    """
)
OPERATOR_TYPES = _words(
    """
    OPERATOR_IS_NULL OPERATOR_IS_NOT_NULL OPERATOR_NOT OPERATOR_COALESCE COMPARE_IN COMPARE_NOT_IN
    """
)
TYPES = _words(
    """
    BOOLEAN TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT FLOAT DOUBLE
    DECIMAL VARCHAR DATE TIME TIMESTAMP INTERVAL NULL
    """
)
# What a name alone means where no column has it: the day, or who asks.
OF_THE_MOMENT = _words(
    """
    current_date current_time current_timestamp localtime localtimestamp current_role current_user
    current_catalog current_schema session_user user
    """
)
_EXPRESSION = _words("class type alias")
_TABLE = _words("type alias sample")
FIELDS: dict[str, frozenset[str]] = {
    "COLUMN_REF": _EXPRESSION | _words("column_names"),
    "CONSTANT": _EXPRESSION | _words("value"),
    "PARAMETER": _EXPRESSION | _words("identifier"),
    "COMPARISON": _EXPRESSION | _words("left right"),
    "CONJUNCTION": _EXPRESSION | _words("children"),
    "OPERATOR": _EXPRESSION | _words("children"),
    "BETWEEN": _EXPRESSION | _words("input lower upper"),
    "CASE": _EXPRESSION | _words("case_checks else_expr"),
    "CAST": _EXPRESSION | _words("child cast_type try_cast"),
    "SUBQUERY": _EXPRESSION | _words("subquery_type subquery child comparison_type"),
    "FUNCTION": _EXPRESSION
    | _words(
        "function_name schema children filter order_bys distinct is_operator export_state catalog"
    ),
    "WINDOW": _EXPRESSION
    | _words(
        "function_name schema catalog children partitions orders start end start_expr end_expr "
        "offset_expr default_expr ignore_nulls filter_expr exclude_clause distinct arg_orders"
    ),
    "STAR": _EXPRESSION
    | _words(
        "relation_name exclude_list replace_list columns expr qualified_exclude_list rename_list"
    ),
    "table BASE_TABLE": _TABLE
    | _words("schema_name table_name column_name_alias catalog_name at_clause"),
    "table JOIN": _TABLE
    | _words(
        "left right condition join_type ref_type using_columns delim_flipped "
        "duplicate_eliminated_columns"
    ),
    "table SUBQUERY": _TABLE | _words("subquery column_name_alias"),
    "table EMPTY": _TABLE,
    "query SELECT_NODE": _words(
        "type modifiers cte_map select_list from_table where_clause group_expressions group_sets "
        "aggregate_handling having sample qualify"
    ),
    "query SET_OPERATION_NODE": _words("type modifiers cte_map setop_type left right setop_all"),
    "modifier DISTINCT_MODIFIER": _words("type distinct_on_targets"),
    "modifier ORDER_MODIFIER": _words("type orders"),
    "modifier LIMIT_MODIFIER": _words("type limit offset"),
}
JOINS, JOINED_AT = _words("INNER LEFT RIGHT OUTER SEMI ANTI"), _words("REGULAR CROSS")
