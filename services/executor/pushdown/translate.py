"""A guarded statement in a database's own SQL, over tables inside the policy.

The tree is qualified and typed first (stars, aliases and USING spelled out), then each node is
translated and each table replaced by a subselect that is the policy. What cannot be said there
with the same meaning raises NotExpressible.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.errors import ErrorLevel

from services.executor.databases.live import live
from services.executor.databases.pseudonyms import Pseudonyms
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.plan import Plan, translating
from services.executor.engines.scopes import is_defined
from services.executor.engines.shapes import move_qualify, named, spell_out, spell_out_order
from services.executor.engines.typed_tree import typed
from services.executor.engines.workspace import FlatTable
from services.executor.pushdown.aggregates import without_filters
from services.executor.pushdown.comparisons import sort_of
from services.executor.pushdown.relation import relation_sql
from services.executor.pushdown.rules import translated
from services.executor.pushdown.shapes import check_names, ordered_by_values
from services.executor.pushdown.target import Target
from services.executor.pushdown.words import Within, is_day, is_decimal, is_moment, kind_of, own

_JOINS = frozenset(("ASOF", "POSITIONAL", "SEMI", "ANTI", "FULL", "NATURAL"))
_RESULTS = frozenset(
    "VARCHAR BOOLEAN DATE TIMESTAMP TINYINT SMALLINT INTEGER BIGINT FLOAT DOUBLE HUGEINT".split()
)


def translation(target: Target, plan: Plan, pseudonyms: Mapping[str, Pseudonyms]) -> str:
    """The statement. `pseudonyms` gives by table what stands for which texts.

    Raises NotExpressible.
    """
    if not target.translates:
        raise NotExpressible("statements in its own dialect")
    for name in plan.types:
        if not (name in _RESULTS or name.startswith("DECIMAL")):
            raise NotExpressible(f"a result of type {name}")
    with translating():
        tree = typed(named(plan.tree()), plan.tables)
        if not isinstance(tree, exp.Query):
            raise NotExpressible("this statement")
        for select in list(tree.find_all(exp.Select)):
            spell_out(select)
            move_qualify(select)
        for union in list(tree.find_all(exp.SetOperation)):
            spell_out_order(union)
        without_filters(tree)
        tree = ordered_by_values(tree)
        check_names(tree)
        translated_tree = _translated(target, tree)
        _sent(target, translated_tree)
        return _with_tables(target, translated_tree, plan.used, pseudonyms)


def _sent(target: Target, tree: exp.Query) -> None:
    """What the statement gives, in the form in which it arrives whole."""
    if isinstance(tree, exp.SetOperation):
        _sent(target, tree.left)
        _sent(target, tree.right)
        return
    for output in tree.selects:
        value = output.unalias()
        content = target.sent(value.copy())
        if content != value:
            output.replace(exp.alias_(content, output.alias_or_name, quoted=True))


def _translated(target: Target, tree: exp.Query) -> exp.Query:
    """Every node by its rule, innermost first; what is written out last, as rules look at it."""
    for node in reversed(list(tree.walk(bfs=True))):
        _check(node)
        replacement = translated(target, node)
        if replacement is None:
            value = node.this if isinstance(node, exp.Anonymous) else type(node).__name__
            raise NotExpressible(f"{str(value).lower()} with the same meaning")
        if replacement is not node:
            if replacement.type is None:
                replacement.type = node.type
            node.replace(replacement)
    for literal in list(tree.find_all(exp.Literal)):
        if literal.is_string:
            literal.replace(own(target.literal(literal.name), kind=kind_of(literal)))
        elif is_decimal(literal):
            literal.replace(target.decimal(literal.name))
    return tree


def _check(node: exp.Expr) -> None:
    """Raises NotExpressible for what a class says besides, and that is not the same everywhere."""
    if isinstance(node, exp.Join):
        words = {str(node.args.get(part) or "").upper() for part in ("method", "kind", "side")}
        if words & _JOINS:
            raise NotExpressible("this kind of join")
    if isinstance(node, exp.Star) and any(node.args.values()):
        raise NotExpressible("a star with exceptions")
    if isinstance(node, exp.Distinct) and node.args.get("on") is not None:
        raise NotExpressible("DISTINCT ON")
    if isinstance(node, exp.With) and node.args.get("recursive"):
        raise NotExpressible("a recursive query")
    if isinstance(node, exp.Group) and any(
        node.args.get(part) for part in ("rollup", "cube", "grouping_sets", "totals", "all")
    ):
        raise NotExpressible("several groupings at once")
    if isinstance(node, exp.Window) and node.find(exp.IgnoreNulls):
        raise NotExpressible("IGNORE NULLS")
    if isinstance(node, (exp.Limit, exp.Offset)) and not isinstance(node.expression, exp.Literal):
        raise NotExpressible("a limit that is not a number")
    if isinstance(node, exp.Is) and not isinstance(node.expression, exp.Null):
        raise NotExpressible("IS of a truth")
    if isinstance(node, exp.SetOperation):
        _check_union(node)


def _check_union(node: exp.SetOperation) -> None:
    if node.args.get("by_name") or len(node.left.selects) != len(node.right.selects):
        raise NotExpressible("a union by name")
    for left, right in zip(node.left.selects, node.right.selects, strict=True):
        ends = [left.unalias(), right.unalias()]
        if sort_of(ends[0]) != sort_of(ends[1]) or _family(ends[0]) != _family(ends[1]):
            raise NotExpressible("a union of several types")


def _family(value: exp.Expr) -> object:
    if is_day(value) or is_moment(value) or is_decimal(value):
        return kind_of(value)
    return "text" if kind_of(value) in exp.DataType.TEXT_TYPES else kind_of(value)


def _with_tables(
    target: Target,
    tree: exp.Query,
    used: tuple[FlatTable, ...],
    pseudonyms: Mapping[str, Pseudonyms],
) -> str:
    known = {table.name.casefold(): table for table in used}
    for node in list(tree.find_all(exp.Table)):
        if is_defined(node) or not isinstance(node.this, exp.Identifier):
            continue
        table = known[node.name.casefold()]
        alias = node.alias or node.name
        selected = Within(
            this=exp.to_identifier(alias, quoted=True),
            sql=_subselect(target, table, pseudonyms.get(table.name, {})),
            alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)),
        )
        if node.args.get("joins"):
            selected.set("joins", node.args["joins"])
        node.replace(selected)
    return tree.sql(
        dialect=target.dialect, identify=True, comments=False, unsupported_level=ErrorLevel.RAISE
    )


def _subselect(target: Target, table: FlatTable, pseudonyms: Pseudonyms) -> str:
    source = live(table.source)
    if source is None:
        raise NotExpressible("a table that is not in the database")
    return relation_sql(
        target,
        source.relations[table.stored.name],
        [column.name for column in table.columns],
        pseudonyms=pseudonyms,
        digits={column.name for column in table.columns if column.digits},
        lower=True,
    )
