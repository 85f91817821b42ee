"""The form that a fragment asks for: chart, how many, which end first, and whether it adds."""

from __future__ import annotations

from collections.abc import Callable

from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import stem, tokenise
from services.planner.domain.query.intent import Aggregate, ChartType, Intent
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.fragments.cues import (
    ADDING,
    ALTOGETHER,
    AT_AN_END,
    BEST,
    DIRECTIONS,
    LISTED,
    LYING,
    NOT_FEW,
    SO_MANY,
    SPECIFIC,
)
from services.planner.domain.reader.fragments.fragment import Fragment
from services.planner.domain.reader.grammar import chart_words, ordering
from services.planner.domain.reader.grammar.rules import Words
from services.planner.domain.reader.links.adjectives import ADJECTIVES
from services.planner.domain.reader.links.mentions import Tie

_NAMED = 0.45
_THEIRS = ("their", "its")  # of the rows in sight, which stay
_GENERAL = frozenset("most highest largest biggest greatest least fewest lowest smallest".split())
_COUNTS = (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
_LAID = "bars lie or stand as their names need it, whichever is asked for"

Read = Callable[[int, int], None]
"""Called with the words, first to last, that something was made of."""


def read_forms(scene: Scene, text: str, intent: Intent, found: Fragment, read: Read) -> None:
    """Reads the forms into the fragment; `said` are its words with those that the scene omits."""
    _chart(scene, found, read)
    _at_an_end(scene, intent, found, read)
    for rows in scene.words.find(LISTED):
        found.listed = True
        read(rows.first, rows.last)
    _limit(scene, intent, found, read)
    _direction(scene, intent, found, read)
    for beside in scene.words.find(ADDING):
        read(beside.first, beside.last)
    for whole in scene.words.find(ALTOGETHER):
        read(whole.first, whole.last)
    # In a question "as well" and "in total" are fillers, which the scene leaves out.
    words = Words(tokenise(text))
    found.adds = bool(words.find(ADDING)) or any(t.lower in _THEIRS for t in words.tokens)
    found.altogether = bool(words.find(ALTOGETHER))


def _chart(scene: Scene, found: Fragment, read: Read) -> None:
    for cue in scene.words.find(chart_words.KINDS):
        alone = all(scene.named[at] < _NAMED for at in range(cue.first, cue.last + 1))
        if found.chart is None and alone:
            found.chart = cue.means
            read(cue.first, cue.last)
    for laid in scene.words.find(LYING) if found.chart is ChartType.BAR else ():
        read(laid.first, laid.first)
        found.notes.append(_LAID)


def _at_an_end(scene: Scene, intent: Intent, found: Fragment, read: Read) -> None:
    """The one of the groups in sight whose number is at an end: "who handled the most?"."""
    if not (intent.measures and intent.dimensions):
        return
    for end in scene.words.find(AT_AN_END):
        text = [t.lower for t in scene.tokens if not t.mark][-1]
        if text not in _GENERAL and not speaks_of_number(scene, end.last - 1, end.last, intent):
            continue
        found.limit, found.descending = 1, end.means
        read(end.first, end.last)
        if intent.limit and intent.order and intent.order[0].descending is not end.means:
            found.doubts.append(f"of all groups, not of the {intent.limit} in sight")


def _limit(scene: Scene, intent: Intent, found: Fragment, read: Read) -> None:
    if intent.limit:
        for all_ in scene.words.find(NOT_FEW):
            found.every = True
            read(all_.first, all_.last)
            return
    rules = (*BEST, *ordering.TOP, *(SO_MANY if intent.limit else ()))
    for few in scene.words.find(rules):
        at = few.slot("number")
        number = scene.tokens[at].number if at is not None else None
        bound = scene.between(few.first - 1, few.first) == "at"  # "at least 5" is no "least 5"
        if number is not None and number >= 1 and found.limit is None and not bound:
            found.limit = int(number)
            read(few.first, few.last)


def _direction(scene: Scene, intent: Intent, found: Fragment, read: Read) -> None:
    ends = [
        end
        for end in scene.words.find(SPECIFIC)
        if _none_follows(scene, end.last) and speaks_of_number(scene, end.first, end.last, intent)
    ]
    ends += [end for end in scene.words.find(DIRECTIONS) if _no_column(scene, end.first, end.last)]
    if ends:
        found.descending = ends[0].means
        read(ends[0].first, ends[0].last)


def speaks_of_number(scene: Scene, first: int, last: int, intent: Intent) -> bool:
    """Whether a word such as "cheapest" can be meant of a number in sight: of a price, not of how
    many there are, nor of seats."""
    known = [ADJECTIVES[t.lower] for t in scene.tokens[first : last + 1] if t.lower in ADJECTIVES]
    columns = {stem(word) for _, words in known for word in words}
    return any(
        m.shown and m.aggregate not in _COUNTS and {stem(w) for w in words_of(m.label)} & columns
        for m in intent.measures
    )


def _no_column(scene: Scene, first: int, last: int) -> bool:
    """Whether no name of a column follows: "lowest price" is a number, "lowest first" none,
    be there a first name or not; and "at least" is a comparison."""
    if scene.between(first - 1, first) == "at":
        return False
    most = _NAMED if first == last else 1
    return _none_follows(scene, last) and all(
        scene.named[at] < most for at in range(first, last + 1)
    )


def _none_follows(scene: Scene, last: int) -> bool:
    following = [m for m in scene.mentions if m.first == last + 1 and m.tie is Tie.NAME]
    return not any(m.coverage >= _NAMED for m in following)
