"""The report of a causal job, as blocks that renderers know.

It opens with the answer and its charts, and with nothing else: a verifier holds both, letter by
letter, against what was recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from services.planner.domain.causal.advice import describe_proposals
from services.planner.domain.causal.agents.sensitivity_analyst import (
    NOTHING_TO_EXPLAIN,
    sees_nothing,
)
from services.planner.domain.causal.groups import describe_groups
from services.planner.domain.causal.methods import NAIVE
from services.planner.domain.causal.results import TreatmentEffectResult
from services.planner.domain.causal.scoring import newest_tests
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.telling import recorded
from services.planner.domain.causal.texts import arrow
from services.planner.domain.reporting.blocks import (
    Block,
    Bullets,
    ClaimList,
    Grid,
    Paragraph,
    Picture,
    Section,
)
from services.planner.domain.reporting.evidence import ClaimBook, EvidenceTable
from services.planner.domain.reporting.prose import Ledger, Prose

Cells = tuple[str, ...]


@dataclass(frozen=True)
class Narrated:
    """What a renderer calls the narration: a title."""

    headline: Prose


@dataclass(frozen=True)
class CausalReport:
    """Everything the report tells; `pictures` are charts with their bytes."""

    job_id: str
    headline: Prose
    answer: Prose
    state: AnalysisState
    effect: TreatmentEffectResult | None
    estimates: Sequence[Cells]
    calibrated: Sequence[Cells]
    caveats: Sequence[str]
    book: ClaimBook
    tables: Mapping[str, EvidenceTable]
    generated_at: datetime
    pictures: Sequence[Picture] = field(default=())
    groups: Sequence[Cells] = field(default=())
    methods: Sequence[str] = field(default=())
    beside: Sequence[Cells] = field(default=())

    @property
    def narration(self) -> Narrated:
        """The title, as renderers ask for it."""
        return Narrated(self.headline)

    @cached_property
    def ledger(self) -> Ledger:
        """What a renderer holds every piece of prose against."""
        names = " ".join(name for name in self.state.get_primary_pair() if name)
        return Ledger(self.book.claims, self.tables, names, "")

    def sections(self) -> tuple[Section, ...]:
        """The sections in order; those that have nothing to say are left out."""
        caveats = tuple(Prose.of(recorded(text)) for text in self.caveats)
        nexts = tuple(Prose.of(recorded(text)) for text in self.state.recommendations)
        parts = (
            Section("", (Paragraph(self.answer), *self.pictures)),
            Section("Estimates", self._estimates()),
            Section("Group by group", self._groups()),
            Section("Estimated beside, and not judged", self._beside()),
            Section("How methods fare on these data", self._calibrated()),
            Section("What is adjusted for, and why", self._identified()),
            Section("The graph", self._graph()),
            Section("How fragile it is", self._tested()),
            Section("Defender and sceptic", self._debated()),
            Section("What a language model proposed", self._proposed()),
            Section("Repairs to the data", self._repaired()),
            Section("Recommended next steps", (Bullets(nexts),) if nexts else ()),
            Section("Caveats", (Bullets(caveats),) if caveats else ()),
            Section("How methods worked", self._methods()),
            Section("Claims", (ClaimList(self.book.claims),) if self.book.claims else ()),
            Section("Proof", self._footer()),
        )
        return tuple(part for part in parts if part.blocks)

    def _estimates(self) -> tuple[Block, ...]:
        if not self.estimates:
            return ()
        head = ("method", "estimand", "of", "estimate", "lower end", "upper end", "")
        numeric = (False, False, False, True, True, True, False)
        return (Grid(head, numeric, tuple(self.estimates)),)

    def _groups(self) -> tuple[Block, ...]:
        if not self.groups:
            return ()
        effects = self.state.get_effects_for_pair(*self.state.get_primary_pair())
        head = ("group", "estimate", "lower end", "upper end", "rows", "against the other rows")
        numeric = (False, True, True, True, True, False)
        prose = Prose.of(recorded(describe_groups(effects)))
        return (Paragraph(prose), Grid(head, numeric, tuple(self.groups)))

    def _beside(self) -> tuple[Block, ...]:
        if not self.beside:
            return ()
        prose = Prose.of(
            "One method each, without the tests and the critique that the effect above "
            "went through; each is one of several questions to the same data, and "
            "corrected for that."
        )
        head = ("of what", "method", "estimate", "lower end", "upper end", "")
        numeric = (False, False, True, True, True, False)
        return (Paragraph(prose), Grid(head, numeric, tuple(self.beside)))

    def _calibrated(self) -> tuple[Block, ...]:
        tried = {str(cells[0]) for cells in self.calibrated}
        others = sorted({e.method for e in self.state.treatment_effects} - tried - {NAIVE})
        paragraphs: list[Block] = []
        if self.calibrated:
            paragraphs += self._fared()
        if others:
            names = recorded(", ".join(name.replace("_", " ") for name in others))
            prose = Prose.of(
                "No effects were planted for ",
                names,
                ": how often intervals made so hold the truth on these data is not measured.",
            )
            paragraphs.append(Paragraph(prose))
        return tuple(paragraphs)

    def _fared(self) -> tuple[Block, ...]:
        head = ("method", "effect", "bias", "error", "intervals that hold the truth", "trials")
        prose = Prose.of(
            "Known effects were planted in rows of these data, and each method was to find them."
        )
        numeric = (False, False, True, True, True, True)
        return (Paragraph(prose), Grid(head, numeric, tuple(self.calibrated)))

    def _identified(self) -> tuple[Block, ...]:
        found = self.state.confounder_discovery or {}
        lines = [found.get("rule", ""), found.get("assumption", "")]
        lines += [f"{name} is left out: {why}" for name, why in found.get("excluded", {}).items()]
        for strategy in found.get("strategies", []):
            lines.append(f"By the graph, {strategy['strategy']}: {strategy['assumptions']}")
        prose = tuple(Prose.of(recorded(line)) for line in lines if line)
        return (Bullets(prose),) if prose else ()

    def _graph(self) -> tuple[Block, ...]:
        graph = self.state.proposed_dag
        if graph is None:
            return ()
        edges = [
            (f"{edge.source} {arrow(edge.edge_type)} {edge.target}", f"{edge.confidence:g}")
            for edge in graph.edges
        ]
        paragraphs: list[Block] = [Paragraph(Prose.of(recorded(graph.interpretation)))]
        if edges:
            paragraphs.append(Grid(("edge", "stability"), (False, True), tuple(edges)))
        return tuple(paragraphs)

    def _tested(self) -> tuple[Block, ...]:
        lines = [Prose.of(recorded(test.interpretation)) for test in newest_tests(self.state)]
        if self.effect is not None and sees_nothing(self.effect):
            lines.append(Prose.of(recorded(NOTHING_TO_EXPLAIN)))
        return (Bullets(tuple(lines)),) if lines else ()

    def _debated(self) -> tuple[Block, ...]:
        if not self.state.debate_history:
            return ()
        last = max(int(turn["iteration"]) for turn in self.state.debate_history)
        turns = tuple(
            Prose.of(
                recorded(
                    f"{t['dimension']}: {t['score']} of 5. Sceptic: {t['sceptic']} "
                    f"Defender: {t['defender']}"
                )
            )
            for t in self.state.debate_history
            if int(t["iteration"]) == last and not t.get("made_by")
        )
        return (Bullets(turns),)

    def _proposed(self) -> tuple[Block, ...]:
        """Assumptions and arguments of a model, none of which raised a score."""
        prose = Prose.of(
            "No score rests on it: what it assumes was tried beside the study, and "
            "can only lower one."
        )
        lines = describe_proposals(self.state)
        bullets = Bullets(tuple(Prose.of(recorded(line)) for line in lines))
        return (Paragraph(prose), bullets) if lines else ()

    def _repaired(self) -> tuple[Block, ...]:
        lines = tuple(
            Prose.of(
                recorded(
                    f"{r['column'] or 'rows'}, {r['kind']}, "
                    f"{'made' if r['applied'] else 'told only'}: {r['reason']}"
                )
            )
            for r in self.state.data_repairs
        )
        return (Bullets(lines),) if lines else ()

    def _methods(self) -> tuple[Block, ...]:
        lines = tuple(Prose.of(recorded(text)) for text in self.methods)
        return (Bullets(lines),) if lines else ()

    def _footer(self) -> tuple[Block, ...]:
        return (
            Paragraph(
                Prose.of(
                    "Generated ",
                    recorded(f"{self.generated_at:%Y-%m-%d %H:%M:%S}"),
                    " by job ",
                    recorded(self.job_id),
                    ". Check it, and compute it anew, with ",
                    recorded(f"assay verify {self.job_id[:8]} --recompute"),
                    ".",
                ),
                small=True,
            ),
        )
