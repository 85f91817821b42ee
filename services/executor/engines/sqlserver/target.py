"""Tables of SQL Server, which are copied. No statement is sent there: texts are compared by
collations that know neither case nor blanks at the end, and truths are no values."""

from __future__ import annotations

import re
from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.tsql import TSQL

from services.executor.databases.live import LiveColumn
from services.executor.engines.sqlserver.about import ENGINE
from services.executor.pushdown.target import Target
from services.executor.pushdown.words import own, writing

_TEXT = "nvarchar(max)"
_KINDS = {
    "bit": "BOOLEAN",
    "date": "DATE",
    "float": "DOUBLE",
    "real": "DOUBLE",
    "money": "DECIMAL(19,4)",
    "smallmoney": "DECIMAL(10,4)",
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "BIGINT"),
    **dict.fromkeys(("datetime", "datetime2", "smalldatetime", "datetimeoffset"), "TIMESTAMP"),
    **dict.fromkeys(
        (
            "binary",
            "varbinary",
            "image",
            "timestamp",
            "rowversion",
            "geography",
            "geometry",
            "hierarchyid",
            "vector",
        ),
        "",
    ),
}


class SqlServerTarget(Target):
    """SQL Server of 2016 and later."""

    engine = ENGINE
    dialect = writing(TSQL)
    types: ClassVar = {"text": _TEXT}
    translates = False

    def quoted(self, name: str) -> str:
        """A name; those with signs that are escaped there are in no catalogue."""
        return f"[{name}]"

    def literal(self, text: str) -> str:
        """A text in Unicode."""
        return "N'" + text.replace("'", "''") + "'"

    def limited(self, sql: str, most: int) -> str:
        """A query of at most so many rows."""
        return f"SELECT TOP {most} * FROM ({sql}) AS q"

    def stored_type(self, native: str) -> str:
        """The stored type of one of SQL Server's; empty for what is left out."""
        if found := re.fullmatch(r"(?:decimal|numeric)\((\d+),(\d+)\)", native):
            return f"DECIMAL({found[1]},{found[2]})"
        return _KINDS.get(native, "VARCHAR")

    def stored(self, column: LiveColumn) -> str:
        """A column in its stored type."""
        name = self.quoted(column.name)
        if column.native == "datetimeoffset":
            return f"CAST({name} AT TIME ZONE 'UTC' AS datetime2(6))"
        if column.stored == "TIMESTAMP":
            return f"CAST({name} AS datetime2(6))"
        if column.stored == "VARCHAR":
            return f"CAST({name} AS {_TEXT})"
        return f"CAST({name} AS float)" if column.native == "real" else name

    def length(self, value: exp.Expr) -> exp.Expr:
        """In units of sixteen bits, with blanks at the end."""
        return own("(DATALENGTH({0}) / 2)", value)


TARGET = SqlServerTarget()
