"""What a causal answer says of calls that gave nothing."""

from __future__ import annotations

from services.planner.causal.caveats import caveats_of
from services.planner.domain.causal.agent import Seen
from tests.unit.causal.frames_of_study import begun


def test_one_reason_is_told_once_with_all_that_it_kept_from_being_made() -> None:
    why = "spend is not numeric."
    failed = {
        "naive": why, "effect_aipw": why, "effect_causal_forest": why, "calibrated": why,
        "discover_pc": "no time is left.", "r0_test_rosenbaum": "too few.",
        "r1_test_rosenbaum": "too few.",
    }  # fmt: skip

    assert caveats_of(Seen(failed=failed), begun()) == [
        "Effects planted on these data, AIPW, causal forest, the plain comparison: "
        "spend is not numeric.",
        "Discover pc: no time is left.",
        "Rosenbaum's bounds: too few.",
    ]
