"""Figures over results: shares of all, as means over truths, and as means over databases."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.reading.judging import Judgement
from bench.reading.verdicts import WRONG, Result, Verdict

RECALLS = (None, 10, 5, 1)
Test = Callable[[Result], bool]


@dataclass(frozen=True, slots=True)
class Share:
    """How many results something is true of, and its share, counted in three ways."""

    number: int
    of_all: float
    over_golds: float
    over_databases: float


LINES: tuple[tuple[str, Test], ...] = (
    *((kind.value, lambda r, kind=kind: r.verdict is kind) for kind in Verdict),
    ("right, extra columns or not", lambda r: r.good),
    ("rows right, asked first or not", lambda r: r.rows_good),
    ("wrong with none stated, told as sure", lambda r: r.verdict is Verdict.UNDOUBTED and r.sure),
    ("asked, likelier option right", lambda r: r.verdict is Verdict.ASKED and r.rows_good),
    ("told as sure", lambda r: r.sure),
    ("told as sure and right", lambda r: r.sure and r.good),
)
OF_CHARTS: tuple[tuple[str, Test], ...] = (
    ("chart of the kind meant", lambda r: r.chart_right),
    ("axes swapped", lambda r: r.judgement is Judgement.SWAPPED),
)


def share(results: Sequence[Result], test: Test) -> Share:
    """The share of results that pass."""
    passed = [test(result) for result in results]
    return Share(
        number=sum(passed),
        of_all=sum(passed) / len(passed) if passed else 0.0,
        over_golds=_mean_over([r.item.gold for r in results], passed),
        over_databases=_mean_over([r.item.database for r in results], passed),
    )


def lines(results: Sequence[Result]) -> dict[str, Share]:
    """All shares by name; what is about charts, of the questions that ask for one."""
    charts = [result for result in results if result.item.chart]
    found = {name: share(results, test) for name, test in LINES}
    return found | {name: share(charts, test) for name, test in OF_CHARTS if charts}


def _mean_over(keys: Sequence[str], passed: Sequence[bool]) -> float:
    parts: dict[str, list[bool]] = defaultdict(list)
    for key, ok in zip(keys, passed, strict=True):
        parts[key].append(ok)
    return sum(sum(part) / len(part) for part in parts.values()) / len(parts) if parts else 0.0


def stated(results: Sequence[Result]) -> list[tuple[float, bool]]:
    """Stated confidence of each answer, and whether it was right."""
    return [(result.confidence, result.good) for result in results if result.answered]


def recall(results: Sequence[Result], first: int | None) -> float:
    """The share of questions of which a right answer is among the first candidates, or any."""
    asked = [result for result in results if result.item.expect == "answer"]
    found = [r for r in asked if r.rank is not None and (first is None or r.rank <= first)]
    return len(found) / len(asked) if asked else 0.0


def by_construct(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Results by each construct of the query meant, the most frequent first."""
    found: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        for name in result.constructs:
            found[name].append(result)
    return dict(sorted(found.items(), key=lambda part: (-len(part[1]), part[0])))


def kinds(results: Sequence[Result]) -> Counter[str]:
    """How often each kind of failure is among results that are not right."""
    return Counter(result.kind for result in results if not result.good)


def extra(result: Result) -> bool:
    """An answer that is right with harmless extra columns."""
    return result.verdict is Verdict.EXTRA


def wrong(result: Result) -> bool:
    """An answer that is wrong, doubted or not."""
    return result.verdict in WRONG


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least that share of values does not exceed; 0 of none."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    place = max(1, -int(-share * len(ordered) // 1))
    return ordered[min(place, len(ordered)) - 1]
