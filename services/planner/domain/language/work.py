"""The intent in the making, and what every stage that builds it needs to see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from services.planner.domain.catalogue import Catalogue, Column, DataType
from services.planner.domain.language.linking.mention import Mention
from services.planner.domain.language.parsing.roles import Parts
from services.planner.domain.language.phrases.calculations import (
    BinWish,
    CalculationWish,
    QuantileWish,
)
from services.planner.domain.language.phrases.clauses import ChartWish, OrderWish
from services.planner.domain.language.scene import Scene
from services.planner.domain.lexicon.wording import plural, worded
from services.planner.domain.query.intent import (
    Aggregate,
    Dimension,
    Field,
    Filter,
    Having,
    Measure,
    Product,
)
from services.planner.domain.query.joining.joins import JoinGraph
from services.planner.domain.reader.times.times import TimeSpan


@dataclass(slots=True)
class Wishes:
    """What the clauses said before the data was looked at."""

    chart: ChartWish
    order: OrderWish | None
    axes: Sequence[tuple[str, int, int]]
    spans: Sequence[TimeSpan]
    calculation: CalculationWish | None = None
    bins: BinWish | None = None
    quantiles: Sequence[QuantileWish] = ()


@dataclass(slots=True)
class Draft:
    """The parts of an intent as far as they are known; `context` are tables only spoken of.

    `counted` is the column whose values are counted ("number of types"): it goes on the x axis.
    `implied` says that nobody asked for the count that is the only number. `dated` is the date
    that the spans of time are about, where a verb says which; `newest_by` the one that the latest
    or the earliest go by. With `whole_rows` every row is shown as it is; a `ranked_list` goes by
    what its conditions speak of. `problem` says why nothing can be computed.
    """

    measures: list[Measure] = field(default_factory=list)
    dimensions: list[Dimension] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)
    having: list[Having] = field(default_factory=list)
    context: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    base: str = ""
    series: Dimension | None = None
    counted: Field | None = None
    rows_counted: bool = False
    implied: bool = False
    dated: Field | None = None
    newest_by: Field | None = None
    whole_rows: bool = False
    ranked_list: bool = False
    problem: str = ""

    def add_measure(self, measure: Measure | None) -> None:
        """Appends a measure that is not there yet."""
        if measure is not None and measure not in self.measures:
            self.measures.append(measure)

    @property
    def aggregated(self) -> bool:
        """True when rows are to be collapsed."""
        return any(measure.aggregate is not None for measure in self.measures)


@dataclass(slots=True)
class Work:
    """One question on its way to an intent."""

    scene: Scene
    wishes: Wishes
    graph: JoinGraph
    parts: Parts
    draft: Draft
    split: list[Field] = field(default_factory=list)
    over_time: bool = False
    compared: bool = False

    @property
    def catalogue(self) -> Catalogue:
        """The tables that the question is about."""
        return self.scene.catalogue

    @property
    def grouped(self) -> bool:
        """True when the question has words of grouping, or compares values with each other."""
        return (
            self.over_time
            or self.compared
            or any(role == "group" for role in self.scene.roles.values())
        )

    def mention(self, index: int) -> Mention:
        """The mention of that index."""
        return self.scene.mentions[index]

    def stems(self) -> list[str]:
        """The stems of all words of the question."""
        return [token.stem for token in self.scene.tokens if token.stem]

    def date_stems(self) -> list[str]:
        """The stems that may name a date: those of other columns do not, as in "ship country"."""
        others = [
            mention
            for mention in self.scene.mentions
            if (column := self.scene.column(mention)) is not None
            and column.data_type not in (DataType.DATE, DataType.DATETIME)
        ]
        inside = {i for mention in others for i in range(mention.first, mention.last)}
        tokens = enumerate(self.scene.tokens)
        return [token.stem for place, token in tokens if token.stem and place not in inside]

    def column(self, target: Field) -> Column | None:
        """The catalogue's description of a column."""
        table = self.catalogue.table(target.table)
        return table.column(target.column) if table else None

    def data_type(self, target: Field) -> DataType | None:
        """The type of a column."""
        column = self.column(target)
        return column.data_type if column else None


def only_counted(draft: Draft) -> bool:
    """Whether rows are counted or listed, so that joins that repeat them can do no harm."""
    return all(m.aggregate is Aggregate.COUNT and m.expression is None for m in draft.measures)


def field_of(mention: Mention) -> Field:
    """The column that a mention stands for."""
    return Field(table=mention.chosen.table, column=mention.chosen.column)


def formula_table(formula: Field | Product) -> str:
    """The table whose rows a formula is computed from."""
    return formula.table if isinstance(formula, Field) else formula.factors[0].table


def different(things: Field) -> Measure:
    """How many different ones a column holds."""
    return Measure(
        aggregate=Aggregate.COUNT_DISTINCT,
        table=things.table,
        expression=things,
        label=f"number of different {plural(worded(things.column))}",
        additive=False,
    )
