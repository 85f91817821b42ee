"""The tables of an investigation, how they belong together, and what to split by (seed 002)."""

from __future__ import annotations

from datetime import datetime

from services.planner.domain.catalogue import Frozen


class TableInfo(Frozen):
    """One table. `file_id` names the uploaded file it is from; empty for any other source."""

    file_id: str = ""
    name: str
    row_count: int
    column_count: int


class RelationshipInfo(Frozen):
    """Rows of one table refer to rows of another: declared keys are `foreign_key`, guessed ones
    `similar_values`."""

    from_table: str
    from_column: str
    to_table: str
    to_column: str
    relationship_type: str
    confidence: float


class DataModel(Frozen):
    """What there is to look at."""

    tables: tuple[TableInfo, ...]
    relationships: tuple[RelationshipInfo, ...] = ()
    recommended_dimensions: tuple[str, ...]
    inferred_at: datetime


class PlanStep(Frozen):
    """One step of the plan; `phase` is exploration, hypothesis_generation or validation."""

    step_number: int
    phase: str
    description: str
    tables_involved: tuple[str, ...]
    dimensions_to_check: tuple[str, ...]


class AnalysisPlan(Frozen):
    """What is going to be done, before any of it is."""

    steps: tuple[PlanStep, ...]
    created_at: datetime
