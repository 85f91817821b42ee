"""Causal studies that calibrate by few repetitions, for tests of everything else about them.

Calibration takes more than half of a study; how well it tells is what `tests/unit/executor` asks.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

from mesh.tool import Tool
from services.executor.causal.estimation.arguments import CausalCalibrateArguments

REPETITIONS = 3


def seldom(tool: Tool) -> Tool:
    """The tool `causal.calibrate`, which repeats itself three times whatever it is asked."""
    return dataclasses.replace(tool, run=partial(_run, tool.run))


def _run(run: Any, arguments: CausalCalibrateArguments, context: Any) -> Any:
    return run(arguments.model_copy(update={"repetitions": REPETITIONS}), context)
