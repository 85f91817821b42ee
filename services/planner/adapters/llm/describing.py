"""The data as a prompt tells of it: within the request's policy, and within so many tokens.

Whatever comes from the data stands between <data> and </data> as JSON texts, cut short, in which
neither tag can be written. That tells a well-meaning model what is data; what protects from an
obeying one is that nothing it proposes is believed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from mesh.policy import Policy
from services.planner.adapters.llm.relevance import columns_first, ranked
from services.planner.domain.catalogue import Catalogue, Column, Relationship, Table, ValueHit

_BYTES_A_TOKEN = 3.5
_LONGEST_TEXT, _LONGEST_COMMENT = 60, 200
_SAMPLES, _HITS = 3, 20
_FEWEST_COLUMNS = 8


def tokens_in(text: str) -> int:
    """About how many tokens a text is; more rather than fewer."""
    return int(len(text.encode()) / _BYTES_A_TOKEN) + 1


def told(text: str, longest: int = _LONGEST_TEXT) -> str:
    """A text of the data as JSON, cut short, in which no tag can be closed."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return json.dumps(cut, ensure_ascii=False).replace("<", "\\u003c")


def visible(catalogue: Catalogue, policy: Policy) -> Catalogue:
    """The catalogue as a model may see it.

    The executor has taken away what policy hides; it is taken away here once more, because what a
    prompt holds leaves the mesh.
    """
    tables = []
    for table in catalogue.tables:
        columns = [
            c.model_copy(
                update={
                    "samples": tuple(s for s in c.samples if policy.match(s) is None),
                    "minimum": _clean(c.minimum, policy),
                    "maximum": _clean(c.maximum, policy),
                    "comment": _clean(c.comment, policy) or "",
                }
            )
            for c in table.columns
            if policy.column_allowed(table.name, c.name)
        ]
        comment = _clean(table.comment, policy) or ""
        tables.append(table.model_copy(update={"columns": tuple(columns), "comment": comment}))
    shown = catalogue.model_copy(update={"tables": tuple(tables)})
    links = tuple(link for link in catalogue.relationships if _joinable(link, shown))
    return shown.model_copy(update={"relationships": links})


def described(
    catalogue: Catalogue, question: str, hits: Sequence[ValueHit], most_tokens: int
) -> tuple[str, Catalogue]:
    """The text, and the tables and columns that are in it: others do not exist for the model."""
    left = most_tokens
    tables: list[Table] = []
    texts: list[str] = []
    for table in ranked(question, catalogue, hits):
        columns = columns_first(table, question, hits)
        while tokens_in(text := _table(table, columns)) > left and len(columns) > _FEWEST_COLUMNS:
            columns = columns[: max(_FEWEST_COLUMNS, len(columns) * 3 // 4)]
        if tables and tokens_in(text) > left:
            continue
        left -= tokens_in(text)
        kept = tuple(column for column in table.columns if column in columns)
        tables.append(table.model_copy(update={"columns": kept}))
        texts.append(text)
    shown = catalogue.model_copy(update={"tables": tuple(tables)})
    links = tuple(link for link in catalogue.relationships if _joinable(link, shown))
    texts += [
        f"{told(a.from_table)}.{told(a.from_column)} refers to "
        f"{told(a.to_table)}.{told(a.to_column)}"
        for a in links
    ]
    texts += [
        f"the question's {told(hit.phrase)} may be the value {told(hit.value)} of "
        f"{told(hit.table)}.{told(hit.column)}"
        for hit in _known(hits, shown)
    ]
    left_out = len(catalogue.tables) - len(tables)
    texts += [f"({left_out} less relevant tables are left out)"] if left_out else []
    return "\n".join(texts), shown.model_copy(update={"relationships": links})


def _table(table: Table, columns: Sequence[Column]) -> str:
    comment = f" -- {told(table.comment, _LONGEST_COMMENT)}" if table.comment else ""
    head = f"table {told(table.name)} from {told(table.source_name)}, {table.rows} rows{comment}"
    return "\n".join([head, *(f"  {_column(column)}" for column in columns)])


def _column(column: Column) -> str:
    parts = [f"{told(column.name)} {column.data_type}, {column.role}"]
    parts += [f"{column.distinct} distinct"] if column.distinct else []
    parts += [f"{column.nulls} empty"] if column.nulls else []
    if column.minimum is not None and column.maximum is not None:
        parts.append(f"{told(column.minimum)} to {told(column.maximum)}")
    if column.samples:
        parts.append("such as " + ", ".join(told(s) for s in column.samples[:_SAMPLES]))
    if column.comment:
        parts.append(told(column.comment, _LONGEST_COMMENT))
    return ", ".join(parts)


def _known(hits: Iterable[ValueHit], shown: Catalogue) -> list[ValueHit]:
    there = [
        hit
        for hit in hits
        if (table := shown.table(hit.table)) is not None and table.column(hit.column) is not None
    ]
    return there[:_HITS]


def _joinable(link: Relationship, shown: Catalogue) -> bool:
    here, there = shown.table(link.from_table), shown.table(link.to_table)
    return (
        here is not None
        and there is not None
        and here.column(link.from_column) is not None
        and there.column(link.to_column) is not None
    )


def _clean(text: str | None, policy: Policy) -> str | None:
    return None if text is None or policy.match(text) is not None else text
