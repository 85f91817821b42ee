"""An answer in words. Narration never computes: every number is read from a cell and cited."""

from __future__ import annotations

from dataclasses import replace

from mesh.proof.assertions import TEXT, TITLE, Stated
from services.planner.domain.answer import EmptyReason
from services.planner.domain.drafting.spread import LOWER, MEDIAN, UPPER
from services.planner.domain.lexicon.normalise import readable_table
from services.planner.domain.query.intent import Calculation
from services.planner.domain.reporting.associated import describe_association
from services.planner.domain.reporting.cells import Cell, fact, row_count, total_of
from services.planner.domain.reporting.cohort_text import describe_cohorts, tells_cohorts
from services.planner.domain.reporting.evidence import ClaimBook, EvidenceTable
from services.planner.domain.reporting.figure_text import describe_figures, is_figures
from services.planner.domain.reporting.formats import formats_of
from services.planner.domain.reporting.listings import listing, profiled, ranges
from services.planner.domain.reporting.model_sentences import held
from services.planner.domain.reporting.over_time import over_time
from services.planner.domain.reporting.period_text import describe_difference, describe_periods
from services.planner.domain.reporting.prose import Cited, Origin, Prose, Quoted, capital
from services.planner.domain.reporting.scope import closest_values, condition_words
from services.planner.domain.reporting.secondary_counts import remarks_beside
from services.planner.domain.reporting.sentences import (
    by_category,
    single_row,
    single_value,
)
from services.planner.domain.reporting.shape import Shape, is_profile, shape_of
from services.planner.domain.reporting.statement_text import describe_statement
from services.planner.domain.reporting.stating import check_stated, of_cells, stating
from services.planner.domain.reporting.story import Narration, Speaker, Story
from services.planner.domain.reporting.telling import Finding, Telling
from services.planner.domain.reporting.test_text import beside, describe_test, is_test
from services.planner.domain.tongues import ENGLISH, language_of

__all__ = ["Narration", "Story", "narrate", "narrate_unstated"]

# Nothing comes before the first period, so it has no growth: that is no gap.
_FIRST_HAS_NONE = (Calculation.GROWTH, Calculation.CHANGE, Calculation.MOVING_AVERAGE)
_DISPLAY_TASK = "shape"
_UNSTATED = "No sentence about this result passed the check of words against cells; read the table."


def narrate(story: Story, book: ClaimBook) -> Narration:
    """The finding and one to three sentences; what they cite is added to `book`.

    Raises UnstatedError for words that the frames do not bear out: that would be a fault of ours.
    """
    narration = _narrated(story, book)
    for place, prose in ((TITLE, narration.headline), (TEXT, narration.answer)):
        check_stated(prose, place, book.claims, story.tables)
    return narration


def narrate_unstated(story: Story) -> Narration:
    """What is said where `narrate` raises UnstatedError: no number, so nothing that is not so."""
    where = Prose.of("The result is in the table")
    display = _display(story)
    return Narration(
        where,
        Prose.of(where, " below."),
        display_task=display,
        caveats=(_UNSTATED,),
        formats=_formats(story, display),
    )


def _narrated(story: Story, book: ClaimBook) -> Narration:
    table, speaker = story.answer, Speaker(book)
    tested = table is not None and is_test(table)
    if (story.request.statement and story.reading is None and not tested) or story.elsewhere:
        return describe_statement(story, speaker)
    if story.answer_rows == 0:
        return _no_rows(story)
    if table is None:
        return _too_long(story, speaker)
    if _nothing_but_nulls(story, table):
        return _no_values(story, table)
    telling = Telling(story, speaker, table, _shape(story, table))
    finding = _narrate_with_test(telling)
    tidy = is_profile(table) or is_test(table)
    finding, left_out = _with_model(telling, finding)
    display = _display(story)
    narration = Narration(
        capital(finding.headline),
        finding.text,
        display_task=display,
        formats=_formats(story, display),
    )
    return (
        replace(narration, caveats=(*describe_association(story), *left_out))
        if tidy
        else replace(
            narration,
            caveats=(
                *describe_association(story),
                *remarks_beside(story),
                *_nameless(telling),
                *left_out,
            ),
            gaps=_gaps(telling),
        )
    )


