"""An effect asked for on the command line, told under its condition, verified to its last word."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Assay
from tests.mesh.test_causal_jobs import visits

pytestmark = pytest.mark.timeout(600)


def test_an_effect_is_told_under_its_condition_and_every_word_of_it_holds(
    assay: Assay, tmp_path: Path
) -> None:
    data = visits(tmp_path / "visits.csv", 400)
    known = tmp_path / "known.yaml"
    known.write_text("tiers: [[age, income], [promo], [spend]]\n")
    asked = ("--treatment", "promo", "--outcome", "spend", "--knowledge", str(known))

    ran = assay("causal", "--data", str(data), *asked, "--json", seconds=400)

    assert ran.code == 0, ran.err or ran.out
    text = ran.json["answer"]["text"]
    assert text.startswith(
        "If nothing unseen links both among rows alike in age, income, promo raises spend by"
    )
    assert ran.json["causal"]["verdict"] == "CRITIQUE_DECISION_APPROVE"
    verified = assay("verify", ran.json["job"][:8])
    assert verified.code == 0, verified.out
    assert "statements borne out in the answer and in 1 report" in " ".join(verified.out.split())
