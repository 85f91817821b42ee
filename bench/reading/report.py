"""Prints what was measured, set by set, and writes it as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from bench.reading.calibration import calibration_error, coverage_at, reliability, risk_coverage
from bench.reading.figures import (
    RECALLS,
    by_construct,
    extra,
    kinds,
    lines,
    percentile,
    recall,
    share,
    stated,
    wrong,
)
from bench.reading.sets import SETS, fold_of
from bench.reading.verdicts import Result, Verdict

_RIGHT_AT_LEAST = 0.95
_KINDS_SHOWN = 3


def printed(results: Sequence[Result], *, folds: int, holdout: bool = False) -> str:
    """All figures as text."""
    parts = []
    for name in SETS:
        of_set = [result for result in results if result.item.set == name]
        if of_set:
            parts += [*_section(name, of_set, folds), ""]
        if holdout and any(result.item.held_out for result in of_set):
            for title, apart in (("held out", True), ("open", False)):
                some = [r for r in of_set if r.item.held_out is apart]
                parts += [*_verdicts(f"{name}, {title}", some), ""] if some else []
    if len({result.item.set for result in results}) > 1:
        parts += [*_verdicts("all sets", results), *_calibration(results), ""]
    return "\n".join(parts)


def _section(name: str, results: Sequence[Result], folds: int) -> Iterator[str]:
    yield from _verdicts(name, results)
    yield from _folds(results, folds)
    yield from _speed(results)
    yield from _calibration(results)
    yield from _failures(results)
    yield from _constructs(results)


def _verdicts(name: str, results: Sequence[Result]) -> Iterator[str]:
    golds = len({result.item.gold for result in results})
    databases = len({result.item.database for result in results})
    yield f"## {name}: {len(results)} questions, {golds} truths, {databases} databases"
    yield f"{'':38}{'number':>7}{'of all':>9}{'truths':>9}{'databases':>11}"
    for title, one in lines(results).items():
        figures = f"{one.of_all:9.1%}{one.over_golds:9.1%}{one.over_databases:11.1%}"
        yield f"{title:38}{one.number:7}{figures}"


def _folds(results: Sequence[Result], folds: int) -> Iterator[str]:
    parts = _parts(results, folds)
    right = [f"{share(part, _right).of_all:.1%} of {len(part)}" for part in parts if part]
    yield f"right by fold of databases: {', '.join(right)}"


def _parts(results: Sequence[Result], folds: int) -> list[list[Result]]:
    return [[r for r in results if fold_of(r.item.database, folds) == n] for n in range(folds)]


def _right(result: Result) -> bool:
    return result.verdict is Verdict.RIGHT


def _speed(results: Sequence[Result]) -> Iterator[str]:
    for title, values in (
        ("reading", [result.seconds for result in results]),
        ("executing", [result.executing_seconds for result in results]),
    ):
        mean, high = sum(values) / len(values), percentile(values, 0.95)
        yield f"{title}: mean {mean * 1e3:.0f} ms, 95th percentile {high * 1e3:.0f} ms"


def _calibration(results: Sequence[Result]) -> Iterator[str]:
    pairs = stated(results)
    if not pairs:
        return
    bins = reliability(pairs)
    yield "\nstated confidence, and how often it is right (95 % interval)"
    for part in bins:
        between = f"{part.right_low:.1%} to {part.right_high:.1%}"
        yield (
            f"  {part.low:4.2f}-{part.high:4.2f}{part.number:6}"
            f"   stated {part.stated:6.1%}   right {part.right:6.1%} ({between})"
        )
    yield f"expected calibration error {calibration_error(bins):.3f}"
    curve = (f"{at} %: {risk:.1%}" for at, risk, _ in risk_coverage(pairs, len(results)))
    yield f"wrong among the surest of all questions: {', '.join(curve)}"
    covered, threshold = coverage_at(pairs, _RIGHT_AT_LEAST, len(results))
    yield f"answered at {_RIGHT_AT_LEAST:.0%} right: {covered:.1%} of all, from {threshold:.3f} on"
    sure = [result for result in results if result.sure]
    right = share(sure, lambda result: result.good).of_all
    yield f"told as sure: {len(sure) / len(results):.1%} of all; right of these: {right:.1%}"


def _failures(results: Sequence[Result]) -> Iterator[str]:
    yield "\nnot right, by kind"
    for kind, number in kinds(results).most_common():
        yield f"  {kind:28}{number:6}{number / len(results):8.1%}"


def _constructs(results: Sequence[Result]) -> Iterator[str]:
    titles = ["any" if first is None else f"top {first}" for first in RECALLS]
    yield "\nby construct: right, with extra columns, wrong; right among candidates; what is wrong"
    heads = "".join(f"{title:>8}" for title in titles)
    yield f"  {'':22}{'number':>7}{'right':>8}{'extra':>8}{'wrong':>8}{heads}"
    for name, part in {"all": list(results), **by_construct(results)}.items():
        recalls = "".join(f"{recall(part, first):8.1%}" for first in RECALLS)
        shares = "".join(f"{share(part, test).of_all:8.1%}" for test in (_right, extra, wrong))
        common = ", ".join(f"{k} {n}" for k, n in kinds(part).most_common(_KINDS_SHOWN))
        yield f"  {name:22}{len(part):7}{shares}{recalls}  {common}"


def failures(results: Sequence[Result], wanted: str) -> str:
    """Questions that are not right: of a kind, a verdict, a construct, or "all"; none held out."""
    texts: list[str] = []
    for result in results:
        item = result.item
        names = ("all", result.kind, result.verdict.value, *result.constructs, *item.tags)
        if result.good or item.held_out or wanted not in names:
            continue
        texts += [
            f"## {item.id} {item.database}: {result.verdict}, {result.kind}",
            *(f"  after  {earlier}" for earlier in item.after),
            f"  {item.question}",
            f"  wanted {item.sql or item.expect}",
            f"  got    {result.sql}",
            f"  said   {result.word} {result.confidence:.2f}: {result.reply}",
            *(f"  doubt  {doubt}" for doubt in result.doubts),
        ]
    return "\n".join(texts)


def written(results: Sequence[Result], folds: int) -> str:
    """All figures as JSON, with every outcome that is not held out."""
    names = [name for name in SETS if any(result.item.set == name for result in results)]
    of = {name: [result for result in results if result.item.set == name] for name in names}
    values: dict[str, Any] = {"sets": {}}
    values["sets"] = {name: _figures(of[name], folds) for name in names}
    values["outcomes"] = [_outcome(result) for result in results if not result.item.held_out]
    return json.dumps(values, indent=1)


def _figures(results: Sequence[Result], folds: int) -> dict[str, Any]:
    pairs = stated(results)
    bins = reliability(pairs)
    return {
        "questions": len(results),
        "databases": len({result.item.database for result in results}),
        "verdicts": {
            title: {
                "number": one.number,
                "of_all": one.of_all,
                "over_golds": one.over_golds,
                "over_databases": one.over_databases,
            }
            for title, one in lines(results).items()
        },
        "right_by_fold": [share(part, _right).of_all for part in _parts(results, folds)],
        "reliability": [
            {
                "from": b.low,
                "to": b.high,
                "number": b.number,
                "stated": b.stated,
                "right": b.right,
                "right_low": b.right_low,
                "right_high": b.right_high,
            }
            for b in bins
        ],
        "calibration_error": calibration_error(bins),
        "risk_coverage": risk_coverage(pairs, len(results)),
        "coverage_at_95_percent_right": coverage_at(pairs, _RIGHT_AT_LEAST, len(results)),
        "kinds": dict(kinds(results)),
        "constructs": {
            name: {
                "number": len(part),
                "right": share(part, _right).of_all,
                "wrong": share(part, wrong).of_all,
                "recall": {str(first or "any"): recall(part, first) for first in RECALLS},
                "kinds": dict(kinds(part)),
            }
            for name, part in by_construct(results).items()
        },
        "reading_seconds": [
            sum(r.seconds for r in results) / len(results),
            percentile([r.seconds for r in results], 0.95),
        ],
    }


def _outcome(result: Result) -> dict[str, Any]:
    item = result.item
    return {
        "id": item.id,
        "database": item.database,
        "question": item.question,
        "after": item.after,
        "wanted": item.sql,
        "expect": item.expect,
        "verdict": result.verdict.value,
        "kind": result.kind,
        "got": result.sql,
        "said": result.reply,
        "word": result.word,
        "confidence": result.confidence,
        "doubts": result.doubts,
        "chart": result.chart,
        "rank": result.rank,
        "candidates": result.candidates,
        "constructs": result.constructs,
    }
