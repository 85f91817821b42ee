"""Sentences about what a person's own statement gave, or a tool elsewhere: the numbers of its one
row, or how many rows of which columns, and how far its one measure ranges."""

from __future__ import annotations

from dataclasses import replace

from mesh.proof.assertions import Stated
from services.planner.domain.answer import EmptyReason
from services.planner.domain.reporting.cells import Cell, finite, ranked, row_count
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.prose import Origin, Prose, Quoted, capital
from services.planner.domain.reporting.stating import of_cells, stating
from services.planner.domain.reporting.story import Narration, Speaker, Story
from services.planner.domain.reporting.telling import between

_MOST_NUMBERS = 4
_MOST_NAMED, _LONGEST = 6, 100


def describe_statement(story: Story, speaker: Speaker) -> Narration:
    """What came of it. What it means is known to who wrote it, so no more is said."""
    if story.answer_rows == 0:
        empty = Stated("empty", story.answer_digest)
        prose = stating(empty, "No rows: your statement matches nothing")
        if story.elsewhere:
            prose = Prose.of(stating(empty, "No rows"), _of(story))
        return Narration(prose, Prose.of(prose, "."), EmptyReason.NO_ROWS)
    if numbers := _single(story.answer, speaker):
        return Narration(numbers, Prose.of(numbers, "."))
    prose = Prose.of(capital(_counted(story, speaker)), _columns(story))
    span = _range(story, speaker)
    return Narration(prose, Prose.of(prose, ". ", span, ".") if span else Prose.of(prose, "."))


def _single(table: EvidenceTable | None, speaker: Speaker) -> Prose | None:
    """The numbers of a result that is one row of a few, and nothing else."""
    if table is None or table.rows.num_rows != 1 or table.rows.num_columns > _MOST_NUMBERS:
        return None
    names = table.rows.column_names
    if not names or not all(finite(table.value(0, name)) for name in names):
        return None
    told = [
        stating(
            of_cells("value", Cell(table, 0, name)),
            Quoted(name, Origin.NAME),
            " is ",
            speaker.number(table, 0, name),
        )
        for name in names
    ]
    return capital(Prose.of(*between(told, ", ")))


def _columns(story: Story) -> Prose:
    """What the rows hold, where that is said in a few words."""
    names = story.answer.rows.column_names if story.answer is not None else []
    if not 0 < len(names) <= _MOST_NAMED or sum(map(len, names)) > _LONGEST:
        return Prose()
    return Prose.of(": ", *between([Prose.of(Quoted(one, Origin.NAME)) for one in names], ", "))


def _range(story: Story, speaker: Speaker) -> Prose:
    """From where to where the one measure goes; nothing where there are several, or none."""
    measures = [one.name for one in story.columns if one.role == "measure"]
    table = story.answer
    if table is None or len(measures) != 1 or measures[0] not in table.rows.column_names:
        return Prose()
    [name] = measures
    order = ranked(table, name)
    if order.level:
        return Prose()
    ends = [Cell(table, row, name) for row in (order.rows[-1], order.rows[0])]
    low, high = (speaker.number(table, one.row, name) for one in ends)
    quoted = Prose.of(Quoted(name, Origin.NAME))
    return stating(of_cells("range", *ends), capital(quoted), " ranges from ", low, " to ", high)


def _counted(story: Story, speaker: Speaker) -> Prose:
    count = row_count(story)
    if count is None:
        return Prose.of("the rows", _of(story))
    stated = replace(of_cells("count", count), of_digest=story.answer_digest)
    rows = " row" if count.value == 1 else " rows"
    number = speaker.number(count.table, count.row, count.column)
    return Prose.of(stating(stated, number, rows), _of(story))


def _of(story: Story) -> Prose:
    if story.elsewhere:
        return Prose.of(" of ", Quoted(story.elsewhere, Origin.NAME))
    return Prose.of(" of your statement")
