"""The steps that queries about followed things are made of: their events, firsts and activity.

Every name inside the query is fixed; the columns of the answer are called as the intent says.
"""

from __future__ import annotations

from datetime import date

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.intent import (
    Cohort,
    CohortView,
    Field,
    Grain,
    Intent,
    Period,
)
from services.planner.domain.query.joining.joins import key_of
from services.planner.domain.query.planning.predicates import Predicates, column_node, table_node
from services.planner.domain.query.tables import filter_tables

# Tables of the data are never called so.
EVENTS, FIRSTS, ACTIVE = "cohort_events", "cohort_firsts", "cohort_active"
SIZES, SEEN, COUNTS, GRID = "cohort_sizes", "cohort_seen", "cohort_counts", "cohort_grid"
NUMBERED, ENTITIES = "cohort_numbered", "cohort_things"


class CohortSteps(Predicates):
    """Builds the steps for one cohort over the tables of a catalogue."""

    def __init__(self, intent: Intent, cohort: Cohort, catalogue: Catalogue) -> None:
        super().__init__(catalogue)
        self.intent = intent
        self.cohort = cohort
        self.unit = cohort.grain
        split = intent.dimensions[-1].expression if intent.dimensions else None
        views = (CohortView.RETURNED, CohortView.NEW)
        rejected = cohort.view in views and split not in (None, cohort.dated)
        self.split = split if rejected else None
        money = [m for m in intent.measures if m.expression is not None]
        self.money = money[0] if money else None

    def events(self) -> exp.Select:
        """One row for each event: who, on which day; and how much, or split by what."""
        intent, cohort = self.intent, self.cohort
        who, dated = column_node(cohort.entity), column_node(cohort.dated)
        outputs = [named(who, "who"), named(exp.cast(dated, "DATE"), "day")]
        if self.split is not None:
            outputs.append(named(self.value(self.split), "split"))
        if self.money is not None and self.money.expression is not None:
            value = self.value(self.money.expression)
            if isinstance(self.money.expression, Field):
                value = self.numeric(self.money.expression, value)
            outputs.append(named(value, "worth"))
        else:
            base = self.catalogue.table(intent.base)
            keys = key_of(base) if base is not None else ()
            outputs += [
                named(column_node(Field(table=intent.base, column=key)), f"key_{place}")
                for place, key in enumerate(keys)
            ]
        select = exp.select(*outputs).from_(table_node(intent.base))
        for relation in intent.joins:
            on = self.related(relation)
            select = select.join(table_node(relation.right.table), on=on, join_type="inner")
        there = [exp.Not(this=exp.Is(this=c.copy(), expression=exp.Null())) for c in (who, dated)]
        select = select.where(*there, *(self.filter(f) for f in intent.filters), copy=False)
        # Joins may repeat an event; its key tells it from another of the same day.
        joined_twice = any(relation.fans_out for relation in intent.joins)
        return select.distinct() if joined_twice and self.money is None else select

    def firsts(self) -> exp.Select:
        """One row for each thing: the unit of time it began in."""
        cohort = self.cohort
        if cohort.started is not None:
            parent = self.graph.parent_of(cohort.entity) or cohort.entity
            began = column_node(cohort.started)
            there = exp.Not(this=exp.Is(this=began.copy(), expression=exp.Null()))
            day = exp.cast(began, "DATE")
            select = exp.select(
                named(column_node(parent), "who"), named(self.unit_of(day), "cohort")
            )
            own = [f for f in self.intent.filters if set(filter_tables([f])) == {began.table}]
            select = select.from_(table_node(cohort.started.table))
            select = select.where(there, *(self.filter(wanted) for wanted in own))
            return select.where(*inside(day.copy(), cohort.earlier))
        first = exp.Min(this=exp.column("day"))
        select = (
            exp.select("who", named(self.unit_of(first), "cohort")).from_(EVENTS).group_by("who")
        )
        for condition in inside(first, cohort.earlier):
            select = select.having(condition)
        return select

    def active(self) -> exp.Select:
        """One row for each thing and unit of time in which it had an event."""
        period = self.unit_of(exp.column("day"))
        outputs: list[str | exp.Expr] = ["who", named(period, "period")]
        if self.money is not None:
            outputs.append(named(exp.Sum(this=exp.column("worth")), "worth"))
        select = exp.select(*outputs).from_(EVENTS)
        if self.cohort.view in (CohortView.NEW_OR_RETURNING, CohortView.ACTIVE):
            select = select.where(*inside(exp.column("day"), self.cohort.earlier))
        return select.group_by("who", period.copy())

    def grid(self) -> exp.Select:
        """Each cohort in each unit of time that the data has seen since, active or not."""
        weekly = self.unit is Grain.WEEK
        since: exp.Expr = exp.DateDiff(
            this=exp.column("period", table=SEEN),
            expression=exp.column("cohort", table=SIZES),
            unit=exp.var("DAY" if weekly else self.unit.value.upper()),
        )
        if weekly:  # weeks are counted from other days by other engines
            since = exp.cast(exp.Div(this=since, expression=exp.Literal.number(7)), "BIGINT")
        active = exp.Coalesce(
            this=exp.column("active", table=COUNTS), expressions=[exp.Literal.number(0)]
        )
        began, size = (exp.column(name, table=SIZES) for name in ("cohort", "size"))
        outputs = [named(began, "cohort"), named(since, "since"), named(size, "size")]
        outputs.append(named(active, "active"))
        if self.money is not None:
            value = exp.column("worth", table=COUNTS)
            nought = [exp.Literal.number(0)]
            outputs.append(named(exp.Coalesce(this=value, expressions=nought), "worth"))
        return (
            exp.select(*outputs)
            .from_(SIZES)
            .join(SEEN, on=f"{SEEN}.period >= {SIZES}.cohort", join_type="inner")
            .join(
                COUNTS,
                on=f"{COUNTS}.cohort = {SIZES}.cohort AND {COUNTS}.period = {SEEN}.period",
                join_type="left",
            )
        )

    def with_grid(self, select: exp.Select) -> exp.Select:
        """A selection from the grid, with all steps that lead to it."""
        sizes = exp.select("cohort", named(count_rows(), "size")).from_(FIRSTS).group_by("cohort")
        seen = exp.select("period").distinct().from_(ACTIVE)
        outputs: list[str | exp.Expr] = [
            f"{FIRSTS}.cohort",
            f"{ACTIVE}.period",
            named(count_rows(), "active"),
        ]
        if self.money is not None:
            outputs.append(named(exp.Sum(this=exp.column("worth", table=ACTIVE)), "worth"))
        counts = (
            exp.select(*outputs)
            .from_(ACTIVE)
            .join(FIRSTS, on=f"{FIRSTS}.who = {ACTIVE}.who", join_type="inner")
            .group_by(f"{FIRSTS}.cohort", f"{ACTIVE}.period")
        )
        steps = {
            EVENTS: self.events(),
            FIRSTS: self.firsts(),
            ACTIVE: self.active(),
            SIZES: sizes,
            SEEN: seen,
            COUNTS: counts,
            GRID: self.grid(),
        }
        return with_steps(select, steps)

    def unit_of(self, day: exp.Expr) -> exp.Expr:
        """The first day of the unit of time that a day lies in."""
        if self.unit is Grain.DAY:
            return day
        name = exp.Literal.string(self.unit.value)
        return exp.cast(exp.Anonymous(this="DATE_TRUNC", expressions=[name, day]), "DATE")

    def later_by(self, day: exp.Expr, units: int) -> exp.Expr:
        """The day so many units of time later."""
        size = {Grain.WEEK: 7, Grain.QUARTER: 3}.get(self.unit, 1)
        unit = {Grain.WEEK: "DAY", Grain.QUARTER: "MONTH"}.get(self.unit, self.unit.value.upper())
        step = exp.Interval(this=exp.Literal.string(str(units * size)), unit=exp.var(unit))
        return exp.cast(exp.Add(this=day, expression=step), "DATE")


