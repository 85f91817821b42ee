"""Every rule that rules readings out: a new file of rules is one more line here."""

from __future__ import annotations

from itertools import chain

from services.planner.domain.reader.chart import (
    by_key,
    compliance,
    counted,
    counted_beside,
    ends,
    names_asked,
    ratios,
    ruled_out,
    side_by_side,
    unasked,
    unspoken,
)
from services.planner.domain.reader.chart.requirements import Requirements
from services.planner.domain.reader.chart.sketch import Sketch

_FILES = (
    ruled_out,
    names_asked,
    by_key,
    counted,
    ratios,
    unspoken,
    side_by_side,
    compliance,
    ends,
    counted_beside,
    unasked,
)
EVERY_RULE = tuple(chain.from_iterable(one.RULES for one in _FILES))
"""What can rule a sketch out, by name: `python -m bench.rules` says what each costs."""


def is_ruled_out(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether something that is said plainly, or what its columns hold, rules a sketch out."""
    for rule in EVERY_RULE:  # noqa: SIM110 - a generator takes as long as most rules do
        if rule(sketch, requirements):
            return True
    return False
