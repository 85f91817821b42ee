"""A group that a session looked at beside others counts as many tests as there were others."""

from __future__ import annotations

from pathlib import Path

from assay.common.v1 import job_pb2, proposals_pb2
from tests.mesh import shared
from tests.mesh.support import Caller
from tests.mesh.test_frames_of_sessions import opened, within

pytestmark = shared.ON_ONE_LOOP
ann = shared.ann


async def test_the_best_of_many_groups_is_not_tested_as_if_it_were_the_only_one(
    ann: Caller, sales: Path
) -> None:
    session = await opened(ann)
    scan = "select product, avg(price) as price from sales group by product"
    assert (await ann.asked(within(session, scan, sales))).state == job_pb2.JOB_STATE_COMPLETED

    picked = within(session, "select region, price from sales where product = 'desk'", sales)
    picked.analysis.test.CopyFrom(
        proposals_pb2.RequestedTest(
            kind=proposals_pb2.TEST_KIND_COMPARE,
            outcome="price",
            by="region",
            groups=["North", "South"],
        )
    )
    job = await ann.asked(picked)

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert [one for one in job.answer.caveats if "of which desk was picked" in one] == [
        "f1 shows 4 values of product, of which desk was picked: that counts as 4 tests"
    ]
    assert "Bonferroni p-value" in job.answer.text
