"""What an investigation took for granted, and what its tools say of how they worked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from mesh.text.spelling import capitalised
from services.planner.domain.analysis.past import Evidence
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.plain_names import in_plain_names
from services.planner.domain.investigation.searched import is_left_out

OF_METHODS = frozenset({"metric.search", "metric.change", "metric.contribution", "plot.render"})
"""Tools whose notes tell of methods, not of the data."""

_CONDITIONS = frozenset({"CASE", "FILTER", "COUNT_IF"})


def caveats_of(ground: Ground, evidence: Mapping[str, Evidence]) -> tuple[str, ...]:
    """What was taken for granted, and what the data's own tools had to leave out or fold."""
    tools = {item.call.tool_name for item in evidence.values()} - OF_METHODS
    notes = [in_plain_names(note, ground) for note in notes_of(evidence, tools)]
    if _CONDITIONS & set(re.findall(r"\w+", ground.metric.upper())):
        # Rows that a condition of the metric leaves out lack no number.
        notes = [note for note in notes if "no finite number in" not in note]
    baseline, comparison = ground.baseline, ground.comparison
    if baseline and comparison and baseline.overlaps(comparison):  # which the ground says already
        notes = [note for note in notes if not note.startswith("the periods overlap")]
    notes = [note for note in notes if not _is_repeated(note, notes)]
    notes += [note for note in notes_of(evidence, {"metric.search"}) if is_left_out(note)]
    return tuple(dict.fromkeys(capitalised(text) for text in (*ground.said, *notes)))


def _is_repeated(note: str, notes: Sequence[str]) -> bool:
    """Whether a note tells of values folded together that another tells as they were in the end:
    each table folds further than the one before."""
    name, folded, _ = note.partition(": ")
    if not folded or "told as" not in note:
        return False
    return any(other.startswith(f"{name}: ") and "by name, the others" in other for other in notes)


def notes_of(evidence: Mapping[str, Evidence], tools: AbstractSet[str]) -> tuple[str, ...]:
    """What calls of some tools say of how they were made."""
    items = [item for item in evidence.values() if item.call.tool_name in tools]
    return tuple(dict.fromkeys(note for item in items for note in item.observation.notes))
