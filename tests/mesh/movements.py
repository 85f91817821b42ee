"""Orders of a shop in which one segment broke down, and requests to investigate why."""

from __future__ import annotations

import csv
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from google.protobuf.duration_pb2 import Duration

from assay.common.v1 import data_pb2, investigation_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from examples.pages import write_march
from mesh.ids import new_id

write_orders = write_march
REGIONS, CHANNELS = ("North", "South", "East"), ("web", "shop")
BASELINE, COMPARISON = ("2024-02-01", "2024-02-29"), ("2024-03-01", "2024-03-31")


def movement(
    *places: Path,
    metric: str = "sum(revenue)",
    baseline: tuple[str, str] | None = BASELINE,
    comparison: tuple[str, str] | None = COMPARISON,
    focus: str = "",
    context: str = "",
    time: str = "",
    by: Sequence[str] = (),
    question: str = "",
    timeout: int = 150,
    session: str = "",
) -> jobs_pb.CreateJobRequest:
    """A new request to investigate files of this machine."""
    asked = investigation_pb2.InvestigationRequest(
        metric_sql=metric,
        business_context=context,
        investigation_prompt=focus,
        data_sources=[data_pb2.DataSource(file_path=str(place)) for place in places],
        constraints=data_pb2.Constraints(timeout=Duration(seconds=timeout)),
        time_column=time,
        dimensions=by,
        question=question,
    )
    for name, days in (("baseline_period", baseline), ("comparison_period", comparison)):
        if days is not None:
            getattr(asked, name).CopyFrom(investigation_pb2.DateRange(start=days[0], end=days[1]))
    return jobs_pb.CreateJobRequest(request_id=new_id(), session_id=session, investigation=asked)


def write_leaves(path: Path, *, changed: bool = True) -> Path:
    """A leaf for each region, channel and product with its forecast; web leaves of the North came
    as a fifth of theirs."""
    chance = random.Random(5)
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["Region", "channel", "product", "Actual", "Forecast"])
        for region in (*REGIONS, "West"):
            for channel in (*CHANNELS, "phone"):
                for number in range(12):
                    forecast = round(chance.uniform(50, 150), 2)
                    part = 0.2 if changed and (region, channel) == ("North", "web") else 1.0
                    came = round(part * forecast * chance.gauss(1, 0.05), 2)
                    rows.writerow([region, channel, f"product {number}", came, forecast])
    return path


def of_leaves(place: Path, **fields: Any) -> jobs_pb.CreateJobRequest:
    """A new request to investigate leaves in a file of this machine."""
    request = movement(place, metric="", baseline=None, comparison=None)
    request.investigation.MergeFrom(investigation_pb2.InvestigationRequest(leaf=True, **fields))
    return request
