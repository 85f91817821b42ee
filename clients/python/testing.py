"""A statistical test over the rows of a statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mesh.errors import INVALID_ARGUMENT, AssayError

if TYPE_CHECKING:
    from assay.common.v1.proposals_pb2 import RequestedTest

KINDS = ("compare", "regress", "cohort", "backtest", "forecast")


@dataclass(frozen=True, slots=True)
class Testing:
    """What is tested, in names of the statement's columns: docs/statistical_tests.md."""

    __test__ = False  # no test case, whatever its name says

    kind: str
    outcome: str
    by: str = ""
    groups: tuple[str, ...] = ()
    predictors: tuple[str, ...] = ()
    cluster: str = ""
    time: str = ""
    horizon: int = 0
    period: str = ""
    confidence: float = 0.0

    def message(self) -> RequestedTest:
        """In the contract's words. Raises AssayError(INVALID_ARGUMENT) for a kind that is none."""
        # Here, because the contract's code takes its time, and few test anything.
        from assay.common.v1.proposals_pb2 import RequestedTest, TestKind

        if self.kind not in KINDS:
            raise AssayError(
                INVALID_ARGUMENT,
                f"there is no test of kind {self.kind!r}",
                hint=f"The kinds are {', '.join(KINDS[:-1])} and {KINDS[-1]}.",
            )
        return RequestedTest(
            kind=TestKind.Value(f"TEST_KIND_{self.kind.upper()}"),
            outcome=self.outcome,
            by=self.by,
            groups=self.groups,
            predictors=self.predictors,
            cluster=self.cluster,
            time=self.time,
            horizon=self.horizon,
            period=self.period,
            confidence=self.confidence,
        )


def statement_of(rows: str) -> str:
    """The statement that gives the rows: `rows` itself, or all of the frame that it names."""
    name = rows.strip()
    return f"select * from {name}" if name.isidentifier() else rows
