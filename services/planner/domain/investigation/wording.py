"""How an investigation is put into words: metrics, periods, segments and numbers without a cell."""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from mesh.text.spelling import label_text, shown
from services.planner.domain.lexicon.wording import plural, singular

if TYPE_CHECKING:
    from sqlglot import exp

    from services.planner.domain.investigation.ground import Ground
    from services.planner.domain.investigation.period import DateRange

_SHARES = frozenset("share rate conversion percentage percent proportion fraction part".split())


def called(ground: Ground) -> str:
    """What people call the metric: "total amount" for sum(amount), words as they were asked."""
    return _spoken(ground.label)


def is_share(ground: Ground) -> bool:
    """Whether the metric is a part of one, to be told in per cent: a count among a count of rows,
    or a ratio that is called so."""
    if not ground.ratio or ground.unit:
        return False
    return bool(_SHARES & set(called(ground).casefold().split())) or _is_count_of_count(
        ground.metric
    )


def words_of_name(name: str) -> str:
    """A column's name as words: "customer_segment" is "customer segment"."""
    return " ".join(name.replace("_", " ").split()) or name


def days_called(period: DateRange) -> str:
    """A period by its months where it is whole ones: "March 2024", "April to June 2024", "2024"."""
    start, end = period.start, period.end
    whole = start.day == 1 and (end + timedelta(days=1)).day == 1
    if not whole:
        return _from_to(start, end)
    first, last = calendar.month_name[start.month], calendar.month_name[end.month]
    if (start.year, start.month) == (end.year, end.month):
        return f"{first} {start.year}"
    if (start.month, end.month) == (1, 12):
        return f"{start.year}" if start.year == end.year else f"{start.year} to {end.year}"
    if start.year == end.year:
        return f"{first} to {last} {start.year}"
    return f"{first} {start.year} to {last} {end.year}"


def when_called(period: DateRange) -> str:
    """A period as a sentence says it: "in March 2024", "between 3 and 9 March 2024"."""
    if period.start == period.end:
        return f"on {label_text(period.start)}"
    text = days_called(period)
    if text[:1].isdigit() and " to " in text and not text[:4].isdigit():
        first, _, last = text.partition(" to ")
        return f"between {first} and {last}"
    return f"in {text}"


def day_called(iso: str) -> str:
    """A day in ISO's form as people write it; any other text as it is."""
    try:
        return label_text(date.fromisoformat(iso))
    except ValueError:
        return iso


def amount(value: float | None, unit: str = "", *, share: bool = False) -> str:
    """A change with its sign; "unknown" where there is none."""
    if value is None:
        return "unknown"
    sign = "+" if value > 0 else ""
    return f"{sign}{shown(value, unit='points' if share else unit, percent=share)}"


def per_cent(part: float) -> str:
    """A relative change as per cent with its sign."""
    sign = "+" if part > 0 else ""
    return f"{sign}{shown(part, percent=True)}"


def chance(p: float | None, at_most: bool = False) -> str:
    """A probability as people write it."""
    if p is None:
        return "unknown"
    if at_most:
        return f"below {shown(p)}"
    if p < 0.001:
        return "below 0.001"
    return f"{p:.2g}" if p < 0.1 else f"{p:.2f}"


def counted(number: int, one: str, several: str = "") -> str:
    """So many of something, in singular or plural."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def cut(text: str, most: int) -> str:
    """The text, at most so long."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _from_to(start: date, end: date) -> str:
    if start == end:
        return label_text(start)
    if (start.year, start.month) == (end.year, end.month):
        return f"{start.day} to {label_text(end)}"
    if start.year == end.year:
        return f"{start.day} {calendar.month_name[start.month]} to {label_text(end)}"
    return f"{label_text(start)} to {label_text(end)}"


@lru_cache(maxsize=256)
def _spoken(label: str) -> str:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(f"SELECT {label}", dialect="duckdb").find(exp.Select)
    except (SqlglotError, RecursionError):
        return label
    if tree is None or len(tree.expressions) != 1 or not tree.find(exp.AggFunc):
        return words_of_name(label) if label.replace("_", "").isalnum() else label
    return _of_tree(tree.expressions[0].unalias()) or label


