"""A table of a database as a subselect in stored types, inside the policy."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from mesh.policy import Policy
from services.executor.databases.live import Relation
from services.executor.databases.pseudonyms import Pseudonyms
from services.executor.pushdown.target import Target
from services.executor.pushdown.words import own

_TEXT, _MASK = "assay_text", "assay_mask"


def relation_sql(
    target: Target,
    relation: Relation,
    columns: Iterable[str],
    *,
    pseudonyms: Pseudonyms | None = None,
    digits: Collection[str] = (),
    lower: bool = False,
) -> str:
    """The subselect, without brackets; texts that have pseudonyms are replaced, columns that nobody
    reads are null. Columns named in `digits` are text, whatever they are stored as. With `lower`
    columns are named in lower case.
    """
    cells: list[str] = []
    joins: list[str] = []
    for shown in columns:
        column = relation.columns[shown]
        value = target.text_of(column) if shown in digits else target.stored(column)
        known = (pseudonyms or {}).get(shown, {})
        if known is None:
            value = target.nothing()
        elif known:
            masks = f"m{len(joins)}"
            pairs = " UNION ALL ".join(
                f"SELECT {target.literal(t)} AS {_TEXT}, {target.literal(p)} AS {_MASK}"
                for t, p in sorted(known.items())
            )
            joins.append(f"LEFT JOIN ({pairs}) AS {masks} ON {masks}.{_TEXT} = {value}")
            value = f"COALESCE({masks}.{_MASK}, {value})"
        cells.append(f"{value} AS {target.quoted(shown.lower() if lower else shown)}")
    return f"SELECT {', '.join(cells)} FROM {' '.join([target.place(relation), *joins])}"


def whole_sql(target: Target, relation: Relation) -> str:
    """All rows in stored types, to be copied."""
    cells = ", ".join(
        f"{target.copied(column)} AS {target.quoted(shown)}"
        for shown, column in relation.columns.items()
    )
    return f"SELECT {cells} FROM {target.place(relation)}"


def suspects_sql(
    target: Target, relation: Relation, column: str, policy: Policy, most: int, *, digits: bool
) -> str:
    """Asks for the different texts of a column that may have to be masked, at most so many, and
    whether an expression of the caller's matches them.

    Where the database reads regular expressions in a way of its own, it is asked for all texts, and
    the second column is empty.
    """
    value = (target.text_of if digits else target.stored)(relation.columns[column])
    place = target.place(relation)
    if not target.re2:
        sql = f"SELECT DISTINCT {value} AS t, 0 AS own FROM {place} WHERE {value} IS NOT NULL"
        return target.limited(sql, most)
    theirs = " OR ".join(target.matches(value, e) for e in policy.own_expressions)
    test = "" if digits else " AND (" + target.matches(value, policy.suspect)
    test += f" OR {theirs})" if theirs and test else ")" if test else ""
    text = f"CASE WHEN {theirs} THEN 1 ELSE 0 END" if theirs else "0"
    sql = f"SELECT DISTINCT {value} AS t, {text} AS own FROM {place} WHERE {value} IS NOT NULL"
    return target.limited(sql + test, most)


def distinct_sql(target: Target, relation: Relation, column: str, longest: int, most: int) -> str:
    """Asks for at most so many different texts of a column, none of them longer."""
    value = target.stored(relation.columns[column])
    length = target.length(own(value)).sql(dialect=target.dialect)
    sql = (
        f"SELECT DISTINCT {value} AS t FROM {target.place(relation)} "
        f"WHERE {value} <> '' AND {length} <= {longest}"
    )
    return target.limited(sql, most)


def exact_sql(
    target: Target, relation: Relation, column: str, texts: Sequence[str], most: int
) -> str:
    """Asks for those texts that a column holds."""
    values = ", ".join(target.literal(text) for text in texts)
    value = target.stored(relation.columns[column])
    place = target.place(relation)
    sql = f"SELECT DISTINCT {value} AS t FROM {place} WHERE {value} IN ({values})"
    return target.limited(sql, most)
