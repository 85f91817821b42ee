"""domain_knowledge: what metadata, descriptions and people tell of time order, edges and roles."""

from __future__ import annotations

import re
from typing import Any

from services.planner.domain.causal.advice import accepted
from services.planner.domain.causal.agent import Brief, Seen
from services.planner.domain.causal.knowledge import Knowledge
from services.planner.domain.causal.metadata import knowledge_of_metadata, quality_of
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.causal.tasks import PROFILE
from services.planner.domain.causal.units import found_units
from services.planner.domain.causal.variables import after_by_name
from services.planner.domain.plan import Subtask

_AFTER = re.compile(
    r"\b(?:after|post|follow[- ]?up|final|result|outcome|subsequent|later|change|discharge)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\b(?:before|pre|prior|previous|baseline|initial|at birth|demographic|age|sex|gender|race)\b",
    re.IGNORECASE,
)


class DomainKnowledge:
    """Joins what the user said with what names and descriptions say; asks for no call."""

    name = "domain_knowledge"
    status = JobStatus.PROFILING

    def calls(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[Subtask, ...]:
        """None: it reads words."""
        return ()

    def writes(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[dict[str, Any], str]:
        """Knowledge as JSON, what each part rests on, and hints that bind nobody."""
        columns = state.data_profile.feature_names if state.data_profile else ()
        knowledge = knowledge_of_metadata(brief.metadata or {}, columns)
        known = brief.knowledge.checked(columns).joined(knowledge)
        hints = _hints(columns, known)
        treatment, outcome = (str(name or "") for name in state.get_primary_pair())
        advice = seen.advice
        pair = (treatment, outcome)
        proposed = accepted(advice, known, columns, pair) if advice is not None else None
        sources = [
            name
            for name, there in (
                ("what the user said", brief.knowledge != Knowledge()),
                ("the dataset's metadata", knowledge != Knowledge()),
                ("names and descriptions of columns", bool(hints)),
            )
            if there
        ]
        units = found_units(seen.rows(PROFILE), known, state.get_primary_pair())
        later = after_by_name(seen.rows(PROFILE), known)
        writes = {
            "domain_knowledge": {
                **known.model_dump(mode="json"),
                "hints": hints,
                "sources": sources,
                **({"units": units} if units else {}),
                **({"after_by_name": later} if later else {}),
                **({"proposed": proposed} if proposed is not None else {}),
                "metadata_quality": quality_of(brief.metadata or {}, columns),
            }
        }
        text = " and ".join(sources) if sources else "nothing is known beside the data"
        tiers = f"{len(known.tiers)} tiers, " if known.tiers else ""
        edges = f"{len(known.required)} edges required, {len(known.forbidden)} forbidden"
        known_all = f"{tiers}{edges}; from {text}" if sources else text
        if advice is not None:
            why = advice.failed or "what it suggests is tried, and raises no verdict"
            known_all += f"; {advice.by}: {why}"
        if units:
            known_all += f"; rows of one {units['column']} belong together: {units['why']}"
        return writes, known_all


def _hints(columns: tuple[str, ...], known: Knowledge) -> list[dict[str, str]]:
    """Columns whose name or description sounds as if they came before or after a treatment."""
    found = []
    for column in columns:
        words = f"{re.sub(r'[_.]+', ' ', column)} {known.descriptions.get(column, '')}"
        for when, pattern in (("after", _AFTER), ("before", _BEFORE)):
            match = pattern.search(words)
            if match:
                found.append({"column": column, "when": when, "word": match[0].lower()})
                break
    return found


def known_of(state: AnalysisState, brief: Brief) -> Knowledge:
    """The knowledge that agents go by: as recorded by this agent, else as the user said."""
    if state.domain_knowledge is None:
        return brief.knowledge
    fields = Knowledge.model_fields
    return Knowledge.model_validate(
        {name: value for name, value in state.domain_knowledge.items() if name in fields}
    )
