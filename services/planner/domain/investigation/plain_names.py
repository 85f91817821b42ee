"""Texts of the tools about the columns that an investigation made, in names that people gave."""

from __future__ import annotations

from services.planner.domain.investigation.ground import DENOMINATOR, NUMERATOR, TIME, Ground
from services.planner.domain.investigation.wording import called


def in_plain_names(text: str, ground: Ground) -> str:
    """The text with the metric and its time by their own names."""
    metric = called(ground)
    column = metric.removeprefix("total ").removeprefix("average ")
    names = {
        TIME: ground.time,
        NUMERATOR: f"what {metric} is made of" if ground.ratio and column == metric else column,
        DENOMINATOR: f"what {metric} is of",
    }
    for internal, plain in names.items():
        text = text.replace(f'"{internal}"', plain).replace(internal, plain)
    return text
