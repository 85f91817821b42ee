"""What matters for reading an answer: what was assumed, repaired, left out, or gone without."""

from __future__ import annotations

import re
from collections import Counter

from services.planner.analysis.deciding import Decided
from services.planner.domain.analysis.narrate import Narration
from services.planner.domain.analysis.own_statement import names_used
from services.planner.domain.analysis.past import Evidence
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.jobs.job import Job
from services.planner.domain.question import analysis_of
from services.planner.domain.step import StepState
from services.planner.ports import Described

# What an answer lacks when the step of a tool has failed for good.
_MISSING = {"plot.render": "The chart", "table.write": "The table's file"}
# How a chart's note on rows without a value ends.
_NOT_DRAWN = "not drawn."
_UNCOUNTED = (
    "This test is in no session: it is not counted with others, and p is not corrected for them."
)


def caveats_of(
    job: Job, evidence: dict[str, Evidence], decided: Decided, narration: Narration
) -> tuple[str, ...]:
    """What matters for reading the answer, most important first, each said once."""
    texts: list[str] = [
        *decided.described.catalogue.unused,
        *decided.planning.assumptions,
        *decided.planning.caveats,
    ]
    if because := decided.abandoned_because.rstrip("."):
        model = decided.abandoned_model
        whose = f"the plan of {model} failed, by the rules" if model else "a remembered plan failed"
        texts.append(f"Planned afresh after {whose}: {because}.")
    texts += [caveat for item in evidence.values() for caveat in item.caveats]
    texts += [
        f"Step {item.call.task_id} was repaired: {item.call.change_reason}."
        for item in evidence.values()
        if item.call.attempt_number > 1
    ]
    texts += [
        f"{_MISSING.get(step.tool_name, 'A part of the answer')} is missing: "
        f"step {step.task_id} failed: {step.detail}"
        for step in job.steps
        if step.state is StepState.FAILED and not decided.planning.parts  # told by domain
    ]
    notes = [note for item in evidence.values() for note in item.observation.notes]
    texts += notes
    if analysis_of(job.request).test.counts and not job.session_id:
        texts.append(_UNCOUNTED)
    queries = queries_of(job, evidence, decided.described.catalogue)
    texts += _about_what_was_used(decided.described, queries)
    texts += narration.caveats
    if not any(note.endswith(_NOT_DRAWN) for note in notes):
        texts += narration.gaps
    if decided.memory_away:
        texts.append("Memory was away: planned without recalling earlier analyses.")
    return tuple(dict.fromkeys(texts))


def queries_of(job: Job, evidence: dict[str, Evidence], catalogue: Catalogue) -> str:
    """The text of all queries that ran, with every name of table or column quoted."""
    if job.request.statement:
        return names_used(job.request.statement, catalogue)
    return " ".join(str(item.call.arguments.get("query", "")) for item in evidence.values())


def _about_what_was_used(described: Described, queries: str) -> list[str]:
    """Notes on reading the sources, as far as they are about tables that the queries named."""
    catalogue = described.catalogue
    sources = Counter(table.source_name for table in catalogue.tables)
    names: set[str] = set()
    for table in catalogue.tables:
        if f'"{table.name}"' in queries:
            alone = sources[table.source_name] == 1
            names |= {table.source_name} if alone else {f"{table.source_name}: {table.name}:"}
    return [
        note
        for note in described.notes
        if any(note.startswith(name) for name in names) and _columns_used(note, queries)
    ]


def _columns_used(note: str, queries: str) -> bool:
    """Whether a note about one column is about one that a query named."""
    about = re.search(r"\bcolumn (.+?) (?:is|was|holds|has)\b", note)
    return about is None or f'"{about.group(1)}"' in queries
