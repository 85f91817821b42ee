"""Sentences about rows as they stand, about ranges, and about profiles."""

from __future__ import annotations

from dataclasses import replace

from mesh.proof.assertions import Stated
from mesh.text.spelling import shortened
from services.planner.domain.catalogue import ColumnRole
from services.planner.domain.drafting.counted_ranges import FROM, ROWS, TO
from services.planner.domain.drafting.spread import LOWER, MEDIAN, UPPER
from services.planner.domain.lexicon.normalise import readable_table
from services.planner.domain.lexicon.wording import plural, singular
from services.planner.domain.query.intent import Intent
from services.planner.domain.reporting.cells import Cell, fact, ranked, row_count
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.prose import Origin, Prose, Quoted, joined
from services.planner.domain.reporting.shape import Number, is_full_name, is_name
from services.planner.domain.reporting.stating import of_cells, stating
from services.planner.domain.reporting.telling import Finding, Telling, name_of
from services.planner.domain.reporting.units import spoken

_NAMED = 3
_MOST_PROFILED = 3
WHOLE_TABLE = "(table)"


def listing(telling: Telling) -> Finding:
    """Rows without numbers: how many where that was counted, and the first few by name."""
    table = telling.table
    first = telling.shape.categories[:1]
    second = telling.shape.categories[1:2]
    if second and is_full_name(first[0].column, second[0].column):
        first = (*first, *second)
    if telling.intent is None:
        first = telling.shape.categories  # a statement gives no column that was not asked for
    names = [telling.label(row, first) for row in range(min(_NAMED, table.rows.num_rows))]
    more = table.rows.num_rows > _NAMED
    shown = range(len(names)) if first else range(0)
    listed = stating(
        Stated("listed", table.digest, tuple(shown)),
        Prose.of(_commas(names), " and others") if more and first else joined(names),
    )
    if not first:
        listed = Prose.of("the rows")
    count = row_count(telling.story)
    if count is None:
        return Finding(listed, (Prose.of(_what(telling), telling.scope, ": ", listed),))
    noun = name_entities(telling.intent)
    spelled = singular(noun) if count.value == 1 else plural(noun)
    counted = stating(
        of_cells("count", count, of=Cell(table, 0, "")),
        telling.cell(count),
        " ",
        Quoted(spelled, Origin.QUESTION),
        telling.scope,
    )
    link = ", beginning with " if more else ": "
    begun = stating(Stated("listed", table.digest, tuple(shown)), link, listed)
    return Finding(Prose.of(counted, ": ", listed), (Prose.of(counted, begun),))


def name_entities(intent: Intent | None) -> str:
    """What one row stands for: a thing of the base table where it is named by one, else a row."""
    if intent is None or not intent.dimensions or intent.distinct or intent.deduplicate:
        return "rows"
    identity = intent.dimensions[0].identity
    named = identity is not None and identity.table == intent.base
    return readable_table(intent.base) if named else "rows"


def _what(telling: Telling) -> Prose:
    if not telling.shape.categories:
        return Prose.of("the rows")
    first, *rest = telling.shape.categories
    if rest and telling.intent is None and not is_full_name(first.column, rest[0].column):
        return Prose.of("the rows")
    if rest and is_full_name(first.column, rest[0].column):
        return Prose.of(
            Quoted("name" if telling.table.rows.num_rows == 1 else "names", Origin.NAME)
        )
    return Prose.of(Quoted(spoken(first.column), Origin.NAME))


def _commas(items: list[Prose]) -> Prose:
    return joined(items, last=", ")


def ranges(telling: Telling) -> Finding:
    """Raw numbers, as in a scatter plot or a histogram: from where to where they go."""
    counted = _counted(telling)
    if counted is not None:
        return counted
    numbers = telling.shape.numbers[:2]
    parts = [part for n in numbers if (part := _range(telling, n, first=n is numbers[0]))]
    if not parts:
        columns = tuple(number.column for number in numbers)
        stated = Stated("none", telling.table.digest, (), columns)
        nothing = stating(stated, "none of the rows holds a number")
        return Finding(nothing, (nothing,))
    sentences = [joined(parts)]
    sentences += [half] if len(numbers) == 1 and (half := _middle(telling, numbers[0])) else []
    related = _correlation(telling)
    return Finding(related or sentences[0], (*([related] if related else []), *sentences))


