"""A guarded statement in Spark's dialect, over views that are the policy.

The tree is qualified and typed first (stars, aliases and USING spelled out), then each node is
translated, each table replaced by its view, and the result cast to the types DuckDB would give.
The statement begins with a SELECT of ours and holds the translated query in parentheses: there
Spark's own grammar takes a query and nothing that writes, sets or loads.
"""

from __future__ import annotations

from collections.abc import Mapping

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.allowed import SHAPES
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.plan import Plan, translating
from services.executor.engines.scopes import is_defined
from services.executor.engines.spark.rules import PLAIN_RULES, RULES, SAME
from services.executor.engines.spark.words import words
from services.executor.engines.translated import FUNCTIONS
from services.executor.engines.typed_tree import typed

ROW = "_assay_row"
"""The column of a view that says where in the source a row stands."""

_RESULT_TYPES = {
    "VARCHAR": "STRING",
    "BOOLEAN": "BOOLEAN",
    "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP",
    "TINYINT": "BIGINT",
    "SMALLINT": "BIGINT",
    "INTEGER": "BIGINT",
    "BIGINT": "BIGINT",
    "FLOAT": "DOUBLE",
    "DOUBLE": "DOUBLE",
    "HUGEINT": "DECIMAL(38,0)",
    '"NULL"': "STRING",
}
_UNSUPPORTED_JOINS = {"ASOF", "POSITIONAL", "NATURAL"}
_DIALECT = "spark"
# What the translation writes that the guard's list does not name.
_SHAPES = SHAPES | {"CurrentRow"}
_PLAIN = words(
    """
    bool_and bool_or concat concat_ws date_add date_format date_sub date_trunc datediff dayofweek
    dayofyear day hour instr left listagg ln log log10 lpad make_date max_by min_by
    minute month percentile power quarter raise_error regexp_extract regexp_replace replace right
    rint round rpad second split_part sqrt substring
    to_timestamp unix_micros unix_seconds weekday weekofyear year
    """
)
_READ_BACK = (words("Rint UnixMicros") | FUNCTIONS) - words("Explode Reduce Transform")


def spark_sql(plan: Plan, views: Mapping[str, str]) -> str:
    """The statement for Spark. `views` gives the view of each table, by its name in lower case.

    Raises NotExpressible for what Spark cannot say with the same meaning.
    """
    kinds = [_result_type(name) for name in plan.types]
    with translating():
        return _spark_sql(plan, views, kinds)


def _spark_sql(plan: Plan, views: Mapping[str, str], kinds: list[str]) -> str:
    tree = _typed(plan)
    for query in list(tree.find_all(exp.Query)):
        _spell_out_order(query)
    in_source_order = _in_source_order(tree)
    translated = _translated(tree)
    if in_source_order:
        place = exp.Ordered(this=exp.column(ROW, quoted=True), nulls_first=False)
        translated.set("order", exp.Order(expressions=[place]))
    _put_views(translated, views)
    inner = translated.sql(
        dialect=_DIALECT, identify=True, comments=False, unsupported_level=ErrorLevel.RAISE
    )
    check(inner, frozenset(views.values()))
    names = [f"`c{position}`" for position in range(len(kinds))]
    cells = ", ".join(
        f"CAST({name} AS {kind}) AS {name}" for name, kind in zip(names, kinds, strict=True)
    )
    return f"SELECT {cells} FROM ({inner}) AS q({', '.join(names)})"


