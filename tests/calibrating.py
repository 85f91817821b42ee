"""Causal studies that calibrate by few repetitions, for tests of everything else about them.

Calibration takes more than half of a study; how well it tells is what `tests/unit/executor` asks.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

import pytest

from mesh.tool import Tool
from services.executor.causal.estimation.arguments import CausalCalibrateArguments

REPETITIONS = 3
VARIABLE = "ASSAY_TEST_SELDOM"
"""Set where a mesh of commands is started, it has that calibrate seldom, too (`tests.forking`)."""


def seldom(tool: Tool) -> Tool:
    """The tool `causal.calibrate`, which repeats itself three times whatever it is asked."""
    return dataclasses.replace(tool, run=partial(_run, tool.run))


def calibrate_seldom(patch: pytest.MonkeyPatch) -> None:
    """Have studies of this process do so."""
    from services.executor.tools import causal_calibrate as module

    patch.setattr(module, "causal_calibrate", seldom(module.causal_calibrate))


def _run(run: Any, arguments: CausalCalibrateArguments, context: Any) -> Any:
    return run(arguments.model_copy(update={"repetitions": REPETITIONS}), context)