def _counted(telling: Telling) -> Finding | None:
    """How many values the engine counted in ranges; None of other answers."""
    intent = telling.intent
    if intent is None or telling.table.rows.column_names != [FROM, TO, ROWS]:
        return None
    rows = fact(telling.story, "rows")
    if rows is None:
        return None
    prose = stating(
        of_cells("value", rows),
        "the number of rows with a value",
        telling.scope,
        " is ",
        telling.cell(rows),
    )
    return Finding(prose, (prose,))


def _range(telling: Telling, number: Number, *, first: bool) -> Prose:
    order = ranked(telling.table, number.column)
    if not order.rows:
        return Prose()
    low, high = order.rows[-1], order.rows[0]
    verb = (
        " ranged from " if telling.scope else " range from " if number.plural else " ranges from "
    )
    unitless = replace(number, column=number.name, stated="")
    lowest = telling.cell(Cell(telling.table, low, number.column), unitless)
    scope = telling.scope if first else ""
    ends = (Cell(telling.table, row, number.column) for row in (low, high))
    return stating(
        of_cells("range", *ends),
        name_of(number),
        scope,
        verb,
        lowest,
        " to ",
        telling.value(high, number),
    )


def _middle(telling: Telling, number: Number) -> Prose:
    """Where the middle half of the values lies, if a step told the quartiles."""
    low, middle, high = (
        fact(telling.story, f"{which}{number.column}") for which in (LOWER, MEDIAN, UPPER)
    )
    if low is None or middle is None or high is None or low.value == high.value:
        return Prose()
    unitless = replace(number, column=number.name, stated="")
    past, lay = (" was ", " lay ") if telling.scope else (" is ", " lie ")
    behind = Cell(telling.table, 0, number.column)
    return stating(
        of_cells("quartiles", middle, low, high, of=behind),
        "the median",
        past,
        telling.cell(middle, number),
        "; half of the values",
        lay,
        "between ",
        telling.cell(low, unitless),
        " and ",
        telling.cell(high, number),
    )


def _correlation(telling: Telling) -> Prose:
    """What a profile of the same rows says of how two columns move together."""
    numbers = [n.column for n in telling.shape.numbers[:2]]
    if len(numbers) < 2:
        return Prose()
    pairs = {f"{numbers[0]} ~ {numbers[1]}", f"{numbers[1]} ~ {numbers[0]}"}
    for table in telling.story.tables.values():
        if not all(table.has(name) for name in ("column", "statistic", "value")):
            continue
        for row in range(table.rows.num_rows):
            if table.value(row, "column") not in pairs:
                continue
            value = table.value(row, "value")
            if table.value(row, "statistic") == "pearson" and value is not None:
                strength = _strength(value)
                names = [Prose.of(Quoted(name, Origin.NAME)) for name in numbers]
                cell = telling.cell(Cell(table, row, "value"))
                return stating(
                    of_cells("related", Cell(table, row, "value"), by="column"),
                    joined(names),
                    strength,
                    " (Pearson correlation ",
                    cell,
                    ")",
                )
    return Prose()


def _strength(value: float) -> str:
    # Cohen's conventional bounds for r: 0.1 small, 0.3 medium, 0.5 large.
    if abs(value) < 0.1:
        return " are hardly related"
    degree = "strongly" if abs(value) >= 0.5 else "moderately" if abs(value) >= 0.3 else "weakly"
    return f" rise together {degree}" if value > 0 else f" move against each other {degree}"


def profiled(telling: Telling) -> Finding:
    """What a profile says of the table, its gaps and its columns."""
    profile = _Profile(telling)
    sentences = [s for s in (profile.size(), profile.gaps()) if s]
    columns = profile.numeric_columns()
    sentences += [profile.column(name) for name in columns[:_MOST_PROFILED]]
    if not sentences:
        sentences = [Prose.of("the columns are described below")]
    return Finding(sentences[0], tuple(sentences[:3]))


