"""The data as a prompt tells of it: within the request's policy, and within so many tokens.

Whatever comes from the data stands between <data> and </data> as JSON texts, cut short, in which
neither tag can be written. That tells a well-meaning model what is data; what protects from an
obeying one is that nothing it proposes is believed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from mesh.policy import MASK, Policy
from services.planner.adapters.llm.relevance import columns_first, relevant
from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
    ValueHit,
)

_BYTES_A_TOKEN = 3.5
_LONGEST_TEXT, _LONGEST_COMMENT = 60, 200
_SAMPLES, _HITS, _SYNONYMS = 3, 20, 3
_SHORT, _DAY = 24, 10
_FEWEST_COLUMNS, _NAMED_COLUMNS = 8, 24
_LEAST_ROOM = 20
_FOR_LINKS = 8  # the part of a prompt that is kept for references and values


def tokens_in(text: str) -> int:
    """About how many tokens a text is; more rather than fewer."""
    return int(len(text.encode()) / _BYTES_A_TOKEN) + 1


def told(text: str, longest: int = _LONGEST_TEXT) -> str:
    """A text of the data as JSON, cut short, in which no tag can be closed."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return json.dumps(cut, ensure_ascii=False).replace("<", "\\u003c")


def visible(catalogue: Catalogue, policy: Policy) -> Catalogue:
    """The tables and columns that a model may know of.

    The executor has taken away what policy hides; it is taken away here once more, because what a
    prompt holds leaves the mesh.
    """
    tables = []
    for table in catalogue.tables:
        columns = tuple(c for c in table.columns if policy.column_allowed(table.name, c.name))
        if columns:
            tables.append(table.model_copy(update={"columns": columns}))
    shown = catalogue.model_copy(update={"tables": tuple(tables)})
    return shown.model_copy(update={"relationships": _joinable(shown)})


