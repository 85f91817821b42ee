"""All that was learnt, from one readable file: local models, pruner, ranker, calibration."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from services.planner.domain.reader.chart.pieces import Role
from services.planner.domain.reader.choice.forms import DECLARED
from services.planner.domain.reader.choice.linear import Features, LogLinear
from services.planner.domain.reader.choice.shape import HEADS, ShapeModel

KINDS = ("chart", "table")
_UNTRAINED = {
    "shape": 1.0,
    "roles": 1.0,
    "conditions": 1.0,
    "cost": -1.0,
    "roles unused": -1.2,
    "columns without role": -1.5,
    "unread": -0.6,
    "values unread": -1.0,
    "numbers unread": -1.0,
}


@dataclass(frozen=True)
class Ranker:
    """A weight for each feature, of charts and of tables apart."""

    weights: Mapping[str, Mapping[str, float]]

    def score(self, features: Features, kind: str) -> float:
        """The sum of the weighted features."""
        weights = self.weights[kind]
        learnt = sum(weights[name] * value for name, value in features.items() if name in weights)
        return learnt + sum(weight * features.get(name, 0.0) for name, weight in DECLARED.items())


@dataclass(frozen=True)
class Calibration:
    """Turns what is seen of the choice into how often such a choice is right."""

    model: LogLinear | None = None

    def confidence(self, features: Features) -> float:
        """From 0 to 1."""
        return self.model.probabilities(features)["right"] if self.model is not None else 0.0


@dataclass(frozen=True)
class ReaderModel:
    """What the reader has learnt."""

    roles: LogLinear
    conditions: LogLinear
    shape: ShapeModel
    pruner: Ranker = field(default_factory=lambda: Ranker(dict.fromkeys(KINDS, _UNTRAINED)))
    ranker: Ranker | None = None
    calibration: Calibration = Calibration()

    def role_odds(self, features: Sequence[Features]) -> list[dict[Role, float]]:
        """How likely each role of each mention is."""
        return [
            {Role(name): p for name, p in self.roles.probabilities(one).items()} for one in features
        ]

    def condition_odds(self, features: Sequence[Features]) -> list[float]:
        """How likely each proposed condition is meant."""
        return [self.conditions.probabilities(one)["yes"] for one in features]


def model_of(values: Mapping[str, Any]) -> ReaderModel:
    """The model from its JSON object."""
    shape = ShapeModel({head: LogLinear.read(values["shape"][head]) for head in HEADS})
    ranker = Ranker(values["ranker"]) if "ranker" in values else None
    pruner = {"pruner": Ranker(values["pruner"])} if "pruner" in values else {}
    calibration = Calibration(
        LogLinear.read(values["calibration"]) if "calibration" in values else None
    )
    return ReaderModel(
        LogLinear.read(values["roles"]),
        LogLinear.read(values["conditions"]),
        shape,
        ranker=ranker,
        calibration=calibration,
        **pruner,
    )


@lru_cache(maxsize=1)
def learnt() -> ReaderModel:
    """The model that is shipped."""
    return read_model(Path(__file__).parent / "model.json")


def read_model(path: Path) -> ReaderModel:
    """The model of a file, which may be packed. Raises OSError and ValueError."""
    raw = path.read_bytes()
    return model_of(json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw))
