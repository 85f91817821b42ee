"""What a derived column's expression may be made of, by sqlglot's names."""

from __future__ import annotations

ALLOWED_NODES = frozenset(
    {
        # values and structure
        "Column",
        "Identifier",
        "Literal",
        "Boolean",
        "Null",
        "Paren",
        "Neg",
        "Case",
        "If",
        "Cast",
        "TryCast",
        "DataType",
        "DataTypeParam",
        "Var",
        # arithmetic, comparison, logic
        "Add",
        "Sub",
        "Mul",
        "Div",
        "IntDiv",
        "Mod",
        "EQ",
        "NEQ",
        "GT",
        "GTE",
        "LT",
        "LTE",
        "Is",
        "And",
        "Or",
        "Not",
        "In",
        "Between",
        # functions
        "Trim",
        "Substring",
        "DPipe",
        "Extract",
    }
)
# Functions, by DuckDB's names.
ALLOWED_BY_NAME = frozenset(
    """
    abs ceil ceiling char_length coalesce concat date_part date_trunc datepart datetrunc exp floor
    greatest if ifnull lcase least len length ln lower ltrim nullif round rtrim sqrt substr ucase
    upper
    """.split()
)
ALLOWED_TYPES = frozenset(
    {
        "BOOLEAN",
        "TINYINT",
        "SMALLINT",
        "INT",
        "BIGINT",
        "INT128",
        "UTINYINT",
        "USMALLINT",
        "UINT",
        "UBIGINT",
        "FLOAT",
        "DOUBLE",
        "DECIMAL",
        "TEXT",
        "VARCHAR",
        "DATE",
        "TIMESTAMP",
        "TIMESTAMPTZ",
        "DATETIME",
        "TIME",
    }
)
