"""What was counted beside an answer: equals that its limit cut, rows that its joins left out."""

from __future__ import annotations

from mesh.text.spelling import shortened
from services.planner.domain.drafting.ties import TIED_PLACE, TIED_ROWS, TIES
from services.planner.domain.lexicon.normalise import readable_table
from services.planner.domain.lexicon.wording import plural, singular
from services.planner.domain.query.planning.rows_used import OF, USED, WITHOUT
from services.planner.domain.question import Deliverable
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.story import Story

_ALONE = "No chart is drawn: a single number has nothing to be compared with."


def remarks_beside(story: Story) -> tuple[str, ...]:
    """Sentences for the answer's caveats; none where nothing was cut or lost."""
    return (*_lost(story), *_tied(story), *_spelt(story), *_undrawn(story))


def _spelt(story: Story) -> tuple[str, ...]:
    """Names of the answer that differ by case and spaces alone, and so are likely one."""
    table, intent = story.answer, story.reading
    if table is None or intent is None or not intent.grouped:
        return ()
    for dimension in intent.dimensions:
        if dimension.grain is not None or not table.has(dimension.label):
            continue
        values = table.rows.column(dimension.label).to_pylist()
        names = dict.fromkeys(v for v in values if isinstance(v, str) and v.strip())
        first: dict[str, str] = {}
        for name in names:
            other = first.setdefault(" ".join(name.split()).casefold(), name)
            if other != name:
                pair = f'"{shortened(other)}" and "{shortened(name)}"'
                if shortened(other) == shortened(name):
                    pair += " with other spaces"
                return (f"Told apart, though spelt nearly alike: {pair} of {dimension.label}.",)
    return ()


def _undrawn(story: Story) -> tuple[str, ...]:
    """That a chart was asked for where no step draws one, because the answer is one number."""
    intent, wanted = story.reading, story.request.deliverables
    if intent is None or Deliverable.CHARTS not in wanted or intent.dimensions:
        return ()
    asked = intent.chart_named or set(wanted) == {Deliverable.CHARTS}
    return (_ALONE,) if asked and story.answer_rows == 1 else ()


def _tied(story: Story) -> tuple[str, ...]:
    table, intent = only_row(story, TIES), story.reading
    if table is None or intent is None or intent.limit is None:
        return ()
    place, rows = table.value(0, TIED_PLACE), table.value(0, TIED_ROWS)
    if place is None or place + rows - 1 <= intent.limit + intent.offset:
        return ()
    shown = intent.limit + intent.offset - max(place - 1, intent.offset)
    text = "1 is" if shown == 1 else f"{shown:,} are"
    return (f"{rows:,} tie for {_ordinal(place)} place, of which {text} shown.",)


def _lost(story: Story) -> tuple[str, ...]:
    table = only_row(story, USED)
    if table is None:
        return ()
    first, *others = table.rows.column_names
    others = [name for name in others if name.startswith(WITHOUT)]
    total, entities = table.value(0, first), readable_table(first.removeprefix(OF))
    texts = []
    for name in others:
        lost = table.value(0, name)
        if lost:
            have, are = ("has", "is") if lost == 1 else ("have", "are")
            of = f"{lost:,} of {total:,} {plural(entities) if total != 1 else singular(entities)}"
            missing = singular(readable_table(name.removeprefix(WITHOUT)))
            texts.append(f"{of} {have} no {missing}{_where(story, name)} and {are} left out.")
    return tuple(texts)


def _where(story: Story, name: str) -> str:
    """Where a partner was looked for, if rows have a value of that name which is not there."""
    table = name.removeprefix(WITHOUT)
    relations = story.reading.joins if story.reading is not None else ()
    for one in relations:
        ends = (one.left, one.right) if one.right.table == table else (one.right, one.left)
        column = story.catalogue.table(ends[0].table)
        found = column.column(ends[0].column) if column is not None else None
        if ends[1].table == table and found is not None and not found.nulls:
            return f" in {table}"
    return ""


def only_row(story: Story, task_id: str) -> EvidenceTable | None:
    """The frame of a step that gives one row; None where it did not run or gave none."""
    table = story.tables.get(task_id)
    return table if table is not None and table.rows.num_rows == 1 else None


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 not in (11, 12, 13) else 0)
    return f"{number:,}{ending or 'th'}"
