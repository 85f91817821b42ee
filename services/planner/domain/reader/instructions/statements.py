"""The rows and numbers of an analysis as SQL: one common table for each step, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from sqlglot import exp

from services.planner.domain.query.defining.nodes import term_node
from services.planner.domain.query.defining.terms import (
    Choice,
    Computed,
    Overall,
    Term,
    references,
)
from services.planner.domain.query.planning.sql import Query
from services.planner.domain.reader.instructions.analysis import (
    Analysis,
    Derive,
    Extreme,
    Keep,
    Number,
    Test,
)

_PLACE = "place of the row"
_SIMPLE = {
    "mean": "AVG",
    "median": "MEDIAN",
    "standard deviation": "STDDEV_SAMP",
    "population standard deviation": "STDDEV_POP",
    "variance": "VAR_SAMP",
    "population variance": "VAR_POP",
    "minimum": "MIN",
    "maximum": "MAX",
    "sum": "SUM",
    "skewness": "SKEWNESS",
    "kurtosis": "KURTOSIS",
}


def test_rows(analysis: Analysis, test: Test) -> Query:
    """The columns that a test is given, of the rows it is made over."""
    names = list(dict.fromkeys([*test.columns, *test.predictors, *([test.by] if test.by else [])]))
    used = {*names, *_columns(test.where)}
    rows = _Rows(analysis, test.stage, used, looks=[test.where], placed=bool(test.held_out))
    outputs = [rows.output(name) for name in names]
    select = rows.select(outputs, test.where)
    if rows.chained and test.held_out:
        select = select.order_by(_column(_PLACE))
    return _query(select, names)


def counts(analysis: Analysis, names: Sequence[str], stage: int, labels: tuple[str, str]) -> Query:
    """One row: how many rows there are, how many lack nothing, and the values of each column."""
    rows = _Rows(analysis, stage, set(names))
    total, complete = labels
    present = exp.and_(*(exp.Not(this=rows.value(name).is_(exp.null())) for name in names))
    outputs = [
        exp.alias_(exp.Count(this=exp.Star()), total, quoted=True),
        exp.alias_(_of_those(exp.Count(this=exp.Star()), present), complete, quoted=True),
        *(exp.alias_(exp.Count(this=rows.value(name)), name, quoted=True) for name in names),
    ]
    return _query(rows.select(outputs, None), [total, complete, *names])


def numbers(analysis: Analysis, wanted: Sequence[Number]) -> Query:
    """One row with these numbers, which are all of one stage, named n1, n2 and so on."""
    used = {name for number in wanted for name in _used(number)}
    looks = [term for number in wanted for term in (number.where, number.among)]
    rows = _Rows(analysis, wanted[0].stage, used, looks=looks)
    names = [f"n{place}" for place, _ in enumerate(wanted, start=1)]
    outputs = [
        exp.alias_(_aggregate(rows, number), name, quoted=True)
        for number, name in zip(wanted, names, strict=True)
    ]
    return _query(rows.select(outputs, None), names)


def grouped(analysis: Analysis, by: str, number: Number, extreme: Extreme | None) -> Query:
    """Each group with its number; with an `extreme` only its first two, that one first."""
    rows = _Rows(analysis, number.stage, {by, *_used(number)}, looks=[number.where, number.among])
    value = _aggregate(rows, number)
    names = ["name", "value"]
    outputs = [rows.output(by, "name"), exp.alias_(value, "value", quoted=True)]
    present = exp.Not(this=rows.value(by).is_(exp.null()))
    if extreme is not None and extreme.tells == "share":
        total = exp.Window(this=exp.Sum(this=value.copy()))
        share = exp.Div(this=exp.cast(value.copy(), "DOUBLE"), expression=total)
        outputs.append(exp.alias_(share, "share", quoted=True))
        names.append("share")
    select = rows.select(outputs, None).where(present, copy=False).group_by(rows.value(by))
    if extreme is None:
        return _query(select.order_by(rows.value(by)), names)
    select = select.having(exp.Not(this=value.copy().is_(exp.null())))
    order = exp.Ordered(this=value.copy(), desc=extreme.descending, nulls_first=False)
    return _query(select.order_by(order, rows.value(by)).limit(2), names)


class _Rows:
    """The rows that the first `stage` steps leave, as a table that a SELECT may be made from.

    Steps that look at no statistic of all rows are written into the SELECT itself, so that its
    rows keep the order of the source; the same goes for what `looks` at these rows.
    """

    def __init__(
        self,
        analysis: Analysis,
        stage: int,
        used: Iterable[str],
        *,
        looks: Iterable[Term | None] = (),
        placed: bool = False,
    ) -> None:
        self._table = analysis.table
        self._steps = analysis.steps[:stage]
        terms = [step.term for step in self._steps]
        held = [*terms, *(term for term in looks if term is not None)]
        self.chained = bool(terms) and any(_overall(term) for term in held)
        wanted = set(used) | set(chain.from_iterable(map(_columns, terms)))
        made = {step.column for step in self._steps if isinstance(step, Derive)}
        own = {name for term in terms for name in _columns(term)} | wanted
        self._plain = sorted(own - self._first_made(made)) or sorted(wanted)
        self._known: dict[str, exp.Expr] = {}
        self._kept: list[exp.Expr] = []
        self._with: list[tuple[str, exp.Select]] = []
        self._source = analysis.table
        if self.chained:
            self._chain(placed=placed)
        else:
            self._inline()

    def _first_made(self, made: set[str]) -> set[str]:
        """Columns that are made before anything reads them: the source need not have them."""
        read: set[str] = set()
        fresh: set[str] = set()
        for step in self._steps:
            read |= set(_columns(step.term))
            if isinstance(step, Derive) and step.column not in read:
                fresh.add(step.column)
        return fresh & made

    def _inline(self) -> None:
        for step in self._steps:
            node = self._bound(term_node(step.term))
            if isinstance(step, Derive):
                self._known[step.column] = node
            else:
                self._kept.append(node)

    def _chain(self, *, placed: bool) -> None:
        outputs: list[exp.Expr] = [_column(name) for name in self._plain]
        if placed:
            number = exp.Window(this=exp.RowNumber())
            outputs.append(exp.alias_(number, _PLACE, quoted=True))
        names = [*self._plain, *([_PLACE] if placed else [])]
        self._with.append(("step 0", exp.select(*outputs).from_(_table(self._table))))
        for place, step in enumerate(self._steps, start=1):
            before = f"step {place - 1}"
            self._source = before
            node = self._bound(term_node(step.term))
            select = exp.select(*(_column(n) for n in names if n != _target(step)))
            if isinstance(step, Derive):
                select = select.select(exp.alias_(node, step.column, quoted=True))
                names = [n for n in names if n != step.column] + [step.column]
            elif isinstance(step, Keep):
                select = select.where(node)
            self._with.append((f"step {place}", select.from_(_table(before))))
        self._source = f"step {len(self._steps)}"

    def _bound(self, node: exp.Expr) -> exp.Expr:
        """A term's node, reading from these rows."""

        def read(part: exp.Expr) -> exp.Expr:
            if isinstance(part, exp.Table) and part.name == self._table:
                return _table(self._source)
            if isinstance(part, exp.Column):
                return self.value(part.name)
            return part

        return node.transform(read)

    def value(self, name: str) -> exp.Expr:
        """A column of these rows."""
        known = self._known.get(name)
        return exp.Paren(this=known.copy()) if known is not None else _column(name)

    def output(self, name: str, label: str = "") -> exp.Expr:
        """A column of these rows under its own name, or another."""
        return exp.alias_(self.value(name), label or name, quoted=True)

    def condition(self, term: Term) -> exp.Expr:
        """A term that holds or not, of these rows."""
        return self._bound(term_node(term))

    def select(self, outputs: Sequence[exp.Expr], where: Term | None) -> exp.Select:
        """A SELECT of these rows, of those `where` the term holds."""
        select = exp.select(*outputs).from_(_table(self._source))
        held = [*(node.copy() for node in self._kept), *([self.condition(where)] if where else [])]
        select = select.where(*held) if held else select
        for name, step in self._with:
            select = select.with_(exp.to_identifier(name, quoted=True), as_=step)
        return select