class _Profile:
    """Look-ups in the tidy frame of profiler.analyze."""

    def __init__(self, telling: Telling) -> None:
        self._telling = telling
        self._table: EvidenceTable = telling.table
        names = self._table.rows.column("column").to_pylist()
        statistics = self._table.rows.column("statistic").to_pylist()
        base = telling.story.catalogue.table(telling.intent.base) if telling.intent else None
        ids = [c.name for c in base.columns if c.role is ColumnRole.ID] if base else []
        self._keys = frozenset(ids)
        self._rows = {key: row for row, key in enumerate(zip(names, statistics, strict=True))}

    def size(self) -> Prose:
        """Rows, columns and repeated rows of the table."""
        rows, columns = self._cell(WHOLE_TABLE, "rows"), self._cell(WHOLE_TABLE, "columns")
        if rows is None or columns is None:
            return Prose()
        repeated = self._cell(WHOLE_TABLE, "duplicate_rows")
        tail: list[Prose | str] = []
        if repeated is not None and repeated.value:
            word = " row repeats" if repeated.value == 1 else " rows repeat"
            tail = ["; ", self._describe_cell(repeated), f"{word} an earlier one"]
        base = self._telling.intent.base if self._telling.intent else ""
        subject = Quoted(readable_table(base), Origin.NAME) if base else "the data"
        cells = [rows, columns, *([repeated] if tail and repeated else [])]
        return stating(
            of_cells("profile", *cells),
            subject,
            " has ",
            self._describe_cell(rows),
            " row" if rows.value == 1 else " rows",
            " and ",
            self._describe_cell(columns),
            " column" if columns.value == 1 else " columns",
            *tail,
        )

    def gaps(self) -> Prose:
        """Which columns lack most values."""
        missing = [
            (self._table.value(row, "value") or 0, row, name)
            for (name, statistic), row in self._rows.items()
            if statistic == "nulls"
        ]
        missing = sorted((item for item in missing if item[0]), key=lambda item: -item[0])
        if not missing:
            return Prose()
        named = [
            Prose.of(
                Quoted(shortened(name), Origin.NAME),
                " (",
                self._describe_cell(Cell(self._table, row, "value")),
                ")",
            )
            for _, row, name in missing[:_NAMED]
        ]
        cells = (Cell(self._table, row, "value") for _, row, _ in missing[:_NAMED])
        words = "values are missing most in " if len(missing) > 1 else "values are missing in "
        return stating(of_cells("missing_most", *cells), words, joined(named))

    def numeric_columns(self) -> list[str]:
        """Columns whose mean says something: not ids, not years."""
        names = [name for name, statistic in self._rows if statistic == "mean"]
        return [name for name in names if not is_name(name) and name not in self._keys]

    def column(self, name: str) -> Prose:
        """Range, mean and median of a column."""
        ends = [
            (word, cell)
            for statistic, word in (("min", "from "), ("max", "to "))
            if (cell := self._cell(name, statistic)) is not None
        ]
        rest = [
            (word, cell)
            for statistic, word in (("mean", "mean "), ("p50", "median "))
            if (cell := self._cell(name, statistic)) is not None
        ]
        ends = ends if len(ends) == 2 else []
        subject = Prose.of(Quoted(shortened(name), Origin.NAME))
        stated = of_cells("profile", *(cell for _, cell in (*ends, *rest)))
        parts = [Prose.of(word, self._describe_cell(cell)) for word, cell in (*ends, *rest)]
        if not ends:
            return stating(stated, subject, ": ", joined(parts))
        rest_text = joined(parts[2:])
        return stating(stated, subject, " goes ", parts[0], " ", parts[1], ", ", rest_text)

    def _cell(self, column: str, statistic: str) -> Cell | None:
        row = self._rows.get((column, statistic))
        if row is None or self._table.value(row, "value") is None:
            return None
        return Cell(self._table, row, "value")

    def _describe_cell(self, cell: Cell) -> Prose:
        return self._telling.cell(cell)
