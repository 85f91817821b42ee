"""The data model and the plan that an investigation begins with (seed 002)."""

from __future__ import annotations

from datetime import datetime

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.data_source import DataSource
from services.planner.domain.investigation.data_model import (
    AnalysisPlan,
    DataModel,
    PlanStep,
    RelationshipInfo,
    TableInfo,
)
from services.planner.domain.investigation.ground import Ground


def data_model_of(
    catalogue: Catalogue, ground: Ground, sources: tuple[DataSource, ...], now: datetime
) -> DataModel:
    """The tables, how they belong together, and what the metric is split by."""
    files = {source.label: source.file_id for source in sources if source.file_id}
    return DataModel(
        tables=tuple(
            TableInfo(
                file_id=files.get(table.source_name, ""),
                name=table.name,
                row_count=table.rows,
                column_count=len(table.stored),
            )
            for table in catalogue.tables
        ),
        relationships=tuple(
            RelationshipInfo(
                from_table=link.from_table,
                from_column=link.from_column,
                to_table=link.to_table,
                to_column=link.to_column,
                relationship_type="foreign_key" if link.declared else "similar_values",
                confidence=link.confidence,
            )
            for link in catalogue.relationships
        ),
        recommended_dimensions=ground.dimensions,
        inferred_at=now,
    )


def analysis_plan_of(ground: Ground, now: datetime) -> AnalysisPlan:
    """What is going to be done, in its three phases."""
    steps = _OF_LEAVES if ground.leaf is not None else _OF_ROWS
    return AnalysisPlan(
        steps=tuple(
            PlanStep(
                step_number=number,
                phase=phase,
                description=description,
                tables_involved=ground.tables,
                dimensions_to_check=ground.dimensions,
            )
            for number, (phase, description) in enumerate(steps, 1)
        ),
        created_at=now,
    )


_OF_ROWS = (
    ("exploration", "Look for faults of the data: gaps, repeated rows, missing values, units."),
    ("exploration", "Compare the whole in both periods, and with what is usual."),
    (
        "hypothesis_generation",
        "Search combinations of all dimensions for segments that moved by themselves.",
    ),
    ("validation", "Look into each segment that stands out: is it all of it, or a part?"),
    ("validation", "Split the change by what was suspected and by what stands out."),
)
_OF_LEAVES = (
    ("exploration", "Look for faults: repeated leaves, missing values and forecasts, units."),
    ("exploration", "Compare the whole with its forecast."),
    (
        "hypothesis_generation",
        "Search combinations of all dimensions for segments that are off by themselves.",
    ),
    ("validation", "Look into each segment that stands out: is it all of it, or a part?"),
    ("validation", "Split the difference by what was suspected and by what stands out."),
)
