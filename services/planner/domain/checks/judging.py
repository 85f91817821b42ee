"""Judges a statement: every rule's suspicions, weighed by what the data say of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from mesh.errors import AssayError
from services.planner.domain.catalogue import Catalogue, ValueHit
from services.planner.domain.checks.finding import Finding, Severity, describe_findings
from services.planner.domain.checks.rule import Answers, Rule, Suspicion
from services.planner.domain.checks.statement import taken_apart
from services.planner.domain.evidence import (
    Evidence,
    Outcome,
    ProbedQuery,
    ProbeLimits,
    ProbeState,
)
from services.planner.domain.statements.proposal import AskedTest, Binding

LIMITS = ProbeLimits(rows=3, seconds=8.0, each=2.0)
_MOST_PROBES = 60
_MOST_FIXES = 6
UNASKED = "not every check of the statement was answered by the data in time"
_ORDER = (Severity.ERROR, Severity.DOUBT, Severity.NOTE)


@dataclass(frozen=True)
class Judgement:
    """What is to be said of a statement, the gravest first. `readable` says whether it is one
    query over what there is; `unasked` how many questions the data did not answer in time; `joins`
    how many there are in it."""

    findings: tuple[Finding, ...] = ()
    readable: bool = True
    unasked: int = 0
    joins: int = 0

    def only(self, codes: Collection[str]) -> Judgement:
        """The same of some checks alone."""
        return replace(self, findings=tuple(one for one in self.findings if one.code in codes))

    @property
    def caveats(self) -> tuple[str, ...]:
        """What is told before its numbers."""
        grave = [found for found in self.findings if found.severity is not Severity.NOTE]
        return (*describe_findings(grave), *([UNASKED] if self.unasked else ()))

    @property
    def notes(self) -> tuple[str, ...]:
        """What is told beside its numbers, without a code: it makes them no less sure."""
        return tuple(one.said for one in self.findings if one.severity is Severity.NOTE)

    @property
    def gravest(self) -> Severity | None:
        """The severity of the first finding; None where there is none."""
        return self.findings[0].severity if self.findings else None


async def mended(
    text: str, catalogue: Catalogue, evidence: Evidence | None, question: str = ""
) -> str:
    """The statement with every safe fix, one after another; empty where there is none."""
    now = text
    for _ in range(_MOST_FIXES):
        judgement = await judge(now, catalogue, evidence, question=question)
        fix = next((found.fix for found in judgement.findings if found.fix), "")
        if not fix or fix == now:
            break
        now = fix
    return now if now != text else ""


async def judge(
    text: str,
    catalogue: Catalogue,
    evidence: Evidence | None,
    params: Sequence[Any] = (),
    question: str = "",
    hits: Sequence[ValueHit] = (),
    codes: Collection[str] = (),
    test: AskedTest | None = None,
    bindings: Sequence[Binding] = (),
) -> Judgement:
    """Judge a statement by all rules, or by those of these codes; `test` is what its rows are
    tested by, `bindings` what its proposal says that words became.

    Without evidence, or where the data cannot be asked in time, suspicions are told as far as the
    statement alone shows them.
    """
    # Here, because every rule is a module, and most callers of this room judge nothing.
    from services.planner.domain.checks.rules import RULES

    judged = taken_apart(text, catalogue, params, question, hits, test, bindings)
    if judged is None:
        return Judgement(readable=False)
    rules = [rule for rule in RULES if not codes or rule.code in codes]
    suspected = [(rule, one) for rule in rules for one in rule.find(judged)]
    asked = list(dict.fromkeys(probe for _, one in suspected for probe in one.probes if probe))
    outcomes = await _asked(asked[:_MOST_PROBES], evidence)
    findings = [found for rule, one in suspected if (found := _finding(rule, one, outcomes))]
    findings.sort(key=lambda found: _ORDER.index(found.severity))
    unanswered = sum(_is_unanswered(outcomes.get(probe)) for probe in asked)
    joins = sum(1 for _ in judged.tree.find_all(exp.Join))
    return Judgement(_once_each(findings), unasked=unanswered, joins=joins)


def _finding(rule: Rule, suspicion: Suspicion, outcomes: dict[str, Outcome]) -> Finding | None:
    answers: Answers = tuple(
        outcome.glimpse if (outcome := outcomes.get(probe)) and _is_ok(outcome) else None
        for probe in suspicion.probes
    )
    return rule.finding(suspicion, answers)


async def _asked(probes: Sequence[str], evidence: Evidence | None) -> dict[str, Outcome]:
    """What the data said, by question; nothing where they cannot be asked."""
    if evidence is None or not probes:
        return {}
    try:
        outcomes = await evidence([ProbedQuery(sql=sql) for sql in probes], LIMITS)
    except AssayError:
        return {}
    return dict(zip(probes, outcomes, strict=True))


def _is_ok(outcome: Outcome) -> bool:
    return outcome.state is ProbeState.OK


def _is_unanswered(outcome: Outcome | None) -> bool:
    """Whether another moment might have told: what the engine cannot say it never tells."""
    return outcome is None or outcome.state not in (ProbeState.OK, ProbeState.FAILED)


def _once_each(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Each fault at each place once."""
    return tuple({(f.code, f.at, f.said): f for f in findings}.values())
