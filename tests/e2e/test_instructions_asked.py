"""Instructions through the command: figures under their names, proven, or a plain no."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.e2e.conftest import Assay


@pytest.fixture(scope="module")
def ponds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(5)
    depth = rng.gamma(3.0, 1.2, 90).round(2)
    frame = pd.DataFrame(
        {
            "pond": [f"P{number:02}" for number in range(90)],
            "bank": rng.choice(["reed", "stone"], 90),
            "depth_m": depth,
            "frogs": rng.poisson(4 + depth),
        }
    )
    frame.loc[:6, "depth_m"] = np.nan
    path = tmp_path_factory.mktemp("ponds") / "ponds.csv"
    frame.to_csv(path, index=False)
    return path


def test_the_figures_asked_for_are_told_by_name_and_proven(assay_here: Assay, ponds: Path) -> None:
    question = (
        "Fill the missing values of depth_m with its median. Then compare depth_m between ponds "
        "with bank reed and stone by Welch's t-test at the 5% level, and compute the mean of frogs "
        "for the reed ponds. @t[2 decimals] @significant[yes/no] @mean_frogs[1 decimal]"
    )
    ran = assay_here("ask", question, "--data", ponds, "--json")
    assert ran.code == 0, ran.err or ran.out
    frame = pd.read_csv(ponds)
    frame["depth_m"] = frame.depth_m.fillna(frame.depth_m.median())
    reed, stone = (frame[frame.bank == bank] for bank in ("reed", "stone"))
    found = stats.ttest_ind(reed.depth_m, stone.depth_m, equal_var=False)
    wanted = [
        f"@t[{found.statistic:.2f}]",
        f"@significant[{'yes' if found.pvalue < 0.05 else 'no'}]",
        f"@mean_frogs[{reed.frogs.mean():.1f}]",
    ]
    assert [row["asked"] for row in ran.json["table"]["records"]] == wanted
    assert " ".join(wanted) in ran.json["answer"]["text"]
    checked = assay_here("verify", "--recompute", ran.json["job"])
    assert checked.code == 0, checked.out
    assert "steps give the same bytes" in checked.out


def test_what_is_out_of_reach_is_named_and_nothing_else_is_told(
    assay_here: Assay, ponds: Path
) -> None:
    question = "Compute the mean of frogs, then cluster the ponds by k-means. @mean[x] @sizes[y]"
    ran = assay_here("ask", question, "--data", ponds)
    assert ran.code != 0
    assert "k-means is out of reach here" in " ".join((ran.err + ran.out).split()).lower()
    assert "@mean[" not in ran.out
