"""Writes a learnt model as a readable file, one feature a line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from services.planner.domain.reader.choice.linear import LogLinear
from services.planner.domain.reader.choice.model import ReaderModel


def write(model: ReaderModel, path: Path) -> None:
    """The model as JSON that `read_model` reads; equal models give equal bytes."""
    parts = [
        f'"roles": {_linear(model.roles)}',
        f'"conditions": {_linear(model.conditions)}',
        '"shape": {\n'
        + ",\n".join(
            f"{json.dumps(head)}: {_linear(one)}" for head, one in model.shape.heads.items()
        )
        + "\n}",
        f'"pruner": {_weights_of_kinds(model.pruner.weights)}',
    ]
    if model.ranker is not None:
        parts.append(f'"ranker": {_weights_of_kinds(model.ranker.weights)}')
    if model.calibration.model is not None:
        parts.append(f'"calibration": {_linear(model.calibration.model)}')
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def _linear(model: LogLinear) -> str:
    rows = ",\n".join(
        f"{json.dumps(name, ensure_ascii=False)}: {_row(model.weights[name])}"
        for name in sorted(model.weights)
    )
    return f'{{"classes": {json.dumps(list(model.classes))}, "weights": {{\n{rows}\n}}}}'


def _row(weights: Sequence[float]) -> str:
    return "[" + ",".join(f"{w:g}" for w in weights) + "]"


def _weights_of_kinds(weights: Mapping[str, Mapping[str, float]]) -> str:
    kinds: list[str] = []
    for kind, named in weights.items():
        rows = ",\n".join(f"{json.dumps(n)}: {named[n]:g}" for n in sorted(named))
        kinds.append(f"{json.dumps(kind)}: {{\n{rows}\n}}")
    return "{\n" + ",\n".join(kinds) + "\n}"