def _aggregate(rows: _Rows, number: Number) -> exp.Expr:
    among = rows.condition(number.among) if number.among is not None else None
    where = rows.condition(number.where) if number.where is not None else None
    inside = exp.and_(*(c for c in (among, where) if c is not None)) if among or where else None

    def of(function: str, *more: exp.Expr) -> exp.Expr:
        value = rows.value(number.column)
        return _of_those(exp.Anonymous(this=function, expressions=[value, *more]), inside)

    every = _of_those(exp.Count(this=exp.Star()), inside)
    present = _of_those(exp.Count(this=rows.value(number.column or "")), inside)
    special: dict[str, Callable[[], exp.Expr]] = {
        "count": lambda: every,
        "share": lambda: _over(every, _of_those(exp.Count(this=exp.Star()), among)),
        "missing": lambda: exp.Sub(this=every, expression=present),
        "share missing": lambda: _over(
            exp.Paren(this=exp.Sub(this=every, expression=present)), every.copy()
        ),
        "distinct": lambda: _of_those(
            exp.Count(this=exp.Distinct(expressions=[rows.value(number.column)])), inside
        ),
        "range": lambda: exp.Sub(this=of("MAX"), expression=of("MIN")),
        "interquartile range": lambda: exp.Sub(
            this=of("QUANTILE_CONT", exp.convert(0.75)),
            expression=of("QUANTILE_CONT", exp.convert(0.25)),
        ),
        "coefficient of variation": lambda: _over(of("STDDEV_SAMP"), of("AVG")),
        "standard error": lambda: exp.Div(
            this=of("STDDEV_SAMP"), expression=exp.Sqrt(this=exp.cast(present, "DOUBLE"))
        ),
        "percentile": lambda: of("QUANTILE_CONT", exp.convert(number.part)),
    }
    made = special.get(number.statistic)
    return made() if made is not None else of(_SIMPLE[number.statistic])


