"""From all frames of an investigation to its explanations."""

from __future__ import annotations

from collections.abc import Mapping

from services.planner.domain.investigation.explaining import ExplanationText, explained_by
from services.planner.domain.investigation.found import Row, ended, rows_of
from services.planner.domain.investigation.hypothesis import HypothesisStatus, Test
from services.planner.domain.investigation.sources import Sources
from services.planner.domain.investigation.state import Grounded, Investigation
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.story import Speaker

_KINDS_FOUND = frozenset({"segment", "rate", "mix", "new", "vanished", "alike"})


def describe_explanations(
    state: Investigation,
    grounded: Grounded,
    tables: Mapping[str, EvidenceTable],
    speaker: Speaker,
) -> tuple[ExplanationText, ...]:
    """What explains the change, by the frames of a loop that has ended; `tables` are those of its
    calls, by task."""
    faults: list[Row] = []
    found: list[Row] = []
    moved: float | None = None
    for task, table in tables.items():
        if ended(task) == "quality":
            faults += [row for row in rows_of(table) if row["severity"] == "fault"]
        elif ended(task) == "search":
            rows = rows_of(table)
            found += [row for row in rows if row.stands_out and row["kind"] in _KINDS_FOUND]
            moved = moved or next((m for m in map(_moved, rows) if m is not None), None)
    return explained_by(
        faults,
        found,
        grounded.ground,
        speaker,
        Sources(state.hypotheses, state.findings, state.iterations),
        usual=bool(_confirmed(state, Test.CHANGE)),
        moved=moved,
    )


def _moved(row: Row) -> float | None:
    """The change of the whole, as a part of the baseline; None for a row of something else."""
    before, change = row.figure("baseline"), row.figure("effect")
    if row["kind"] != "total" or row.segment or not before or change is None:
        return None
    return change / before


def _confirmed(state: Investigation, test: Test) -> tuple[str, ...]:
    return tuple(
        h.hypothesis_id
        for h in state.hypotheses
        if h.test is test and h.status is HypothesisStatus.CONFIRMED
    )
