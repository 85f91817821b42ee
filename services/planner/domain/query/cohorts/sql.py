"""Renders what is told of things that are followed as one query, built as a syntax tree."""

from __future__ import annotations

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.cohorts.steps import (
    ACTIVE,
    ENTITIES,
    EVENTS,
    FIRSTS,
    GRID,
    NUMBERED,
    CohortSteps,
    any_row,
    count_rows,
    inside,
    named,
    share_of,
    with_steps,
)
from services.planner.domain.query.intent import Cohort, CohortView, Intent


def cohort_query(intent: Intent, cohort: Cohort, catalogue: Catalogue) -> exp.Select:
    """The query whose result is the tidy answer, in the order of the dimensions."""
    return _CohortSql(intent, cohort, catalogue).query()


class _CohortSql(CohortSteps):
    def query(self) -> exp.Select:
        """The query of the view."""
        made = {
            CohortView.RETENTION: self.retention,
            CohortView.CURVE: self.curve,
            CohortView.NEW: self.new,
            CohortView.ACTIVE: self.count_active_entities,
            CohortView.NEW_OR_RETURNING: self.new_or_returning,
            CohortView.RETURNED: self.returned,
        }[self.cohort.view]()
        return self._ordered(made)

    def retention(self) -> exp.Select:
        """A row for each cohort and number of units since."""
        cohort, since = (d.label for d in self.intent.dimensions)
        numbers: list[exp.Expr] = [exp.column(name) for name in ("size", "active", "worth")]
        outputs = [named(exp.column("cohort"), cohort), named(exp.column("since"), since)]
        outputs += self._list_columns(numbers)
        select = exp.select(*outputs).from_(GRID)
        if self.cohort.age is not None:
            select = select.where(f"since = {int(self.cohort.age)}")
        return self.with_grid(select)

    def curve(self) -> exp.Select:
        """A row for each number of units since, over the cohorts that were seen for so long."""
        since = self.intent.dimensions[0].label
        numbers: list[exp.Expr] = [
            exp.Sum(this=exp.column(name)) for name in ("size", "active", "worth")
        ]
        whole: list[exp.Expr] = [exp.cast(number, "BIGINT") for number in numbers[:2]]
        outputs = [named(exp.column("since"), since), *self._list_columns([*whole, numbers[2]])]
        select = exp.select(*outputs).from_(GRID).group_by("since")
        if self.cohort.age is not None:
            select = select.where(f"since = {int(self.cohort.age)}")
        return self.with_grid(select)

    def _list_columns(self, numbers: list[exp.Expr]) -> list[exp.Expr]:
        size, active, value = numbers
        outputs = [named(share_of(active, size), self.intent.derived[0].label)]
        labels = [measure.label for measure in self.intent.measures]
        outputs += [named(size.copy(), labels[0]), named(active.copy(), labels[1])]
        return [*outputs, named(value, labels[2])] if self.money is not None else outputs

    def new(self) -> exp.Select:
        """How many began, in all or in each unit of time."""
        outputs: list[exp.Expr] = []
        groups: list[exp.Expr] = []
        for dimension in self.intent.dimensions:
            timed = dimension.grain is not None
            value = self.unit_of(exp.column("began")) if timed else exp.column("split")
            outputs.append(named(value, dimension.label))
            groups.append(value.copy())
        outputs.append(named(count_rows(), self.intent.measures[0].label))
        select = exp.select(*outputs).from_(ENTITIES)
        select = select.where(*inside(exp.column("began"), self.cohort.earlier))
        return with_steps(
            select.group_by(*groups) if groups else select,
            {EVENTS: self.events(), ENTITIES: self._select_entities()},
        )

    def _select_entities(self) -> exp.Select:
        """One row for each thing: its first day."""
        outputs: list[str | exp.Expr] = [
            *self._whose(),
            named(exp.Min(this=exp.column("day")), "began"),
        ]
        return exp.select(*outputs).from_(EVENTS).group_by(*self._whose())

    def _whose(self) -> list[str]:
        """What a row of the steps is about: a thing, or one within one of the groups."""
        return ["who"] if self.split is None else ["who", "split"]

    def count_active_entities(self) -> exp.Select:
        """How many had an event in each unit of time."""
        period = exp.column("period")
        outputs = [
            named(period, self.intent.dimensions[0].label),
            named(count_rows(), self.intent.measures[0].label),
        ]
        select = exp.select(*outputs).from_(ACTIVE).group_by(period.copy())
        return with_steps(select, {EVENTS: self.events(), ACTIVE: self.active()})

    def new_or_returning(self) -> exp.Select:
        """How many were active in each unit of time, apart by whether it was their first."""
        time, kind = (d.label for d in self.intent.dimensions)
        period = exp.column("period", table=ACTIVE)
        first = exp.EQ(this=period.copy(), expression=exp.column("cohort", table=FIRSTS))
        value = exp.Case().when(first, exp.Literal.string("new"))
        value = value.else_(exp.Literal.string("returning"))
        outputs = [
            named(period, time),
            named(value, kind),
            named(count_rows(), self.intent.measures[0].label),
        ]
        select = (
            exp.select(*outputs)
            .from_(ACTIVE)
            .join(FIRSTS, on=f"{FIRSTS}.who = {ACTIVE}.who", join_type="inner")
            .group_by(period.copy(), value.copy())
        )
        firsts = exp.select("who", named(self.unit_of(exp.Min(this=exp.column("day"))), "cohort"))
        firsts = firsts.from_(EVENTS).group_by("who")
        steps = {EVENTS: self.events(), FIRSTS: firsts, ACTIVE: self.active()}
        return with_steps(select, steps)

    def returned(self) -> exp.Select:
        """Of how many things how many came back."""
        cohort, day, place = self.cohort, exp.column("day"), exp.column("place")
        again: list[exp.Expr] = inside(day.copy(), cohort.later)
        if cohort.earlier is None or cohort.later is None:
            again.append(exp.GT(this=place, expression=exp.Literal.number(1)))
        if cohort.within is not None:
            until = self.later_by(exp.column("began"), cohort.within)
            again.append(exp.LTE(this=day.copy(), expression=until))
        outputs: list[str | exp.Expr] = [*self._whose(), named(any_row(again), "back")]
        intended: list[exp.Expr] = []
        if cohort.earlier is not None and cohort.first:
            intended += inside(exp.Min(this=exp.column("began")), cohort.earlier)
        elif cohort.earlier is not None:
            there = any_row(inside(day.copy(), cohort.earlier))
            intended.append(exp.EQ(this=there, expression=exp.Literal.number(1)))
        if cohort.within is not None:
            last = exp.select(exp.Max(this=day.copy())).from_(EVENTS).subquery()
            began = self.later_by(exp.Min(this=exp.column("began")), cohort.within)
            intended.append(exp.LTE(this=began, expression=last))
        entities = exp.select(*outputs).from_(NUMBERED).group_by(*self._whose())
        for condition in intended:
            entities = entities.having(condition)
        steps = {EVENTS: self.events(), NUMBERED: self._numbered(), ENTITIES: entities}
        kept: exp.Expr = exp.Sum(this=exp.column("back"))
        if cohort.absent:
            kept = exp.Sub(this=count_rows(), expression=kept)
        size, back = (measure.label for measure in self.intent.measures)
        shown = [named(exp.column("split"), d.label) for d in self.intent.dimensions]
        shown.append(named(share_of(kept, count_rows()), self.intent.derived[0].label))
        shown.append(named(count_rows(), size))
        shown.append(named(exp.cast(exp.paren(kept.copy()), "BIGINT"), back))
        select = exp.select(*shown).from_(ENTITIES)
        return with_steps(select.group_by("split") if self.split is not None else select, steps)

    def _numbered(self) -> exp.Select:
        """The events of each thing in order, with the day of its first."""
        order = exp.Order(expressions=[exp.Ordered(this=exp.column("day"))])
        whose = [exp.column(name) for name in self._whose()]
        place = exp.Window(this=exp.RowNumber(), partition_by=whose, order=order)
        apart = [column.copy() for column in whose]
        began = exp.Window(this=exp.Min(this=exp.column("day")), partition_by=apart)
        outputs: list[str | exp.Expr] = [*self._whose(), "day"]
        outputs += [named(place, "place"), named(began, "began")]
        return exp.select(*outputs).from_(EVENTS)

    def _ordered(self, select: exp.Select) -> exp.Select:
        intent = self.intent
        for order in intent.order:
            found = intent.dimensions[order.index].label
            if order.target == "measure":
                found = intent.derived[0].label
            label = exp.column(found, quoted=True)
            key = exp.Ordered(this=label, desc=order.descending, nulls_first=False)
            select = select.order_by(key)
        return select
