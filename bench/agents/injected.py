"""How often a planted mistake in a statement is told by `assay query`, with what it is to mean:
`python -m bench.agents.injected [--set NAME] [--limit N] [--show right|KIND]`.

Statements are the truths of the question sets. What `means` declares is made from the right one
(declaring.py) and the statement with the mistake is put, without any question: by checks, and
against the twin. A mistake counts where its rows are others than the truth's, and is found where
something grave is told that the right statement has not. What declares nothing has no twin.

Held out, and shown to nobody: the kinds of operators.py, and the databases that sets keep apart.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import parse_one
from sqlglot.errors import SqlglotError

from bench.agents.declaring import UndeclaredError, declared
from bench.agents.operators import OPERATORS
from bench.proposals.checks import Truth, rows, took, truths
from bench.proposals.mutations import MUTATIONS
from services.planner.domain.checks.finding import Finding, Severity
from services.planner.domain.checks.judging import judge
from services.planner.domain.evidence import Evidence, ProbedQuery
from services.planner.domain.meaning import Meaning
from services.planner.domain.proposals.agreeing import LIMITS
from services.planner.domain.proposals.comparing import rows_of
from services.planner.domain.proposals.rewriting import compare_as_written
from services.planner.domain.twin.finding import found_of_twin
from services.planner.domain.twin.holding import hold

SETS = ("queries", "everyday", "beside")
KINDS_APART = frozenset(one.name for one in OPERATORS)
_APART = ("open", "held out")
_GRAVE = (Severity.ERROR, Severity.DOUBT)


@dataclass(frozen=True, slots=True)
class Told:
    """What was told of one statement. `twin` is whether one was compared, `why` why none was."""

    checks: frozenset[tuple[str, str]]
    differs: bool
    twin: bool
    fixes: tuple[str, ...]
    seconds: float
    why: str = ""


@dataclass(frozen=True, slots=True)
class Planted:
    """A statement with a mistake, or a right one (`kind` empty), and by what it was told.

    `repaired` is None where no statement was offered, else whether one gives the truth's rows.
    """

    kind: str
    database: str
    apart: bool
    checks: bool
    differs: bool
    twin: bool
    repaired: bool | None
    seconds: float
    why: str = ""


async def told_of(sql: str, means: Meaning | None, truth: Truth) -> Told:
    """What `assay query` tells of a statement."""
    began = time.perf_counter()
    judgement = await judge(sql, truth.catalogue, truth.evidence)
    held = await hold(sql, means or Meaning(), truth.catalogue, truth.evidence)
    seconds = time.perf_counter() - began
    intended = found_of_twin(held)
    found: list[Finding] = [*judgement.findings, *([intended] if intended else [])]
    grave = [one for one in judgement.findings if one.severity in _GRAVE]
    compared = held.beside is not None and held.beside.compared != "not_compared"
    fixes = tuple(one.fix for one in found if one.fix and one.severity in _GRAVE)
    why = "" if compared else "; ".join(held.not_checked)
    told = frozenset((one.code, one.at) for one in grave)
    return Told(told, held.differs, compared, fixes, seconds, why)


async def planted_in(truth: Truth, show: str = "") -> list[Planted]:
    """The right statement, and every mistake that can be planted into it."""
    right = rows(truth.run, truth.sql)
    if right is None:
        return []
    try:
        means = declared(truth.sql, truth.catalogue)
        why = ""
    except UndeclaredError as error:
        means, why = None, f"declares nothing: {error}"
    of_right = await told_of(truth.sql, means, truth)
    why = why or of_right.why
    if show == "right" and not truth.apart and (of_right.differs or of_right.checks):
        print(f"  {truth.database}: {truth.sql}\n      {means}\n      {of_right}")
    first = _planted("", truth, of_right, bool(of_right.checks), of_right.differs, None)
    found = [replace(first, why=why)]
    for kind, sql in _mistakes(truth):
        wrong = rows(truth.run, sql)
        if wrong is None or wrong == right:
            continue
        told = await told_of(sql, means, truth)
        checks = bool(told.checks - of_right.checks)
        differs = told.differs and not of_right.differs
        repaired = await _gives(told.fixes, truth) if checks or differs else None
        found.append(_planted(kind, truth, told, checks, differs, repaired))
        seen = not truth.apart and kind not in KINDS_APART
        if show == kind and seen and not (checks or differs):
            print(f"  {truth.database}: {sql}\n      {means}")
    return found


def _planted(
    kind: str, truth: Truth, told: Told, checks: bool, differs: bool, repaired: bool | None
) -> Planted:
    return Planted(
        kind, truth.database, truth.apart, checks, differs, told.twin, repaired, told.seconds
    )


def _mistakes(truth: Truth) -> Iterator[tuple[str, str]]:
    for mutation in (*MUTATIONS, *OPERATORS):
        tree = parse_one(truth.sql, dialect="duckdb")
        before = tree.sql("duckdb")
        try:
            changed = mutation.change(tree, truth.catalogue)
        except SqlglotError:
            continue
        if changed is not None and (text := changed.sql("duckdb")) != before:
            yield mutation.name, text


async def _gives(fixes: Sequence[str], truth: Truth) -> bool | None:
    """Whether one of the offered statements gives the truth's rows, names and columns' order
    aside."""
    if not fixes:
        return None
    evidence: Evidence = truth.evidence
    queries = [ProbedQuery(sql=text) for text in (truth.sql, *fixes)]
    right, *others = [rows_of(one) for one in await evidence(queries, LIMITS)]
    return right is not None and any(
        one is not None and compare_as_written(right, one).agrees for one in others
    )


@dataclass
class Shares:
    """What was found of some planted mistakes, by whom."""

    number: int = 0
    twin: int = 0
    checks: int = 0
    differs: int = 0
    either: int = 0
    offered: int = 0
    repaired: int = 0
    seconds: list[float] = field(default_factory=list)

    def add(self, one: Planted) -> None:
        """Count one of them."""
        self.number += 1
        self.twin += one.twin
        self.checks += one.checks
        self.differs += one.differs
        self.either += one.checks or one.differs
        self.offered += one.repaired is not None
        self.repaired += bool(one.repaired)
        self.seconds.append(one.seconds)

    def line(self, name: str) -> str:
        """One line of the report, in per cent of all and, of the twin, of those with one."""
        whole, compared = max(self.number, 1), max(self.twin, 1)
        return (
            f"  {name:<36}{self.number:>5}  checks {100 * self.checks / whole:5.1f} %  twin "
            f"{100 * self.differs / compared:5.1f} % of {self.twin:>4}  either "
            f"{100 * self.either / whole:5.1f} %  repaired {self.repaired} of {self.offered}"
        )


def shares_of(every: Sequence[Planted]) -> Shares:
    """The shares of some of them."""
    shares = Shares()
    for one in every:
        shares.add(one)
    return shares


def report(every: Sequence[Planted]) -> Iterator[str]:
    """All figures as text: right statements, then mistakes, by what is held out, kind, database."""
    right = [one for one in every if not one.kind]
    wrong = [one for one in every if one.kind]
    apart_ = len({one.database for one in every if one.apart})
    yield f"{len({one.database for one in every})} databases, {apart_} of them held out"
    for name, few in (("open", False), ("held out", True)):
        mine = [one for one in right if one.apart == few]
        yield shares_of(mine).line(f"right statements told, {name}")
        declared_ = [one for one in mine if one.twin]
        yield shares_of(declared_).line(f"  of those with a twin, {name}")
    reasons = Counter(one.why.split(" (")[0][:70] for one in right if not one.twin)
    for reason, number in reasons.most_common(12):
        yield f"    no twin {number:>5}  {reason}"
    for few in (False, True):
        for kinds in (False, True):
            name = f"databases {_APART[few]}, kinds {_APART[kinds]}"
            mine = [w for w in wrong if w.apart == few and (w.kind in KINDS_APART) == kinds]
            yield shares_of(mine).line(name)
            yield shares_of([one for one in mine if one.twin]).line("  of those with a twin")
    yield shares_of(wrong).line("all mistakes")
    yield shares_of([one for one in wrong if one.twin]).line("  of those with a twin")
    for kind, _ in Counter(one.kind for one in wrong).most_common():
        apart = " (held out)" if kind in KINDS_APART else ""
        yield shares_of([one for one in wrong if one.kind == kind]).line(kind + apart)
    for database, _ in Counter(one.database for one in wrong).most_common(30):
        yield shares_of([one for one in wrong if one.database == database]).line(f"in {database}")
    yield f"  {took([one.seconds for one in every])} a statement"


def main() -> None:
    """Plant, ask, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append", choices=SETS)
    parser.add_argument("--limit", type=int, help="truths of each set")
    parser.add_argument("--show", default="", help='"right", or a kind that is not held out')
    given = parser.parse_args()
    every: list[Planted] = []
    for name in given.set or SETS:
        for truth in truths([name], given.limit):
            every += asyncio.run(planted_in(truth, given.show))
    print("\n".join(report(every)))


if __name__ == "__main__":
    main()
