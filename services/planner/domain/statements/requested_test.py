"""A statistical test over the rows of a statement, in names of its columns."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, Literal

from pydantic import Field

from services.planner.domain.catalogue import Frozen

Kind = Literal["", "compare", "regress", "cohort", "backtest", "forecast"]
LONGEST, MOST = 200, 20
_TESTS = {
    "compare": "compare",
    "regress": "regression",
    "cohort": "survival",
    "backtest": "lift",
    "forecast": "forecast",
}
# Tests that need more than columns, a group and predictors: only a request for one says that.
ONLY_REQUESTED = frozenset(_TESTS.values())
_USUAL_CONFIDENCE = 0.95


class RequestedTest(Frozen):
    """What is tested, as the contract's message of that name says; no test without a `kind`."""

    __test__ = False  # no test case, whatever its name says

    kind: Kind = ""
    outcome: str = Field(default="", max_length=LONGEST)
    by: str = Field(default="", max_length=LONGEST)
    groups: tuple[str, ...] = Field(default=(), max_length=MOST)
    predictors: tuple[str, ...] = Field(default=(), max_length=MOST)
    cluster: str = Field(default="", max_length=LONGEST)
    time: str = Field(default="", max_length=LONGEST)
    horizon: int = Field(default=0, ge=0, le=60)
    period: str = Field(default="", max_length=LONGEST)
    confidence: float = Field(default=0.0, ge=0.0, lt=1.0)

    @property
    def problem(self) -> str:
        """What it lacks or cannot have, in words; empty where it can be made."""
        return next(self._problems(), "")

    def _problems(self) -> Iterator[str]:
        if not self.kind:
            return
        if not self.outcome:
            yield f"a test of kind {self.kind} needs an outcome: {_OUTCOMES[self.kind]}"
        for name, why in _NEEDED.get(self.kind, {}).items():
            if not getattr(self, name):
                yield f"a test of kind {self.kind} needs {name}: {why}"
        taken = _TAKEN[self.kind]
        for name in ("by", "groups", "predictors", "cluster", "time", "horizon", "period"):
            if getattr(self, name) and name not in taken:
                yield f"a test of kind {self.kind} takes no {name}"
        if self.confidence and self.confidence <= 0.5:
            yield "confidence is above 0.5 and below 1"
        if self.period and not _is_of_days(self.period):
            yield "period is two days with .. between, the earlier first: 2023-01-01..2024-12-31"

    @property
    def counts(self) -> bool:
        """Whether it is one of those that find something by chance where many are tried."""
        return self.kind not in ("", "forecast")

    @property
    def words(self) -> tuple[str, ...]:
        """All that is written in it."""
        every = (self.outcome, self.by, *self.groups, *self.predictors, self.cluster, self.time)
        return tuple(filter(None, (*every, self.period)))

    def arguments(self, tried: int) -> dict[str, Any]:
        """Those of `stats.test`; `tried` is how many tests the session holds with this one."""
        first, _, last = self.period.partition("..")
        found: dict[str, Any] = {
            "test": _TESTS[self.kind],
            "columns": [self.outcome, *([self.time] if self.kind == "cohort" else [])],
            "by": self.by,
            "groups": list(self.groups),
            "predictors": list(self.predictors),
            "cluster": self.cluster,
            "time": "" if self.kind == "cohort" else self.time,
            "horizon": self.horizon,
            "confidence": self.confidence or _USUAL_CONFIDENCE,
            "span": [first.strip(), last.strip()] if self.period else [],
            "tried": tried if tried > 1 and self.counts else 0,
        }
        return {name: value for name, value in found.items() if value}


def _is_of_days(period: str) -> bool:
    """Whether a period names its first and its last day, of which one may be left out."""
    first, dots, last = (part.strip() for part in period.partition(".."))
    try:
        days = [date.fromisoformat(one) for one in (first, last) if one]
    except ValueError:
        return False
    return bool(dots) and days == sorted(days)


_OUTCOMES = {
    "compare": "the number that is compared",
    "regress": "the number, or the yes and no, that is explained",
    "cohort": "the day on which a thing began",
    "backtest": "the yes or no that is to be foreseen",
    "forecast": "the number that is forecast",
}
_NEEDED = {
    "compare": {"by": "the column of the groups"},
    "regress": {"predictors": "what the outcome is explained by"},
    "cohort": {"time": "the day on which a thing ended, empty while it goes on"},
    "backtest": {"by": "the yes or no of the rule"},
    "forecast": {"time": "the column that says when"},
}
_TAKEN = {
    "compare": {"by", "groups", "cluster"},
    "regress": {"predictors", "cluster"},
    "cohort": {"by", "time", "period"},
    "backtest": {"by", "time"},
    "forecast": {"time", "horizon"},
}
