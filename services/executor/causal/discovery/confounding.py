"""What each candidate column is to a treatment and an outcome: by association, change and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from services.executor.causal.discovery.independence import GaussianTest, residual_covariance
from services.executor.causal.discovery.matrix import Matrix, Sample

SCHEMA = pa.schema(
    [
        ("column", pa.string()),
        ("verdict", pa.string()),
        ("with_treatment", pa.float64()),
        ("with_treatment_p", pa.float64()),
        ("with_outcome", pa.float64()),
        ("with_outcome_p", pa.float64()),
        ("change_in_estimate", pa.float64()),
        ("reason", pa.string()),
    ]
)
ALPHA = 0.05
LEAST_STRENGTH = 0.02
"""Correlation below which an association changes no estimate, however many rows show it."""
_UNKNOWN = "whether it came before the treatment is not known"


@dataclass(frozen=True)
class Ties:
    """How a candidate goes with the treatment, and with the outcome given treatment and others.

    Strengths from 0 to 1 (correlations; of several numbers Hotelling's vector alienation, 1936).
    `beside_p` is of candidate and treatment given the others, `plain_p` of treatment and outcome
    without the candidate and `given_p` with it.
    """

    treatment: float
    treatment_p: float
    outcome: float
    outcome_p: float
    change: float | None
    beside_p: float
    plain_p: float
    given_p: float

    @property
    def with_treatment(self) -> bool:
        """Associated with the treatment."""
        return self.treatment_p < ALPHA and self.treatment >= LEAST_STRENGTH

    @property
    def with_outcome(self) -> bool:
        """Associated with the outcome given treatment and the others."""
        return self.outcome_p < ALPHA and self.outcome >= LEAST_STRENGTH


def confounder_rows(
    matrix: Matrix,
    treatment: str,
    outcome: str,
    candidates: Sequence[str],
    tiers: Mapping[str, int],
) -> list[dict[str, Any]]:
    """A row for each candidate, in the order of their names.

    Candidates known to come before are weighed beside one another: given the treatment alone, its
    causes would go with the outcome by way of each other (the treatment is their collider).
    """
    sample = matrix.sample()
    rows = []
    t, y = matrix.names.index(treatment), matrix.names.index(outcome)
    early = [
        matrix.names.index(c)
        for c in sorted(set(candidates) & set(matrix.names))
        if c not in (treatment, outcome) and _before(c, treatment, tiers)
    ]
    telling = _telling(sample, t, y, early)
    for name in sorted(set(candidates) - {treatment, outcome}):
        before = _before(name, treatment, tiers)
        if name not in matrix.names:
            why = matrix.left_out.get(name, "it is not in the data")
            rows.append(_row(name, *_unusable(name, why, treatment, outcome, before), None))
            continue
        place = matrix.names.index(name)
        ties = _ties(sample, t, y, place, [k for k in telling if k != place])
        rows.append(_row(name, *verdict(ties, before), ties))
    return rows


def _before(name: str, treatment: str, tiers: Mapping[str, int]) -> bool | None:
    if name not in tiers or treatment not in tiers or tiers[name] == tiers[treatment]:
        return None
    return tiers[name] < tiers[treatment]


def verdict(ties: Ties, before: bool | None) -> tuple[str, str]:
    """What a candidate is, and why; `before` is whether it came before the treatment, if known."""
    if before is False:
        return "post_treatment", "its tier is after the treatment's: adjusting for it hides effects"
    masked = ties.plain_p > ALPHA >= ties.given_p  # what came before is no consequence of anything
    if masked and not before and ties.with_treatment and ties.with_outcome:
        return "collider_risk", (
            "treatment and outcome are independent without it and dependent with it, as with a "
            "common consequence"
        )
    if ties.with_treatment and ties.with_outcome:
        if before:
            return "confounder", "it came before, and goes with treatment and with outcome"
        return "unclear", (
            "it goes with treatment and with outcome, as a confounder does and as what follows "
            f"the treatment does; {_UNKNOWN}"
        )
    if ties.with_outcome:
        return "precision", (
            "it goes with the outcome and not with the treatment: adjusting for it narrows errors"
            + ("" if before else f"; {_UNKNOWN}")
        )
    if ties.with_treatment:
        if before and ties.beside_p >= ALPHA:
            return "irrelevant", "the other candidates carry all that it says"
        if before:
            return "instrument_like", (
                "it came before, and goes with the treatment and not with the outcome given it: "
                "adjusting for it widens errors and hidden bias"
            )
        return "unclear", f"it goes with the treatment alone; {_UNKNOWN}"
    return "irrelevant", "it goes neither with the treatment nor with the outcome"


def _unusable(
    name: str, why: str, treatment: str, outcome: str, before: bool | None
) -> tuple[str, str]:
    if why == f'"{treatment}" determines it':
        return "unclear", "the treatment determines it: nothing is left of one given the other"
    if why == f'"{outcome}" determines it':
        return (
            "collider_risk",
            "the outcome determines it: adjusting for it explains the outcome away",
        )
    if before is False:
        return "post_treatment", "its tier is after the treatment's: adjusting for it hides effects"
    return ("irrelevant" if why == "it has one value only" else "unclear"), why


def _telling(sample: Sample, t: int, y: int, early: Sequence[int]) -> list[int]:
    """Early candidates that the outcome needs beside the others: the least needed go one by one."""
    test, kept = GaussianTest(sample), list(early)
    while kept:
        needed = {c: test.p_value(y, c, (t, *(k for k in kept if k != c))) for c in kept}
        worst = max(kept, key=lambda c: (needed[c], c))
        if needed[worst] < ALPHA:
            break
        kept.remove(worst)
    return kept


def _ties(sample: Sample, t: int, y: int, c: int, others: Sequence[int]) -> Ties:
    test = GaussianTest(sample)
    return Ties(
        _strength(sample, t, c, ()),
        test.p_value(t, c, ()),
        _strength(sample, y, c, (t, *others)),
        test.p_value(y, c, (t, *others)),
        _change(sample, t, y, c, others),
        test.p_value(t, c, others),
        test.p_value(t, y, others),
        test.p_value(t, y, (*others, c)),
    )


def _strength(sample: Sample, x: int, y: int, given: Sequence[int]) -> float:
    one, two = sample.blocks[x], sample.blocks[y]
    beside = np.concatenate([sample.blocks[k] for k in given]) if given else None
    rest = residual_covariance(sample.correlation, np.concatenate([one, two]), beside)
    rest = rest + 1e-12 * np.eye(len(rest))
    a = len(one)
    alone = np.linalg.slogdet(rest[:a, :a])[1] + np.linalg.slogdet(rest[a:, a:])[1]
    lost = float(np.exp(np.linalg.slogdet(rest)[1] - alone))
    return float(np.sqrt(np.clip(1 - lost, 0.0, 1.0)))


def _change(sample: Sample, t: int, y: int, c: int, others: Sequence[int]) -> float | None:
    """Relative change of the treatment's coefficient by the candidate, the others in both.

    Of linear regressions of the outcome; null where treatment or outcome is several numbers, or
    the coefficient without the candidate is within two standard errors of none.
    """
    first, outcome = sample.blocks[t], sample.blocks[y]
    if len(first) != 1 or len(outcome) != 1:
        return None
    without, error = _coefficient(sample, [t, *others], y)
    beside, _ = _coefficient(sample, [t, *others, c], y)
    return (beside - without) / abs(without) if abs(without) > 2 * error else None


def _coefficient(sample: Sample, columns: Sequence[int], y: int) -> tuple[float, float]:
    """The first column's coefficient in standard deviations, and its standard error."""
    used = np.concatenate([sample.blocks[k] for k in columns])
    outcome = sample.blocks[y][0]
    r = sample.correlation
    inverse = np.linalg.pinv(r[np.ix_(used, used)])
    weights = inverse @ r[used, outcome]
    rest = max(1 - float(weights @ r[used, outcome]), 0.0)
    freedom = max(sample.rows - len(used) - 1, 1)
    return float(weights[0]), float(np.sqrt(inverse[0, 0] * rest / freedom))


def _row(name: str, verdict: str, reason: str, ties: Ties | None) -> dict[str, Any]:
    row: dict[str, Any] = {"column": name, "verdict": verdict, "reason": reason}
    if ties is not None:
        row.update(
            with_treatment=round(ties.treatment, 9),
            with_treatment_p=ties.treatment_p,
            with_outcome=round(ties.outcome, 9),
            with_outcome_p=ties.outcome_p,
            change_in_estimate=None if ties.change is None else round(ties.change, 9),
        )
    return row
