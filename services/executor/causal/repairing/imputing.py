"""Multiple imputation by chained equations, each value taken from a row that has one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from services.executor.causal.profiling.association import Matrix, dummies, standardised
from services.executor.causal.profiling.columns import Codes, Column, Vector

ROUNDS = 5
_DONORS = 5
_MOST_PREDICTORS = 60
_MOST_FITTED = 20_000
_MOST_LEVELS = 30


@dataclass(frozen=True)
class Imputed:
    """For each column with gaps, the rows whose values stand in: (imputations, gaps) of row
    numbers, in the order of the gaps' rows."""

    donors: dict[str, npt.NDArray[np.int64]]
    notes: tuple[str, ...]


def impute(
    columns: Sequence[Column],
    targets: Sequence[str],
    imputations: int,
    seed: int,
    stopped: Callable[[], None] = lambda: None,
) -> Imputed:
    """Donors for every gap of the targets, `imputations` times over.

    Chained equations (van Buuren & Groothuis-Oudshoorn 2011): each target in turn, fewest gaps
    first, is told from all other columns, treatment and outcome among them. Numbers by predictive
    mean matching (Little 1988): a linear model with its parameters drawn from their posterior
    (Rubin 1987, section 5.3), and one of the five rows with the nearest prediction gives its value.
    Levels by a logistic model of a bootstrap sample, whose probabilities they are drawn from. So a
    value is never one that does not occur. Equal
    arguments give equal donors, in whatever order the columns stand.
    """
    columns = sorted(columns, key=lambda column: column.name)
    wanted = [column for column in columns if column.name in targets]
    wanted.sort(key=lambda column: (int(column.missing.sum()), column.name))
    notes = [
        f'"{column.name}" has {len(column.levels):,} levels: its gaps are filled by chance from '
        "the rows that have a value."
        for column in wanted
        if _by_chance(column)
    ]
    gaps = {column.name: np.flatnonzero(column.missing) for column in wanted}
    kept = {name: np.empty((imputations, len(rows)), np.int64) for name, rows in gaps.items()}
    for number in range(imputations):
        random = np.random.default_rng([seed, number])
        chain = _Chain(columns, wanted, random)
        for _ in range(ROUNDS if len(wanted) > 1 else 1):
            for column in wanted:
                stopped()
                chain.draw(column)
        for name in kept:
            kept[name][number] = chain.donors[name]
    return Imputed(kept, tuple(notes))


def _by_chance(column: Column) -> bool:
    return column.kind in ("categorical", "binary") and len(column.levels) > _MOST_LEVELS


