"""A search's explanations one after the other, from the baseline to the comparison."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolError

SCHEMA = pa.schema(
    [
        ("label", pa.string()),
        ("start", pa.float64()),
        ("end", pa.float64()),
        ("kind", pa.string()),
        ("effect", pa.float64()),
    ]
)
_NEEDED = ("kind", "segment", "baseline", "comparison", "effect", "p_corrected")
_LEAST_REST = 1e-9
_PREFIXES = {"mix": "mix: ", "new": "new: ", "vanished": "gone: "}


class Asked(Protocol):
    """The arguments of metric.waterfall."""

    @property
    def input(self) -> str | None:
        """The step of the search."""

    @property
    def baseline(self) -> str:
        """What the first end is called."""

    @property
    def comparison(self) -> str:
        """What the last end is called."""

    @property
    def alpha(self) -> float:
        """The largest p of what is shown."""

    @property
    def most_steps(self) -> int:
        """Steps between the ends, but for the rest."""


def steps_of(asked: Asked, inputs: Mapping[str, pa.Table]) -> pa.Table:
    """The steps. Raises ToolError where no input is a search, or it found no total."""
    rows = _searched(asked.input, inputs).to_pylist()
    total = next((row for row in rows if row["kind"] == "total"), None)
    if total is None or total["baseline"] is None or total["comparison"] is None:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            "The search does not tell the whole in both periods, so there is nothing to go from.",
            hint="Draw the explanations as bars instead.",
        )
    before, after = float(total["baseline"]), float(total["comparison"])
    shown = [row for row in rows if _stands_out(row, asked.alpha)]
    shown.sort(key=lambda row: (-abs(row["effect"]), str(row["segment"])))
    steps = [_row(asked.baseline, 0.0, before, "total")]
    level = before
    for row in shown[: asked.most_steps]:
        steps.append(_step(called(row), level, float(row["effect"])))
        level += float(row["effect"])
    if abs(after - level) > _LEAST_REST * max(abs(before), abs(after), 1e-300):
        steps.append({**_step("everything else", level, after - level), "kind": "rest"})
    steps.append(_row(asked.comparison, 0.0, after, "total"))
    return pa.Table.from_pylist(steps, schema=SCHEMA)


def called(row: Mapping[str, Any]) -> str:
    """A row of a search in a few words: "region North, channel web"."""
    segment = json.loads(row["segment"] or "{}")
    named = ", ".join(
        f"{name.replace('_', ' ')} {'(missing)' if value is None else value}"
        for name, value in segment.items()
    )
    if row["kind"] == "alike" or not named:
        return "everything alike"
    return _PREFIXES.get(row["kind"], "") + named


def _searched(name: str | None, inputs: Mapping[str, pa.Table]) -> pa.Table:
    names = sorted(inputs)
    fitting = [n for n in names if set(_NEEDED) <= set(inputs[n].column_names)]
    chosen = name or (fitting[0] if len(fitting) == 1 else None)
    if chosen in fitting:
        return inputs[chosen]
    problem = f"step {name} gave no search" if name else "which input is the search is not said"
    raise ToolError(
        ErrorCategory.INVALID_ARGUMENTS,
        f"A waterfall is drawn from the frame of metric.search, and {problem}.",
        hint="Set input to the step of metric.search.",
        details={"field": "input", "candidates": names},
    )


def _stands_out(row: Mapping[str, Any], alpha: float) -> bool:
    p, effect = row["p_corrected"], row["effect"]
    return row["kind"] != "total" and p is not None and p <= alpha and effect is not None


def _step(label: str, start: float, effect: float) -> dict[str, Any]:
    return _row(label, start, start + effect, "up" if effect >= 0 else "down")


def _row(label: str, start: float, end: float, kind: str) -> dict[str, Any]:
    return {"label": label, "start": start, "end": end, "kind": kind, "effect": end - start}
