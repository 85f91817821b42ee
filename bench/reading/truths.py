"""The right rows of an item: those that its set tells, or those that its SQL gives."""

from __future__ import annotations

import functools
import importlib
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import sqlglot
from sqlglot import exp

from bench.everyday import held_beside
from bench.reading.canonical import canonical
from bench.reading.judging import Truth, canonical_rows, drawn_truth
from bench.reading.sets import Item, data_folder, everyday_folder

Run = Callable[[str], Sequence[Sequence[Any]]]


def truths(item: Item) -> list[Truth]:
    """What is right; none for a question that has no answer.

    Raises duckdb.Error where an everyday question's own SQL cannot be run.
    """
    if item.chart:
        return [drawn_truth(item.rows or ())]
    if item.rows is not None:
        path = item.paths[0]
        return [_truth(item, item.sql, item.rows, lambda sql: _sqlite(str(path), sql))]

    tables = _tables(item.set, item.database)

    def run(sql: str) -> Sequence[Sequence[Any]]:
        rows: list[tuple[Any, ...]] = tables.execute(sql).fetchall()
        return rows

    return [_truth(item, sql, run(sql), run) for sql in (item.sql, *item.also) if sql]


@functools.lru_cache(maxsize=1)
def _tables(name: str, dataset: str) -> duckdb.DuckDBPyConnection:
    """The tables with the types meant: truth does not hang on how they are guessed from text."""
    if name == "beside":
        return held_beside.truth(data_folder(), dataset)
    tables: duckdb.DuckDBPyConnection
    tables = importlib.import_module("bench.everyday").truth(everyday_folder(), dataset)
    return tables


def _truth(item: Item, sql: str, rows: Sequence[Sequence[Any]], run: Run) -> Truth:
    ranks = None
    if item.ordered and len(rows) > 1:
        ranks = _ranks(sql, rows, run, item.dialect)
    return Truth(canonical_rows(rows), ranks)


def _sqlite(path: str, sql: str) -> Sequence[Sequence[Any]]:
    source = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    source.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        return source.execute(sql).fetchall()
    finally:
        source.close()


def _ranks(sql: str, rows: Sequence[Sequence[Any]], run: Run, dialect: str) -> tuple[int, ...]:
    """Equal numbers for rows that what they are sorted by cannot tell apart."""
    every_row = tuple(range(len(rows)))
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
        order = tree.args.get("order")
        if order is None:
            return every_row
        terms = [ordered.this for ordered in order.expressions]
        places = [_shown_at(tree, term) for term in terms]
        unseen = [term for term, place in zip(terms, places, strict=True) if place is None]
        if unseen and (not isinstance(tree, exp.Select) or tree.args.get("distinct")):
            return every_row
        keyed = rows
        if isinstance(tree, exp.Select) and unseen:
            more = [exp.alias_(term.copy(), f"rank_{n}") for n, term in enumerate(unseen)]
            keyed = run(tree.select(*more).sql(dialect=dialect))
    except (sqlglot.errors.SqlglotError, sqlite3.Error, duckdb.Error):
        return every_row
    if len(keyed) != len(rows):
        return every_row
    behind = iter(range(len(rows[0]), len(rows[0]) + len(unseen)))
    at = [next(behind) if place is None else place for place in places]
    ranks, before, rank = list[int](), None, -1
    for row in keyed:
        key = tuple(canonical(row[place]) for place in at)
        rank, before = (rank, key) if key == before else (rank + 1, key)
        ranks.append(rank)
    return tuple(ranks)


def _shown_at(tree: exp.Expr, term: exp.Expr) -> int | None:
    """Which column of the answer is sorted by, if it is shown."""
    shown = tree.selects if isinstance(tree, exp.Query) else []
    if isinstance(term, exp.Literal) and not term.is_string:
        return int(term.name) - 1
    for place, column in enumerate(shown):
        if column.alias and term.name.lower() == column.alias.lower():
            return place
        if column.unalias().sql().lower() == term.sql().lower():
            return place
    return None
