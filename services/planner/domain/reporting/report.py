"""What a report holds before any format: sections whose numbers say where they are from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from mesh import sureness
from mesh.remarks import changes_reading, in_doubt
from services.planner.domain.calls import Artifact, Observation, ToolCall
from services.planner.domain.model_use import ModelUse, took_of_model
from services.planner.domain.plan import FURTHER
from services.planner.domain.question import Deliverable
from services.planner.domain.reading import ReadDecision, in_words
from services.planner.domain.reporting.blocks import (
    Block,
    Bullets,
    ClaimList,
    Code,
    Paragraph,
    Picture,
    Section,
)
from services.planner.domain.reporting.evidence import ClaimBook, EvidenceTable
from services.planner.domain.reporting.grid import grid_of
from services.planner.domain.reporting.proceedings import proceedings
from services.planner.domain.reporting.proposed import proposed_in_words
from services.planner.domain.reporting.prose import Ledger, Origin, Prose, Quoted
from services.planner.domain.reporting.record import JobRecord
from services.planner.domain.reporting.story import Narration, Story
from services.planner.domain.statements.readable import statement_of

MOST_ROWS_SHOWN = 15
_SO_SURE = {
    "medium": (f"{sureness.describe_level('medium')}, not sure", "."),
    "low": (sureness.describe_level("low"), ": see how it was understood."),
}
"""How what is not sure is told, and how that ends where no doubt says more."""
# So many rows are shown in full: leaving out a few would save no more than it hides.
NOT_CUT = 25


@dataclass(frozen=True)
class Report:
    """Everything a report tells: the job's record, the words, and the frames behind them.

    `calls` and `observations` belong together by position; `chart_bytes` is the content of
    `chart`, empty without one. `planned_by` is "rules" or a model's name; `model_use` is what all
    decisions of the job took, `source` which data the answer is of.
    """

    job: JobRecord
    narration: Narration
    story: Story
    book: ClaimBook
    caveats: tuple[str, ...] = ()
    decisions: tuple[ReadDecision, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    observations: tuple[Observation, ...] = ()
    chart: Artifact | None = None
    chart_bytes: bytes = b""
    planned_by: str = "rules"
    confidence: str = "high"
    model_use: ModelUse | None = None
    source: Prose | None = None

    @cached_property
    def ledger(self) -> Ledger:
        """What a renderer holds every piece of prose against."""
        story = self.story
        names = [part for table in story.catalogue.tables for part in _names(table.name, table)]
        names += [name for table in story.tables.values() for name in table.rows.column_names]
        names += [
            str(v)
            for t in story.tables.values()
            for column in ("about", "statistic", "text")
            if t.has(column)
            for v in t.rows.column(column).to_pylist()
        ]
        names += [
            str(v)
            for t in story.tables.values()
            if t.has("column")
            for v in t.rows.column("column").to_pylist()
        ]
        return Ledger(
            claims=self.book.claims,
            tables=story.tables,
            question="\n".join(
                (
                    story.request.question,
                    *story.request.corrections,
                    story.understood,
                    self.job.reply,
                    str(story.intent),
                )
            ),
            names="\n".join([*names, str(story.intent)]),
        )

    def sections(self) -> tuple[Section, ...]:
        """The report's parts in order; a part with nothing to tell is left out.

        Caveats without which the answer would be read wrongly come right behind it, before its
        chart; then which data it is of.
        """
        caveats = Section("Caveats", self._caveats())
        first = any(map(changes_reading, self.caveats))
        # The opening is the answer and nothing else: a verifier holds it against what was recorded.
        parts = (
            Section("", (Paragraph(self.narration.answer), *(() if first else self._picture()))),
            *((caveats, Section("Chart", self._picture())) if first else ()),
            Section("Source", (*self._doubt(), *self._source())),
            Section("How it was understood", self._understood()),
            Section("Table", self._table()),
            Section("Further results", tuple(self._further())),
            Section("How it was computed", proceedings(self.job, self.calls, self.observations)),
            Section("How the data was read", self._read()),
            *(() if first else (caveats,)),
            Section("Claims", self._claims()),
            Section("Proof", self._proof()),
        )
        return tuple(part for part in parts if part.blocks)

    def _doubt(self) -> tuple[Block, ...]:
        """How sure the answer is, where it is not, and what the doubt is of."""
        if self.confidence not in _SO_SURE:
            return ()
        (sentence, end), of = _SO_SURE[self.confidence], in_doubt(self.caveats)
        if of:
            text = f"This answer is {sentence}: {'; '.join(of)}. See the caveats."
        else:
            text = f"This reading of the question is {sentence}{end}"
        return (Paragraph(_record_prose(text), small=True),)

    def _source(self) -> tuple[Block, ...]:
        """What the answer is of, and the query that gave it."""
        call = next((c for c in self.calls if c.task_id == self.story.answer_task), None)
        statement = statement_of(call.tool_name, call.arguments) if call is not None else None
        lines: list[Block] = (
            [Paragraph(Prose.of("Data: ", self.source), small=True)] if self.source else []
        )
        if statement is not None:
            lines.append(Code(statement.readable, "sql", folded="SQL of the answer"))
        return tuple(lines)

    def _picture(self) -> tuple[Block, ...]:
        if self.chart is None:
            return ()
        return (Picture(self.chart, self.chart_bytes, self.narration.headline),)

    def _table(self) -> tuple[Block, ...]:
        if self.narration.empty_reason is not None:
            return ()
        table = self._shown_table()
        return self._render_table(table, "result.csv") if table is not None else ()

    def _further(self) -> Iterator[Block]:
        """The tables of further results, each beneath its title."""
        for task in self.job.plan.draft.subtasks if self.job.plan is not None else ():
            table = self.story.tables.get(task.task_id)
            if task.task_id.startswith(FURTHER) and table is not None:
                yield Paragraph(_record_prose(task.description))
                yield from self._render_table(table, f"{task.task_id}.csv")

    def _render_table(self, table: EvidenceTable, file: str) -> tuple[Block, ...]:
        """The first rows of a table, and where the others are."""
        where = file if Deliverable.TABLES in self.story.request.deliverables else "the frame"
        most = NOT_CUT if table.rows.num_rows <= NOT_CUT else MOST_ROWS_SHOWN
        grid = grid_of(table, self.story.reading, most, self.story.catalogue, self.story.columns)
        more = table.rows.num_rows - len(grid.rows)
        left: list[Prose | Quoted | str] = []
        if more:
            left = [_record(f"{more:,} more {'row' if more == 1 else 'rows'} in {where}. ")]
        if grid.hidden_columns:
            left.append(_record(f"{grid.hidden_columns:,} more columns there. "))
        source = Prose.of(
            *left,
            "One claim for the whole table: its cells are those of frame ",
            _record(table.digest[:12]),
            ", made by step ",
            Quoted(table.task_id, Origin.NAME)
            if not _digit(table.task_id)
            else _record(table.task_id),
            " in call ",
            _record(table.call_id[:8]),
            ".",
        )
        return (grid, Paragraph(source, small=True))

    def _shown_table(self) -> EvidenceTable | None:
        display = self.story.tables.get(self.narration.display_task)
        return display if display is not None else self.story.answer

    def _understood(self) -> tuple[Block, ...]:
        asked = Prose.of("Asked: ", Quoted(self.story.request.question, Origin.QUESTION))
        who = "the built-in rules" if self.planned_by == "rules" else self.planned_by
        took = took_of_model(self.model_use)
        sure = sureness.describe_level(self.confidence)
        planned = Prose.of(
            "Planned by ",
            _record(who),
            f", told as {sure}",
            "; " if took else "",
            _record(took),
            ".",
        )
        if not self.story.understood:
            return (Paragraph(asked), Paragraph(planned), *self._proposed())
        read = Prose.of("Understood as: ", Quoted(self.story.understood, Origin.QUESTION))
        return (Paragraph(asked), Paragraph(read), Paragraph(planned), *self._proposed())

    def _proposed(self) -> tuple[Block, ...]:
        """What each word became in the statement, what a row is, and who else answers so."""
        texts = proposed_in_words(self.job.plan.proposal if self.job.plan else None)
        return (Bullets(tuple(map(_record_prose, texts))),) if texts else ()

    def _read(self) -> tuple[Block, ...]:
        prose = tuple(Prose.of(_record(sentence)) for sentence in in_words(self.decisions))
        return (Bullets(prose),) if prose else ()

    def _caveats(self) -> tuple[Block, ...]:
        prose = tuple(_record_prose(caveat) for caveat in self.caveats)
        return (Bullets(prose),) if prose else ()

    def _claims(self) -> tuple[Block, ...]:
        return (ClaimList(self.book.claims),) if self.book.claims else ()

    def _proof(self) -> tuple[Block, ...]:
        job = self.job
        count = len(self.book.claims)
        numbers = f"{count:,} {'number' if count == 1 else 'numbers'} cited"
        # Not when it was written: whoever takes the job over must write the same report.
        asked = job.created_at.strftime("%Y-%m-%d %H:%M:%S %Z").strip()
        line = Prose.of(
            "Job ",
            _record(job.job_id),
            " · ",
            _record(numbers),
            " · asked ",
            _record(asked),
            ". To check the record, the files and every number:",
        )
        return (Paragraph(line), Code(f"assay verify {job.job_id[:8]}", "sh"))


def _names(name: str, table: object) -> list[str]:
    columns = getattr(table, "columns", ())
    return [
        name,
        *(column.name for column in columns),
        *(sample for column in columns for sample in column.samples),
    ]


def _record_prose(text: str) -> Prose:
    return Prose.of(_record(text))


def _record(text: str) -> Quoted:
    return Quoted(text, Origin.RECORD)


def _digit(text: str) -> bool:
    return any(character.isdigit() for character in text)
