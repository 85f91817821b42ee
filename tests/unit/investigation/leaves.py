"""Tables of leaves as the planner knows them, and frames as the tools give them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from services.planner.domain.catalogue import Catalogue, Column, Table
from services.planner.domain.investigation.ground import Ground, LeafColumns
from services.planner.domain.investigation.request import InvestigationRequest
from services.planner.domain.reporting.evidence import EvidenceTable
from tests.unit.investigation import frames
from tests.unit.investigation.shop import asked, column

SIDES = (
    column("real", "float", 90, minimum="0.0", maximum="210.5"),
    column("predict", "float", 90, minimum="1.0", maximum="200.0"),
)
SPLITS = (
    column("region", "string", 10, samples=("North", "South")),
    column("channel", "string", 10, samples=("web", "shop")),
)


def leaves(*columns: Column, rows: int = 100) -> Catalogue:
    """A catalogue of one table of leaves with these columns, else the usual ones."""
    table = Table(
        name="leaves", source_name="leaves.csv", rows=rows, columns=columns or (*SPLITS, *SIDES)
    )
    return Catalogue(tables=(table,))


def about_leaves(**fields: Any) -> InvestigationRequest:
    """A request to investigate leaves."""
    return asked(
        **{
            "metric_sql": "",
            "baseline_period": None,
            "comparison_period": None,
            "leaf": True,
            **fields,
        }
    )


def ground_of_values(**changed: Any) -> Ground:
    """Leaves of a value, by region and channel."""
    columns = LeafColumns(real="real", predicted="predict")
    return frames.ground(
        **{
            "label": "value",
            "metric": "sum(real)",
            "baseline": None,
            "comparison": None,
            "time": "",
            "leaf": columns,
            **changed,
        }
    )


def beside_forecast(
    forecast: float = 601.0, actual: float = 523.0, text: str | None = "forecast"
) -> EvidenceTable:
    """A frame of metric.change over leaves."""
    relative = (actual - forecast) / forecast if forecast else None
    why = None if forecast else "the baseline is zero: a change relative to it has no meaning"
    told: list[tuple[str, float | None, str | None]] = [
        ("baseline", forecast, text),
        ("comparison", actual, None),
        ("difference", actual - forecast, None),
        ("relative", relative, why),
        ("p_value", None, None),
    ]
    schema = pa.schema(
        [
            ("statistic", pa.string()),
            ("value", pa.float64()),
            ("low", pa.float64()),
            ("high", pa.float64()),
            ("text", pa.string()),
        ]
    )
    rows = [dict(zip(("statistic", "value", "text"), one, strict=True)) for one in told]
    made = pa.Table.from_pylist([{"low": None, "high": None, **row} for row in rows], schema=schema)
    return EvidenceTable("i02_change", "call-change", "digest-change", made)


NORTH_WEB = {
    "segment": '{"channel": "web", "region": "North"}',
    "depth": 2,
    "baseline": 100.0,
    "comparison": 20.0,
    "expected": 100.4,
    "effect": -80.4,
    "low": -90.0,
    "high": -70.0,
    "share": 1.03,
    "p_value": 0.001,
    "p_corrected": 0.025,
    "p_at_most": False,
}
