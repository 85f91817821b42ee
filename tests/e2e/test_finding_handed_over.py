"""From where to why on the command line: the investigation's last lines, run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.conftest import Assay
from tests.mesh.movements import write_orders

pytestmark = pytest.mark.timeout(900)
SEGMENT = "channel = web, region = North"


def test_the_command_that_an_investigation_ends_with_asks_what_its_segment_does(
    assay: Assay, tmp_path: Path
) -> None:
    orders = write_orders(tmp_path / "orders.csv")
    periods = ("--baseline", "2024-02", "--compare", "2024-03")
    ran = assay(
        "investigate", "--data", str(orders), "--metric", "sum(revenue)", *periods, seconds=300
    )
    assert ran.code == 0, ran.err or ran.out
    told = re.search(r"assay (causal --from ([0-9a-f]+) --explanation 1)", ran.out)
    assert told is not None, ran.out

    ran = assay(*told[1].split(), "--iterations", "1", "--json", seconds=600)

    assert ran.code == 0, ran.err or ran.out
    assert (
        f"Asked of investigation {told[2]}: explanation 1, {SEGMENT}" in ran.json["answer"]["text"]
    )
    shown = assay("show", ran.json["job"][:8])
    lines = " ".join(shown.out.split())
    assert f"from investigation {told[2]}" in lines
    assert "groups period = " in lines
    verified = assay("verify", ran.json["job"][:8])
    assert verified.code == 0, verified.out
    assert "statements borne out in the answer and in 1 report" in " ".join(verified.out.split())


def test_a_hand_over_of_nothing_is_refused_by_name(assay: Assay, tmp_path: Path) -> None:
    data = tmp_path / "few.csv"
    data.write_text("region,sold\nNorth,1\nSouth,2\n")
    asked = assay("ask", "total sold by region", "--data", str(data), "--json")
    job = asked.json["job"][:8]

    of_another_kind = assay("causal", "--from", job)
    assert of_another_kind.code == 2 and "not an investigation" in of_another_kind.err
    without = assay("causal", "--data", str(data), "--explanation", "1")
    assert without.code == 2 and "--from JOB" in without.err
