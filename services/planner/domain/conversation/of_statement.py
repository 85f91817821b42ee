"""What a statement shows, where it is a simple aggregate: its number, conditions and periods.

So a question why goes on from an answer that has no reading of the rules, whoever proposed it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, DataType
from services.planner.domain.checks.statement import Block, taken_apart
from services.planner.domain.conversation.in_sight import InSight, TimeSplit
from services.planner.domain.conversation.moving import day_of, period_before
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.query.intent import Grain

_TIMES = (DataType.DATE, DataType.DATETIME)
_BEFORE = "what was asked before"
_FROM = (exp.GT, exp.GTE)
_UNTIL = (exp.LT, exp.LTE)


def of_statement(text: str, catalogue: Catalogue) -> InSight:
    """The number in sight of a statement; why there is none, where it is no simple aggregate."""
    judged = taken_apart(text, catalogue)
    if judged is None or not text:
        return _none(f"{_BEFORE} was answered by something other than one statement")
    if len(judged.blocks) != 1:
        return _none(f"{_BEFORE} is a query over a query, of which no single number can be taken")
    block = judged.blocks[0]
    numbers = [item for item in block.select.expressions if item.find(exp.AggFunc)]
    if len(numbers) != 1 or numbers[0].find(exp.Window) is not None:
        how_many = "several numbers" if len(numbers) > 1 else "no single number"
        return _none(f"{_BEFORE} shows {how_many}: ask of one of them, like “why did sales fall?”")
    if why := _unlike(block, catalogue):
        return _none(f"{_BEFORE} {why}")
    timely = [one for one in block.conditions if _time_of(block, one)]
    others = [one for one in block.conditions if one not in timely and not _links(block, one)]
    number, counted = numbers[0].unalias(), _counted(block)
    if number.find(exp.Star) is not None and not counted:
        return _none(f"{_BEFORE} counts rows of {len(block.tables)} tables joined, not of one")
    times = {_time_of(block, one) for one in timely}
    split = _split(block, numbers[0].alias_or_name)
    return InSight(
        metric=_metric(block, number, others, counted),
        column=_column(block, number),
        time=times.pop() if len(times) == 1 else split[1] if split else "",
        periods=_periods(timely),
        split=split[0] if split else None,
    )


def _none(why: str) -> InSight:
    return InSight(no_metric=why, no_column=why)


def _unlike(block: Block, catalogue: Catalogue) -> str:
    """What a metric over the tables would leave out."""
    if len(block.tables) != len(block.sources):
        return "reads something other than the tables of the data"
    known = {
        frozenset(((r.from_table, r.from_column), (r.to_table, r.to_column)))
        for r in catalogue.relationships
    }
    for one in block.conditions:
        if _links(block, one) and frozenset(_ends(block, one)) not in known:
            return "joins tables in a way of its own"
    return ""


def _links(block: Block, one: exp.Expr) -> bool:
    return isinstance(one, exp.EQ) and len(list(_ends(block, one))) > 1


def _ends(block: Block, one: exp.Expr) -> Iterator[tuple[str, str]]:
    for side in (one.this, one.expression):
        if (origin := block.origin(side)) is not None:
            yield origin.table.name, origin.column.name


def _time_of(block: Block, one: exp.Expr) -> str:
    """The column of times that a condition is about alone; empty for any other."""
    origins = [block.origin(column) for column in one.find_all(exp.Column)]
    names = {o.column.name for o in origins if o is not None and o.column.data_type in _TIMES}
    return names.pop() if len(names) == 1 and None not in origins and len(origins) == 1 else ""


def _counted(block: Block) -> exp.Expr | None:
    """What the rows are counted by: a key of the one table that is read."""
    if len(block.tables) != 1:
        return None
    table = block.tables[0]
    full = [c for c in table.stored if c.name in table.primary_key]
    full += [c for c in table.stored if not c.nulls and not c.nullable]
    return exp.column(full[0].name, table=table.name, quoted=True) if full else None


def _metric(
    block: Block, number: exp.Expr, conditions: Sequence[exp.Expr], counted: exp.Expr | None
) -> str:
    condition = exp.and_(*(one.copy() for one in conditions)) if conditions else None

    def changed(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Count) and isinstance(node.this, exp.Star) and counted is not None:
            node = exp.Count(this=counted.copy())
        if condition is None or not isinstance(node, exp.AggFunc):
            return node
        return exp.Filter(this=node.copy(), expression=exp.Where(this=condition.copy()))

    tree = exp.Paren(this=number.transform(changed))
    for column in list(tree.find_all(exp.Column)):
        if (origin := block.origin(column)) is not None:
            named = exp.column(origin.column.name, table=origin.table.name, quoted=True)
            column.replace(named)
    return str(tree.this.sql(dialect="duckdb", comments=False))


def _column(block: Block, number: exp.Expr) -> tuple[str, str] | None:
    origin = block.origin(number.this) if isinstance(number, exp.AggFunc) else None
    return (origin.table.name, origin.column.name) if origin is not None else None


def _split(block: Block, number: str) -> tuple[TimeSplit, str] | None:
    for item in block.select.expressions:
        grain = _grain(item.unalias())
        time = _time_of(block, item.unalias())
        if grain is not None and time and item.unalias() in block.groups:
            return TimeSplit(grain, item.alias_or_name, number), time
    return None


def _grain(node: exp.Expr) -> Grain | None:
    """The calendar's unit that a part of a statement gives, of moments in their order."""
    inner = node.unnest()
    if isinstance(inner, exp.TimestampTrunc | exp.DateTrunc):
        unit = inner.args["unit"].name.lower()
    elif isinstance(inner, exp.Year) or (
        isinstance(inner, exp.Extract) and inner.this.name.lower() == "year"
    ):
        unit = "year"
    elif isinstance(inner, exp.Cast):
        return _grain(inner.this) or Grain.DAY
    else:
        unit = "day" if isinstance(inner, exp.Column) else ""
    return Grain(unit) if unit in ("year", "quarter", "month", "week", "day") else None


