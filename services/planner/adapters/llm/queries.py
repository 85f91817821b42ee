"""What a language model's SQL may be, before the executor's own guard sees it.

One SELECT over tables of the catalogue and columns of those tables, whose every value comes from
the data. It is a first wall, of words the model understands: the executor checks every statement
again, whoever wrote it, and the database a third time.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify

from services.planner.adapters.llm.numbers import Known, numbers_in
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.checks.pivots import pivoted
from services.planner.domain.statements.parsing import DIALECT, closest, statement

_CONDITIONS = (exp.Where, exp.Having, exp.Qualify, exp.Filter, exp.Limit, exp.Offset, exp.Order)
_WRITES = (exp.DML, exp.DDL, exp.Command, exp.Set, exp.Values)
_COUNTS = (exp.Count, exp.CountIf, exp.RowNumber, exp.Rank, exp.DenseRank)


def query_problems(text: str, catalogue: Catalogue, known: Known) -> list[str]:
    """Why a query may not be run, in words; empty when it may."""
    tree = statement(text)
    if "pivot" in text.casefold() and (turned := pivoted(text, catalogue)) is not None:
        return [f"{turned.why}. {turned.hint}"]
    if tree is None:
        return ["the query is not one SELECT statement of DuckDB's dialect"]
    if (foreign := next(_not_reading(tree), None)) is not None:
        return [f"a query only reads the data's tables: {foreign.key.upper()} is not allowed in it"]
    problems = list(_unknown_tables(tree, catalogue))
    if problems:
        return problems
    schema: dict[str, object] = {
        t.name: {c.name: "VARCHAR" for c in t.stored} for t in catalogue.tables
    }
    try:
        qualified = qualify(tree.copy(), schema=schema, dialect=DIALECT)
    except (SqlglotError, RecursionError, ValueError) as error:
        return [f"the query does not fit the tables: {str(error).splitlines()[0]}"]
    return [
        *_made_up_columns(qualified),
        *_made_up_numbers(tree, known),
        *_telling_names(tree, known),
    ]


def expression_problems(text: str, known: Known) -> list[str]:
    """Like `query_problems` for one derived column."""
    tree = statement(f"SELECT {text} AS derived FROM frame")
    if tree is None:
        return [f"{text!r} is not one expression"]
    return [*_made_up_columns(tree), *_made_up_numbers(tree, known)]


def numbers_written(text: str) -> list[str]:
    """Numbers and ISO dates that a statement holds: they were judged there."""
    tree = statement(text)
    if tree is None:
        return []
    literals = (node.name for node in tree.find_all(exp.Literal))
    return [number for literal in literals for number in numbers_in(literal)]


def _not_reading(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Parts that write, or state rows of their own."""
    for node in tree.find_all(*_WRITES):
        if not isinstance(node, exp.Query):
            yield node


def _unknown_tables(tree: exp.Expr, catalogue: Catalogue) -> Iterator[str]:
    known = {table.name.casefold() for table in catalogue.tables}
    own = {cte.alias_or_name.casefold() for cte in tree.find_all(exp.CTE)}
    read = 0
    for node in tree.find_all(exp.Table):
        if not isinstance(node.this, exp.Identifier):
            yield f"{node.sql(dialect=DIALECT)} is no table of the data"
        elif node.db or node.catalog:
            yield f"{node.sql(dialect=DIALECT)}: tables are named without a schema"
        elif node.name.casefold() in known:
            read += 1
        elif node.name.casefold() not in own:
            like = closest(node.name, [table.name for table in catalogue.tables])
            yield f"there is no table {node.name!r}" + (f"; is {like!r} meant?" if like else "")
    if not read:
        yield "the query reads no table of the data"


def _made_up_columns(tree: exp.Expr) -> Iterator[str]:
    """Output columns, of any SELECT in it, that no data goes into."""
    for select in tree.find_all(exp.Select):
        if select.find_ancestor(exp.Exists, exp.In):
            continue  # what EXISTS and IN select is not shown
        for item in select.expressions:
            if not any(item.find_all(exp.Column, exp.Star, *_COUNTS)) and not item.find(exp.Query):
                yield (
                    f"the column {item.alias_or_name or item.sql(dialect=DIALECT)!r} does not come "
                    "from the data: a query may compute, not state"
                )


def _made_up_numbers(tree: exp.Expr, known: Known) -> Iterator[str]:
    for literal in tree.find_all(exp.Literal):
        text = literal.name
        if not literal.is_string:
            if not known.allows_literal(text):
                yield _made_up(text)
        elif literal.find_ancestor(exp.Interval) is not None:
            yield from (_made_up(n) for n in numbers_in(text) if not known.allows_literal(n))
        elif literal.find_ancestor(*_CONDITIONS, exp.If, exp.Join) is None or _is_result(literal):
            yield from (_made_up(number) for number in known.foreign(text))


def _is_result(literal: exp.Expr) -> bool:
    """Whether a text is what a CASE gives, rather than what it compares with."""
    return isinstance(literal.parent, exp.If) and literal.arg_key == "true"


def _telling_names(tree: exp.Expr, known: Known) -> Iterator[str]:
    dates = [n for node in tree.find_all(exp.Literal) for n in numbers_in(node.name)]
    for alias in tree.find_all(exp.Alias):
        for number in known.foreign(alias.alias, dates):
            yield f"the column name {alias.alias!r} states a number: {number}"


def _made_up(number: str) -> str:
    return (
        f"the number {number} is neither in the question nor in the data's description: leave it "
        "out, compute it, or ask what is meant"
    )
