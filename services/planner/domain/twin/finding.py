"""What is found of a statement's meaning: other numbers than were declared, or one name for two."""

from __future__ import annotations

from services.planner.domain.checks.finding import Finding, Severity
from services.planner.domain.twin.holding import Held

OTHER_THAN_DECLARED, OTHER_THAN_BEFORE = "M01", "M02"


def found_of_twin(held: Held) -> Finding | None:
    """That a statement gives something else than was declared."""
    beside = held.beside
    if beside is None or not held.differs:
        return None
    clause = f": {beside.clause}" if beside.clause else ""
    sizes = dict(zip(("stated", "declared"), held.sizes, strict=True)) if held.sizes else {}
    return Finding(
        code=OTHER_THAN_DECLARED,
        name="other than declared",
        severity=Severity.DOUBT,
        at=beside.interpretation,
        said=f"what is declared gives {beside.told}{clause}",
        mend="mend the statement, or what is declared",
        sizes=sizes,
        fix=beside.statement,
    )


def found_of_name(name: str, text: str) -> Finding:
    """That a number has the name of another of the session, `said` in a sentence."""
    return Finding(
        code=OTHER_THAN_BEFORE,
        name="one name, two meanings",
        severity=Severity.DOUBT,
        at=name,
        said=text,
        mend="name them apart, or compute both alike",
    )
