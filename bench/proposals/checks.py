"""How often checks find what is wrong, and how often they cry out at what is right:
`python -m bench.proposals.checks`.

Statements are the truths of the question sets. A mutation counts only where its rows are others
than those of the truth. Figures of databases that are held out stand apart. `--show CODE` prints
findings of right statements, `--missed KIND` mutations that nothing was found in; nothing is shown
of databases that are held out.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import duckdb
import sqlglot

from bench.proposals.mutations import mutated
from bench.reading.canonical import canonical
from bench.reading.sets import Item, data_folder, held_out, load, sample
from bench.support_catalogue import Lookup, kept_sources
from services.planner.adapters.llm.relevance import phrases_of
from services.planner.domain.catalogue import Catalogue, ValueHit
from services.planner.domain.checks.finding import Severity
from services.planner.domain.checks.judging import Judgement, judge
from services.planner.domain.evidence import USUAL_LIMITS, Outcome, ProbedQuery, ProbeLimits

_MOST_ROWS = 5_000
_OWN_RULE = ("everyday", "beside", "analytical")
_TIES = "O01"
_GRAVE = (Severity.ERROR, Severity.DOUBT)


@dataclass
class Figures:
    """What was counted: of right statements, and of each kind of mistake."""

    right: int = 0
    alarmed: Counter[str] = field(default_factory=Counter)
    but_ties: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    grave: Counter[str] = field(default_factory=Counter)
    finders: Counter[str] = field(default_factory=Counter)
    unreadable: int = 0
    unasked: int = 0
    planted: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    computing: list[float] = field(default_factory=list)

    def __add__(self, other: Figures) -> Figures:
        both = ((getattr(self, part.name), getattr(other, part.name)) for part in fields(self))
        return Figures(*(mine + theirs for mine, theirs in both))


@dataclass(frozen=True)
class Truth:
    """A question with the statement that answers it, and others that are as right. `apart` says
    that its database is held out."""

    question: str
    sql: str
    database: str
    apart: bool
    catalogue: Catalogue
    evidence: Probing
    run: Any
    hits: Sequence[ValueHit]
    lookup: Lookup
    also: tuple[str, ...] = ()

    async def judged(self, sql: str) -> Judgement:
        """What checks say of a statement that answers the question."""
        return await judge(
            sql, self.catalogue, self.evidence, question=self.question, hits=self.hits
        )


class Probing:
    """Evidence straight from a workspace."""

    def __init__(self, workspace: Any) -> None:
        self._workspace = workspace

    async def __call__(
        self, queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
    ) -> Sequence[Outcome]:
        """What each query gives."""
        from bench.training.probing import LocalProbe

        return await LocalProbe(self._workspace)(queries, limits)


def truths(names: Sequence[str], limit: int | None) -> Iterator[Truth]:
    """The truths of these sets, each once."""
    sources = kept_sources()
    folder = data_folder()
    items = sample(load(names, folder, print), limit)
    opened: dict[tuple[Path, ...], tuple[Any, ...]] = {}
    seen: set[str] = set()
    for item in items:
        if item.gold in seen or item.after or not item.sql:
            continue
        seen.add(item.gold)
        try:
            sql = sqlglot.transpile(item.sql, read=item.dialect, write="duckdb")[0]
        except sqlglot.errors.SqlglotError:
            continue
        if item.paths not in opened:
            opened[item.paths] = sources.open_together(item.paths)
        catalogue, lookup, workspace = opened[item.paths]
        hits = asyncio.run(lookup(phrases_of(item.question)))
        yield Truth(
            item.question,
            sql,
            item.database,
            _apart(item),
            catalogue,
            Probing(workspace),
            workspace,
            hits,
            lookup,
            item.also,
        )


def _apart(item: Item) -> bool:
    """Whether nobody looks at an item: some sets have a rule of their own."""
    return item.held_out if item.set in _OWN_RULE else held_out(item.database)


def rows(workspace: Any, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]] | None:
    """Rows in one form and any order; None of what cannot run."""
    with workspace.cursor() as cursor:
        try:
            found = cursor.execute(sql, list(params)).fetchmany(_MOST_ROWS)
        except duckdb.Error:
            return None
    return sorted((tuple(canonical(v) for v in row) for row in found), key=repr)


async def count(
    every: Sequence[Truth], open_: Figures, apart: Figures, show: str, missed: str
) -> None:
    """Judge every truth and every mistake planted into it."""
    for truth in every:
        figures = apart if truth.apart else open_
        right = rows(truth.run, truth.sql)
        if right is None:
            continue
        began, computed = time.perf_counter(), time.process_time()
        judgement = await truth.judged(truth.sql)
        figures.seconds.append(time.perf_counter() - began)
        figures.computing.append(time.process_time() - computed)
        figures.right += 1
        figures.unreadable += not judgement.readable
        figures.unasked += bool(judgement.unasked)
        gravest = judgement.gravest
        if gravest is not None:
            figures.alarmed[gravest.value] += 1
        figures.but_ties += any(
            f.severity in _GRAVE and f.code != _TIES for f in judgement.findings
        )
        for code in {f"{f.code} {f.severity}" for f in judgement.findings}:
            figures.codes[code] += 1
        figures.grave.update({f.code for f in judgement.findings if f.severity in _GRAVE})
        if not truth.apart:
            _show(judgement, truth, show)
        for kind, sql in mutated(truth.sql, truth.catalogue):
            wrong = rows(truth.run, sql)
            if wrong is None or wrong == right:
                continue
            judged = await truth.judged(sql)
            figures.planted[kind] += 1
            caught = _new(judged, judgement)
            figures.found[kind] += bool(caught)
            figures.finders.update(caught)
            if missed == kind and not caught and not truth.apart:
                print(f"  {truth.database}: {truth.question}\n      {sql}")


def _new(judged: Judgement, before: Judgement) -> set[str]:
    """The codes of grave findings that the right statement has not."""
    known = {(f.code, f.at) for f in before.findings if f.severity in _GRAVE}
    grave = (f for f in judged.findings if f.severity in _GRAVE)
    return {f.code for f in grave if (f.code, f.at) not in known}


def _show(judgement: Judgement, truth: Truth, show: str) -> None:
    for found in judgement.findings:
        if found.code == show:
            print(f"  {truth.database}: {truth.question}\n      {truth.sql}")
            print(f"      {found.severity}: {found.said}")


def main() -> None:
    """Count, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--show", default="")
    parser.add_argument("--missed", default="")
    given = parser.parse_args()
    for name in given.set or ["queries", "everyday", "dev"]:
        open_, apart = Figures(), Figures()
        every = list(truths([name], given.limit))
        asyncio.run(count(every, open_, apart, given.show, given.missed))
        _print(f"{name}, open", open_)
        if apart.right:
            _print(f"{name}, held out", apart)
            _print(f"{name}, all", open_ + apart)


