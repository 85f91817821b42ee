"""Sentences about what a person's own statement gave, or a tool elsewhere: how many rows, or its
one number."""

from __future__ import annotations

from dataclasses import replace

from mesh.proof.assertions import Stated
from services.planner.domain.answer import EmptyReason
from services.planner.domain.reporting.cells import Cell, finite, row_count
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.prose import Origin, Prose, Quoted, capital
from services.planner.domain.reporting.stating import of_cells, stating
from services.planner.domain.reporting.story import Narration, Speaker, Story


def describe_statement(story: Story, speaker: Speaker) -> Narration:
    """What came of it. What it means is known to who wrote it, so no more is said."""
    if story.answer_rows == 0:
        empty = Stated("empty", story.answer_digest)
        prose = stating(empty, "No rows: your statement matches nothing")
        if story.elsewhere:
            prose = Prose.of(stating(empty, "No rows"), _of(story))
        return Narration(prose, Prose.of(prose, "."), EmptyReason.NO_ROWS)
    prose = _single(story.answer, speaker) or capital(_counted(story, speaker))
    return Narration(prose, Prose.of(prose, "."))


def _single(table: EvidenceTable | None, speaker: Speaker) -> Prose | None:
    """The one number of a result that is nothing else."""
    if table is None or (table.rows.num_rows, table.rows.num_columns) != (1, 1):
        return None
    column = table.rows.column_names[0]
    if not finite(table.value(0, column)):
        return None
    cell = Cell(table, 0, column)
    number = speaker.number(table, 0, column)
    return stating(of_cells("value", cell), Quoted(column, Origin.NAME), " is ", number)


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
