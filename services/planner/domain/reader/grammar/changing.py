"""What tells that a number changed, or is set against the same number of other rows."""

from __future__ import annotations

from services.planner.domain.language.kinds import Calculation
from services.planner.domain.reader.grammar.rules import Rule

RULES: tuple[Rule[Calculation], ...] = (
    Rule(
        "grew in percent",
        r"(?:percent|percentage|relative|rate of) (?:\w+ )?(?:change|growth|increase|decrease|drop)"
        r"|(?:gr[eo]wn?|grown|growth|increased?|rose|rise|fell|dropped|change[ds]?)"
        r" (?:\w+ ){0,2}?(?:in percent|percentage|relatively|percent)|growth|grew|growing",
        Calculation.GROWTH,
        examples=("which population grew most in percent", "growth from 2010 to 2020"),
    ),
    Rule(
        "changed",
        r"changed?|changes|grew|grow|growth|increased?|decreased?|rose|fell|dropped|gain(?:ed|s)?"
        r"|improve(?:d|ment)?|difference|gap|how (?:much|many) (?:\w+ ){0,2}?(?:more|less|fewer"
        r"|higher|lower)|against|compared (?:with|to)|versus|vs",
        Calculation.DIFFERENCE,
        examples=(
            "by how much did revenue change from 2023 to 2024",
            "how many more tickets in December than in November",
            "improvement from term 1 to term 3",
        ),
    ),
)
