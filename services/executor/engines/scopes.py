"""Which names of a statement are its own."""

from __future__ import annotations

from sqlglot import exp


def is_defined(table: exp.Table) -> bool:
    """Whether the name is that of a CTE in whose scope it stands, not that of a table.

    A CTE is seen by its query, by those written after it, and by itself where it is recursive.
    """
    name = table.name.casefold()
    node: exp.Expr | None = table
    inside: exp.Expr | None = None
    while node is not None:
        if isinstance(node, exp.CTE):
            inside = node
        with_: exp.Expr = node.args.get("with_") or exp.With(expressions=[])
        for cte in with_.expressions:
            if cte is inside and not with_.args.get("recursive"):
                break
            if cte.alias.casefold() == name:
                return True
            if cte is inside:
                break
        node = node.parent
    return False