class _Chain:
    """One run of the equations: every column whole, gaps filled by what was last drawn."""

    def __init__(
        self, columns: Sequence[Column], wanted: Sequence[Column], random: np.random.Generator
    ) -> None:
        self._random = random
        self._columns = [c for c in columns if c.usable or c in wanted]
        self._every = np.arange(len(columns[0].missing))
        self.donors: dict[str, Codes] = {}
        for column in wanted:
            there = np.flatnonzero(~column.missing)
            self.donors[column.name] = random.choice(there, int(column.missing.sum()))
        self._parts = {column.name: self._part(column) for column in self._columns}

    def _part(self, column: Column) -> Matrix:
        """The columns of the design that stand for a column, its gaps filled."""
        source = self._every.copy()
        if column.name in self.donors:
            source[column.missing] = self.donors[column.name]
        if column.codes is not None and column.kind in ("categorical", "binary"):
            codes = np.maximum(column.codes[source], 0)
            return dummies(
                Column(column.name, column.kind, None, codes, column.levels), self._every
            )
        assert column.numbers is not None
        values = column.numbers[source]
        return standardised(np.where(np.isnan(values), np.nanmean(values), values))[:, None]

    def draw(self, column: Column) -> None:
        """New donors for the gaps of one column."""
        gaps, there = np.flatnonzero(column.missing), np.flatnonzero(~column.missing)
        if len(there) > _MOST_FITTED:
            there = np.sort(self._random.choice(there, _MOST_FITTED, replace=False))
        others = [self._parts[c.name] for c in self._columns if c.name != column.name]
        if _by_chance(column) or not others:
            self.donors[column.name] = self._random.choice(there, len(gaps))
        else:
            known, wanted = (np.column_stack([p[rows] for p in others]) for rows in (there, gaps))
            kept = self._strongest(column, known, there)
            known, wanted = known[:, kept], wanted[:, kept]
            levels = column.kind in ("categorical", "binary")
            drawn = self._levels if levels else self._matched
            self.donors[column.name] = drawn(column, known, there, wanted)
        self._parts[column.name] = self._part(column)

    def _strongest(self, column: Column, known: Matrix, there: Codes) -> Codes:
        """All predictors; of many, those that go with the column most, so that rows suffice."""
        most = max(1, min(_MOST_PREDICTORS, len(there) // 5))
        if known.shape[1] <= most:
            return np.arange(known.shape[1])
        values = column.numbers if column.numbers is not None else np.asarray(column.codes, float)
        size = np.abs(standardised(values[there]) @ (known - known.mean(axis=0)))
        spread = known.std(axis=0)
        ordered = np.argsort(-size / np.where(spread > 0, spread, np.inf), kind="stable")
        return np.sort(ordered[:most])

    def _matched(self, column: Column, known: Matrix, there: Codes, wanted: Matrix) -> Codes:
        assert column.numbers is not None
        known = np.column_stack([np.ones(len(known)), known])
        mean, drawn = self._posterior(known, column.numbers[there])
        told = known @ mean
        asked = np.column_stack([np.ones(len(wanted)), wanted]) @ drawn
        order = np.argsort(told, kind="stable")
        place = np.searchsorted(told[order], asked)
        count = min(_DONORS, len(there))
        return there[order[_nearest(told[order], asked, place, count, self._random)]]

    def _posterior(self, known: Matrix, target: Vector) -> tuple[Vector, Vector]:
        """The estimate of a linear model, and a draw from its posterior under flat priors."""
        cross = known.T @ known
        ridge = 1e-5 * np.diag(np.diag(cross)) + 1e-9 * np.eye(len(cross))
        inverse = np.linalg.pinv(cross + ridge, hermitian=True)
        mean = inverse @ (known.T @ target)
        freedom = max(len(target) - known.shape[1], 1)
        rest = float(np.sum((target - known @ mean) ** 2))
        spread = np.sqrt(rest / self._random.chisquare(freedom))
        values, vectors = np.linalg.eigh(inverse)
        shape = vectors * np.sqrt(np.maximum(values, 0))
        return mean, mean + spread * (shape @ self._random.standard_normal(len(mean)))

    def _levels(self, column: Column, known: Matrix, there: Codes, wanted: Matrix) -> Codes:
        from sklearn.linear_model import LogisticRegression

        assert column.codes is not None
        boot = self._random.integers(0, len(there), len(there))
        found = column.codes[there[boot]]
        if len(np.unique(found)) < 2:
            return self._random.choice(there, len(wanted))
        model = LogisticRegression(C=10.0, max_iter=200, tol=1e-3).fit(known[boot], found)
        chances = np.cumsum(model.predict_proba(wanted), axis=1)
        picked = (self._random.random(len(wanted))[:, None] > chances[:, :-1]).sum(axis=1)
        levels = model.classes_[picked]
        donors = np.empty(len(wanted), np.int64)
        for level in np.unique(levels):
            same = there[column.codes[there] == level]
            donors[levels == level] = self._random.choice(same, int((levels == level).sum()))
        return donors


def _nearest(
    value: Vector, wanted: Vector, place: Codes, count: int, random: np.random.Generator
) -> Codes:
    """For each wanted value one of the `count` nearest of the sorted ones, by chance."""
    reach = np.arange(-count, count)
    around = np.clip(place[:, None] + reach, 0, len(value) - 1)
    away = np.abs(value[around] - wanted[:, None])
    away[(place[:, None] + reach < 0) | (place[:, None] + reach >= len(value))] = np.inf
    nearest = np.argsort(away, axis=1, kind="stable")[:, :count]
    pick = random.integers(0, count, len(wanted))
    rows = np.arange(len(wanted))
    return np.asarray(around[rows, nearest[rows, pick]], dtype=np.int64)
