"""What tells that a number changed, or is set against the same number of other rows."""

from __future__ import annotations

from services.planner.domain.query.kinds import Calculation
from services.planner.domain.reader.grammar.rules import Rule

_ROSE = (
    r"gr[eo]w|grown|growing|growth|increas(?:ed?|ing)|rose|risen|rise|gain(?:ed|s)?|went up"
    r"|improve[ds]?|improvement|climbed|better|gone up|go up"
)
_FELL = (
    r"fell|fallen|fall|drop(?:ped|s)?|decreas(?:ed?|ing)|declin(?:ed?|ing)|shrank|shrunk|went down"
    r"|los[te]|loses|loss|worsened|worse|gone down|go down|sank"
)
_MORE, _LESS = r"more|higher|better|larger|longer", r"less|fewer|lower|worse|smaller|shorter"

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
        rf"changed?|changes|{_ROSE}|{_FELL}|difference|gap"
        r"|how (?:much|many) (?:\w+ ){0,2}?(?:more|less|fewer|higher|lower)"
        r"|against|compared (?:with|to)|versus|vs",
        Calculation.DIFFERENCE,
        examples=(
            "by how much did revenue change from 2023 to 2024",
            "how many more tickets in December than in November",
            "improvement from term 1 to term 3",
            "countries where life expectancy fell between 1985 and 1990",
        ),
    ),
    Rule(
        "less in one than in another",
        rf"(?:{_MORE}|{_LESS}) (?:\S+ ){{0,5}}?(?:in|on|during|for) (?:\S+ )?{{number}} than"
        r" (?:\S+ ){0,2}?{number2}",
        Calculation.DIFFERENCE,
        examples=("which products sold less in 2023 than in 2022",),
    ),
)

SET_AGAINST: tuple[Rule[Calculation], ...] = RULES[-1:]
"""The one said first is set against the other, whichever is earlier."""

WAYS: tuple[Rule[bool], ...] = (
    Rule(
        "rose",
        rf"{_ROSE}|(?:{_MORE}) (?:\S+ ){{0,7}}?than",
        True,
        examples=("shops where revenue rose", "who sold more in 2023 than in 2022"),
    ),
    Rule(
        "fell",
        rf"{_FELL}|(?:{_LESS}) (?:\S+ ){{0,7}}?than",
        False,
        examples=("countries where life expectancy fell", "the biggest drop in sales"),
    ),
)

MOST: tuple[Rule[bool], ...] = (
    Rule(
        "changed most",
        r"(?:biggest|largest|greatest|most|strongest|steepest|highest|sharpest|worst|best)",
        True,
        examples=("the biggest drop between 1952 and 2007", "who improved most"),
    ),
    Rule(
        "changed least",
        r"(?:smallest|(?<!at )least|weakest|lowest)",
        False,
        examples=("which grew least",),
    ),
)
