"""What must be known to read a causal answer, and apart from it how its tools worked."""

from __future__ import annotations

import re

from mesh.text.spelling import capitalised
from services.planner.domain.causal.agent import Seen
from services.planner.domain.causal.effects import CALIBRATED, CALIBRATED_DESIGN, whole
from services.planner.domain.causal.methods import METHODS, NAIVE
from services.planner.domain.causal.methods import PREFIX as PREFIX_OF_METHODS
from services.planner.domain.causal.reproduction import describe_difference, describe_unreproduced
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.tasks import DATA, PROFILE, REPAIRED, REPAIRS

_OF_THE_DATA = (DATA, PROFILE, REPAIRS, REPAIRED)
_OF_THE_ESTIMATE = ("naive", "effect_", "overlap")
_NAMED = {
    NAIVE: "the plain comparison",
    CALIBRATED: "effects planted on these data",
    CALIBRATED_DESIGN: "effects planted in the design",
    "test_rosenbaum": "Rosenbaum's bounds",
    "test_e_value": "the E-value",
}
_OF_A_ROUND = re.compile(r"^r\d+_")


def caveats_of(seen: Seen, state: AnalysisState) -> list[str]:
    """What tools had to leave out of the data or of an estimate, what could not be made at all,
    and what the notebook gave otherwise or does not compute again.

    That the plain comparison and every method left out the same rows is said once."""
    tasks = [*(t for t in _OF_THE_DATA if t in seen.notes), *_tasks(seen, estimates=True)]
    failed = _failed(seen)
    notes = [note for task in tasks for note in seen.notes[task]]
    effects = whole(state.get_effects_for_pair(*state.get_primary_pair()))
    again = (describe_difference(seen), describe_unreproduced(seen, effects))
    notes += [f"{text}." for text in again if text]
    return _once([*notes, *failed])


def _failed(seen: Seen) -> list[str]:
    """Why calls gave nothing: each reason once, with all that it kept from being made."""
    kept: dict[str, list[str]] = {}
    for task, why in sorted(seen.failed.items()):
        kept.setdefault(why, []).append(_made_by(task))
    return [f"{', '.join(dict.fromkeys(names))}: {why}" for why, names in kept.items()]


def _made_by(task: str) -> str:
    """What a call was to make, in words: `effect_causal_forest` is "causal forest". Of every round
    it is the same."""
    task = _OF_A_ROUND.sub("", task)
    if task in _NAMED:
        return _NAMED[task]
    if task.startswith("test_"):
        return f"the test {task.removeprefix('test_').replace('_', ' ')}"
    name = task.removeprefix(PREFIX_OF_METHODS)
    return next((m for m in METHODS if m.lower() == name), name).replace("_", " ")


def notes_of_methods(seen: Seen, state: AnalysisState) -> list[str]:
    """How methods worked: what they assume, sample and round; the report has it."""
    tasks = [t for t in _tasks(seen, estimates=False) if t not in _OF_THE_DATA]
    known = set(caveats_of(seen, state))
    return [note for note in _once([n for t in tasks for n in seen.notes[t]]) if note not in known]


def _tasks(seen: Seen, *, estimates: bool) -> list[str]:
    return [t for t in sorted(seen.notes) if t.startswith(_OF_THE_ESTIMATE) is estimates]


def _once(notes: list[str]) -> list[str]:
    return list(dict.fromkeys(capitalised(text) for text in notes))