def _with_model(telling: Telling, finding: Finding) -> tuple[Finding, tuple[str, ...]]:
    """The answer with the sentences of a model that hold, and how many do not. They stand beside
    ours; before them where the question is not in English, as ours are."""
    story = telling.story
    if not story.sentences:
        return finding, ()
    foreign = language_of(story.request.question) != ENGLISH
    held_up, left = held(telling, story.sentences, prose=finding.text, again=foreign)
    sentences = (*held_up, *finding.sentences) if foreign else (*finding.sentences, *held_up)
    every = len(story.sentences)
    count = f"{left} of {every} sentences" if every > 1 else "A sentence"
    note = f"{count} that the language model wrote did not pass the check of words against cells."
    return Finding(finding.headline, sentences), (note,) if left else ()


def _narrate_with_test(telling: Telling) -> Finding:
    """The answer told; of a test beside it, what that found comes first."""
    tested, finding = beside(telling), _narrate_statement(telling)
    if tested is None:
        return finding
    return Finding(tested.headline, (*tested.sentences, *finding.sentences[:1]))


def _narrate_statement(telling: Telling) -> Finding:
    if is_profile(telling.table):
        return profiled(telling)
    if is_figures(telling.table):
        return describe_figures(telling)
    if is_test(telling.table):
        return describe_test(telling)
    intent = telling.intent
    if intent is not None and intent.cohort is not None and tells_cohorts(intent):
        return describe_cohorts(telling, intent, intent.cohort)
    if intent is not None:
        compared = describe_difference(telling, intent) or describe_periods(telling, intent)
        if compared is not None:
            return compared
    shape, rows = telling.shape, telling.table.rows.num_rows
    if not shape.numbers:
        return listing(telling)
    if rows == 1:
        return single_row(telling) if shape.categories else single_value(telling)
    if not shape.categories or (shape.raw and len(shape.numbers) > 1):
        return ranges(telling)
    total = total_of(telling.story, shape.numbers[0])
    if shape.time is not None:
        return over_time(telling, shape.time, total)
    return by_category(telling, total)


def _shape(story: Story, table: EvidenceTable) -> Shape:
    return shape_of(table, story.reading, story.catalogue, story.columns)


def _formats(story: Story, display: str) -> dict[str, str]:
    shown = [story.answer, story.tables.get(display)]
    known = story.catalogue
    formats = [
        formats_of(table, story.reading, known, story.columns)
        for table in shown
        if table is not None
    ]
    return {name: how for found in formats for name, how in found.items()}


def _display(story: Story) -> str:
    shaped = story.answer_task != _DISPLAY_TASK and _DISPLAY_TASK in story.tables
    return _DISPLAY_TASK if shaped else ""


def _nothing_but_nulls(story: Story, table: EvidenceTable) -> bool:
    """Whether every measured number (every cell, where nothing is measured) is null."""
    numbers = [number.column for number in _shape(story, table).numbers]
    names = numbers or table.rows.column_names
    return all(table.rows.column(name).null_count == table.rows.num_rows for name in names)


def _no_rows(story: Story) -> Narration:
    intent = story.reading
    what = Quoted(readable_table(intent.base), Origin.NAME) if intent else "the data"
    conditions = condition_words(intent)
    tail = Prose.of(" matches ", conditions) if conditions else Prose.of(" is left")
    stated = Stated("empty", story.answer.digest if story.answer else story.answer_digest)
    closest = closest_values(intent, story.catalogue)
    headline = stating(stated, "Nothing in ", what, tail)
    text = stating(stated, "No rows: nothing in ", what, tail, closest, ".")
    return Narration(headline, text, EmptyReason.NO_ROWS)


