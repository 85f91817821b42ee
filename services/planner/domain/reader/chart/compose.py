"""A sketch as an intent: base table, joins, labels, filters; None where the types do not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.normalise import readable_table
from services.planner.domain.query.defining.terms import Definition
from services.planner.domain.query.intent import (
    Aggregate,
    Bins,
    ChartType,
    Condition,
    Derived,
    Dimension,
    Filter,
    Group,
    Having,
    Intent,
    Measure,
    Membership,
    Operator,
    Order,
    Relation,
)
from services.planner.domain.query.joining.joins import JoinGraph, JoinTree
from services.planner.domain.query.joining.keys import key_of
from services.planner.domain.query.labels import count_label
from services.planner.domain.query.planning.counted_once import (
    counted_once,
    counts_once,
    several_grains,
)
from services.planner.domain.query.planning.summary import filter_text
from services.planner.domain.reader.chart.calculated import derived_of
from services.planner.domain.reader.chart.first_of_each import top_of_each, with_keys
from services.planner.domain.reader.chart.labels import Labels
from services.planner.domain.reader.chart.measurable import is_measurable
from services.planner.domain.reader.chart.measures import Measures, build_entity_count
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.sketch import Number, Sets, Sketch
from services.planner.domain.reader.chart.those_without import with_those_without
from services.planner.domain.reader.links.scales import Scale
from services.planner.domain.reader.links.spellings import is_spelt_differently, one_spelling

_NO_SCALES: Mapping[int, Scale] = {}
_NO_WORDS: Mapping[str, str] = {}


class Composer:
    """Composes the sketches of one question; trees of joins are found once, and the rows of tables
    are `called` as the question does. Rows of the table that is asked to be `counted` count once
    each, whatever is joined."""

    def __init__(
        self,
        graph: JoinGraph,
        catalogue: Catalogue,
        scales: Mapping[int, Scale] = _NO_SCALES,
        called: Mapping[str, str] = _NO_WORDS,
        counted: str = "",
    ) -> None:
        self._graph, self._catalogue = graph, catalogue
        self._measures, self._counted = Measures(called), counted
        self._scales = scales
        self._bases: dict[tuple[str, ...], tuple[str, JoinTree] | None] = {}

    def intent(self, sketch: Sketch) -> Intent | None:
        """The sketch as an intent; None where no joins or no types allow it."""
        by = sketch.sorting.by if sketch.sorting is not None else None
        numbers = [*sketch.numbers, *((by,) if isinstance(by, Number) else ())]
        if any(not is_measurable(number) for number in numbers):
            return None
        if sketch.sets is Sets.WITHOUT and sketch.missing_table in _shown_tables(sketch):
            return None
        apart = self._apart(sketch)
        tables = _tables(sketch, apart)
        found = self._base(tables) if tables else None
        if found is None:
            return None
        base, tree = found
        filters = self._filters(sketch, apart, base)
        if filters is None:
            return None
        having = tuple(self._having(c, base) for c in sketch.groups)
        if sketch.sets in (Sets.BOTH, Sets.EXCEPT):
            having += self._of_sets(sketch, apart, base)
        whole = self._whole(sketch, base, tree, filters, having)
        known_intent = self._once(self._counting(whole))
        if known_intent is None or not any(one.rows for one in sketch.groups):
            return known_intent
        return with_those_without(known_intent, self._catalogue)

    def _counting(self, intent: Intent) -> Intent:
        """With what is asked to be counted in the place of the rows that others are joined to: the
        jobs of each maker, and not their parts."""
        known = self._catalogue.table(self._counted)
        joined = {relation.right.table for relation in intent.joins}
        if known is None or known.name not in joined or len(key_of(known)) != 1:
            return intent
        label = count_label(readable_table(known.name))
        once = {"aggregate": Aggregate.COUNT_DISTINCT, "table": known.name, "label": label}
        measures = tuple(
            measure.model_copy(update={**once, "additive": False})
            if measure.aggregate is Aggregate.COUNT
            and measure.table == intent.base
            and measure.expression is None
            and measure.per is None
            and measure.where is None
            else measure
            for measure in intent.measures
        )
        return intent.model_copy(update={"measures": measures})

    def _once(self, intent: Intent) -> Intent | None:
        """With each row in its numbers once; None where one number's joins repeat another's."""
        intent = counted_once(counts_once(intent, self._catalogue), self._catalogue)
        return None if several_grains(intent, self._catalogue) else intent

    def _whole(
        self,
        sketch: Sketch,
        base: str,
        tree: JoinTree,
        filters: tuple[Filter, ...],
        having: tuple[Having, ...],
    ) -> Intent:
        """With what is shown, in which order and how it is drawn."""
        labels = Labels()
        dimensions = tuple(
            Dimension(
                expression=p.field,
                label=labels.of(p, sketch.grain if p.time else None),
                grain=sketch.grain if p.time else None,
                bins=Bins(width=sketch.bins[1]) if sketch.bins and sketch.bins[0] is p else None,
            )
            for p in sketch.shown
        )
        measures, order = self._numbers(sketch, base, labels)
        derived: tuple[Derived, ...] = ()
        if sketch.share:
            anew = Labels()
            for place in sketch.shown:
                anew.of(place)
            measures, derived = self._measures.share(sketch, base, anew)
        elif sketch.ratio:
            measures, derived = self._measures.ratio(sketch, base, labels)
        elif sketch.change is not None:
            measures, derived = self._measures.change(sketch, sketch.change, base, labels)
            order = tuple(o.model_copy(update={"index": 0}) for o in order)
        elif sketch.worked is not None:
            derived = (derived_of(sketch, sketch.worked, measures[0].label),)
        elif sketch.entity is not None:
            measures = [build_entity_count(sketch.entity)]
        elif any(number.against is not None for number in sketch.made):
            measures, derived, order = self._measures.against(sketch, base)
        top = top_of_each(sketch, order)
        if top is not None:
            dimensions, order = with_keys(sketch, dimensions, base), ()
        several = sketch.series and len(sketch.numbers) > 1
        return Intent(
            base=base,
            measures=tuple(measures),
            dimensions=dimensions,
            filters=filters,
            having=having,
            order=order,
            limit=None if top else sketch.limit,
            joins=tree.relations,
            offset=sketch.before,
            distinct=sketch.distinct,
            series=_series(sketch),
            derived=derived,
            chart=ChartType.SCATTER if several else None,
            chart_named=several,
            defined=_defined(sketch),
            top_of_each=top,
        )

    def _base(self, tables: Sequence[str]) -> tuple[str, JoinTree] | None:
        """The table from which the joins to all others multiply rows the least."""
        key = tuple(sorted(tables))
        if key not in self._bases:
            trees = [(base, self._graph.tree(base, tables)) for base in tables]
            whole = [(b, t) for b, t in trees if not t.missing]
            self._bases[key] = min(
                whole,
                key=lambda f: (sum(r.fans_out for r in f[1].relations), f[1].cost, f[0]),
                default=None,
            )
        return self._bases[key]

    def _numbers(
        self, sketch: Sketch, base: str, labels: Labels
    ) -> tuple[list[Measure], tuple[Order, ...]]:
        measures = [self._measures.measure(n, base, labels) for n in sketch.numbers]
        sorting = sketch.sorting
        if sorting is None:
            return measures, ()
        if isinstance(sorting.by, Number):
            if sorting.by in sketch.numbers:
                at = sketch.numbers.index(sorting.by)
            else:
                at = len(measures)
                hidden = self._measures.measure(sorting.by, base, labels)
                measures.append(hidden.model_copy(update={"shown": False}))
            return measures, (Order(target="measure", index=at, descending=sorting.descending),)
        if sorting.by in sketch.shown:
            at = sketch.shown.index(sorting.by)
            scale = self._scales.get(sorting.by.index) if not sketch.distinct else None
            ranks = scale.values if scale is not None else ()
            down = sorting.descending
            return measures, (Order(target="dimension", index=at, descending=down, ranks=ranks),)
        field = sorting.by.field
        scale = self._scales.get(sorting.by.index)
        ranks = scale.values if scale is not None else ()
        return measures, (
            Order(target="field", field=field, descending=sorting.descending, ranks=ranks),
        )

    def _having(self, one: Proposal, base: str) -> Having:
        number = Number(one.aggregate or Aggregate.COUNT, one.place if one.aggregate else None)
        measure = self._measures.measure(number, base, Labels())
        if one.rows and one.rows != base:
            measure = measure.model_copy(
                update={
                    "aggregate": Aggregate.COUNT_DISTINCT,
                    "table": one.rows,
                    "additive": False,
                    "label": count_label(readable_table(one.rows)),
                }
            )
        return Having(
            measure=measure,
            operator=one.operator,
            values=tuple(float(v) for v in one.values),
        )

    def _of_sets(self, sketch: Sketch, apart: Sequence[Proposal], base: str) -> tuple[Having, ...]:
        """Groups with a row for each of two conditions, or with none for the last, and with one for
        each on the same column: "Chai, but not Chang"."""
        some = sketch.rows if sketch.sets is Sets.BOTH else _same_column(sketch, apart)
        none = apart if sketch.sets is Sets.EXCEPT else ()

        def counted(one: Proposal) -> Measure:
            label = f"rows where {filter_text(one.condition)}"
            return Measure(aggregate=Aggregate.COUNT, table=base, label=label, where=one.condition)

        return tuple(
            Having(measure=counted(one), operator=operator, values=(0.0,))
            for several, operator in ((some, Operator.GREATER), (none, Operator.EQUAL))
            for one in several
        )

    def _filters(
        self, sketch: Sketch, apart: Sequence[Proposal], base: str
    ) -> tuple[Filter, ...] | None:
        if sketch.sets is Sets.BOTH:
            return ()
        if sketch.sets is Sets.WITHOUT and any(one in apart for one in sketch.either):
            return None
        either = [one.condition for one in sketch.either]
        change = (sketch.change.before, sketch.change.after) if sketch.change else ()
        taken = (*apart, *sketch.either, *sketch.share, *change)
        taken += _same_column(sketch, apart)
        kept = [one.condition for one in sketch.rows if one not in taken]
        found: tuple[Filter, ...] = tuple(kept)
        if either:
            found = (*found, Group(connective="or", members=tuple(either)))
        if sketch.sets is Sets.WITHOUT:
            missing = self._find_anti_join(sketch, apart, base)
            if missing is None:
                return None
            found = (*found, *missing)
        return (*found, *_named(sketch))

    def _apart(self, sketch: Sketch) -> tuple[Proposal, ...]:
        """The conditions that do not speak of the rows shown: those of the set's other side, and
        of what is joined to it: no order "by customers in Germany"."""
        if sketch.sets is not Sets.WITHOUT:
            return sketch.rows[-1:] if sketch.sets is not None else ()
        shown = sketch.but(conditions=(), either=(), share=(), extra=()).tables()
        start = next(iter(shown or sketch.extra), "")

        def beyond(table: str) -> bool:
            if table == sketch.missing_table or table in (*shown, *sketch.extra) or not start:
                return table == sketch.missing_table
            steps = self._graph.tree(start, [table]).relations
            return any(step.left.table == sketch.missing_table for step in steps)

        return tuple(c for c in sketch.rows if c.place and beyond(c.place.table.name))

    def _find_anti_join(
        self, sketch: Sketch, apart: Sequence[Proposal], base: str
    ) -> list[Membership] | None:
        """Without related rows, by whichever of several columns they may be related."""
        where: Filter | None = None
        if len(apart) == 1:
            where = apart[0].condition
        elif apart:
            where = Group(connective="and", members=tuple(a.condition for a in apart))
        further = {a.place.table.name for a in apart if a.place} - {sketch.missing_table}
        direct = self._graph.every_direct(base, sketch.missing_table) if not further else []
        paths: list[tuple[Relation, ...]] = [(one,) for one in direct]
        paths = paths or [self._way(base, [sketch.missing_table, *further])]
        return [
            Membership(
                table=base, related=sketch.missing_table, absent=True, where=where, path=path
            )
            for path in paths
            if path
        ] or None

    def _way(self, base: str, tables: Sequence[str]) -> tuple[Relation, ...]:
        """The steps to tables that nothing joins directly; none where they cannot be told."""
        known = self._catalogue.table(base)
        tree = self._graph.tree(base, tables)
        plain = known is not None and len(key_of(known)) == 1 and not tree.missing
        return tree.relations if plain else ()


def _defined(sketch: Sketch) -> tuple[Definition, ...]:
    """The columns that are worked out for it."""
    found = [p.definition for p in sketch.places() if p.definition is not None]
    if sketch.grouped or sketch.distinct:
        found += [one_spelling(p) for p in sketch.shown if is_spelt_differently(p)]
    return tuple(dict.fromkeys(found))


def _named(sketch: Sketch) -> Iterator[Condition]:
    """That groups have a name, where the first of them are sought: no class is not the most
    popular one."""
    if not sketch.grouped or (sketch.limit is None and not sketch.within):
        return
    places = {one.place for one in sketch.conditions}
    for place in sketch.shown:
        if place.column.nulls and place.definition is None and place not in places:
            yield Condition(field=place.field, operator=Operator.NOT_NULL, values=())


def _series(sketch: Sketch) -> int | None:
    """Which shown column makes the series."""
    return len(sketch.shown) - 1 if sketch.series and sketch.shown else None


def _same_column(sketch: Sketch, apart: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """The conditions on what another says no row may be, which no row can fit as well."""
    if sketch.sets is not Sets.EXCEPT:
        return ()
    places = {one.place for one in apart}
    return tuple(c for c in sketch.rows if c not in apart and c.place in places)


def _tables(sketch: Sketch, apart: Sequence[Proposal]) -> list[str]:
    if sketch.sets is Sets.WITHOUT:
        rest = sketch.but(conditions=tuple(c for c in sketch.conditions if c not in apart))
        return [t for t in rest.tables() if t != sketch.missing_table]
    return sketch.tables()


def _shown_tables(sketch: Sketch) -> set[str]:
    """The tables of all but the conditions."""
    return set(sketch.but(conditions=(), share=(), either=()).tables())
