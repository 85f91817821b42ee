"""The data as a prompt tells of it: within the request's policy, and within so many tokens.

Whatever comes from the data stands between <data> and </data> as JSON texts, cut short, in which
neither tag can be written. That tells a well-meaning model what is data; what protects from an
obeying one is that nothing it proposes is believed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NewType

from mesh.policy import Disclosure, Policy
from services.planner.adapters.llm.column_text import (
    LONGEST_NAME,
    bare_column,
    brief_column,
    clean,
    disclosed,
    full_column,
    join_line,
    name_only,
    named,
    quote_text,
    table_head,
)
from services.planner.adapters.llm.fact_text import (
    Measured,
    describe_reference,
    measured_of,
    with_domain,
)
from services.planner.adapters.llm.relevance import columns_first, relevant
from services.planner.domain.catalogue import Catalogue, Column, Relationship, Table, ValueHit

BYTES_A_TOKEN = 3.5
_HITS, _DENIED = 20, 5
_FEWEST_COLUMNS, _NAMED_COLUMNS = 8, 24
_LEAST_ROOM = 20
FEW_TABLES = 50
"""Of more tables there is no room for all values of a domain."""
_FOR_LINKS = 8  # the part of a prompt that is kept for references and values
_FOR_NAMES = 8  # and the part for names of tables that are not described, where there are some


Visible = NewType("Visible", Catalogue)
"""A catalogue without what policy hides; `visible` alone makes it."""


def tokens_in(text: str) -> int:
    """About how many tokens a text is; more rather than fewer."""
    return int(len(text.encode()) / BYTES_A_TOKEN) + 1


def visible(catalogue: Catalogue, policy: Policy) -> Visible:
    """The tables and columns that a model may know of.

    The executor has taken away what policy hides; it is taken away here once more, because what a
    prompt holds leaves the mesh. Names too long to be written are left out with it.
    """
    tables = []
    for table in catalogue.tables:
        if len(table.name) > LONGEST_NAME:
            continue
        columns = tuple(
            column
            for column in table.columns
            if len(column.name) <= LONGEST_NAME and policy.column_allowed(table.name, column.name)
        )
        if columns:
            tables.append(table.model_copy(update={"columns": columns}))
    shown = catalogue.model_copy(update={"tables": tuple(tables)})
    return Visible(shown.model_copy(update={"relationships": _joinable(shown)}))


def described(
    seen: Visible,
    policy: Policy,
    question: str,
    hits: Sequence[ValueHit],
    most_tokens: int,
    brief: bool = False,
    level: Disclosure = Disclosure.VALUES,
    domains: bool = True,
) -> tuple[str, Catalogue]:
    """The text, and the tables and columns that are in it: others do not exist for the model.

    Statistics and values are told of relevant tables alone; of others names and types, as far as
    there is room, because a question may mean them in other words. A `brief` text says of columns
    only what they hold; without `domains` fewer values of them are told. Blocks, for tens of
    thousands of columns a second.
    """
    about, others = relevant(question, seen, hits)
    left = most_tokens - most_tokens // _FOR_LINKS
    if len(seen.tables) * _LEAST_ROOM * 2 > most_tokens:
        left -= most_tokens // _FOR_NAMES
    known = measured_of(seen, level)
    domains = domains and len(seen.tables) <= FEW_TABLES
    tables: list[Table] = []
    lines: list[str] = []
    for number, table in enumerate((*about, *others)):
        if left < _LEAST_ROOM:
            break
        if number < len(about):
            # However wide a table is, room is left for those it is joined with.
            most = left if number == len(about) - 1 else left // 2
            facts = None if brief else known.tables.get(table.name)
            known_column = brief_column if brief else partial(full_column, known=facts)
            full = (
                with_domain(disclosed(c, policy, level), facts if domains else None, policy)
                for c in columns_first(table, question, hits)
            )
            head, bare = table_head(table, policy, level), False
        else:
            most, head, bare = left, _named_head(table, level), True
            full = (name_only(column) for column in table.columns[:_NAMED_COLUMNS])
            known_column = bare_column
        written, kept = _fitting(table, head, full, most, known_column)
        if not kept or (tables and len(kept) < min(_FEWEST_COLUMNS, len(table.columns))):
            continue
        left -= tokens_in(written)
        comment = "" if bare else clean(table.comment, policy) or ""
        tables.append(table.model_copy(update={"columns": tuple(kept), "comment": comment}))
        lines.append(written)
    shown = seen.model_copy(update={"tables": tuple(tables)})
    shown = shown.model_copy(update={"relationships": _joinable(shown)})
    known_hits = hits if level.allows(Disclosure.VALUES) else ()
    lines += _links(shown, known_hits, max(left, 0) + most_tokens // _FOR_LINKS, known)
    lines += _left_out(seen, shown, max(left, 0) + most_tokens // _FOR_NAMES)
    return "\n".join(lines), shown


def _fitting(
    table: Table,
    head: str,
    columns: Iterable[Column],
    most: int,
    known_column: Callable[[Column, Table], str],
) -> tuple[str, list[Column]]:
    """A table's text with as many of its columns as fit, and those columns."""
    used, parts, kept = tokens_in(head), [head], []
    for column in columns:
        part = known_column(column, table)
        used += tokens_in(part)
        if used > most:
            break
        parts.append(part)
        kept.append(column)
    return "".join(parts).rstrip(","), kept


