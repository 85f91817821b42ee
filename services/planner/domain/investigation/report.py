"""The report of an investigation: its sections (seed 002), as blocks that renderers know.

It opens with the answer and its charts, and with nothing else: a verifier holds both, letter by
letter, against what was recorded. Then come the sections in the order that the specification gives:
header, data model, analysis performed, explanations, next steps, footer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from services.planner.domain.investigation.cited_sentences import label, recorded
from services.planner.domain.investigation.explaining import ExplanationText
from services.planner.domain.investigation.found import ended, statistics_of
from services.planner.domain.investigation.iteration import FindingsLedger
from services.planner.domain.investigation.leaves.reporting import OF_LEAVES, describe_columns
from services.planner.domain.investigation.next_steps import next_steps
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.investigation.proceedings import looked_into, settled, was_searched
from services.planner.domain.investigation.state import Grounded, Investigation
from services.planner.domain.investigation.telling import is_unusual
from services.planner.domain.investigation.wording import counted, days_called, words_of_name
from services.planner.domain.reporting.blocks import (
    Block,
    Bullets,
    ClaimList,
    Grid,
    Paragraph,
    Picture,
    Section,
    StepText,
)
from services.planner.domain.reporting.evidence import ClaimBook, EvidenceTable
from services.planner.domain.reporting.prose import Ledger, Prose


@dataclass(frozen=True)
class Narrated:
    """What a renderer calls the narration: a title."""

    headline: Prose


@dataclass(frozen=True)
class InvestigationReport:
    """Everything the report tells. `answer` is the whole answer, `compared` what is said of the
    whole beside it, `methods` of how chance was seen; `pictures` are charts with their bytes;
    `habits` tells what moved no further than between earlier periods, `contributions` what each
    dimension adds where nothing stands out."""

    job_id: str
    headline: Prose
    answer: Prose
    compared: Sequence[Prose]
    grounded: Grounded
    state: Investigation
    ledger_of_findings: FindingsLedger
    explanations: Sequence[ExplanationText]
    caveats: Sequence[str]
    book: ClaimBook
    tables: Mapping[str, EvidenceTable]
    generated_at: datetime
    methods: Sequence[str] = ()
    pictures: Sequence[Picture] = field(default=())
    habits: Sequence[Prose] = ()
    contributions: Sequence[Prose] = ()

    @property
    def narration(self) -> Narrated:
        """The title, as renderers ask for it."""
        return Narrated(self.headline)

    @cached_property
    def ledger(self) -> Ledger:
        """What a renderer holds every piece of prose against."""
        return Ledger(self.book.claims, self.tables, self.grounded.ground.label, "")

    def sections(self) -> tuple[Section, ...]:
        """The sections in order; those that have nothing to say are left out."""
        caveats = tuple(Prose.of(recorded(text)) for text in self.caveats)
        looked = looked_into(self.state)
        parts = (
            Section("", (Paragraph(self.answer), *self.pictures)),
            self._compared(),
            Section("Data model", self._data_model()),
            Section("Analysis performed", (Bullets(looked), *self._ended())),
            Section("Explanations", self._explanations()),
            Section("What was checked and ruled out", self._checked()),
            Section("Recommended next steps", self._next_steps()),
            Section("Caveats", (Bullets(caveats),) if caveats else ()),
            Section("Claims", (ClaimList(self.book.claims),) if self.book.claims else ()),
            Section("Proof", self._footer()),
        )
        return tuple(part for part in parts if part.blocks)

    def _compared(self) -> Section:
        ground = self.grounded.ground
        named = ", ".join(map(words_of_name, ground.dimensions))
        split = Prose.of("Split by ", recorded(named) if named else "nothing")
        if ground.leaf is not None:
            lines = (*describe_columns(ground, ground.leaf), split, *self.compared)
            return Section(OF_LEAVES.compared, (Bullets(lines),))
        lines = (
            Prose.of(
                "Metric: ",
                label(ground),
                " (",
                recorded(ground.metric),
                ") of ",
                recorded(ground.source_name),
                ", by its ",
                recorded(ground.time),
            ),
            _period("Baseline", ground.baseline),
            _period("Comparison", ground.comparison),
            split,
            *self.compared,
        )
        return Section("Metric, periods and change", (Bullets(lines),))

    def _explanations(self) -> tuple[Block, ...]:
        if not self.explanations and not self.grounded.ground.dimensions:
            return (Paragraph(Prose.of("Nothing splits it, so where it moved is not known.")),)
        if not self.explanations and not was_searched(self.state):
            unknown = Prose.of(
                "Nothing can be said: the search for segments did not come to an end. What it "
                "would have found is not known; ask again, or with fewer dimensions."
            )
            return (Paragraph(unknown),)
        leaf = self.grounded.ground.leaf
        if not self.explanations:
            nothing = Prose.of(OF_LEAVES.nothing if leaf else _nothing(self.tables))
            return (Paragraph(nothing), *self._habits(), *self._contributions())
        blocks: list[Block] = [self._table()] if len(self.explanations) > 1 else []
        for explanation_text in self.explanations:
            one = explanation_text.explanation
            title = Prose.of(recorded(f"{one.likelihood.value}: {one.title}"))
            blocks += [StepText(title, (), ()), Bullets(explanation_text.evidence)]
            blocks.append(Paragraph(Prose.of(recorded(one.causal_story)), small=True))
        blocks += self._habits()
        known_links = Prose.of(
            "Every explanation is associational: it says where the metric moved, not why. "
            "Likelihood is by rank."
        )
        return (
            *blocks,
            Paragraph(Prose.of(OF_LEAVES.links) if leaf else known_links, small=True),
        )

    def _habits(self) -> tuple[Block, ...]:
        if not self.habits:
            return ()
        prose = Prose.of("Moved, too, and no further than between earlier periods:")
        return (Paragraph(prose), Bullets(tuple(self.habits)))

    def _contributions(self) -> tuple[Block, ...]:
        if not self.contributions:
            return ()
        prose = Prose.of("What the values of each dimension add, the largest first:")
        return (Paragraph(prose), Bullets(tuple(self.contributions)))

    def _table(self) -> Grid:
        """All explanations at a glance."""
        rows = tuple(
            (
                str(explanation_text.explanation.rank),
                explanation_text.explanation.likelihood.value,
                explanation_text.explanation.title,
                *explanation_text.cells,
            )
            for explanation_text in self.explanations
        )
        part = OF_LEAVES.part if self.grounded.ground.leaf else "of the change"
        head = ("", "likelihood", "explanation", "effect", part, "probability by chance")
        return Grid(head, (True, False, False, True, True, True), rows)

    def _checked(self) -> tuple[Block, ...]:
        blocks: list[Block] = []
        explained = [explanation_text.explanation for explanation_text in self.explanations]
        for heading, lines in settled(self.state, explained):
            blocks += [Paragraph(Prose.of(heading)), Bullets(lines)]
        return tuple(blocks)

    def _next_steps(self) -> tuple[Block, ...]:
        return (Bullets(next_steps(self.explanations, self.state)),)

    def _data_model(self) -> tuple[Block, ...]:
        model = self.grounded.data_model
        lines = [
            Prose.of(
                recorded(
                    f"{t.name}: {counted(t.row_count, 'row')}, {counted(t.column_count, 'column')}"
                )
            )
            for t in model.tables
        ]
        lines += [
            Prose.of(
                recorded(f"{r.from_table}.{r.from_column} refers to {r.to_table}.{r.to_column}"),
                "" if r.relationship_type == "foreign_key" else " (guessed from their values)",
            )
            for r in model.relationships
        ]
        return (Bullets(tuple(lines)),)

    def _ended(self) -> tuple[Block, ...]:
        reasons = {
            "CONCLUDE": "nothing was left to be tried",
            "MAX_ITERATIONS": "all iterations that there are were used",
            "STALL_DETECTED": "further looking showed nothing new",
        }
        found, last = self.ledger_of_findings, self.state.open_step
        reason = found.exit_reason.value
        grounds = f". On these grounds: {last.reason}" if last is not None and last.reason else ""
        ended = Prose.of(
            "It ended after ",
            recorded(counted(found.total_iterations, "iteration")),
            ": ",
            reasons[reason],
            " (",
            recorded(reason),
            ")",
            recorded(grounds),
            ".",
        )
        methods = Prose.of(recorded(" ".join(self.methods)))
        paragraphs = [Paragraph(methods, small=True)] if self.methods else []
        return (*paragraphs, Paragraph(ended, small=True))

    def _footer(self) -> tuple[Block, ...]:
        return (
            Paragraph(
                Prose.of(
                    "Generated ",
                    recorded(f"{self.generated_at:%Y-%m-%d %H:%M:%S}"),
                    " by job ",
                    recorded(self.job_id),
                    ". Every number above is a claim on a cell. "
                    "Check them, and compute them anew, with ",
                    recorded(f"assay verify {self.job_id[:8]} --recompute"),
                    ".",
                ),
                small=True,
            ),
        )


def _nothing(tables: Mapping[str, EvidenceTable]) -> str:
    """What is said where no segment stands out: of a whole that moved unusually far, too."""
    changed = next((table for task, table in tables.items() if ended(task) == "change"), None)
    unusual = changed is not None and is_unusual(statistics_of(changed))
    if unusual:
        return (
            "The whole moved further than chance moves it, and no segment unlike the rest: what "
            "moved it is spread over all of them, or in too few rows to tell. What was looked at "
            "and ruled out is below."
        )
    return (
        "Nothing stands out: what moved is within what chance moves. What was looked at and ruled "
        "out is below."
    )


def _period(name: str, period: DateRange | None) -> Prose:
    if period is None:
        return Prose()
    return Prose.of(f"{name}: ", recorded(days_called(period)), " (", recorded(str(period)), ")")
