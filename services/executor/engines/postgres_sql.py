"""A guarded statement in PostgreSQL's dialect, over tables inside the policy.

The tree is qualified and typed first (stars, aliases and USING spelled out), then each node is
translated, each table replaced by a subselect that is the policy, and the result cast to the types
DuckDB would give. What cannot be said in PostgreSQL with the same meaning raises NotExpressible.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from mesh.policy import Policy
from services.executor.databases.live import live
from services.executor.databases.relation import NotExpressible, relation_sql
from services.executor.engines.plan import Plan
from services.executor.engines.postgres_rules import PLAIN_RULES, RULES, SAME
from services.executor.engines.postgres_words import collated, is_text
from services.executor.engines.workspace import FlatTable
from services.executor.sources.sql import quoted

_RESULT_TYPES = {
    "VARCHAR": "text", "BOOLEAN": "boolean", "DATE": "date", "TIMESTAMP": "timestamp",
    "TINYINT": "int8", "SMALLINT": "int8", "INTEGER": "int8", "BIGINT": "int8",
    "FLOAT": "float8", "DOUBLE": "float8", "HUGEINT": "numeric(60,0)", '"NULL"': "text",
    "VARCHAR[]": "text[]", "BIGINT[]": "int8[]", "INTEGER[]": "int4[]", "DOUBLE[]": "float8[]",
}  # fmt: skip
_UNSUPPORTED_JOINS = ("ASOF", "POSITIONAL", "SEMI", "ANTI")


def postgres_sql(plan: Plan, policy: Policy) -> str:
    """The statement for PostgreSQL. Raises NotExpressible."""
    types = [_result_type(name) for name in plan.types]
    schema = MappingSchema(
        {
            table.name: {column.name: column.type for column in table.columns}
            for table in plan.tables
        },
        dialect="duckdb",
    )
    try:
        tree = qualify(
            _named(plan.tree.copy()),
            schema=schema,
            dialect="duckdb",
            validate_qualify_columns=False,
        )
        tree = annotate_types(tree, schema=schema, dialect="duckdb")
    except SqlglotError as error:
        raise NotExpressible(f"this statement ({str(error).splitlines()[0]})") from None
    if not isinstance(tree, exp.Query):
        raise NotExpressible("this statement")
    for select in list(tree.find_all(exp.Select)):
        _spell_out(select)
        _move_qualify(select)
    if isinstance(tree, exp.SetOperation):
        _spell_out_order(tree)
    translated = _translated(tree)
    _collate_outputs(translated)
    statement = _with_tables(translated, plan.used, policy)
    names = [quoted(f"c{position}") for position in range(len(types))]
    cells = ", ".join(
        f"{name}::{kind} AS {quoted(f'{position}')}"
        for position, (name, kind) in enumerate(zip(names, types, strict=True))
    )
    return f"SELECT {cells} FROM ({statement}) AS q({', '.join(names)})"


def _result_type(name: str) -> str:
    if name.startswith("DECIMAL"):
        return "float8"
    if name not in _RESULT_TYPES:
        raise NotExpressible(f"a result of type {name}")
    return _RESULT_TYPES[name]


def _named(tree: exp.Query) -> exp.Query:
    """Outputs without a name get one of their own, which no ORDER BY can mean."""
    for select in tree.find_all(exp.Select):
        for position, output in enumerate(select.expressions):
            if not isinstance(output, (exp.Alias, exp.Column, exp.Star, exp.Dot)):
                output.replace(exp.alias_(output.copy(), f"_output_{position}", quoted=True))
    return tree


def _spell_out(select: exp.Select) -> None:
    """GROUP BY ALL and ORDER BY ALL, by what they stand for."""
    group = select.args.get("group")
    if group is not None and group.args.get("all"):
        keys = [
            output.unalias().copy()
            for output in select.expressions
            if not _aggregates(output) and not isinstance(output.unalias(), exp.Literal)
        ]
        if keys:
            select.set("group", exp.Group(expressions=keys))
        else:
            select.set("group", None)
    _spell_out_order(select)


def _aggregates(output: exp.Expr) -> bool:
    return any(
        isinstance(node, exp.AggFunc) and not isinstance(node.parent, exp.Window)
        for node in output.find_all(exp.AggFunc)
    )


def _spell_out_order(query: exp.Query) -> None:
    order = query.args.get("order")
    terms = order.expressions if order is not None else []
    if not any(
        isinstance(term.this, exp.Var) and term.this.name.upper() == "ALL" for term in terms
    ):
        return
    options = {key: terms[0].args.get(key) for key in ("desc", "nulls_first")}
    places = [
        exp.Ordered(this=exp.Literal.number(place), **options)
        for place in range(1, len(query.selects) + 1)
    ]
    query.set("order", exp.Order(expressions=places))


def _move_qualify(select: exp.Select) -> None:
    """QUALIFY as a condition over a subselect, which order and limit come after."""
    condition = select.args.get("qualify")
    if condition is None:
        return
    outputs = [output.alias_or_name for output in select.selects]
    inner = select.copy()
    for part in ("qualify", "order", "limit", "offset", "with_"):
        inner.set(part, None)
    if inner.args.get("distinct") or len(set(outputs)) != len(outputs):
        raise NotExpressible("QUALIFY with DISTINCT or columns of one name")
    by_name = {output.alias_or_name: output.unalias() for output in select.selects}
    test = condition.this.copy().transform(
        lambda node: (
            by_name[node.name].copy()
            if isinstance(node, exp.Column) and not node.table and node.name in by_name
            else node
        )
    )
    inner.append("expressions", exp.alias_(test, "_kept", quoted=True))
    order = select.args.get("order")
    for column in order.find_all(exp.Column) if order is not None else ():
        if column.table:
            raise NotExpressible("QUALIFY ordered by what is not in the result")
    columns = [exp.column(name, table="_q", quoted=True).as_(name, quoted=True) for name in outputs]
    for column, output in zip(columns, select.selects, strict=True):
        column.type = column.this.type = output.type
    select.set("expressions", columns)
    select.set("from_", exp.From(this=inner.subquery("_q")))
    select.set("where", exp.Where(this=exp.column("_kept", table="_q", quoted=True)))
    for part in ("joins", "group", "having", "windows", "qualify", "laterals"):
        select.set(part, None)


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


def _with_tables(tree: exp.Query, used: tuple[FlatTable, ...], policy: Policy) -> str:
    known = {table.name.casefold(): table for table in used}
    for node in list(tree.find_all(exp.Table)):
        if _is_defined(node) or not isinstance(node.this, exp.Identifier):
            continue
        table = known[node.name.casefold()]
        alias = node.alias or node.name
        selected = exp.Subquery(
            this=_parsed(_subselect(table, policy)),
            alias=exp.TableAlias(this=exp.Identifier(this=alias, quoted=True)),
        )
        if node.args.get("joins"):
            selected.set("joins", node.args["joins"])
        node.replace(selected)
    return tree.sql(dialect="postgres", identify=True, comments=False)


def _is_defined(table: exp.Table) -> bool:
    """Whether the name is that of a CTE in whose scope it stands."""
    name = table.name.casefold()
    node: exp.Expr | None = table
    within: exp.Expr | None = None
    while node is not None:
        if isinstance(node, exp.CTE):
            within = node
        with_ = node if isinstance(node, exp.With) else node.args.get("with_")
        if isinstance(with_, exp.With):
            for defined in with_.expressions:
                # A CTE sees those before it, and itself if it is recursive.
                if defined is within and not with_.args.get("recursive"):
                    break
                if defined.alias.casefold() == name:
                    return True
                if defined is within:
                    break
        node = node.parent
    return False


def _subselect(table: FlatTable, policy: Policy) -> str:
    source = live(table.source)
    if source is None:
        raise NotExpressible("a table that is not in the database")
    return (
        relation_sql(
            source.relations[table.stored.name],
            [column.name for column in table.columns],
            expressions=policy.text_expressions if policy.blocked_patterns else (),
            salt=table.source.salt,
            names="lower",
        )
        .removeprefix("(")
        .removesuffix(")")
    )


def _parsed(select: str) -> exp.Expr:
    return sqlglot.parse_one(select, dialect="postgres")