def _named_head(table: Table, level: Disclosure) -> str:
    rows = f", {table.rows} rows" if level.allows(Disclosure.VALUES) else ""
    return f"table {named(table.name)}{rows}, of"


def _links(
    shown: Catalogue, hits: Sequence[ValueHit], most_tokens: int, known: Measured
) -> list[str]:
    """How tables refer to each other, and which values a question may mean, as far as they fit."""
    place = {table.name: number for number, table in enumerate(shown.tables)}
    there = _places(shown)
    lines = [
        join_line(link, shown) + describe_reference(link, known)
        for link in sorted(
            shown.relationships,
            key=lambda a: max(place[a.from_table], place[a.to_table]),
        )
    ]
    lines += [
        f"{named(one.table)}.{named(one.column)} does not join "
        f"{named(one.other_table)}.{named(one.other_column)}"
        for one in shown.unrelated
        if {(one.table, one.column), (one.other_table, one.other_column)} <= there
    ][:_DENIED]
    lines += [
        f"the question's {quote_text(hit.phrase)} may be the value {quote_text(hit.value)} of "
        f"{named(hit.table)}.{named(hit.column)}"
        for hit in _known(hits, shown)
    ]
    return _as_many(lines, most_tokens)


def _left_out(seen: Catalogue, shown: Catalogue, most_tokens: int) -> list[str]:
    """The names of tables that are not described, as far as they fit."""
    there = {table.name for table in shown.tables}
    names = [named(table.name) for table in seen.tables if table.name not in there]
    if not names:
        return []
    kept = _as_many(names, most_tokens)
    more = f" and {len(names) - len(kept)} more" if len(kept) < len(names) else ""
    return [f"Tables that are there and not described: {', '.join(kept)}{more}"]


def _as_many(lines: Sequence[str], most_tokens: int) -> list[str]:
    """The first of the lines, as many as fit."""
    kept, left = [], most_tokens
    for line in lines:
        left -= tokens_in(line)
        if left < 0:
            break
        kept.append(line)
    return kept


def _known(hits: Iterable[ValueHit], shown: Catalogue) -> list[ValueHit]:
    there = [
        hit
        for hit in hits
        if (table := shown.table(hit.table)) is not None and table.column(hit.column) is not None
    ]
    return there[:_HITS]


def _joinable(shown: Catalogue) -> tuple[Relationship, ...]:
    """The references between columns that are shown."""
    there = _places(shown)
    return tuple(
        link
        for link in shown.relationships
        if all(
            (link.from_table, a) in there and (link.to_table, b) in there
            for a, b in ((link.from_column, link.to_column), *link.further)
        )
    )


def _places(shown: Catalogue) -> set[tuple[str, str]]:
    return {(table.name, column.name) for table in shown.tables for column in table.columns}
