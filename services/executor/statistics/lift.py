"""Whether a rule would have picked out what it is for: a backtest over what happened since."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mesh.tool import ErrorCategory, ToolError
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import at_least, complete

_LEAST_ROWS, _LEAST_CASES = 20, 5
_YES = frozenset(("yes", "y", "true", "t", "1", "1.0"))
Truths = npt.NDArray[np.bool_]
_NO = frozenset(("no", "n", "false", "f", "0", "0.0"))


def backtested(
    data: pd.DataFrame, happened: str, rule: str, time: str, confidence: float
) -> Outcome:
    """How much oftener what is to be foreseen happened where the rule said so.

    `happened` and `rule` are columns of yes or no, a row for each thing that was judged. The lift
    is the ratio of both shares, with the score interval of Miettinen and Nurminen (1985). With
    `time` both halves of the rows, in its order, are told apart: a rule that was found in the
    first half has to hold in the second. Raises ToolError(INVALID_ARGUMENTS) for too few rows.
    """
    outcome = Outcome()
    names = [happened, rule, *([time] if time else [])]
    kept = complete(data[names], outcome)
    cases, picked = _truths(kept, happened), _truths(kept, rule)
    at_least(len(kept), _LEAST_ROWS, "a backtest")
    for name, values in ((happened, cases), (rule, picked)):
        at_least(int(min(values.sum(), (~values).sum())), _LEAST_CASES, f"yes and no of {name}")
    outcome.add_sentence("test", "backtest of a rule")
    low, high = _add_lift(outcome, cases, picked, confidence, "")
    outcome.add("share picked", picked.mean(), text=f"rows where {rule} holds")
    outcome.add("base rate", cases.mean(), text=f"rows where {happened} holds")
    outcome.add("precision", cases[picked].mean(), text=f"of the rows picked, {happened}")
    outcome.add("recall", picked[cases].mean(), text=f"of {happened}, the rows picked")
    outcome.add_sentence("conclusion", _verdict(happened, rule, low, high))
    if time:
        _add_halves(outcome, kept[time], cases, picked, confidence)
    outcome.assume(
        "the rule uses only what was known before", "the rows are independent of one another"
    )
    if not time:
        outcome.assume("the rule was not chosen by these rows")
    return outcome


def _truths(data: pd.DataFrame, column: str) -> Truths:
    """A column of yes or no. Raises ToolError(TYPE_MISMATCH)."""
    texts = data[column].map(lambda one: str(one).strip().lower())
    odd = sorted(set(texts) - _YES - _NO)
    if odd:
        raise ToolError(
            ErrorCategory.TYPE_MISMATCH,
            f"{column} holds {odd[0]!r}; a backtest needs columns of yes or no.",
            hint="Say in the statement what counts as yes: (orders > 0) as bought_again.",
            details={"column": column},
        )
    return texts.isin(_YES).to_numpy(dtype=bool)


def _add_lift(
    outcome: Outcome, cases: Truths, picked: Truths, confidence: float, about: str
) -> tuple[float, float]:
    from statsmodels.stats.proportion import confint_proportions_2indep

    a, m = int(cases[picked].sum()), int(picked.sum())
    b, n = int(cases[~picked].sum()), int((~picked).sum())
    low, high = confint_proportions_2indep(
        a, m, b, n, compare="ratio", method="score", alpha=1 - confidence
    )
    lift = (a / m) / (b / n) if b else float("inf")
    outcome.add("lift", lift, about, "share where the rule holds, over that where it does not")
    outcome.interval("lift", float(low), float(high), about)
    return float(low), float(high)


def _verdict(happened: str, rule: str, low: float, high: float) -> str:
    if low > 1:
        return f"{happened} is more frequent where {rule} holds"
    if high < 1:
        return f"{happened} is less frequent where {rule} holds: the rule points the other way"
    return f"no lift: {happened} is not clearly more frequent where {rule} holds"


def _add_halves(
    outcome: Outcome,
    times: pd.Series[Any],
    cases: Truths,
    picked: Truths,
    confidence: float,
) -> None:
    """The lift of the earlier and of the later half of the rows."""
    order = np.argsort(pd.to_datetime(times).to_numpy(), kind="stable")
    halves = np.array_split(order, 2)
    found = []
    for name, rows in zip(("earlier half", "later half"), halves, strict=True):
        part, chosen = cases[rows], picked[rows]
        if not (0 < chosen.sum() < len(rows)) or not part.any() or part.all():
            outcome.caveats.append(f"In the {name} nothing can be compared: too few rows.")
            return
        found.append(_add_lift(outcome, part, chosen, confidence, name))
    (first, _), (second, _) = found
    if first > 1 >= second:
        outcome.caveats.append(
            "The lift of the earlier half is not clearly there in the later one: the rule may have "
            "been found by chance, or no longer hold."
        )
