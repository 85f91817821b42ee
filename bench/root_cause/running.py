"""Every finder over every case, one record each."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import repeat
from multiprocessing import get_context

from bench.root_cause.assay import Assay
from bench.root_cause.baselines import BASELINES
from bench.root_cause.cases import Case, Finder, Form
from bench.root_cause.causes import KINDS, WITHOUT_SEGMENT
from bench.root_cause.dense import DENSE_KINDS, make_dense
from bench.root_cause.generator import make
from bench.root_cause.scoring import Score, scored

FINDERS: dict[str, Finder] = {"Assay": Assay(), **BASELINES}
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
ALL_KINDS = (*KINDS, *DENSE_KINDS)
NO_CAUSE = (*WITHOUT_SEGMENT, "dense, none")


@dataclass(frozen=True)
class Record:
    """One finder on one case: what the case was, and how well it did. `error` is why it gave up."""

    finder: str
    kind: str
    form: Form
    seed: int
    metric: str
    noise: str
    level: int
    rows: int
    dimensions: int
    strength: float
    truth: list[str]
    found: list[str]
    right: int
    wrong: int
    missed: int
    rank: int | None
    seconds: float
    error: str = ""

    @property
    def f1(self) -> float:
        """See `bench.root_cause.scoring.Score.f1`."""
        return Score(self.right, self.wrong, self.missed, self.rank).f1

    def as_json(self) -> dict[str, object]:
        """For a line of JSON."""
        return asdict(self)


def run(
    kinds: Sequence[str],
    forms: Sequence[Form],
    seeds: range,
    finders: Sequence[str],
    workers: int = 1,
    rows: int | None = None,
) -> Iterator[Record]:
    """Records case by case, of about so many rows (else of any size). Kinds of leaves alone have no
    form of rows; a kind that so few rows cannot carry is left out."""
    asked = [(kind, seed) for seed in seeds for kind in kinds]
    for name in _THREADS:  # one thread a process, else they fight over the cores
        os.environ.setdefault(name, "1")
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        for records in pool.map(
            _of_case, asked, repeat(tuple(forms)), repeat(tuple(finders)), repeat(rows)
        ):
            yield from records


def _of_case(
    asked: tuple[str, int], forms: Sequence[Form], finders: Sequence[str], rows: int | None
) -> list[Record]:
    kind, seed = asked
    dense = kind in DENSE_KINDS
    try:
        case = make_dense(kind, seed) if dense else make(kind, seed, rows)
    except ValueError:
        return []
    kept: Sequence[Form] = [form for form in forms if form == "leaves" or not dense]
    return [measured(name, replace(case, form=form)) for form in kept for name in finders]


def measured(name: str, case: Case) -> Record:
    """One finder's record of a case; one that raises has found nothing."""
    start, error = time.perf_counter(), ""
    try:
        found = FINDERS[name].find(case)
    except Exception as problem:
        found, error = [], f"{type(problem).__name__}: {problem}"[:300]
    seconds = time.perf_counter() - start
    score = scored(found, case.truth, case.determines)
    return Record(
        finder=name,
        kind=case.kind,
        form=case.form,
        seed=case.seed,
        metric=case.metric,
        noise=case.noise,
        level=case.level,
        rows=case.rows.num_rows or len(case.leaves.codes),
        dimensions=len(case.dimensions),
        strength=round(case.strength, 1),
        truth=[in_words(one) for one in case.truth],
        found=[in_words(one) for one in found],
        right=score.right,
        wrong=score.wrong,
        missed=score.missed,
        rank=score.rank,
        seconds=round(seconds, 3),
        error=error,
    )


def in_words(segment: set[tuple[str, str]] | frozenset[tuple[str, str]]) -> str:
    """A segment as text, in the order of its dimensions."""
    return ", ".join(str(value) for _, value in sorted(segment, key=str))
