"""Renders an intent as one DuckDB query, built as a syntax tree; values are bound parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from mesh.errors import INVALID_ARGUMENT, AssayError
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.cohorts.sql import cohort_query
from services.planner.domain.query.defining.columns import with_columns
from services.planner.domain.query.defining.nodes import with_definitions
from services.planner.domain.query.dimensions.warming import filters_with_earlier
from services.planner.domain.query.intent import Field, Grain, Intent, Order, Relation, TopOfEach
from services.planner.domain.query.joining.joins import key_of
from services.planner.domain.query.measures.calculated import over_groups
from services.planner.domain.query.measures.metrics import with_overall_metrics
from services.planner.domain.query.measures.per_entity import aggregate_entities, needs_sums_first
from services.planner.domain.query.planning.leading import first_of_each
from services.planner.domain.query.planning.metric_sql import with_metrics
from services.planner.domain.query.planning.output_sql import FUNCTIONS, Outputs
from services.planner.domain.query.planning.period_sql import periods_of
from services.planner.domain.query.planning.predicates import (
    by_rank,
    column_node,
    table_node,
    values_of,
    with_copies,
)
from services.planner.domain.query.planning.rank_correlation import (
    ONE,
    OTHER,
    is_of_ranks,
    over_ranks,
)

_DUCKDB = Dialect.get_or_raise("duckdb")


@dataclass(frozen=True, slots=True)
class Query:
    """A statement with `?` places and the values for them, in order."""

    text: str
    params: tuple[Any, ...]
    columns: tuple[str, ...]


def render(intent: Intent, catalogue: Catalogue) -> Query:
    """The query whose result is the tidy answer: dimensions first, then measures."""
    known = with_columns(catalogue, intent.defined)
    return _Renderer(with_overall_metrics(intent, known), known).query()


class _Renderer(Outputs):
    def query(self) -> Query:
        intent = self.intent
        if intent.cohort is not None:
            return self.finish(cohort_query(intent, intent.cohort, self.catalogue))
        if is_of_ranks(intent):
            return self.finish(self.of_ranks())
        sums_first = needs_sums_first(intent)
        outputs: list[exp.Expr] = [
            exp.alias_(self.dimension(d), d.label, quoted=True, copy=False)
            for d in intent.dimensions
        ]
        of = self.summed if sums_first else self.measure
        inner = [m for m in intent.measures if m.shown or intent.derived or sums_first]
        outputs += [exp.alias_(of(m), m.label, quoted=True, copy=False) for m in inner]
        outputs += self.list_distinct_keys() if sums_first else []
        select, shown = self.of_kept_rows(outputs)
        groups = self.groups()
        if groups:
            select.group_by(*groups, copy=False)
        for having in intent.having:
            select.having(self.having(having), copy=False)
        if intent.limit_per_series is not None and intent.series is not None:
            best = self.best_of_each(intent.series, intent.limit_per_series)
            select.set("qualify", exp.Qualify(this=best))
        if intent.distinct and not groups:
            select = select.distinct(copy=False)
        if sums_first:
            select = aggregate_entities(select, intent, FUNCTIONS)
        if intent.derived:
            select = over_groups(select, intent, shown)
        elif intent.top_of_each is not None:
            select = self.led(select, intent.top_of_each)
        elif not sums_first:
            select = self.ordered(select)
        kept = select.limit(intent.limit, copy=False) if intent.limit else select
        return self.finish(kept.offset(intent.offset, copy=False) if intent.offset else kept)

    def of_kept_rows(self, outputs: Sequence[exp.Expr]) -> tuple[exp.Select, exp.Expr | None]:
        """What is to be told of the rows that the joins and the conditions leave."""
        intent = self.intent
        select = exp.select(*outputs, copy=False).from_(table_node(intent.base), copy=False)
        for relation in intent.joins:
            on = self.related(relation)
            right = table_node(relation.right.table)
            join = exp.Join(this=right, on=on, **self.kept(relation))
            select.append("joins", join)
        filters, shown = filters_with_earlier(intent)
        where = [self.filter(f) for f in filters]
        periods = periods_of(intent)
        where += [exp.or_(*map(self.within, periods), copy=False)] if periods else []
        return (select.where(*where, copy=False) if where else select), shown

    def of_ranks(self) -> exp.Select:
        """The correlation of ranks, which stands alone."""
        intent = self.intent
        number = intent.measures[0]
        if number.other is None or len(intent.measures) > 1 or intent.having or intent.derived:
            raise AssayError(
                INVALID_ARGUMENT,
                "A rank correlation cannot be combined with other numbers; ask for it apart.",
            )
        outputs = [exp.alias_(self.dimension(d), d.label, quoted=True) for d in intent.dimensions]
        for name, field in ((ONE, number.expression), (OTHER, number.other)):
            assert isinstance(field, Field)
            value = self.numeric(field, column_node(field))
            outputs.append(exp.alias_(value, name, quoted=True))
        select = over_ranks(self.of_kept_rows(outputs)[0], intent)
        return select.limit(intent.limit) if intent.limit else select

    def kept(self, relation: Relation) -> dict[str, str]:
        """How a table is joined: in a list things that refer to nobody stay."""
        copied = any(copy.name == relation.right.table for copy in self.intent.copies)
        optional = relation.optional or (copied and not self.intent.grouped)
        return {"side": "LEFT"} if optional else {"kind": "INNER"}

    def finish(self, select: exp.Select) -> Query:
        """A finished statement with its parameters and the names of its columns."""
        intent = self.intent
        tree = with_copies(with_definitions(select, intent.defined), intent.copies)
        tree = with_metrics(tree, self.catalogue)
        params = tuple(values_of(tree))
        labels = [d.label for d in intent.dimensions] + [d.label for d in intent.derived]
        labels += [m.label for m in intent.measures if m.shown]
        # The tree is nobody else's: to copy it before it is written takes as long as to write it.
        return Query(_DUCKDB.generate(tree, copy=False), params, tuple(labels))

    def groups(self) -> list[exp.Expr]:
        intent = self.intent
        apart = intent.distinct and any(d.identity for d in intent.dimensions)
        if not intent.grouped and not intent.deduplicate and not apart:
            return []
        keys: list[exp.Expr] = [self.dimension(d) for d in intent.dimensions]
        keys += [column_node(d.identity) for d in intent.dimensions if d.identity]
        if needs_sums_first(intent):
            keys += self.list_entity_keys()
        if intent.deduplicate and not intent.grouped:
            keys += [self.measure(m) for m in intent.measures]
            base = self.catalogue.table(intent.base)
            keys += [
                column_node(Field(table=intent.base, column=k))
                for k in (key_of(base) if base else ())
            ]
        return list(dict.fromkeys(keys))

    def best_of_each(self, series: int, most: int) -> exp.Expr:
        """Keeps the first few of each series by the first measure; ties go by name, then key."""
        intent = self.intent
        descending = any(o.target == "measure" and o.descending for o in intent.order)
        first = exp.Ordered(
            this=self.measure(intent.measures[0]), desc=descending, nulls_first=False
        )
        others = [d for index, d in enumerate(intent.dimensions) if index != series]
        rest = [key for dimension in others for key in self.keys(dimension)]
        number = exp.Window(
            this=exp.RowNumber(),
            partition_by=self.keys(intent.dimensions[series]),
            order=exp.Order(expressions=[first, *(exp.Ordered(this=key) for key in rest)]),
        )
        return exp.LTE(this=number, expression=exp.Literal.number(most))

    def led(self, select: exp.Select, top: TopOfEach) -> exp.Select:
        """The first of each, and in which order they are told."""
        apart = [key for at in top.within for key in self.keys(self.intent.dimensions[at])]
        return first_of_each(select, self.intent, top, apart, self.order_target(top.by))

    def ordered(self, select: exp.Select) -> exp.Select:
        for order in self.intent.order:
            target = self.order_target(order)
            nulls_first = False
            select.order_by(
                exp.Ordered(this=target, desc=order.descending, nulls_first=nulls_first), copy=False
            )
        return select

    def order_target(self, order: Order) -> exp.Expr:
        if order.target == "measure":
            return self.measure(self.intent.measures[order.index])
        if order.target == "dimension":
            dimension = self.intent.dimensions[order.index]
            if dimension.periods and self.groups():
                return exp.func("MIN", self.value(dimension.expression))
            if dimension.grain is Grain.WEEKDAY and not self.intent.distinct:
                number = exp.func("ISODOW", self.value(dimension.expression))
                return exp.func("MIN", number) if self.groups() else number
            return by_rank(self.dimension(dimension), order.ranks)
        column = by_rank(column_node(order.field) if order.field else exp.Null(), order.ranks)
        return exp.func("MIN", column) if self.groups() else column
