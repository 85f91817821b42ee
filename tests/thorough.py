"""How much is tried of what is many of a kind: a part, and all of it where everything is run.

`make test-all` sets ASSAY_TEST_THOROUGH=1. What is claimed is the same both times; only how rare a
counterexample may be and still be met differs.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import TypeVar

THOROUGH = os.environ.get("ASSAY_TEST_THOROUGH") == "1"


Number = TypeVar("Number", int, float)
Thing = TypeVar("Thing")


def times(usually: Number, thoroughly: Number) -> Number:
    """How many draws or examples there are to be, or how near to the truth that many come."""
    return thoroughly if THOROUGH else usually


def some(things: Sequence[Thing], most: int) -> list[Thing]:
    """At most so many of them in their order, the same ones in every run; all where thorough."""
    if THOROUGH or len(things) <= most:
        return list(things)
    chosen = random.Random(len(things)).sample(range(len(things)), most)
    return [things[place] for place in sorted(chosen)]