def _print(name: str, figures: Figures) -> None:
    whole = max(figures.right, 1)
    print(
        f"{name}: {figures.right} right statements, {figures.unreadable} not readable, "
        f"{figures.unasked} with questions that the data did not answer"
    )
    for severity in Severity:
        number = figures.alarmed[severity.value]
        print(f"  gravest is {severity.value:<6} {number:>5}  {100 * number / whole:5.1f} %")
    grave = sum(figures.alarmed[severity.value] for severity in _GRAVE)
    for what, number in (("error or doubt", grave), ("the same but ties", figures.but_ties)):
        print(f"  {what:<17} {number:>5}  {100 * number / whole:5.1f} %")
    print("  " + ", ".join(f"{code} {n}" for code, n in figures.codes.most_common(20)))
    print(f"  {took(figures.seconds)} a statement, {took(figures.computing)} of it computing")
    print("  right of what is told: " + ", ".join(_precision(figures)))
    for kind, planted in figures.planted.most_common():
        found = figures.found[kind]
        print(f"  {kind:<26} {found:>4} of {planted:>4}  {100 * found / planted:5.1f} %")
    planted, found = figures.planted.total(), figures.found.total()
    print(
        f"  {'all mistakes':<26} {found:>4} of {planted:>4}  {100 * found / max(planted, 1):5.1f} %"
    )


def _precision(figures: Figures) -> Iterator[str]:
    """Of each code, the worst first: how many mistakes it found, of how often it was told at
    error or doubt."""
    counted = {
        code: (figures.finders[code], figures.finders[code] + figures.grave[code])
        for code in {*figures.finders, *figures.grave}
    }
    for code, (found, number) in sorted(counted.items(), key=lambda one: one[1][0] / one[1][1]):
        yield f"{code} {found}/{number}"


def took(seconds: Sequence[float]) -> str:
    """The median and the 95th percentile of times, in milliseconds."""
    slow = sorted(seconds) or [0.0]
    half, most = slow[len(slow) // 2], slow[min(int(0.95 * len(slow)), len(slow) - 1)]
    return f"{1000 * half:.0f} ms (p95 {1000 * most:.0f})"


if __name__ == "__main__":
    main()
