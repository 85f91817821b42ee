"""Splitting by time: by a unit of the main date, of the date that is named, or of none named."""

from __future__ import annotations

from itertools import pairwise

from services.planner.domain.catalogue import DataType
from services.planner.domain.language.conditions.conditions import is_comparison
from services.planner.domain.language.dimensions.merging import add_dimension
from services.planner.domain.language.parsing.compared_periods import split_by_periods
from services.planner.domain.language.parsing.roles import is_text
from services.planner.domain.language.work import Work, field_of, only_counted
from services.planner.domain.lexicon.normalise import name_words
from services.planner.domain.lexicon.wording import worded
from services.planner.domain.query.intent import ChartType, Dimension, Field, Grain
from services.planner.domain.reader.times.dates import main_date, time_axis

_DATES = (DataType.DATE, DataType.DATETIME)
_BY = (["per"], ["by"], ["each"], ["in", "each"], ["every"])
_OF = (["of"], ["of", "the"], ["of", "their"])


def split_by_time(work: Work) -> None:
    """Adds the time that a question speaks of without naming a unit: periods, years, an axis."""
    draft = work.draft
    split_by_periods(work)
    if _compares_years(work) and not any(d.grain or d.periods for d in draft.dimensions):
        add_dimension(work, time_dimension(work, Grain.YEAR))
    if _only_over_time(work) or _over_time(work):
        add_time(work)


def dates_of_units(work: Work) -> dict[int, Field]:
    """Units of time next to a date: "by hire year", "orders shipped by month".

    The date is then no group of its own.
    """
    scene, parts = work.scene, work.parts
    found: dict[int, Field] = {}
    for index in [*parts.groups, *parts.targets]:
        mention = scene.mentions[index]
        if mention.chosen.kind != "grain":
            continue
        beside = _date_beside(work, index)
        if beside is not None:
            found[index] = field_of(scene.mentions[beside])
            scene.roles[beside] = "dated"
            for part in (parts.groups, parts.targets, parts.series):
                part[:] = [place for place in part if place != beside]
        elif (said := _date_said(work, mention.first)) is not None:
            found[index] = said
        if index in found and index in parts.targets:
            parts.targets.remove(index)
            parts.groups.append(index)
            scene.roles[index] = "group"
    return found


def _date_beside(work: Work, index: int) -> int | None:
    """The mention of a date right before a unit of time, or after an "of"."""
    scene, mention = work.scene, work.mention(index)
    for other in (index - 1, index + 1):
        if not 0 <= other < len(scene.mentions) or not _is_date(work, other):
            continue
        beside = scene.mentions[other]
        gap = scene.words(beside.last, mention.first)
        verb = beside.phrase.lower().endswith("ed") and gap in _BY
        if other < index and (not gap or verb):
            return other
        if other > index and scene.words(mention.last, beside.first) in _OF:
            return other
    return None


def _date_said(work: Work, first: int) -> Field | None:
    """The date that a word before a unit of time names in part: "by shipped month"."""
    tokens = work.scene.tokens
    split = [work.scene.words(first - size, first) for size in (1, 2)]
    after_verb = next((len(words) for words in split if words in _BY), 0)
    place = first - 1 - after_verb
    table = work.catalogue.table(work.draft.base)
    if place < 0 or table is None or (after_verb and not tokens[place].lower.endswith("ed")):
        return None
    for column in table.columns:
        words = set(name_words(column.name)) - set(name_words(table.name)) - {"date", "time"}
        if column.data_type in _DATES and tokens[place].stem in words:
            tokens[place].used = tokens[place].used or "time"
            return Field(table=table.name, column=column.name)
    return None


def _is_date(work: Work, index: int) -> bool:
    mention = work.mention(index)
    column = work.scene.column(mention)
    dated = column is not None and column.data_type in _DATES
    return dated and mention.chosen.kind == "column"


def time_dimension(work: Work, grain: Grain) -> Dimension | None:
    """A unit of the date that the rows belong to; None where they have none."""
    found = main_date(
        work.catalogue,
        work.graph,
        work.draft.base,
        work.date_stems(),
        counted=only_counted(work.draft),
    )
    label = grain.value.replace("_", " ")
    return Dimension(expression=found, label=label, grain=grain) if found else None


def _compares_years(work: Work) -> bool:
    """ "Compare revenue in 1996 and 1997": the years are told apart."""
    return is_comparison(work.scene) and any(len(span.years) > 1 for span in work.wishes.spans)


def _only_over_time(work: Work) -> bool:
    """ "Temperature over time", "the trend of orders": nothing else to split by is named."""
    texts = [i for i in work.parts.targets if is_text(work.scene, work.mention(i))]
    wish = work.wishes.chart
    return wish.chart is ChartType.LINE and not (work.draft.dimensions or texts)


def _over_time(work: Work) -> bool:
    """ "Life expectancy over time by continent": time, and a line for each continent."""
    tokens = work.scene.tokens
    said = any(
        (one.lower, other.lower, one.used) == ("over", "time", "chart")
        for one, other in pairwise(tokens)
    )
    timed = [d for d in work.draft.dimensions if d.grain or d.periods or holds_years(work, d)]
    return said and not timed


def holds_years(work: Work, dimension: Dimension) -> bool:
    """Whether a dimension is a column of years."""
    column = work.column(dimension.expression) if isinstance(dimension.expression, Field) else None
    return column is not None and "year" in name_words(column.name)


def add_time(work: Work, wanted: Grain | None = None) -> None:
    """Splits by time, by the unit that is wanted or that suits the dates."""
    counted = only_counted(work.draft)
    found = time_axis(work.catalogue, work.graph, work.draft.base, counted=counted)
    if found is None:
        return
    target, grain = found
    grain = wanted if grain is not None and wanted is not None else grain
    label = grain.value if grain is not None else worded(target.column)
    work.over_time = True
    work.draft.dimensions.append(Dimension(expression=target, label=label, grain=grain))
