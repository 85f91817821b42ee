"""Words that change the answer and were not read: where one is left, there is no answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.language.conditions.undone import is_negated
from services.planner.domain.language.normalising.cues import NEGATIONS
from services.planner.domain.language.refusing.methods import lost_noun
from services.planner.domain.language.scene import Scene
from services.planner.domain.lexicon.normalise import Token
from services.planner.domain.query.intent import (
    Against,
    Condition,
    Filter,
    Group,
    Intent,
    Membership,
    Operator,
)

_VERDICT = re.compile(r"^\s*(?:is|are|was|were|do|does|did|has|have|had|will)\b", re.IGNORECASE)
_THAN = re.compile(
    r"\b(?:more|less|fewer|[^\W\d]{2,}er)\b[^?.]*?\bthan\b\s+(?!\d|(?:the\s+|an?\s+)?(?:average|mean)\b)",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:grow|grown|increase[ds]?|rise|risen|fall|fallen|dropp?(?:ed)?|declined?|decrease[ds]?"
    r"|shrink|shrunk|improve[ds]?|raise[ds]?|lower(?:s|ed)?|reduce[ds]?|boost(?:s|ed)?)\b",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"\b(?:who|that|which|have|has|had)\s+(?:(?:have|has|had|ever)\s+)*(?:only|exclusively)\b"
    r"|\bonly\s+(?:ever\s+)?(?:bought|ordered|purchased|placed|sold|sell|buy|order)\b"
    r"|\b(?:bought|ordered|purchased|placed|sold|sell|buy)\s+only\b"
    r"|\bnothing\s+(?:but|except|other than)\b",
    re.IGNORECASE,
)
_ANYTHING = frozenset("one other row record case item entry instance time thing unit".split())
_POSITIVE = (Operator.EQUAL, Operator.IN, Operator.GREATER, Operator.AT_LEAST, Operator.BETWEEN)
_AUXILIARIES = frozenset("was were is are been be has have had get got ever".split())
_COUNTED = re.compile(r"^(?:how many|(?:what|which) (?:share|percentage|percent|proportion) of)\b")
_BEING_THERE = frozenset(
    """recorded listed registered stored included contained used offered involved needed provided
    named called mentioned represented covered existed created required hosted attended visited
    directed performed joined participated enrolled played published produced supplied managed
    owned composed acted worked organized organised""".split()
)
_CLAUSE_ENDS = frozenset(". ? ! , ; and or as per".split())
_DID = frozenset("made took gave held had sold wrote taught did ran".split())
_ALIKE = frozenset(["series", "species"])  # the same for one and for many
_REACH, _VALUE_REACH = 4, 3
_MOST = re.compile(r"\b(?:the most|the least|most|least|fewest)\b", re.IGNORECASE)
_TOLD = re.compile(r"^\s*(?:we|our|my|I)\b[^.?!]*\.(?=\s+\w)", re.IGNORECASE)
_CHANGING = frozenset("often frequently frequent common rarely rare".split())


def why_words_lost(
    question: str, scene: Scene, unknown: Sequence[Token], intent: Intent, notes: Sequence[str]
) -> str:
    """Why the question cannot be answered by what was read of it; empty where it can."""
    return (
        next((f"{note}." for note in notes if "was left out: the data has no date" in note), "")
        or _told_before(question, scene)
        or _no_verdict(question, intent)
        or _only_those(question, intent)
        or _left_over(scene, unknown)
        or lost_noun(scene, unknown)
        or _lost_clause(scene)
        or _lost_absence(scene, intent)
        or _best_of_nothing(question, intent)
    )


def _no_verdict(question: str, intent: Intent) -> str:
    """Yes or no is told by numbers next to each other, where there are such numbers."""
    if not _VERDICT.search(question) or intent.derived or intent.statistic is not None:
        return ""
    apart = bool(intent.measures and intent.dimensions) or len(intent.measures) > 1
    if (_THAN.search(question) and not apart) or (_CHANGES.search(question) and not _timed(intent)):
        return "This cannot be answered by yes or no; ask for the numbers that are to be compared."
    return ""


def _timed(intent: Intent) -> bool:
    return any(d.grain is not None or d.periods for d in intent.dimensions)


def _only_those(question: str, intent: Intent) -> str:
    """ "Who only bought Rock" also says what there must be none of, which no condition says."""
    if not _ONLY.search(question):
        return ""
    several = {r.right.table for r in intent.joins if r.fans_out}
    beyond = _beyond(intent, several)
    if not any(_tables(wanted) & beyond for wanted in intent.filters):
        return ""
    return (
        '"Only" cannot be read here: ask for those that have such rows, or for those that have none'
        " of the others."
    )


def _beyond(intent: Intent, several: set[str]) -> set[str]:
    """Tables of which a row of the base has several, or that are reached through one of these."""
    found = set(several)
    for relation in intent.joins:
        if relation.left.table in found:
            found.add(relation.right.table)
    return found


def _tables(wanted: Filter) -> set[str]:
    if isinstance(wanted, Group):
        return {table for member in wanted.members for table in _tables(member)}
    plain = isinstance(wanted, Condition) and wanted.operator is not Operator.NOT_NULL
    return {wanted.field.table} if plain and isinstance(wanted, Condition) else set()


def _left_over(scene: Scene, unknown: Sequence[Token]) -> str:
    """What must not be, what rows are told apart by, and how often: none may be left out."""
    left = [*unknown, *(t for t in scene.tokens if t.lower.endswith("ed") and _is_loose(scene, t))]
    for token in left:
        place = scene.tokens.index(token)
        before = scene.words(place - 1, place)
        done = token.lower.endswith("ed") or before == ["never"]
        if done and is_negated(scene, place) and _negation_is_loose(scene, place):
            return f'"{" ".join([*before, token.text])}" could not be read.'
        split = before in (["each"], ["every"]) and token.lower not in _ANYTHING
        split = split and not _does(token.lower)
        if split and not token.lower.endswith(("ed", "ing")):
            return f'Nothing in the data is called "{token.text}".'
        if token.lower in _CHANGING:
            return f'"{token.text}" could not be read; say which number is meant.'
    return ""


def _does(word: str) -> bool:
    """Whether it says what each does, of things named before: "the courses each teaches"."""
    third = word.endswith("s") and not word.endswith(("ss", "us", "is")) and word not in _ALIKE
    return third or word in _DID


def _lost_clause(scene: Scene) -> str:
    """ "Movies that failed", where nothing in the data says which did."""
    for place, token in enumerate(scene.tokens):
        if not token.lower.endswith("ed") or not _is_loose(scene, token):
            continue
        before = scene.words(place - _REACH, place)
        while before and before[-1] in _AUXILIARIES:
            before.pop()
        after = scene.words(place + 1, place + 2)
        relative = bool(before) and before[-1] in ("who", "that", "which")
        ends = not after or after[0] in _CLAUSE_ENDS
        counted = _COUNTED.search(" ".join(t.lower for t in scene.tokens)) is not None
        happened = counted and before and token.lower not in _BEING_THERE
        if ends and (relative or (happened and not _CLAUSE_ENDS & set(after) - {".", "?"})):
            return f'"{before[-1]} {token.text}" could not be read.'
    return ""


def _lost_absence(scene: Scene, intent: Intent) -> str:
    """ "Which shop has no employees", read as which shop has some."""
    if any(map(_negative, intent.filters)) or intent.having or intent.statistic is not None:
        return ""
    if any(token.lower == "never" and not (token.used or token.quoted) for token in scene.tokens):
        return '"never" could not be read.'
    for mention in scene.mentions:
        before = scene.tokens[max(0, mention.first - 2) : mention.first]
        said = [t for t in before if t.lower in ("no", "without") and not t.used and not t.quoted]
        close = all(t.lower in ("no", "without", "any", "a", "an", "the") for t in before[-1:])
        if said and close and mention.chosen.kind in ("table", "column", "value"):
            return f'"{said[0].text} {mention.phrase}" could not be read.'
    return ""


def _negative(wanted: Filter) -> bool:
    if isinstance(wanted, Group):
        return any(map(_negative, wanted.members))
    if isinstance(wanted, Membership):
        return wanted.absent
    if isinstance(wanted, Against):
        return True
    return wanted.operator not in _POSITIVE or wanted.values in ((0,), ("0",), (False,))


def _negation_is_loose(scene: Scene, place: int) -> bool:
    """Whether the negation before a word belongs to no condition.

    Of "not shipped to France" it is that of France; who "never" did something is another matter.
    """
    before = scene.tokens[max(0, place - _REACH) : place]
    said = [token for token in before if token.lower in NEGATIONS]
    if any(token.used for token in said):
        return False
    after = scene.starting(place + 1, within=_VALUE_REACH)
    narrowed = after is not None and scene.roles.get(after) == "condition"
    return not narrowed or any(token.lower == "never" for token in said)


def _is_loose(scene: Scene, token: Token) -> bool:
    place = scene.tokens.index(token)
    linked = any(m.first <= place < m.last for m in scene.mentions)
    return not (linked or token.used or token.quoted)


def _best_of_nothing(question: str, intent: Intent) -> str:
    """The most of what nothing tells apart, or of no number: there is no best."""
    if intent.limit is None or intent.statistic is not None:
        return ""
    if intent.grouped and not intent.dimensions:
        return f"Which things are to be ranked by the {intent.measures[0].label}? Name them."
    by_name = not intent.measures and all(order.target == "dimension" for order in intent.order)
    ranked = _MOST.search(question) if by_name else None
    return f'"{ranked.group()}" of which number?' if ranked else ""


def _told_before(question: str, scene: Scene) -> str:
    """A sentence that tells of the asker, before the question, says nothing of which rows."""
    lead = _TOLD.search(question)
    if lead is None:
        return ""
    inside = [m for m in scene.mentions if scene.tokens[m.last - 1].end <= lead.end()]
    if not any(m.chosen.kind == "value" for m in inside):
        return ""
    said = lead.group().strip()
    return f'Is "{said}" a condition? Put it into the question if so, and leave it out if not.'