def _over(one: exp.Expr, other: exp.Expr) -> exp.Expr:
    divisor = exp.Nullif(this=other, expression=exp.Literal.number(0))
    return exp.Div(this=exp.cast(one, "DOUBLE"), expression=divisor)


def _of_those(aggregate: exp.Expr, where: exp.Expr | None) -> exp.Expr:
    if where is None:
        return aggregate
    return exp.Filter(this=aggregate, expression=exp.Where(this=where.copy()))


def _query(select: exp.Select, columns: Sequence[str]) -> Query:
    return Query(select.sql(dialect="duckdb"), (), tuple(columns))


def _table(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def _column(name: str) -> exp.Column:
    return exp.column(name, quoted=True)


def _target(step: Keep | Derive) -> str:
    return step.column if isinstance(step, Derive) else ""


def _columns(term: Term | None) -> set[str]:
    return {reference.column for reference in references(term)} if term is not None else set()


def _used(number: Number) -> set[str]:
    own = {number.column} if number.column else set()
    return own | _columns(number.where) | _columns(number.among)


def _overall(term: Term) -> bool:
    """Whether a term looks at all rows."""
    match term:
        case Overall():
            return True
        case Computed():
            return any(_overall(operand) for operand in term.operands)
        case Choice():
            parts = [part for branch in term.branches for part in (branch.when, branch.then)]
            parts += [term.otherwise] if term.otherwise is not None else []
            return any(_overall(part) for part in parts)
        case _:
            return False