def _of_tree(tree: exp.Expr) -> str:
    """An expression of aggregates in words; empty where it is too involved for words."""
    from sqlglot import exp

    tree = tree.unnest()
    if isinstance(tree, exp.Round | exp.Cast | exp.Coalesce):
        return _of_tree(tree.this)
    where = _counted_where(tree)
    if where is not None:
        return f"share of {where}" if where else ""
    if isinstance(tree, exp.Filter):
        inner, which = _of_tree(tree.this), _condition(tree.expression.this)
        return f"{inner} of {which}" if inner and which else ""
    if isinstance(tree, exp.Sum | exp.Avg):
        inside = _column(tree.this)
        kind = "total" if isinstance(tree, exp.Sum) else "average"
        if kind in inside.casefold().split():  # the column "Total" of an invoice
            return inside
        return f"{kind} {inside}" if inside else ""
    if isinstance(tree, exp.Count):
        if isinstance(tree.this, exp.Distinct):
            inside = _column(tree.this.expressions[0])
            several = f"{inside}s" if inside[-2:].casefold() == "id" else plural(inside)
            return f"number of different {several}" if inside else ""
        return "number of rows"
    if isinstance(tree, exp.Div):
        above = _of_tree(tree.left)
        right = tree.right.unnest()
        below = _of_tree(right.this if isinstance(right, exp.Nullif) else right)
        if not above or not below:
            return ""
        below = below.removeprefix("number of different ").removeprefix("number of ")
        return f"{above.removeprefix('total ')} per {singular(below.removeprefix('total '))}"
    return ""


def _counted_where(tree: exp.Expr) -> str | None:
    """Of a share of rows, which rows; empty where that is too involved, None for others."""
    from sqlglot import exp

    if isinstance(tree, exp.Avg):
        inside = tree.this.unnest()
        inside = inside.this.unnest() if isinstance(inside, exp.Cast) else inside
        if isinstance(inside, exp.Case) and len(inside.args["ifs"]) == 1:
            [only] = inside.args["ifs"]
            if only.args["true"].name == "1":
                return _condition(only.this)
            return None
        return _condition(inside) if isinstance(inside, exp.Predicate) else None
    if isinstance(tree, exp.Div) and isinstance(tree.right.unnest(), exp.Count):
        above = tree.left.unnest()
        if isinstance(above, exp.CountIf):
            return _condition(above.this)
        if isinstance(above, exp.Filter) and isinstance(above.this, exp.Count):
            return _condition(above.expression.this)
    return None


def _condition(tree: exp.Expr) -> str:
    from sqlglot import exp

    tree = tree.unnest()
    if isinstance(tree, exp.And):
        both = [_condition(tree.left), _condition(tree.right)]
        return " and ".join(both) if all(both) else ""
    if isinstance(tree, exp.EQ) and isinstance(tree.right.unnest(), exp.Literal | exp.Boolean):
        name, value = _column(tree.left), tree.right.unnest()
        content = value.name if isinstance(value, exp.Literal) else str(value.this).lower()
        return f"{name} {content}" if name else ""
    return _column(tree)


def _column(tree: exp.Expr) -> str:
    from sqlglot import exp

    tree = tree.unnest()
    if isinstance(tree, exp.Column):
        return words_of_name(tree.name)
    if isinstance(tree, exp.Cast):
        return _column(tree.this)
    if isinstance(tree, exp.Mul):
        parts = [_column(tree.left), _column(tree.right)]
        return " × ".join(parts) if all(parts) else ""
    return ""


@lru_cache(maxsize=256)
def _is_count_of_count(sql: str) -> bool:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(f"SELECT {sql}", dialect="duckdb").expressions[0].unnest()
    except (SqlglotError, RecursionError):
        return False
    if isinstance(tree, exp.Avg):
        inside = tree.this.unnest()
        inside = inside.this.unnest() if isinstance(inside, exp.Cast) else inside
        numbers = {n.name for n in inside.find_all(exp.Literal) if not n.is_string}
        whole = isinstance(inside, exp.Case) and numbers <= {"0", "1"}
        return whole or isinstance(inside, exp.Boolean | exp.Predicate)
    if not isinstance(tree, exp.Div):
        return False
    sides = [[*side.find_all(exp.AggFunc)] for side in (tree.left, tree.right)]
    literals = [*tree.find_all(exp.Literal)]
    hundred = any(not n.is_string and float(n.this) >= 100 for n in literals)
    return not hundred and all(
        found and all(isinstance(one, exp.Count | exp.CountIf) for one in found) for found in sides
    )
