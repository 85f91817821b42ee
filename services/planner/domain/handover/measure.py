"""What one row adds to a metric, where that is a quantity of the row: the outcome of a causal job.

An investigation's relation has the metric's numerator, and of a ratio its denominator, row by row.
A sum's rows each have an amount. An average's and a share's do too, as their denominator counts
rows: those are the rows that it counts. A quotient of two amounts, a count of rows and a count of
distinct things have no such quantity, and are refused with what could be asked instead.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from mesh.errors import NO_ROW_MEASURE, AssayError
from services.planner.domain.investigation.ground import DENOMINATOR, NUMERATOR, Ground

_LONGEST_NAME = 60


@dataclass(frozen=True)
class RowMeasure:
    """`value` is SQL of one row of an investigation's relation, `rows` the condition under which a
    row has one (empty for all), `name` what it is called."""

    name: str
    value: str
    rows: str = ""


def row_measure(ground: Ground) -> RowMeasure:
    """What a row adds to the metric. Raises AssayError(NO_ROW_MEASURE)."""
    if ground.leaf is not None:
        raise _refused(
            "leaves with a forecast are sums over rows that are not there",
            "Investigate the rows themselves: --data, --metric, --baseline and --compare.",
        )
    if ground.distinct:
        raise _refused(
            f"{ground.label} counts different things, and a row holds only a part of one",
            "Name what a row tells of itself: --outcome COLUMN.",
        )
    above = _projected(ground, NUMERATOR)
    if not list(above.find_all(exp.Column)):
        raise _refused(
            f"{ground.label} counts rows, and every row counts the same",
            "Name what a row tells of itself: --outcome COLUMN.",
        )
    if ground.ratio and not _counts(_projected(ground, DENOMINATOR)):
        raise _refused(
            f"{ground.label} is a quotient of two amounts, which no row has by itself",
            "Investigate the amount above or below the line by itself, or name --outcome COLUMN.",
        )
    numerator = f'"{NUMERATOR}"'
    value = f"COALESCE({numerator}, 0)" if _conditional(above) else numerator
    return RowMeasure(_name(ground, above), value, f'"{DENOMINATOR}" = 1' if ground.ratio else "")


def _projected(ground: Ground, name: str) -> exp.Expr:
    """What the relation has under a name, without the cast around it."""
    select = sqlglot.parse_one(ground.relation, dialect="duckdb")
    for projection in select.expressions:
        if projection.alias == name:
            inner: exp.Expr = projection.unalias()
            while isinstance(inner, exp.Cast | exp.Paren):
                inner = inner.this
            return inner
    raise ValueError(f"the relation has no {name}")


def _counts(tree: exp.Expr) -> bool:
    """Whether a denominator is one for each row that counts, and nothing for any other."""
    if isinstance(tree, exp.Case) and tree.args.get("default") is None:
        return all(_counts(branch.args["true"]) for branch in tree.args["ifs"])
    return isinstance(tree, exp.Literal) and not tree.is_string and float(tree.this) == 1.0


def _conditional(tree: exp.Expr) -> bool:
    """Whether rows that a condition leaves out add nothing, rather than lack a value."""
    while isinstance(tree, exp.Paren | exp.Cast) or (
        isinstance(tree, exp.Mul) and isinstance(tree.right, exp.Literal)
    ):
        tree = tree.this  # of a product the scale is on the right
    return isinstance(tree, exp.Case) and tree.args.get("default") is None


def _name(ground: Ground, above: exp.Expr) -> str:
    if isinstance(above, exp.Column):
        return str(above.name)
    return ground.label.replace('"', "").strip()[:_LONGEST_NAME] or "measure"


def _refused(why: str, hint: str) -> AssayError:
    return AssayError(
        NO_ROW_MEASURE,
        f"the metric has no value in a single row: {why}",
        hint=hint,
        fields={"causal.origin": "a metric that rows have"},
    )
