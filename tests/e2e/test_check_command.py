"""`assay check` as people and scripts use it: words, exit codes, JSON, frames by their jobs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import Assay

SALES = "year,region,revenue\n1996,North,100.5\n1996,South,200\n1997,North,150\n1997,South,120\n"
BY_YEAR = "select year, region, sum(revenue) as revenue from sales group by all order by all"


@pytest.fixture
def job(assay_here: Assay, tmp_path: Path) -> str:
    file = tmp_path / "sales.csv"
    file.write_text(SALES, encoding="utf-8")
    told = assay_here("sql", BY_YEAR, "--data", file, "--json")
    assert told.code == 0, told.out
    return str(json.loads(told.out)["job"])


def test_a_text_with_its_results(assay_here: Assay, tmp_path: Path, job: str) -> None:
    text = tmp_path / "report.md"
    north = f"f{job[:8]}.revenue"
    text.write_text(
        f"The North rose from {{100.5|{north}[1996, North]}} to {{150|{north}[1997, North]}}.\n",
        encoding="utf-8",
    )
    passed = assay_here("check", text)
    assert passed.code == 0 and "all of 2 bindings to 1 frame hold" in passed.out
    assert assay_here("check", text, "--plain").out == "The North rose from 100.5 to 150.\n"

    text.write_text(text.read_text(encoding="utf-8").replace("rose", "fell"), encoding="utf-8")
    failed = assay_here("check", text)
    assert failed.code == 1
    assert "line 1 fell" in " ".join(failed.out.split())
    assert "It went from 100.50 to 150." in failed.out

    told = json.loads(assay_here("check", text, "--json").out)
    assert (told["ok"], told["bound"]) == (False, 2)
    assert told["failures"][0]["kind"] == "word-wrong"


def test_frames_have_names_at_its_head_or_by_an_option(
    assay_here: Assay, tmp_path: Path, job: str
) -> None:
    text = tmp_path / "report.md"
    body = "The South had {200|sales.revenue[1996, South]} in 1996.\n"
    text.write_text(f"---\nframes:\n  sales: {job[:8]}\n---\n{body}", encoding="utf-8")
    assert assay_here("check", text).code == 0

    text.write_text(body, encoding="utf-8")
    assert assay_here("check", text, "--frame", f"sales={job[:8]}").code == 0
    unknown = assay_here("check", text)
    assert unknown.code == 1 and "There is no frame sales" in unknown.out
    assert assay_here("check", text, "--frame", "sales").code == 2
    assert assay_here("check", tmp_path / "nowhere.md").code != 0