def inside(day: exp.Expr, period: Period | None) -> list[exp.Expr]:
    """The conditions that a day lies in a period; none where there is none."""
    found: list[exp.Expr] = []
    if period is not None and period.start is not None:
        found.append(exp.GTE(this=day.copy(), expression=_day(period.start)))
    if period is not None and period.end is not None:
        found.append(exp.LT(this=day.copy(), expression=_day(period.end)))
    return found


def _day(day: date) -> exp.Expr:
    return exp.cast(exp.Literal.string(day.isoformat()), "DATE")


def any_row(conditions: list[exp.Expr]) -> exp.Expr:
    """1 where one of the rows meets all conditions, else 0."""
    yes, no = exp.Literal.number(1), exp.Literal.number(0)
    return exp.Max(this=exp.Case().when(exp.and_(*conditions), yes).else_(no))


def share_of(part: exp.Expr, whole: exp.Expr) -> exp.Expr:
    """A fraction; missing where the whole is nought."""
    total = exp.Nullif(this=whole.copy(), expression=exp.Literal.number(0))
    return exp.Div(this=exp.cast(exp.paren(part.copy()), "DOUBLE"), expression=total)


def count_rows() -> exp.Expr:
    """The number of rows."""
    return exp.Count(this=exp.Star())


def named(value: exp.Expr, name: str) -> exp.Expr:
    """A value as a column of that name."""
    return exp.alias_(value, name, quoted=True)


def with_steps(select: exp.Select, steps: dict[str, exp.Select]) -> exp.Select:
    """A selection with the named steps before it, in their order."""
    for name, step in steps.items():
        select = select.with_(name, as_=step)
    return select
