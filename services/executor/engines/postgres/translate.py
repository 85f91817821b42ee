"""A guarded statement in PostgreSQL's dialect, over tables inside the policy.

The tree is qualified and typed first (stars, aliases and USING spelled out), then each node is
translated, each table replaced by a subselect that is the policy, and the result cast to the types
DuckDB would give. What cannot be said in PostgreSQL with the same meaning raises NotExpressible.
"""

from __future__ import annotations

from collections.abc import Mapping

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel

from services.executor.databases.live import live
from services.executor.databases.pseudonyms import Pseudonyms
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.plan import Plan, translating
from services.executor.engines.postgres.relation import relation_sql
from services.executor.engines.postgres.rules import PLAIN_RULES, RULES, SAME
from services.executor.engines.postgres.words import collated, is_text
from services.executor.engines.scopes import is_defined
from services.executor.engines.shapes import (
    move_qualify,
    named,
    spell_out,
    spell_out_order,
)
from services.executor.engines.typed_tree import typed
from services.executor.engines.workspace import FlatTable
from services.executor.sources.sql import quoted

_RESULT_TYPES = {
    "VARCHAR": "text",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    "TINYINT": "int8",
    "SMALLINT": "int8",
    "INTEGER": "int8",
    "BIGINT": "int8",
    "FLOAT": "float8",
    "DOUBLE": "float8",
    "HUGEINT": "numeric(60,0)",
    '"NULL"': "text",
    "VARCHAR[]": "text[]",
    "BIGINT[]": "int8[]",
    "INTEGER[]": "int4[]",
    "DOUBLE[]": "float8[]",
}
_UNSUPPORTED_JOINS = ("ASOF", "POSITIONAL", "SEMI", "ANTI")


def postgres_sql(plan: Plan, pseudonyms: Mapping[str, Pseudonyms]) -> str:
    """The statement for PostgreSQL. `pseudonyms` gives by table what stands for which texts.

    Raises NotExpressible.
    """
    types = [_result_type(name) for name in plan.types]
    with translating():
        return _postgres_sql(plan, pseudonyms, types)


def _postgres_sql(plan: Plan, pseudonyms: Mapping[str, Pseudonyms], types: list[str]) -> str:
    tree = typed(named(plan.tree()), plan.tables)
    if not isinstance(tree, exp.Query):
        raise NotExpressible("this statement")
    for select in list(tree.find_all(exp.Select)):
        spell_out(select)
        move_qualify(select)
    if isinstance(tree, exp.SetOperation):
        spell_out_order(tree)
    translated = _translated(tree)
    _collate_outputs(translated)
    statement = _with_tables(translated, plan.used, pseudonyms)
    names = [quoted(f"c{position}") for position in range(len(types))]
    cells = ", ".join(
        f"{name}::{kind} AS {quoted(f'{position}')}"
        for position, (name, kind) in enumerate(zip(names, types, strict=True))
    )
    return f"SELECT {cells} FROM ({statement}) AS q({', '.join(names)})"


def _result_type(name: str) -> str:
    if name.startswith("DECIMAL"):
        return "numeric(38,0)" if name.endswith(",0)") else "float8"
    if name not in _RESULT_TYPES:
        raise NotExpressible(f"a result of type {name}")
    return _RESULT_TYPES[name]


def _translated(tree: exp.Query) -> exp.Query:
    """Every node by its rule, innermost first."""
    for node in reversed(list(tree.walk(bfs=True))):
        replacement = _rule(node)
        if replacement is not node:
            if replacement.type is None:
                replacement.type = node.type
            node.replace(replacement)
    return tree


def _rule(node: exp.Expr) -> exp.Expr:
    name = type(node).__name__
    if isinstance(node, exp.Anonymous):
        plain = PLAIN_RULES.get(str(node.this).lower())
        if plain is None:
            raise NotExpressible(f"the function {node.this}()")
        return plain(list(node.expressions))
    if isinstance(node, exp.Join) and {
        str(node.args.get(part) or "").upper() for part in ("method", "kind", "side")
    } & set(_UNSUPPORTED_JOINS):
        raise NotExpressible("this kind of join")
    if isinstance(node, exp.Star) and any(node.args.values()):
        raise NotExpressible("a star with exceptions")
    if isinstance(node, exp.Window) and node.find(exp.IgnoreNulls):
        raise NotExpressible("IGNORE NULLS")
    if isinstance(node, exp.Interval) and not isinstance(node.this, exp.Literal):
        raise NotExpressible("an interval that is not written out")
    if isinstance(node, exp.Limit) and not isinstance(node.expression, exp.Literal):
        raise NotExpressible("a limit that is not a number")
    rule = RULES.get(name)
    if rule is not None:
        return rule(node)
    if name not in SAME:
        raise NotExpressible(f"{name.lower()} with the same meaning")
    return node


def _collate_outputs(tree: exp.Query) -> None:
    """Text that was made here is ordered by its bytes, too."""
    for select in tree.find_all(exp.Select):
        for output in select.expressions:
            value = output.unalias()
            if is_text(value) and not isinstance(value, (exp.Column, exp.Null, exp.Subquery)):
                value.replace(collated(value.copy()))


def _with_tables(
    tree: exp.Query, used: tuple[FlatTable, ...], pseudonyms: Mapping[str, Pseudonyms]
) -> str:
    known = {table.name.casefold(): table for table in used}
    for node in list(tree.find_all(exp.Table)):
        if is_defined(node) or not isinstance(node.this, exp.Identifier):
            continue
        table = known[node.name.casefold()]
        alias = node.alias or node.name
        selected = exp.Subquery(
            this=_parsed(_subselect(table, pseudonyms.get(table.name, {}))),
            alias=exp.TableAlias(this=exp.Identifier(this=alias, quoted=True)),
        )
        if node.args.get("joins"):
            selected.set("joins", node.args["joins"])
        node.replace(selected)
    return tree.sql(
        dialect="postgres", identify=True, comments=False, unsupported_level=ErrorLevel.RAISE
    )


def _subselect(table: FlatTable, pseudonyms: Pseudonyms) -> str:
    source = live(table.source)
    if source is None:
        raise NotExpressible("a table that is not in the database")
    return (
        relation_sql(
            source.relations[table.stored.name],
            [column.name for column in table.columns],
            pseudonyms=pseudonyms,
            digits={column.name for column in table.columns if column.digits},
            names="lower",
        )
        .removeprefix("(")
        .removesuffix(")")
    )


def _parsed(select: str) -> exp.Expr:
    return sqlglot.parse_one(select, dialect="postgres")