def _no_values(story: Story, table: EvidenceTable) -> Narration:
    intent = story.reading
    names = [number.column for number in _shape(story, table).numbers]
    what = Quoted((names or table.rows.column_names)[0].replace("_", " "), Origin.NAME)
    conditions = condition_words(intent)
    tail = Prose.of(" for rows that match ", conditions) if conditions else Prose()
    closest = closest_values(intent, story.catalogue)
    stated = Stated("none", table.digest, (), tuple(names or table.rows.column_names))
    headline = stating(stated, "There is no ", what, tail)
    text = stating(stated, "No rows: there is no ", what, tail, closest, ".")
    return Narration(headline, text, EmptyReason.NO_ROWS)


def _too_long(story: Story, speaker: Speaker) -> Narration:
    """What the facts say of a result too large to be read: how many rows, and the highest."""
    count = row_count(story)
    digest = story.answer_digest
    of_all = Stated("too_long", digest)
    headline = stating(of_all, "The result is too long to be read out")
    if count is not None:
        counted = replace(of_cells("count", count), of_digest=digest)
        headline = stating(counted, "The result has ", _cited(speaker, count), " rows")
    rest = stating(of_all, "; all of them are in the table's file.")
    sentences: list[Prose | str] = [headline, rest]
    # Of the first rows in some order, which a limit let through, no extreme is one of all.
    cut = story.answer_rows >= story.request.constraints.row_limit
    for measure in story.reading.measures[:1] if story.reading and not cut else ():
        name = Quoted(measure.label, Origin.NAME)
        high = fact(story, f"highest {measure.label}")
        low = fact(story, f"lowest {measure.label}")
        if high is not None and low is not None:
            ends = (_cited(speaker, low), " to ", _cited(speaker, high))
            stated = replace(
                of_cells("range", low, high), of_digest=digest, of_column=measure.label
            )
            sentences += [
                " ",
                stating(stated, capital(Prose.of(name)), " ranges from ", *ends, "."),
            ]
        cells = [fact(story, f"{which}{measure.label}") for which in (MEDIAN, LOWER, UPPER)]
        middle, lower, upper = (_cited(speaker, cell) if cell else None for cell in cells)
        if middle and lower and upper:
            half = ("; half of the values lie between ", lower, " and ", upper, ".")
            stated = replace(
                of_cells("quartiles", *(c for c in cells if c)),
                of_digest=digest,
                of_column=measure.label,
            )
            sentences += [" ", stating(stated, "The median of ", name, " is ", middle, *half)]
    return Narration(headline, Prose.of(*sentences))


def _cited(speaker: Speaker, cell: Cell) -> Cited:
    return speaker.number(cell.table, cell.row, cell.column)


def _nameless(telling: Telling) -> tuple[str, ...]:
    """What has a number but no name or time, as a caveat."""
    for category in telling.shape.categories[:1] if telling.shape.numbers else ():
        names = telling.table.rows.column(category.column).to_pylist()
        named = [value not in (None, "") for value in names]
        if any(named) and not all(named):
            name = category.column.replace("_", " ")
            return (f"Rows that have no {name} count neither as highest nor as lowest.",)
    return ()


def _gaps(telling: Telling) -> tuple[str, ...]:
    """Numbers that are missing in some rows, as caveats."""
    rows = telling.table.rows
    texts = []
    for number in telling.shape.numbers:
        missing = rows.column(number.column).null_count
        if missing and number.calculation not in _FIRST_HAS_NONE:
            has, counts = ("has", "counts") if missing == 1 else ("have", "count")
            of = f"{missing:,} of {rows.num_rows:,} {'row' if rows.num_rows == 1 else 'rows'}"
            texts.append(
                f"{of} {has} no {number.name} and {counts} neither as highest nor as lowest."
            )
    return tuple(texts)
