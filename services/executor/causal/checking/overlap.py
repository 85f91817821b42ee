"""Can the groups be compared? Overlap, balance, weights, trimming and a histogram of chances."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from services.executor.causal.checking import doses
from services.executor.causal.checking.arguments import OverlapArguments
from services.executor.causal.checking.balance import ALIKE, difference, features
from services.executor.causal.checking.covariates import chosen, refused
from services.executor.causal.checking.groups import Groups, two_groups
from services.executor.causal.checking.propensity import boosted, logistic
from services.executor.causal.checking.weighing import (
    average_weights,
    common_support,
    crump,
    effective,
    overlapping,
    treated_weights,
)
from services.executor.causal.contrast import contrasted
from services.executor.causal.profiling.association import Matrix
from services.executor.causal.profiling.columns import Vector, check_names, read

SCHEMA = pa.schema(
    [
        ("section", pa.string()),
        ("name", pa.string()),
        ("statistic", pa.string()),
        ("before", pa.float64()),
        ("after", pa.float64()),
        ("text", pa.string()),
    ]
)
_BINS = 20
_FEWEST = 10
_EXTREME = 0.05
Row = dict[str, Any]


def check_overlap(
    frame: pa.Table, arguments: OverlapArguments, stopped: Callable[[], None]
) -> tuple[list[Row], list[str]]:
    """Rows and notes. Raises ToolError for a treatment without two groups of ten rows each."""
    check_names(frame, arguments.treatment, arguments.outcome, *arguments.adjustment)
    frame, notes = contrasted(frame, arguments.treatment, arguments.treated, arguments.reference)
    columns = {column.name: column for column in read(frame)}
    treatment = columns[arguments.treatment]
    if arguments.treatment == arguments.outcome:
        raise refused("the treatment and the outcome are one column.", "Name two columns.")
    covariates = chosen(columns, arguments, notes)
    if doses.is_dose(treatment):
        return doses.check_doses(treatment, covariates, notes, row), notes
    groups = two_groups(treatment, arguments.treated)
    notes += [groups.note] if groups.note else []
    there = groups.there
    if not there.all():
        notes.append(f'{int((~there).sum()):,} rows without "{treatment.name}" are left out.')
    treated = groups.treated[there]
    if int(min(treated.sum(), (1 - treated).sum())) < _FEWEST:
        raise refused(
            f'there are {int(treated.sum()):,} rows with "{groups.name}" and '
            f'{int((1 - treated).sum()):,} with "{groups.other}"; ten of each are needed.',
            "Look at the treatment's values.",
        )
    names, matrix = features(covariates)
    if not names:
        raise refused("no covariate is left to compare by.", "Name some to adjust for.")
    matrix = matrix[there]
    if len(names) > len(treated):
        notes.append(f"There are more covariates ({len(names):,}) than rows: chances are unsure.")
    return list(_Overlap(groups, treated, names, matrix, arguments, stopped, notes).rows()), notes


class _Overlap:
    """Two groups with the chance of treatment of each row."""

    def __init__(
        self,
        groups: Groups,
        treated: Vector,
        names: list[str],
        matrix: Matrix,
        arguments: OverlapArguments,
        stopped: Callable[[], None],
        notes: list[str],
    ) -> None:
        self._groups, self._treated = groups, treated
        self._names, self._matrix, self._notes = names, matrix, notes
        self._chance, self._strength = logistic(matrix, treated, arguments.seed, stopped)
        self._check, self._some = boosted(matrix, treated, arguments.seed, stopped)
        # Trees know a unit again by rows that they have seen, and so its treatment.
        self._alone = arguments.unit is None
        self._rule = "as asked" if arguments.trim is not None else "Crump et al. (2009)"
        self._alpha = crump(self._chance) if arguments.trim is None else arguments.trim
        self._kept = (self._chance >= self._alpha) & (self._chance <= 1 - self._alpha)
        self._weights = average_weights(self._chance, treated)

    def rows(self) -> Iterator[Row]:
        """All sections."""
        yield from self._overlap()
        yield from self._boosting()
        yield from self._one_sided()
        yield from self._balance()
        yield from self._weighing()
        yield from self._trimming()
        yield from self._histogram()

    def _overlap(self) -> Iterator[Row]:
        e, t, kept = self._chance, self._treated, self._kept
        inside = common_support(e, t)
        share = float(inside.mean())
        extreme = (e < _EXTREME) | (e > 1 - _EXTREME)
        both = min(int(t[kept].sum()), int((1 - t[kept]).sum())) >= 2
        after = kept if both else np.ones_like(kept)
        good = overlapping(e, t)
        yield row(
            "overlap",
            "logistic",
            "auc",
            _auc(e, t),
            _auc(e[after], t[after]),
            f"C = {self._strength:g}, chosen by cross-validation",
        )
        yield row(
            "overlap",
            "logistic",
            "common_support_share",
            share,
            float(common_support(e[after], t[after]).mean()),
        )
        yield row(
            "overlap", "logistic", "overlap_coefficient", good, overlapping(e[after], t[after])
        )
        yield row(
            "overlap",
            "logistic",
            "extreme_share",
            float(extreme.mean()),
            float(extreme[after].mean()),
            "chances below 0.05 or above 0.95",
        )
        for name, group in ((self._groups.name, t > 0.5), (self._groups.other, t < 0.5)):
            yield row("overlap", name, "chance_min", float(e[group].min()))
            yield row("overlap", name, "chance_median", float(np.median(e[group])))
            yield row("overlap", name, "chance_max", float(e[group].max()))
        verdict = _verdict(good, share, float(kept.mean()))
        yield row("overlap", "", "verdict", good, None, verdict)

    def _boosting(self) -> Iterator[Row]:
        e, t = self._check, self._treated[self._some]
        plain = self._chance[self._some]
        better = _auc(e, t) - _auc(plain, t)
        text = (
            "boosting tells the treatment better: the logistic model misses bends or interactions"
            if better > 0.03 and self._alone
            else "rows of one unit are alike, so that it cannot be told whether the model bends"
            if better > 0.03
            else "agrees with the logistic model as far as it matters"
        )
        yield row("overlap", "boosting", "auc", _auc(e, t), None, text)
        yield row("overlap", "boosting", "overlap_coefficient", overlapping(e, t))
        yield row("overlap", "boosting", "common_support_share", float(common_support(e, t).mean()))
        if better > 0.03 and self._alone:
            self._notes.append(
                f"Gradient boosting tells the treatment better than the logistic model (AUC "
                f"{_auc(e, t):.2f} against {_auc(plain, t):.2f}): let the propensity bend."
            )

    def _one_sided(self) -> Iterator[Row]:
        """Levels that only one group has: no weight can make up for the other."""
        for name, values in zip(self._names, self._matrix.T, strict=True):
            if " = " not in name or not np.isin(values, (0.0, 1.0)).all():
                continue
            held = values > 0.5
            for side, of in ((held, name), (~held, f"not {name}")):
                count = int(side.sum())
                share = float(self._treated[side].mean()) if count else 0.5
                if count >= _FEWEST and share in (0.0, 1.0):
                    which = self._groups.name if share else self._groups.other
                    text = f'all {count:,} rows are "{which}": none to compare them with'
                    yield row("overlap", of, "one_sided", float(count), None, text)

    def _balance(self) -> Iterator[Row]:
        worst = 0.0
        for name, values in zip(self._names, self._matrix.T, strict=True):
            plain = difference(values, self._treated)
            weighted = difference(values, self._treated, self._weights)
            left = abs(weighted.smd) >= ALIKE
            worst = max(worst, abs(weighted.smd))
            text = "still differs after weighting" if left else ""
            yield row("balance", name, "smd", plain.smd, weighted.smd, text)
            yield row("balance", name, "variance_ratio", plain.ratio, weighted.ratio)
        sentence = (
            "weighting balances all covariates"
            if worst < ALIKE
            else ("weighting leaves a difference of 0.1 of a spread or more")
        )
        yield row("balance", "", "largest_smd", None, worst, sentence)

    def _weighing(self) -> Iterator[Row]:
        t = self._treated
        for which, weights in (
            ("ATE", self._weights),
            ("ATT", treated_weights(self._chance, t)),
        ):
            for name, group in ((self._groups.name, t > 0.5), (self._groups.other, t < 0.5)):
                count, value = float(group.sum()), effective(weights[group])
                text = "few rows carry the group" if value < 0.2 * count else ""
                yield row("weights", name, f"effective_rows_{which}", count, value, text)
            yield row(
                "weights",
                "",
                f"largest_share_{which}",
                1 / len(t),
                float(weights.max() / weights.sum()),
            )

    def _trimming(self) -> Iterator[Row]:
        t, kept = self._treated, self._kept
        text = f"{self._rule}: chances from {self._alpha:.3f} to {1 - self._alpha:.3f} are kept"
        yield row("trimming", "", "alpha", self._alpha, None, text)
        yield row("trimming", "", "rows", float(len(t)), float(kept.sum()))
        for name, group in ((self._groups.name, t > 0.5), (self._groups.other, t < 0.5)):
            yield row("trimming", name, "rows", float(group.sum()), float((group & kept).sum()))
        if kept.all():
            return
        again = average_weights(self._chance[kept], t[kept])
        yield row(
            "trimming",
            "",
            "effective_rows_ATE",
            effective(self._weights),
            effective(again),
            "the effect is then that of the rows kept, not of all",
        )

    def _histogram(self) -> Iterator[Row]:
        edges = np.linspace(0, 1, _BINS + 1)
        for name, group in (
            (self._groups.name, self._treated > 0.5),
            (self._groups.other, self._treated < 0.5),
        ):
            counts, _ = np.histogram(self._chance[group], edges)
            weighted, _ = np.histogram(self._chance[group], edges, weights=self._weights[group])
            for place, (count, weight) in enumerate(zip(counts, weighted, strict=True)):
                text = f"{edges[place]:.2f} to {edges[place + 1]:.2f}"
                yield row(
                    "histogram", name, f"{edges[place]:.2f}", float(count), float(weight), text
                )


def _verdict(good: float, share: float, kept: float) -> str:
    if good < 0.1 or share < 0.1:
        return "the groups hardly overlap: no comparison of like with like is possible"
    if good < 0.35 or kept < 0.8:
        return "overlap is weak: effects rest on few rows, or hold for a part of the rows only"
    return "the groups overlap well enough to be compared"


def _auc(chance: Vector, treated: Vector) -> float:
    """The chance that a treated row ranks above a control one (Mann & Whitney 1947)."""
    from services.executor.profiling.numbers import ranks

    one = treated > 0.5
    pairs = float(one.sum()) * float((~one).sum())
    if not pairs:
        return float("nan")
    above = float(ranks(chance)[one].sum()) - float(one.sum()) * (float(one.sum()) + 1) / 2
    return above / pairs


def row(
    section: str,
    name: str,
    statistic: str,
    before: float | None,
    after: float | None = None,
    text: str = "",
) -> Row:
    """One row of the frame."""
    return {
        "section": section,
        "name": name,
        "statistic": statistic,
        "before": before,
        "after": after,
        "text": text,
    }