def _periods(conditions: Sequence[exp.Expr]) -> tuple[DateRange, DateRange] | None:
    """The time that conditions leave, and the one before; None where they leave no whole one."""
    first, end = date.min, date.max
    for one in conditions:
        if (found := _bounds(one)) is None:
            return None
        first, end = max(first, found[0]), min(end, found[1])
    if first == date.min or end == date.max or end <= first:
        return None
    start = period_before(first, end)
    return (
        DateRange(start=start, end=first - timedelta(days=1)),
        DateRange(start=first, end=end - timedelta(days=1)),
    )


def _bounds(one: exp.Expr) -> tuple[date, date] | None:
    """The first day that a condition on a time leaves, and the day after the last."""
    if isinstance(one, exp.Between):
        low, high = _day(one.args["low"]), _day(one.args["high"])
        return (low, high + timedelta(days=1)) if low and high else None
    if not isinstance(one, (exp.EQ, *_FROM, *_UNTIL)):
        return None
    grain, value = _grain(one.this), one.expression
    if isinstance(one, exp.EQ):
        if grain is Grain.YEAR and isinstance(value, exp.Literal) and not value.is_string:
            return date(int(value.name), 1, 1), date(int(value.name) + 1, 1, 1)
        return None
    day = _day(value)
    if day is None or not isinstance(one.this.unnest(), exp.Column | exp.Cast):
        return None
    later = day + timedelta(days=1) if isinstance(one, exp.GT | exp.LTE) else day
    return (later, date.max) if isinstance(one, _FROM) else (date.min, later)


def _day(node: exp.Expr) -> date | None:
    inner = node.unnest()
    while isinstance(inner, exp.Cast | exp.TryCast):
        inner = inner.this.unnest()
    return day_of(inner.name) if isinstance(inner, exp.Literal) and inner.is_string else None
