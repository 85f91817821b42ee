"""Several tests of the same data: the more are tried, the more find something by chance alone."""

from __future__ import annotations

from services.executor.statistics.arguments import TestArguments
from services.executor.statistics.outcome import Outcome

_P = "p-value"


def corrected(arguments: TestArguments) -> TestArguments:
    """The arguments with a confidence at which all tests that were tried hold together."""
    if arguments.tried == 1:
        return arguments
    alpha = (1 - arguments.confidence) / arguments.tried
    return arguments.model_copy(update={"confidence": 1 - alpha})


def tell(outcome: Outcome, arguments: TestArguments) -> None:
    """Adds the corrected p-value, and says where only the uncorrected one is small."""
    if arguments.tried == 1:
        return
    outcome.add("tests tried", arguments.tried, text="of these data, this one among them")
    if not outcome.has(_P):
        return
    p = outcome.value(_P)
    together = min(1.0, p * arguments.tried)
    outcome.add(f"Bonferroni {_P}", together, text=f"times {arguments.tried} tests")
    if p < 1 - arguments.confidence <= together:
        outcome.caveats.append(
            f"This is one of {arguments.tried} tests of these data: by itself p would be "
            f"{p:.3g}, but one as small comes by chance among so many; corrected it is "
            f"{together:.3g}."
        )
