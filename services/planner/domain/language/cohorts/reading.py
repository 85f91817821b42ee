"""Things followed from their first event on: which things, by which events, and what is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from services.planner.domain.business.formulas import revenue_formulas
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole
from services.planner.domain.language.cohorts.outputs import cohort_chart, outputs_of
from services.planner.domain.language.cohorts.things import (
    DATES,
    Followed,
    followed_things,
    owner_of,
)
from services.planner.domain.language.cohorts.wish import CohortWish
from services.planner.domain.language.conditions.conditions import find_conditions
from services.planner.domain.language.phrases.clauses import ChartWish
from services.planner.domain.language.scene import Scene
from services.planner.domain.language.work import formula_table
from services.planner.domain.lexicon.normalise import Token, name_words, readable
from services.planner.domain.lexicon.vocabulary import SIDE_DATE_WORDS
from services.planner.domain.query.calendar import last_range
from services.planner.domain.query.cohorts.words import cohort_notes
from services.planner.domain.query.columns import is_measure
from services.planner.domain.query.intent import (
    Aggregate,
    Cohort,
    CohortView,
    Field,
    Filter,
    Grain,
    Intent,
    Measure,
    Period,
    Product,
)
from services.planner.domain.query.joining.joins import JoinGraph
from services.planner.domain.query.tables import filter_tables
from services.planner.domain.reader.times.calendar_spans import by_the_data
from services.planner.domain.reader.times.dates import latest_of, own_date, time_conditions
from services.planner.domain.reader.times.times import TimeSpan

_COUNTING = frozenset("many number count share percentage percent proportion rate".split())
_GRAINS = (Grain.DAY, Grain.WEEK, Grain.MONTH, Grain.QUARTER, Grain.YEAR)
_FEW_WEEKS, _FEW_MONTHS, _FEW_QUARTERS = 92, 30 * 31, 30 * 92
_SPLITTING = frozenset("by per each every across".split())


def cohort_intent(
    wish: CohortWish, scene: Scene, graph: JoinGraph, spans: Sequence[TimeSpan], chart: ChartWish
) -> tuple[Intent, tuple[str, ...]] | str:
    """What is told of which things, and what was taken for granted; or why it cannot be had."""
    found = followed_things(scene, graph)
    if found is None:
        return "Following things over time needs rows with a date that say whose they are."
    conditions = find_conditions(scene)
    stems = [token.stem for token in scene.tokens if token.stem]
    events = scene.catalogue.table(found.events)
    dated = own_date(events, stems) if events is not None else None
    if dated is None:
        return f"{readable(found.events).capitalize()} have no date to follow {found.plural} by."
    if wish.view is CohortView.NEW:
        found, dated = _begun(found, dated, scene, graph)
    reading = _Reading(wish, scene, graph, found, dated)
    reading.filters = list(conditions.filters)
    cohort = reading.cohort(spans)
    money = reading.money() if cohort.view in (CohortView.RETENTION, CohortView.CURVE) else None
    if money is None and any(m.chosen.kind == "revenue" for m in scene.mentions):
        return "Money can be told by cohort, where the data has a price and a quantity, or totals."
    base = money.table if money is not None else found.events
    wanted = {dated.table, cohort.entity.table, *filter_tables(reading.filters)}
    split = reading.split() if cohort.view in (CohortView.RETURNED, CohortView.NEW) else None
    wanted |= {split.table} if split is not None else set()
    tree = graph.tree(base, wanted)
    if tree.missing or (tree.fans_out and money is not None):
        apart = " and ".join(sorted(readable(table) for table in tree.missing or tree.tables))
        return f"Nothing relates {readable(base)} to {apart}, one to one."
    intent = Intent(
        base=base,
        filters=tuple(reading.filters),
        joins=tree.relations,
        cohort=cohort,
        **outputs_of(cohort, found, money, split, timed=reading.timed),
    )
    notes = (*found.notes, *reading.notes, *cohort_notes(cohort, found.plural))
    if wish.view is CohortView.RETURNED and not wish.of_events and not _counts(scene.tokens):
        notes = (*notes, f"{found.plural} are counted, not listed by name")
    return intent.model_copy(
        update={"chart": cohort_chart(intent, chart), "chart_named": chart.certain}
    ), notes


def _counts(tokens: Sequence[Token]) -> bool:
    """Whether a number or a share is asked for."""
    return any(token.lower in _COUNTING for token in tokens)


def _begun(found: Followed, dated: Field, scene: Scene, graph: JoinGraph) -> tuple[Followed, Field]:
    """Things are new on a date of their own, where they have one, rather than at an event."""
    owner = owner_of(found, scene, graph)
    begun = own_date(owner, ()) if owner is not None and owner.name != found.events else None
    if owner is None or begun is None or set(name_words(begun.column)) & SIDE_DATE_WORDS:
        return found, dated
    key = graph.parent_of(found.entity) or found.entity
    return replace(found, entity=key, events=owner.name), begun


@dataclass(slots=True)
class _Reading:
    wish: CohortWish
    scene: Scene
    graph: JoinGraph
    found: Followed
    dated: Field
    filters: list[Filter] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    timed: bool = False

    def cohort(self, spans: Sequence[TimeSpan]) -> Cohort:
        """Who is followed how; spans that narrow the events themselves become filters."""
        wish = self.wish
        latest = latest_of(self.scene.catalogue, self.dated)
        told = [by_the_data(span, latest, self.dated.column) for span in spans]
        self.notes += [note for _, note in told if note]
        earlier, later, rest = self._periods([span for span, _ in told])
        if rest:
            stems = [token.stem for token in self.scene.tokens if token.stem]
            made = time_conditions(
                rest, self.scene.catalogue, self.graph, self.found.events, stems, self.dated
            )
            self.filters += made.filters
            self.notes += made.notes
        return Cohort(
            view=wish.view,
            entity=self.found.entity,
            dated=self.dated,
            grain=self._grain(),
            started=self._started(),
            age=wish.age,
            first=wish.first,
            earlier=earlier,
            later=later,
            within=wish.within,
            absent=wish.absent,
        )

    def _periods(
        self, spans: Sequence[TimeSpan]
    ) -> tuple[Period | None, Period | None, Sequence[TimeSpan]]:
        periods = [p for span in spans for p in self._of(span)]
        if self.wish.of_events or any(span.start is None for span in spans if not span.last):
            return None, None, spans
        if len(periods) == 2 and self.wish.view is CohortView.RETURNED:
            earlier, later = sorted(periods, key=lambda p: p.start or date.min)
            return earlier, later, ()
        if len(periods) != 1:
            return None, None, spans
        again = self.wish.view is CohortView.RETURNED and not self.wish.first
        return (None, periods[0], ()) if again else (periods[0], None, ())

    def _of(self, span: TimeSpan) -> list[Period]:
        """The periods that a span holds: each of several years, or the last few months."""
        if span.alternatives:
            return [Period(label=str(a.year) if span.years else f"{a} to {b}", dated=self.dated,
                           start=a, end=b) for a, b in span.alternatives]  # fmt: skip
        start, end = span.start, span.end
        column = _column(self.scene.catalogue, self.dated)
        if span.last is not None and column is not None and column.maximum:
            start, end = last_range(*span.last, date.fromisoformat(column.maximum[:10]))
        return [Period(label=span.text, dated=self.dated, start=start, end=end)]

    def _grain(self) -> Grain:
        if self.wish.unit:
            return Grain(self.wish.unit)
        for index, mention in enumerate(self.scene.mentions):
            if mention.chosen.kind == "grain" and mention.chosen.grain in _GRAINS:
                self.scene.roles[index] = "group"
                self.timed = True
                return mention.chosen.grain
        column = _column(self.scene.catalogue, self.dated)
        try:
            first = date.fromisoformat((column.minimum or "")[:10]) if column else date.max
            last = date.fromisoformat((column.maximum or "")[:10]) if column else date.max
        except ValueError:
            return Grain.MONTH
        days = (last - first).days
        if days <= _FEW_WEEKS:
            return Grain.WEEK
        if days <= _FEW_MONTHS:
            return Grain.MONTH
        return Grain.QUARTER if days <= _FEW_QUARTERS else Grain.YEAR

    def _started(self) -> Field | None:
        """A date in the things' own rows that the question names: "by signup month"."""
        owner = owner_of(self.found, self.scene, self.graph)
        for mention in self.scene.mentions:
            column = self.scene.column(mention)
            dated = column is not None and column.data_type in DATES
            if column is None or owner is None or not dated:
                continue
            if mention.chosen.table == owner.name != self.found.events:
                return Field(table=owner.name, column=column.name)
        return None

    def money(self) -> Measure | None:
        """What is summed for each cohort, where a number or money is named."""
        for index, mention in enumerate(self.scene.mentions):
            column = self.scene.column(mention)
            if mention.chosen.kind == "revenue":
                return self._revenue()
            named = mention.chosen.kind == "column" and self.scene.free(index)
            if named and column is not None and is_measure(column.role, column.data_type):
                target = Field(table=mention.chosen.table, column=column.name)
                label = f"total {readable(column.name)}"
                return Measure(
                    aggregate=Aggregate.SUM, table=target.table, expression=target, label=label
                )
        return None

    def _revenue(self) -> Measure | None:
        wanted = {self.found.events, self.found.entity.table}
        ranked = []
        for place, formula in enumerate(revenue_formulas(self.scene.catalogue)):
            tree = self.graph.tree(formula_table(formula), wanted)
            if not tree.missing and not tree.fans_out:
                discounted = isinstance(formula, Product) and bool(formula.discounts)
                ranked.append((tree.cost - 1.5 * discounted, place, formula))
        if not ranked:
            return None
        formula = min(ranked)[2]
        table = formula_table(formula)
        return Measure(aggregate=Aggregate.SUM, table=table, expression=formula, label="revenue")

    def split(self) -> Field | None:
        """A column of the things that they are split by."""
        for index, mention in enumerate(self.scene.mentions):
            column = self.scene.column(mention)
            target = Field(table=mention.chosen.table, column=mention.chosen.column)
            words = set(self.scene.words(mention.first - 3, mention.first))
            if column is None or not self.scene.free(index) or not words & _SPLITTING:
                continue
            plain = mention.chosen.kind == "column" and column.role is ColumnRole.DIMENSION
            if plain and target not in (self.found.entity, self.dated):
                self.scene.roles[index] = "group"
                return target
        return None


def _column(catalogue: Catalogue, target: Field) -> Column | None:
    table = catalogue.table(target.table)
    return table.column(target.column) if table is not None else None
