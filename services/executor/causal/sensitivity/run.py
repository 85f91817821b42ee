"""From the arguments of `causal.sensitivity` to its frame."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolContext, ToolError, ToolResult
from services.executor.causal.frame import Study, studies_of
from services.executor.causal.sensitivity import (
    e_value,
    omitted_variable,
    refuting,
    rosenbaum,
)
from services.executor.causal.sensitivity.arguments import CausalSensitivityArguments
from services.executor.causal.sensitivity.result import Tested
from services.executor.causal.threads import one_thread

SCHEMA = pa.schema(
    [
        ("method", pa.string()),
        ("robustness_value", pa.float64()),
        ("passes", pa.bool_()),
        ("interpretation", pa.string()),
        ("details", pa.string()),
    ]
)


def sensitivity_frame(arguments: CausalSensitivityArguments, context: ToolContext) -> ToolResult:
    """Test an estimate. Raises ToolError.

    Of stacked imputations the first is tested: a test asks for bias, which imputation does not
    bring or take.
    """
    asked = arguments
    if arguments.method == "negative_control":
        if arguments.negative_outcome is None:
            raise ToolError(
                ErrorCategory.INVALID_ARGUMENTS,
                "a negative control needs negative_outcome.",
                hint="Name a column that the treatment cannot have moved.",
            )
        left = tuple(n for n in arguments.adjustment if n != arguments.negative_outcome)
        update = {"outcome": arguments.negative_outcome, "adjustment": left}
        asked = arguments.model_copy(update=update)
    studies: Sequence[Study] = studies_of(asked, context)
    with one_thread("sklearn.ensemble", "lightgbm"):
        found = _tested(studies[0], arguments, context)
    details = {name: _plain(value) for name, value in found.details.items()}
    row = {
        "method": arguments.method,
        "robustness_value": found.value if math.isfinite(found.value) else None,
        "passes": found.passes,
        "interpretation": found.interpretation,
        "details": json.dumps(details, sort_keys=True),
    }
    verdict = {True: "passes", False: "fails"}.get(bool(found.passes), "")
    return ToolResult(
        frame=pa.Table.from_pylist([row], schema=SCHEMA),
        summary=arguments.method.replace("_", " ")
        + (f" {verdict}" if found.passes is not None else ""),
        notes=studies[0].notes,
    )


def _tested(study: Study, arguments: CausalSensitivityArguments, context: ToolContext) -> Tested:
    method = arguments.method
    if method == "e_value":
        return e_value.tested(study, arguments)
    if method == "omitted_variable":
        return omitted_variable.tested(study, arguments)
    if method == "rosenbaum":
        if not study.binary:
            raise ToolError(
                ErrorCategory.INVALID_ARGUMENTS, "Rosenbaum bounds need a treatment of two values."
            )
        return rosenbaum.tested(study, arguments)
    if method == "negative_control":
        return refuting.negative_control(study, arguments)
    refuters = {
        "placebo_treatment": refuting.placebo_treatment,
        "random_common_cause": refuting.random_common_cause,
        "subset": refuting.subset,
    }
    return refuters[method](study, arguments, context)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
