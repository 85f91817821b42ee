"""A check as a value: what it looks for, what it asks the data, and examples that run as tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from services.planner.domain.checks.finding import Finding, Severity
from services.planner.domain.checks.statement import Judged
from services.planner.domain.evidence import Value
from services.planner.domain.statements.proposal import AskedTest

Rows = tuple[tuple[Value, ...], ...]
"""The first rows, at most three, that a question to the data gave."""

Answers = tuple[Rows | None, ...]
"""What the data said to each question, in order; None where it could not be asked."""


@dataclass(frozen=True)
class Weighed:
    """What a suspicion comes to once the data were asked."""

    text: str
    mend: str = ""
    sizes: dict[str, float] = field(default_factory=dict)
    fix: str = ""
    severity: Severity | None = None


@dataclass(frozen=True)
class Suspicion:
    """A fault that the statement alone suggests: `weigh` says what it comes to, or None where the
    data show that there is none. `probes` are statements of one to three rows."""

    at: str
    weigh: Callable[[Answers], Weighed | None]
    probes: tuple[str, ...] = ()


def settled(at: str, weigh: Callable[[Answers], Weighed | None], *rows: Rows) -> Suspicion:
    """A suspicion whose questions the facts of the catalogue have answered, so that nobody asks."""
    weighed = weigh(rows)
    return Suspicion(at, lambda _: weighed)


@dataclass(frozen=True)
class Example:
    """Statements over small tables, given as CSV texts by name (a heading that ends with ":text"
    is of texts): those that have the fault, and those beside them that do not. `question` is what
    they answer and `test` what their rows are tested by, where that matters.
    """

    tables: dict[str, str]
    wrong: tuple[str, ...]
    right: tuple[str, ...]
    question: str = ""
    test: AskedTest | None = None


@dataclass(frozen=True)
class Rule:
    """One check. `why` is a paragraph for its page of the documentation, with its source."""

    code: str
    name: str
    severity: Severity
    why: str
    find: Callable[[Judged], Iterable[Suspicion]]
    examples: tuple[Example, ...]

    def finding(self, suspicion: Suspicion, answers: Answers) -> Finding | None:
        """What one of its suspicions comes to."""
        weighed = suspicion.weigh(answers)
        if weighed is None:
            return None
        return Finding(
            code=self.code,
            name=self.name,
            severity=weighed.severity or self.severity,
            at=suspicion.at,
            said=weighed.text,
            mend=weighed.mend,
            sizes=weighed.sizes,
            fix=weighed.fix,
        )


def certain(
    at: str, text: str, mend: str = "", fix: str = "", severity: Severity | None = None
) -> Suspicion:
    """What the statement alone shows: no question to the data could change it."""
    weighed = Weighed(text, mend, fix=fix, severity=severity)
    return Suspicion(at, lambda _: weighed)


def counted(number: float, what: str) -> str:
    """A number with what it counts: "1 row", "2,041 rows"."""
    return f"{number:,.0f} {what}{'' if number == 1 else 's'}"


def amount(number: float) -> str:
    """A number as people read it: "13,771.3", "6,409,080"."""
    return f"{number:,.0f}" if abs(number) >= 1e5 else f"{number:,.6g}"


def first(answers: Answers, which: int = 0) -> tuple[Value, ...] | None:
    """The first row of one answer; None where there is none."""
    rows = answers[which] if which < len(answers) else None
    return rows[0] if rows else None


def numbers(answers: Answers, which: int = 0) -> tuple[float, ...] | None:
    """The first row of one answer as numbers; None where one of them is none."""
    row = first(answers, which)
    found = [float(value) for value in row or () if isinstance(value, int | float)]
    return tuple(found) if row is not None and len(found) == len(row) else None
