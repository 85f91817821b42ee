"""A guarded statement in the dialect of MySQL and MariaDB, over tables inside the policy.

The tree is qualified and typed first (stars, aliases and USING spelled out), then each node is
translated and each table replaced by a subselect that is the policy. What cannot be said there
with the same meaning raises NotExpressible.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp
from sqlglot.errors import ErrorLevel

from services.executor.databases.live import live
from services.executor.databases.pseudonyms import Pseudonyms
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.mysql.aggregates import without_filters
from services.executor.engines.mysql.comparisons import check_alike
from services.executor.engines.mysql.relation import relation_sql
from services.executor.engines.mysql.rules import MAKE_TEXT, PLAIN_RULES, RULES, SAME
from services.executor.engines.mysql.shapes import (
    check_names,
    ordered_outside,
    place_nulls,
    spell_out_values,
)
from services.executor.engines.mysql.words import Raw, Strict
from services.executor.engines.plan import Plan, translating
from services.executor.engines.scopes import is_defined
from services.executor.engines.shapes import move_qualify, named, spell_out, spell_out_order
from services.executor.engines.typed_tree import typed
from services.executor.engines.workspace import FlatTable

_UNSUPPORTED_JOINS = ("ASOF", "POSITIONAL", "SEMI", "ANTI", "FULL", "NATURAL")
_UNITS = frozenset("YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND".split())
_RESULTS = frozenset(
    "VARCHAR BOOLEAN DATE TIMESTAMP TINYINT SMALLINT INTEGER BIGINT FLOAT DOUBLE HUGEINT".split()
)


def mysql_sql(plan: Plan, collation: str, pseudonyms: Mapping[str, Pseudonyms]) -> str:
    """The statement. `pseudonyms` gives by table what stands for which texts.

    Raises NotExpressible.
    """
    for name in plan.types:
        if not (name in _RESULTS or name.startswith("DECIMAL") or name == '"NULL"'):
            raise NotExpressible(f"a result of type {name}")
    with translating():
        return _mysql_sql(plan, collation, pseudonyms)


def _mysql_sql(plan: Plan, collation: str, pseudonyms: Mapping[str, Pseudonyms]) -> str:
    tree = typed(named(plan.tree()), plan.tables)
    if not isinstance(tree, exp.Query):
        raise NotExpressible("this statement")
    for select in list(tree.find_all(exp.Select)):
        spell_out(select)
        move_qualify(select)
    for union in list(tree.find_all(exp.SetOperation)):
        spell_out_order(union)
    spell_out_values(tree)
    without_filters(tree)
    tree = ordered_outside(tree)
    place_nulls(tree)
    check_names(tree)
    translated = _translated(tree)
    return _with_tables(translated, plan.used, collation, pseudonyms)


def _translated(tree: exp.Query) -> exp.Query:
    """Every node by its rule, innermost first."""
    for node in reversed(list(tree.walk(bfs=True))):
        replacement = _rule(node)
        if replacement is not node:
            if replacement.type is None:
                replacement.type = _type_of(node)
            node.replace(replacement)
    return tree


def _type_of(node: exp.Expr) -> exp.DataType | None:
    """The type of a value, also where sqlglot does not know of a function that it makes text."""
    if type(node).__name__ in MAKE_TEXT:
        return exp.DataType.build("VARCHAR")
    return node.type


def _rule(node: exp.Expr) -> exp.Expr:
    name = type(node).__name__
    _check(node)
    if isinstance(node, exp.Anonymous):
        plain = PLAIN_RULES.get(str(node.this).lower())
        if plain is None:
            raise NotExpressible(f"the function {node.this}()")
        return plain(list(node.expressions))
    rule = RULES.get(name)
    if rule is not None:
        return rule(node)
    if name not in SAME:
        raise NotExpressible(f"{name.lower()} with the same meaning")
    return node


def _check(node: exp.Expr) -> None:
    """Raises NotExpressible for what a class says besides, and that has no equal there."""
    check_alike(node)
    if isinstance(node, exp.Join) and {
        str(node.args.get(part) or "").upper() for part in ("method", "kind", "side")
    } & set(_UNSUPPORTED_JOINS):
        raise NotExpressible("this kind of join")
    if isinstance(node, exp.Star) and any(node.args.values()):
        raise NotExpressible("a star with exceptions")
    if isinstance(node, exp.Distinct) and node.args.get("on") is not None:
        raise NotExpressible("DISTINCT ON")
    if isinstance(node, exp.With) and node.args.get("recursive"):
        raise NotExpressible("a recursive query, whose types the server takes from its first rows")
    if isinstance(node, exp.Group) and any(
        node.args.get(part) for part in ("rollup", "cube", "grouping_sets", "totals")
    ):
        raise NotExpressible("several groupings at once")
    if isinstance(node, exp.Window) and node.find(exp.IgnoreNulls):
        raise NotExpressible("IGNORE NULLS")
    if isinstance(node, exp.WindowSpec):
        _check_frame(node)
    if isinstance(node, exp.Interval) and not (
        isinstance(node.this, exp.Literal)
        and re.fullmatch("-?[0-9]+", node.this.name)
        and node.args.get("unit") is not None
        and node.args["unit"].name.upper().removesuffix("S") in _UNITS
    ):
        raise NotExpressible("an interval that is not written out")
    if isinstance(node, exp.Limit) and not isinstance(node.expression, exp.Literal):
        raise NotExpressible("a limit that is not a number")
    if isinstance(node, exp.SetOperation) and node.args.get("by_name"):
        raise NotExpressible("a union by name")


def _check_frame(node: exp.WindowSpec) -> None:
    kind = str(node.args.get("kind") or "").upper()
    ends = {str(node.args.get(part) or "").upper() for part in ("start", "end")}
    if kind not in ("ROWS", "RANGE") or node.args.get("exclude"):
        raise NotExpressible("a window of this kind")
    if kind == "RANGE" and ends - {"UNBOUNDED", "CURRENT ROW", ""}:
        raise NotExpressible("a window by distance")


def _with_tables(
    tree: exp.Query,
    used: tuple[FlatTable, ...],
    collation: str,
    pseudonyms: Mapping[str, Pseudonyms],
) -> str:
    known = {table.name.casefold(): table for table in used}
    for node in list(tree.find_all(exp.Table)):
        if is_defined(node) or not isinstance(node.this, exp.Identifier):
            continue
        table = known[node.name.casefold()]
        alias = node.alias or node.name
        selected = exp.Subquery(
            this=Raw(this=_subselect(table, collation, pseudonyms.get(table.name, {}))),
            alias=exp.TableAlias(this=exp.Identifier(this=alias, quoted=True)),
        )
        if node.args.get("joins"):
            selected.set("joins", node.args["joins"])
        node.replace(selected)
    return tree.sql(
        dialect=Strict, identify=True, comments=False, unsupported_level=ErrorLevel.RAISE
    )


def _subselect(table: FlatTable, collation: str, pseudonyms: Pseudonyms) -> str:
    source = live(table.source)
    if source is None:
        raise NotExpressible("a table that is not in the database")
    return (
        relation_sql(
            source.relations[table.stored.name],
            [column.name for column in table.columns],
            collation,
            pseudonyms=pseudonyms,
            digits={column.name for column in table.columns if column.digits},
            names="lower",
        )
        .removeprefix("(")
        .removesuffix(")")
    )
