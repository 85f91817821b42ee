"""Situations held out: made without a look at how anything is recognised, and asked apart."""

from __future__ import annotations

from dataclasses import replace

from bench.untidy.held.headings import headings
from bench.untidy.held.names import broken, keys, names
from bench.untidy.held.nothing import nothing
from bench.untidy.held.numbers import numbers
from bench.untidy.held.rows import rows_that_are_none
from bench.untidy.held.second import second
from bench.untidy.held.shape import shapes
from bench.untidy.held.time import times
from bench.untidy.inputs import Input


def held() -> list[Input]:
    """The inputs held out."""
    parts = (
        headings,
        rows_that_are_none,
        nothing,
        numbers,
        times,
        shapes,
        names,
        keys,
        broken,
        second,
    )
    return [replace(one, held=True) for part in parts for one in part()]
