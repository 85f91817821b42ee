"""How often a claim about chance is tried: a few times, and many where everything is run.

`make test-all` sets ASSAY_TEST_THOROUGH=1. What is claimed is the same both times; only how rare a
counterexample may be and still be met differs.
"""

from __future__ import annotations

import os
from typing import TypeVar

THOROUGH = os.environ.get("ASSAY_TEST_THOROUGH") == "1"


Number = TypeVar("Number", int, float)


def times(usually: Number, thoroughly: Number) -> Number:
    """How many draws or examples there are to be, or how near to the truth that many come."""
    return thoroughly if THOROUGH else usually
