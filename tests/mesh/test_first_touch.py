"""The first question of a large file, through the mesh: read in part, proved and recomputed."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.python.client import AssayClient
from services.executor.sources import partly
from tests.mesh import shared
from tests.mesh.support import Caller, question

pytestmark = shared.ON_ONE_LOOP
mesh, ann = shared.mesh, shared.ann

ROWS = 40_000


@pytest.fixture
def sales(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that counts as large."""
    monkeypatch.setattr(partly, "LARGE_BYTES", 1 << 16)
    path = tmp_path / "large_sales.csv"
    lines = (
        f"{i},2024-{i % 12 + 1:02}-09,{('North', 'South')[i % 2]},{i % 9 + 1},{i % 500 / 4}\n"
        for i in range(ROWS)
    )
    path.write_text("sale_id,sold_on,region,quantity,unit_price\n" + "".join(lines), "utf-8")
    return path


async def test_it_is_read_in_part_and_its_proof_is_that_of_the_file(
    ann: Caller, sales: Path
) -> None:
    job = await ann.asked(question("sum of quantity by region", sales))
    assert any("read for what is asked" in caveat for caveat in job.answer.caveats)
    again = await ann.asked(question("sum of quantity by region", sales))
    assert again.answer.table.digest == job.answer.table.digest
    more = await ann.asked(question("sum of unit_price by region", sales))
    assert not any("read for what is asked" in caveat for caveat in more.answer.caveats)
    async with AssayClient(ann.settings.address("gateway"), ann.tenant) as client:
        for asked in (job, more):
            checks = (await client.verify(asked.job_id)).checks
            assert [check.name for check in checks if not check.ok] == []
            steps = [step async for step in client.records.recompute(asked.job_id)]
            assert [step.detail for step in steps if not step.same] == []


async def test_what_needs_all_columns_is_asked_of_all(ann: Caller, sales: Path) -> None:
    asked = question("")
    asked.analysis.statement = "SELECT * FROM large_sales ORDER BY sale_id LIMIT 3"
    asked.analysis.data_sources.add(file_path=str(sales))
    job = await ann.asked(asked)
    assert job.answer.table.rows == 3
    assert not any("read for what is asked" in caveat for caveat in job.answer.caveats)