def described(
    catalogue: Catalogue,
    policy: Policy,
    question: str,
    hits: Sequence[ValueHit],
    most_tokens: int,
    brief: bool = False,
) -> tuple[str, Catalogue]:
    """The text, and the tables and columns that are in it: others do not exist for the model.

    Statistics and values are told of relevant tables alone; of others names and types, as far as
    there is room, because a question may mean them in other words. A `brief` text says of columns
    only what they hold. Blocks, for tens of thousands of columns a second.
    """
    seen = visible(catalogue, policy)
    about, others = relevant(question, seen, hits)
    left = most_tokens - most_tokens // _FOR_LINKS
    told_column = _briefly if brief else _in_full
    tables: list[Table] = []
    lines: list[str] = []
    for number, table in enumerate((*about, *others)):
        if left < _LEAST_ROOM:
            break
        if number < len(about):
            # However wide a table is, room is left for those it is joined with.
            most = left if number == len(about) - 1 else left // 2
            full = (_clean(c, policy) for c in columns_first(table, question, hits))
            head, bare = _head(table, policy), False
        else:
            most, head, bare = left, f"table {told(table.name)}, {table.rows} rows, of", True
            full = (_bare(column) for column in table.columns[:_NAMED_COLUMNS])
        written, kept = _fitting(head, full, most, _named if bare else told_column)
        if not kept or (tables and len(kept) < min(_FEWEST_COLUMNS, len(table.columns))):
            continue
        left -= tokens_in(written)
        comment = "" if bare else _clean_text(table.comment, policy) or ""
        tables.append(table.model_copy(update={"columns": tuple(kept), "comment": comment}))
        lines.append(written)
    shown = catalogue.model_copy(update={"tables": tuple(tables)})
    shown = shown.model_copy(update={"relationships": _joinable(shown)})
    lines += _links(shown, hits, max(left, 0) + most_tokens // _FOR_LINKS)
    left_out = len(seen.tables) - len(tables)
    lines += [f"({left_out} less relevant tables are left out)"] if left_out else []
    return "\n".join(lines), shown


def _fitting(
    head: str, columns: Iterable[Column], most: int, told_column: Callable[[Column], str]
) -> tuple[str, list[Column]]:
    """A table's text with as many of its columns as fit, and those columns."""
    used, parts, kept = tokens_in(head), [head], []
    for column in columns:
        part = told_column(column)
        used += tokens_in(part)
        if used > most:
            break
        parts.append(part)
        kept.append(column)
    return "".join(parts).rstrip(","), kept


def _links(shown: Catalogue, hits: Sequence[ValueHit], most_tokens: int) -> list[str]:
    """How tables refer to each other, and which values a question may mean, as far as they fit."""
    place = {table.name: number for number, table in enumerate(shown.tables)}
    lines = [
        f"{told(a.from_table)}.{told(a.from_column)} refers to "
        f"{told(a.to_table)}.{told(a.to_column)}"
        for a in sorted(
            shown.relationships,
            key=lambda a: max(place[a.from_table], place[a.to_table]),
        )
    ]
    lines += [
        f"the question's {told(hit.phrase)} may be the value {told(hit.value)} of "
        f"{told(hit.table)}.{told(hit.column)}"
        for hit in _known(hits, shown)
    ]
    kept, left = [], most_tokens
    for line in lines:
        left -= tokens_in(line)
        if left < 0:
            break
        kept.append(line)
    return kept


def _head(table: Table, policy: Policy) -> str:
    comment = _clean_text(table.comment, policy)
    told_comment = f" -- {told(comment, _LONGEST_COMMENT)}" if comment else ""
    source = _clean_text(table.source_name, policy) or MASK
    return f"table {told(table.name)} from {told(source)}, {table.rows} rows{told_comment}"


def _bare(column: Column) -> Column:
    """A column without anything that its values say."""
    return Column(name=column.name, data_type=column.data_type, role=column.role)


def _clean(column: Column, policy: Policy) -> Column:
    """A column without any value that policy hides."""
    return column.model_copy(
        update={
            "samples": tuple(s for s in column.samples[:_SAMPLES] if policy.match(s) is None),
            "minimum": _clean_text(column.minimum, policy),
            "maximum": _clean_text(column.maximum, policy),
            "comment": _clean_text(column.comment, policy) or "",
        }
    )


def _named(column: Column) -> str:
    """A column's name and type."""
    return f" {told(column.name)} {column.data_type},"


def _briefly(column: Column) -> str:
    """A column's name and kind, and values that are words or days: no number is to be chosen."""
    kind = "key" if column.role is ColumnRole.ID else str(column.data_type)
    said = f"\n {told(column.name)} {kind}"
    texts = [text for text in column.samples if len(text) <= _SHORT]
    if column.data_type is DataType.STRING and texts:
        said += f": {', '.join(map(told, texts))}"
    elif column.data_type in (DataType.DATE, DataType.DATETIME) and column.minimum:
        said += f" {told(column.minimum[:_DAY])} to {told((column.maximum or '')[:_DAY])}"
    return said + (f" -- {told(column.comment, _SHORT)}" if column.comment else "")


def _in_full(column: Column) -> str:
    parts = [f"{told(column.name)} {column.data_type}, {column.role}"]
    parts += [f"{column.distinct} distinct"] if column.distinct else []
    parts += [f"{column.nulls} empty"] if column.nulls else []
    if column.minimum is not None and column.maximum is not None:
        parts.append(f"{told(column.minimum)} to {told(column.maximum)}")
    if column.samples:
        parts.append("such as " + ", ".join(map(told, column.samples)))
    parts += [f"also {told(said)}" for said in column.synonyms[:_SYNONYMS]]
    if column.formula:
        formula = told(column.formula, _LONGEST_COMMENT)
        parts.append(f"computed: a query that needs it holds {formula} in its place")
    if column.comment:
        parts.append(told(column.comment, _LONGEST_COMMENT))
    return "\n  " + ", ".join(parts)


def _known(hits: Iterable[ValueHit], shown: Catalogue) -> list[ValueHit]:
    there = [
        hit
        for hit in hits
        if (table := shown.table(hit.table)) is not None and table.column(hit.column) is not None
    ]
    return there[:_HITS]


def _joinable(shown: Catalogue) -> tuple[Relationship, ...]:
    """The references between columns that are shown."""
    there = {(table.name, column.name) for table in shown.tables for column in table.columns}
    return tuple(
        link
        for link in shown.relationships
        if (link.from_table, link.from_column) in there and (link.to_table, link.to_column) in there
    )


def _clean_text(text: str | None, policy: Policy) -> str | None:
    return None if text is None or policy.match(text) is not None else text
