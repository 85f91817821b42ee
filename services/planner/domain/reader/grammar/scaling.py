"""What is said around a step of a scale: "at least medium", "good or better"."""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.grammar.rules import Rule


@dataclass(frozen=True, slots=True)
class Way:
    """Which steps beside the one that is named: `operator`, where more is of the scale itself.

    With `worth` more is what is better, whichever end of the scale that is.
    """

    operator: Operator
    is_of_value: bool = False


_UP = r"(?:more|greater|higher|above|over|beyond|past|exceeding|>|up|upwards?|older|later)"
_DOWN = (
    r"(?:less|fewer|lower|below|under|beneath|smaller|<|down|downwards?|younger|earlier|shorter"
    r"|lighter|thinner|narrower|milder|slower|weaker|calmer|colder)"
)
_BETTER, _WORSE = r"(?:better|nicer|finer|superior|best)", r"(?:worse|poorer|inferior|worst)"
_COMPARED = r"(?!better|worse|poorer|nicer|finer|lower|smaller|under|fewer)\w{2,}er"

# These stand before the step that is named.
BEFORE: tuple[Rule[Way], ...] = (
    Rule(
        "at least",
        r"at least|no (?:less|lower|smaller) than|not (?:below|under|less than|lower than)|minimum"
        r"|min|from|starting (?:at|from|with)|>=",
        Way(Operator.AT_LEAST),
        examples=("tickets of at least medium priority",),
    ),
    Rule(
        "at most",
        r"at most|no (?:more|higher|bigger|larger) than|not (?:above|over|more than|higher than)"
        r"|maximum|max|up to|<=",
        Way(Operator.AT_MOST),
        examples=("tickets of at most medium priority",),
    ),
    Rule(
        "no worse",
        r"no worse than|not worse than|at worst",
        Way(Operator.AT_LEAST, True),
        examples=("stones no worse than Good",),
    ),
    Rule(
        "no better",
        r"no better than|not better than|at best",
        Way(Operator.AT_MOST, True),
        examples=("stones no better than Good",),
    ),
    Rule(
        "better",
        rf"{_BETTER} than",
        Way(Operator.GREATER, True),
        examples=("grades better than C",),
    ),
    Rule(
        "worse", rf"{_WORSE} than", Way(Operator.LESS, True), examples=("comfort worse than good",)
    ),
    Rule(
        "less",
        rf"{_DOWN}(?: than| to)?",
        Way(Operator.LESS),
        examples=("shirts smaller than M", "below medium"),
    ),
    Rule(
        "more",
        rf"(?:{_UP}|{_COMPARED} than)(?: than| to)?",
        Way(Operator.GREATER),
        examples=("stones clearer than VS2", "above medium"),
    ),
)

# These stand behind it.
AFTER: tuple[Rule[Way], ...] = (
    Rule(
        "or better",
        rf"(?:or|and|/) {_BETTER}",
        Way(Operator.AT_LEAST, True),
        examples=("satisfied or better",),
    ),
    Rule(
        "or worse",
        rf"(?:or|and|/) {_WORSE}",
        Way(Operator.AT_MOST, True),
        examples=("neutral or worse",),
    ),
    Rule("or less", rf"(?:or|and|/) {_DOWN}", Way(Operator.AT_MOST), examples=("M or smaller",)),
    Rule(
        "or more",
        rf"(?:or|and|/) (?:{_UP}|\w{{2,}}er)|\+|and on",
        Way(Operator.AT_LEAST),
        examples=("high or above", "medium and up", "L or larger"),
    ),
)
