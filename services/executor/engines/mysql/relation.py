"""A table of a MySQL or MariaDB database as a subselect in stored types, inside the policy."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from mesh.policy import Policy
from services.executor.databases.live import LiveColumn, Relation
from services.executor.databases.pseudonyms import Pseudonyms
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.regular import has_options, in_pcre

_PLAIN_DIGITS = r"^\s*[0-9]{6,19}\s*$"
_TEXT, _MASK = "assay_text", "assay_mask"


def quoted(name: str) -> str:
    """A name as the server reads it, whatever it holds."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    """A text as the server reads it where a backslash is a sign like any other."""
    return "'" + text.replace("'", "''") + "'"


def target_of(relation: Relation) -> str:
    """The relation under its whole name."""
    return f"{quoted(relation.schema_name)}.{quoted(relation.name)}"


def relation_sql(
    relation: Relation,
    columns: Iterable[str],
    collation: str,
    *,
    pseudonyms: Pseudonyms | None = None,
    digits: Collection[str] = (),
    names: str = "given",
) -> str:
    """The subselect; texts that have pseudonyms are replaced, columns that nobody reads are null.

    Columns named in `digits` are text, whatever they are stored as. `names` says whether columns
    keep their names in the request ("given") or get them in lower case ("lower").
    """
    cells: list[str] = []
    joins: list[str] = []
    for shown in columns:
        column = relation.columns[shown]
        value = text_of(column, collation) if shown in digits else stored(column, collation)
        known = (pseudonyms or {}).get(shown, {})
        if known is None:
            value = _collated("CAST(NULL AS CHAR)", collation)
        elif known:
            masks = f"m{len(joins)}"
            pairs = " UNION ALL ".join(
                f"SELECT {literal(t)} AS {_TEXT}, {literal(p)} AS {_MASK}"
                for t, p in sorted(known.items())
            )
            joins.append(f"LEFT JOIN ({pairs}) AS {masks} ON {masks}.{_TEXT} = {value}")
            value = f"COALESCE({masks}.{_MASK}, {value})"
        cells.append(f"{value} AS {quoted(shown.lower() if names == 'lower' else shown)}")
    return f"(SELECT {', '.join(cells)} FROM {' '.join([target_of(relation), *joins])})"


def suspects_sql(
    relation: Relation,
    column: str,
    policy: Policy,
    most: int,
    collation: str,
    *,
    digits: bool = False,
) -> str:
    """The texts of a column that may have to be masked, at most so many, and whether an expression
    of the caller's matches them; with `digits`, plain digits are among them.

    Raises NotExpressible for an expression whose meaning could be another here.
    """
    value = (text_of if digits else stored)(relation.columns[column], collation)
    suspect = f"{_PLAIN_DIGITS}|{policy.suspect}" if digits else policy.suspect
    own = " OR ".join(_matches(value, _regular(e)) for e in policy.own_expressions) or "FALSE"
    return (
        f"SELECT DISTINCT {value} AS text, {own} AS own FROM {target_of(relation)} "
        f"WHERE {own} OR {_matches(value, suspect)} LIMIT {most}"
    )


def distinct_sql(
    relation: Relation, columns: Sequence[str], column: str, longest: int, most: int
) -> str:
    """Asks for at most so many different texts of a column, none of them longer."""
    del columns
    value = f"CONVERT({_raw(relation.columns[column])} USING utf8mb4)"
    return (
        f"SELECT DISTINCT {value} COLLATE utf8mb4_bin AS t FROM {target_of(relation)} WHERE "
        f"CHAR_LENGTH({value}) BETWEEN 1 AND {longest} LIMIT {most}"
    )


def exact_sql(relation: Relation, column: str, texts: Sequence[str], most: int) -> str:
    """Asks for those texts that a column holds, of the column as it is, for an index to serve.

    Its own collation may find more than these: all that it takes for the same.
    """
    values = ", ".join(literal(text) for text in texts)
    raw = _raw(relation.columns[column])
    return (
        f"SELECT DISTINCT CONVERT({raw} USING utf8mb4) COLLATE utf8mb4_bin AS t "
        f"FROM {target_of(relation)} "
        f"WHERE {raw} IN ({values}) LIMIT {most}"
    )


def stored(column: LiveColumn, collation: str) -> str:
    """The value in its stored type. Text is compared by its bytes, as DuckDB does."""
    name, native = quoted(column.name), column.native
    if column.stored == "VARCHAR":
        return _collated(_raw(column), collation)
    if column.stored == "BOOLEAN":
        return f"({name} <> 0)"
    if native.startswith("bit"):
        return f"CAST({name} AS UNSIGNED)"
    if native.startswith("year"):
        return f"CAST({name} AS SIGNED)"
    if column.stored in ("DATE", "TIMESTAMP"):
        # No day is 0000-00-00, 2024-00-00 or, where it was let in, 2024-02-31.
        is_none = f"YEAR({name}) = 0 OR TO_DAYS({name}) IS NULL"
        return f"(CASE WHEN {is_none} THEN NULL ELSE {name} END)"
    if column.stored == "DOUBLE":
        return name if native == "double" else f"CAST({name} AS DOUBLE)"
    return name


def text_of(column: LiveColumn, collation: str) -> str:
    """The stored value as text, a whole number as its digits alone."""
    value = stored(column, collation)
    if column.stored == "VARCHAR":
        return value
    if column.stored == "DOUBLE":
        whole = f"{value} = TRUNCATE({value}, 0) AND ABS({value}) < 9.2e18"
        value = f"IF({whole}, CAST(CAST({value} AS SIGNED) AS CHAR), CAST({value} AS CHAR))"
    elif column.stored.startswith("DECIMAL"):
        whole = f"{value} = TRUNCATE({value}, 0)"
        value = f"IF({whole}, CAST(TRUNCATE({value}, 0) AS CHAR), CAST({value} AS CHAR))"
    else:
        value = f"CAST({value} AS CHAR)"
    return _collated(value, collation)


def _raw(column: LiveColumn) -> str:
    """The column as text of its own, or as the server writes it."""
    name = quoted(column.name)
    is_text = re.match(r"(var)?char|(tiny|medium|long)?text|enum|set", column.native)
    return name if is_text else f"CAST({name} AS CHAR)"


def _collated(value: str, collation: str) -> str:
    return f"(CONVERT({value} USING utf8mb4) COLLATE {collation})"


def _matches(value: str, test: str) -> str:
    """Case is ignored."""
    return f"{value} REGEXP {literal('(?i)' + test)}"


def _regular(expression: str) -> str:
    """An RE2 expression as PCRE reads it. Raises NotExpressible."""
    if has_options(expression) or re.search(r"\\[pPzAQCG]|\[\[:|[*+?}][?+]", expression):
        raise NotExpressible(f"the blocked pattern {expression!r}")
    return in_pcre(expression)
