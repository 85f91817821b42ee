"""What may be behind leaves that differ from their forecast."""

from __future__ import annotations

from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.hypothesis import Test
from services.planner.domain.investigation.wording import called


def hypotheses_of_leaves(ground: Ground) -> list[dict[str, object]]:
    """The hypotheses but for those of single dimensions, as fields; the cheapest first."""
    label = called(ground)
    return [
        {
            "title": "The data are at fault, not what they are about",
            "causal_story": "Leaves are there twice, lack a value or a forecast, or the two are in "
            f"different units, so that {label} differs from its forecast on paper only.",
            "dimensions": ground.dimensions,
            "expected_pattern": "repeated leaves, missing values or a constant factor between "
            "forecast and actual values",
            "priority": 1,
            "test": Test.QUALITY,
        },
        {
            "title": "The whole came as it was forecast",
            "causal_story": f"{label} is what was forecast; leaves that are off cancel out.",
            "dimensions": (),
            "expected_pattern": "no difference between the whole and its forecast",
            "priority": 2,
            "test": Test.CHANGE,
        },
        {
            "title": "Some segments are off, alone or in combination",
            "causal_story": f"{label} differs from its forecast because of a few segments, while "
            "the rest came as forecast.",
            "dimensions": ground.dimensions,
            "expected_pattern": "segments that are off by more than a search finds where leaves "
            "differ from their forecast by chance alone",
            "priority": 3,
            "test": Test.SEARCH,
        },
        {
            "title": "Everything is off alike",
            "causal_story": f"Something outside moved {label} in all leaves by the same part, or "
            "the forecast is too high or too low everywhere.",
            "dimensions": ground.dimensions,
            "expected_pattern": "leaves outside of all segments that stand out are off in one "
            "direction by more than they scatter",
            "priority": 4,
            "test": Test.ALIKE,
        },
    ]