def check(statement: str, views: frozenset[str]) -> None:
    """The last look: only known nodes, functions and views reach Spark.

    What it is made from passed the guard, so nothing should be refused here. It is what holds if
    a rule of the translation is wrong. Raises ToolError(POLICY_DENIED).
    """
    try:
        trees = sqlglot.parse(statement, dialect=_DIALECT)
    except (SqlglotError, RecursionError):
        raise NotExpressible("a translation that cannot be read back") from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise _denied("it is not one query")
    for node in trees[0].walk():
        if isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc)):
            if str(node.this).lower() not in _PLAIN:
                raise _denied(f"the function {node.this}() is unknown")
        elif isinstance(node, exp.Func):
            if type(node).__name__ not in _READ_BACK:
                raise _denied(f"the function {node.sql_name().lower()}() is unknown")
        elif type(node).__name__ not in _SHAPES:
            raise _denied(f"{type(node).__name__} is unknown")
        if isinstance(node, exp.Table) and (
            node.args.get("db") or not (node.name.casefold() in views or is_defined(node))
        ):
            raise _denied("it reads what is not a table of the request")
        if isinstance(node, exp.Select) and (node.args.get("hint") or node.args.get("into")):
            raise _denied("it holds a hint")


def _result_type(name: str) -> str:
    if name.startswith("DECIMAL"):
        return name
    if name not in _RESULT_TYPES:
        raise NotExpressible(f"a result of type {name}")
    return _RESULT_TYPES[name]


def _typed(plan: Plan) -> exp.Query:
    tree = typed(plan.tree(), plan.tables)
    if not isinstance(tree, exp.Query):
        raise NotExpressible("this statement")
    return tree


def _spell_out_order(query: exp.Query) -> None:
    """ORDER BY ALL by the places it stands for, and GROUP BY ALL left to Spark."""
    order = query.args.get("order")
    terms = order.expressions if order is not None else []
    if not any(
        isinstance(term.this, exp.Var) and term.this.name.upper() == "ALL" for term in terms
    ):
        return
    options = {key: terms[0].args.get(key) for key in ("desc", "nulls_first")}
    options["nulls_first"] = bool(options["nulls_first"])
    places = [
        exp.Ordered(this=exp.Literal.number(place), **options)
        for place in range(1, len(query.selects) + 1)
    ]
    query.set("order", exp.Order(expressions=places))


def _in_source_order(query: exp.Query) -> bool:
    """Whether the rows are those of one table, as they stand in the source."""
    if not isinstance(query, exp.Select) or query.args.get("order") or query.args.get("with_"):
        return False
    reshaped = any(query.args.get(part) for part in ("group", "distinct", "joins", "laterals"))
    source = query.args.get("from_")
    one_table = source is not None and isinstance(source.this, exp.Table)
    return one_table and not reshaped and not query.find(exp.Window, exp.AggFunc)


def _translated(tree: exp.Query) -> exp.Query:
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
            raise NotExpressible(f"the function {str(node.this).lower()}()")
        return plain(list(node.expressions))
    if isinstance(node, exp.Join):
        parts = {str(node.args.get(part) or "").upper() for part in ("method", "kind", "side")}
        if parts & _UNSUPPORTED_JOINS:
            raise NotExpressible("this kind of join")
    if isinstance(node, exp.SetOperation) and node.args.get("by_name"):
        raise NotExpressible("a union by name")
    if isinstance(node, exp.Star) and any(node.args.values()):
        raise NotExpressible("a star with exceptions")
    if isinstance(node, exp.With) and node.args.get("recursive"):
        raise NotExpressible("WITH RECURSIVE")
    if isinstance(node, exp.Distinct) and node.args.get("on"):
        raise NotExpressible("DISTINCT ON")
    if isinstance(node, exp.Window) and node.find(exp.IgnoreNulls):
        raise NotExpressible("IGNORE NULLS")
    rule = RULES.get(name)
    if rule is not None:
        return rule(node)
    if name not in SAME:
        raise NotExpressible(f"{name.lower()} with the same meaning")
    return node


def _put_views(tree: exp.Query, views: Mapping[str, str]) -> None:
    for node in list(tree.find_all(exp.Table)):
        if is_defined(node):
            continue
        alias = node.alias or node.name
        node.set("this", exp.to_identifier(views[node.name.casefold()], quoted=True))
        if not node.alias:
            node.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))


def _denied(why: str) -> ToolError:
    return ToolError(
        ErrorCategory.POLICY_DENIED,
        f"the statement is not sent to Spark: {why}.",
        details={"reason": "SQL_REFUSED"},
    )
