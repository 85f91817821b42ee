"""Days without rows of one segment are found where it usually has some, and chance is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from services.executor.metric.arguments import QualityArguments
from services.executor.tools.metric_quality import metric_quality
from tests.unit.executor.metric_business import context_of
from tests.unit.executor.test_metric_quality_of_few import ARGUMENTS, shop


def _gaps(rows: pd.DataFrame, folder: Path) -> list[dict[str, Any]]:
    frame = metric_quality.run(QualityArguments(**ARGUMENTS), context_of(rows, folder)).frame
    assert frame is not None
    return [row for row in frame.to_pylist() if row["check"] == "missing_days"]


@pytest.mark.parametrize("seed", range(3))
def test_days_without_rows_of_one_channel_are_in_doubt(seed: int, tmp_path: Path) -> None:
    rows = shop(seed, 6_000)
    gone = (rows["channel"] == "web") & rows["at"].between("2024-03-18", "2024-03-21")

    [row] = _gaps(rows[~gone], tmp_path)

    assert (row["segment_dimension"], row["segment_value"]) == ("channel", "web")
    assert (str(row["bucket"]), str(row["until"])) == ("2024-03-18", "2024-03-21")
    assert row["severity"] == "doubt"
    assert "no rows of channel web on 4 days from 2024-03-18 to 2024-03-21" in row["detail"]


def test_days_that_few_rows_miss_by_chance_are_no_gaps(tmp_path: Path) -> None:
    assert _gaps(shop(0), tmp_path) == []
    assert _gaps(shop(1, 6_000), tmp_path) == []
