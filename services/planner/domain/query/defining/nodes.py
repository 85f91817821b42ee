"""Columns that a question defines, as syntax-tree nodes below the name of their table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from services.planner.domain.query.defining.terms import (
    Choice,
    Computed,
    Constant,
    Definition,
    Overall,
    Reference,
    Term,
)

_BINARY: Mapping[str, type[exp.Binary]] = {
    "+": exp.Add,
    "-": exp.Sub,
    "*": exp.Mul,
    "%": exp.Mod,
    "==": exp.EQ,
    "!=": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}
_OVERALL: Mapping[str, str] = {
    "mean": "AVG",
    "median": "MEDIAN",
    "mode": "MODE",
    "minimum": "MIN",
    "maximum": "MAX",
    "deviation": "STDDEV_SAMP",
}
_QUARTILES: Mapping[str, float] = {"lower quartile": 0.25, "upper quartile": 0.75}
_LOGARITHMS: Mapping[str, Callable[[exp.Expr], exp.Expr]] = {
    "ln": lambda value: exp.Ln(this=value),
    "ln1p": lambda value: exp.Ln(this=exp.Add(this=exp.Literal.number(1), expression=value)),
    "log2": lambda value: exp.Anonymous(this="LOG2", expressions=[value]),
    "log10": lambda value: exp.Anonymous(this="LOG10", expressions=[value]),
}
_SECONDS_A_DAY = 86_400.0
_TIMES: Mapping[str, Callable[..., exp.Expr]] = {
    "day": lambda moment: _day(moment),
    "weekday": lambda moment: exp.Anonymous(this="DAYNAME", expressions=[_day(moment)]),
    "year": lambda moment: exp.func("YEAR", moment),
    "quarter": lambda moment: exp.func("QUARTER", moment),
    "month": lambda moment: exp.func("MONTH", moment),
    "hour": lambda moment: exp.func("HOUR", moment),
    "day of parts": lambda year, month, day: exp.DateFromParts(
        year=exp.cast(year, "INT"), month=exp.cast(month, "INT"), day=exp.cast(day, "INT")
    ),
    "days": lambda start, end: _between("DATE_DIFF", "day", _day(start), _day(end)),
    "years": lambda start, end: _between("DATE_SUB", "year", _day(start), _day(end)),
    "elapsed": lambda start, end: exp.Paren(
        this=exp.Div(
            this=_between("DATE_DIFF", "second", start, end),
            expression=exp.Literal.number(_SECONDS_A_DAY),
        )
    ),
}


def _one_spelling(text: exp.Expr) -> exp.Expr:
    """The first, by the alphabet, of the spellings that differ by case and spaces alone."""
    alike = exp.Lower(this=exp.Trim(this=text.copy()))
    return exp.Window(this=exp.Min(this=exp.Trim(this=text)), partition_by=[alike])


def _day(moment: exp.Expr) -> exp.Expr:
    return exp.cast(moment, exp.DataType.Type.DATE, copy=False)


def _between(function: str, unit: str, start: exp.Expr, end: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=function, expressions=[exp.convert(unit), start, end])


def with_definitions(tree: exp.Expr, definitions: Sequence[Definition]) -> exp.Expr:
    """The query with each table that has defined columns read as a SELECT that computes them."""
    if not definitions:
        return tree
    for table in list(tree.find_all(exp.Table)):
        own = [d for d in definitions if d.table == table.name]
        if own:
            table.replace(_with_columns(tree, table, own))
    return tree


def _with_columns(tree: exp.Expr, table: exp.Table, own: Sequence[Definition]) -> exp.Expr:
    used = {c.name for c in tree.find_all(exp.Column) if c.table == table.name}
    made = {d.column: d.term for d in own if not d.keeps}
    plain = sorted(used - set(made))
    outputs: list[exp.Expr] = [exp.column(name, table=table.name, quoted=True) for name in plain]
    outputs += [
        exp.alias_(term_node(term), name, quoted=True, copy=False) for name, term in made.items()
    ]
    source = exp.Table(this=exp.to_identifier(table.name, quoted=True))
    # Nothing of it is anybody else's, and a reading has sixty such queries: copies cost a third.
    select = exp.select(*(outputs or [exp.convert(1)]), copy=False).from_(source, copy=False)
    select.where(*(term_node(d.term) for d in own if d.keeps), copy=False)
    return select.subquery(exp.to_identifier(table.name, quoted=True), copy=False)


def term_node(term: Term) -> exp.Expr:
    """A term as an expression over its table."""
    if isinstance(term, Reference):
        return exp.column(term.column, table=term.table, quoted=True)
    if isinstance(term, Constant):
        return exp.convert(term.value)
    if isinstance(term, Overall):
        return _overall(term)
    if isinstance(term, Choice):
        case = exp.Case()
        for branch in term.branches:
            case = case.when(term_node(branch.when), term_node(branch.then))
        return case if term.otherwise is None else case.else_(term_node(term.otherwise))
    return _computed(term)


def _overall(term: Overall) -> exp.Expr:
    value = term_node(term.of)
    table = next(c.table for c in value.find_all(exp.Column))
    share = _QUARTILES.get(term.statistic, term.part)
    statistic = (
        exp.Anonymous(this=_OVERALL[term.statistic], expressions=[value])
        if share is None
        else exp.Anonymous(this="QUANTILE_CONT", expressions=[value, exp.convert(share)])
    )
    source = exp.Table(this=exp.to_identifier(table, quoted=True))
    return exp.select(statistic).from_(source).subquery()


def _computed(term: Computed) -> exp.Expr:
    operands = [term_node(operand) for operand in term.operands]
    first = operands[0]
    if term.function in ("and", "or"):
        joined = exp.and_(*operands) if term.function == "and" else exp.or_(*operands)
        return exp.Paren(this=joined)
    if term.function in _BINARY:
        return exp.Paren(this=_BINARY[term.function](this=first, expression=operands[1]))
    if term.function == "/":
        # Whole numbers are divided as numbers, and nothing is divided by nought.
        divisor = exp.Nullif(this=operands[1], expression=exp.Literal.number(0))
        return exp.Paren(this=exp.Div(this=exp.cast(first, "DOUBLE"), expression=divisor))
    if term.function == "**":
        return exp.Pow(this=exp.cast(first, "DOUBLE"), expression=operands[1])
    if term.function in _TIMES:
        return _TIMES[term.function](*operands)
    if term.function == "one spelling":
        return _one_spelling(first)
    if term.function == "filled":
        return exp.Coalesce(this=first, expressions=operands[1:])
    if term.function == "present":
        return exp.Not(this=exp.Is(this=first, expression=exp.Null()))
    if term.function == "negative":
        return exp.Paren(this=exp.Neg(this=first))
    if term.function == "not":
        return exp.Paren(this=exp.Not(this=first))
    if term.function == "absolute":
        return exp.Abs(this=first)
    if term.function == "exponential":
        return exp.Exp(this=first)
    least = -1 if term.function == "ln1p" else 0
    if term.function == "root":
        held = exp.GTE(this=first.copy(), expression=exp.convert(0))
        return exp.Case().when(held, exp.Sqrt(this=first))
    held_above = exp.GT(this=first.copy(), expression=exp.convert(least))
    return exp.Case().when(held_above, _LOGARITHMS[term.function](exp.cast(first, "DOUBLE")))
