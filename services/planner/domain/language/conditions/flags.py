"""Columns that say yes or no: "is abandoned", "has not shipped", "discontinued products"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.catalogue import Column
from services.planner.domain.language.linking.mention import Candidate, Mention, yes_of
from services.planner.domain.language.normalising.cues import NEGATIONS
from services.planner.domain.language.scene import Scene
from services.planner.domain.lexicon.normalise import name_words
from services.planner.domain.query.columns import numeric
from services.planner.domain.query.intent import Condition, Field, Operator

_SAYING = frozenset("been is are was were not have has".split())
_RELATIVE = frozenset("who that which".split())  # "patients who smoke"
_SPLITTING = frozenset("by per each every".split())
_BESIDE = frozenset(["vs", "versus", "or", "and", ","])
_CHARTS = frozenset("pie chart charts plot graph draw visualize visualise".split())
_STATES = frozenset(["is", "has", "was"])
_REASON = "name"
_WHETHER_REACH = 6
_COUNTING = re.compile(
    r"\b(?:how many|number of|count of|(?:share|percentage|percent|fraction|proportion) of)\b"
)
_APART = frozenset("by per each every versus vs different distinct unique between".split())


def with_flags_apart(scene: Scene) -> None:
    """Makes two mentions of "discontinued products": what is true, and the things it is true of.

    To be called before any mention has a role.
    """
    apart: list[Mention] = []
    for mention in scene.mentions:
        column = scene.column(mention)
        size = mention.last - mention.first
        if column is None or size < 2 or not _describes(scene, mention, column):
            apart.append(mention)
            continue
        middle = mention.first + 1
        words = [token.text for token in scene.tokens[middle : mention.last]]
        thing = Candidate("table", mention.chosen.table, score=0.9, reason=_REASON)
        flag = scene.tokens[mention.first]
        apart += [
            Mention(mention.first, middle, flag.text, mention.stems[:1], mention.candidates),
            Mention(middle, mention.last, " ".join(words), mention.stems[1:], (thing,)),
        ]
    scene.mentions = apart


def _describes(scene: Scene, mention: Mention, column: Column) -> bool:
    """Whether a flag stands before the name of its table."""
    first = scene.tokens[mention.first]
    own = first.stem in name_words(column.name) and _is_state(first.lower, column)
    things = set(mention.stems[1:])
    named = bool(things) and things <= set(name_words(mention.chosen.table))
    return own and named and yes_of(column) is not None and column.distinct <= 2


def flags(scene: Scene) -> list[tuple[int, Condition]]:
    """The conditions on flags, with the token where each is said."""
    found: list[tuple[int, Condition]] = []
    for index, mention in enumerate(scene.mentions):
        column = scene.column(mention)
        if not scene.free(index) or mention.chosen.kind != "column" or column is None:
            continue
        yes = yes_of(column)
        before = scene.words(mention.first - 3, mention.first)
        own = name_words(column.name)[:1]  # "on scholarship" of "OnScholarship"
        said = bool(before) and (before[-1] in _SAYING | _RELATIVE or (before[-1],) == own)
        said = said or _of_counted(scene, index) or _had(before)
        said = said and not _is_axis(scene, mention.first - 2) and not _is_one_word(scene, mention)
        if yes is None or column.distinct > 2 or not (said or _before_things(scene, index)):
            continue
        if _is_asked_whether(scene, mention):
            continue
        scene.roles[index] = "condition"
        operator = Operator.NOT_EQUAL if set(before) & NEGATIONS else Operator.EQUAL
        value: float | str = float(yes) if numeric(column.data_type) else yes
        value = int(value) if isinstance(value, float) and value.is_integer() else value
        target = Field(table=mention.chosen.table, column=mention.chosen.column)
        found.append((mention.first, Condition(field=target, operator=operator, values=(value,))))
    return found


def _of_counted(scene: Scene, index: int) -> bool:
    """Whether the flag says which are counted: "how many men smoke", "what share of men smoke"."""
    mention = scene.mentions[index]
    before = scene.words(0, mention.first)
    asked = _COUNTING.search(" ".join(before))
    following = scene.starting(mention.last)
    if asked is None or _APART & set(before[-3:]) or following is not None:
        return False
    after = scene.words(mention.last, mention.last + 1)
    own = set(name_words(mention.chosen.column))
    partly = len(own) > 1 and not own <= set(mention.stems)
    drawn = _CHARTS & {token.lower for token in scene.tokens}  # each kind is to be seen there
    return not partly and not drawn and not _BESIDE & set(after)


def _had(before: Sequence[str]) -> bool:
    """Whether they are those that have it: "customers with a partner"."""
    said = before[:-1] if before and before[-1] in ("a", "an") else before
    return said[-1:] in (["with"], ["having"], ["have"], ["has"])


def _is_axis(scene: Scene, place: int) -> bool:
    """Whether "is" only says what is drawn: "x axis is full time"."""
    return place >= 0 and scene.tokens[place].used == "axis"


def _is_asked_whether(scene: Scene, mention: Mention) -> bool:
    """Whether both are to be told apart: "by whether pets are allowed"."""
    for token in scene.tokens[max(0, mention.first - _WHETHER_REACH) : mention.first]:
        if token.lower == "whether":
            token.used = token.used or "group"
            return True
    return False


def _is_one_word(scene: Scene, mention: Mention) -> bool:
    """Whether the "is" before is the first part of the name: "IsChild"."""
    lead = scene.tokens[mention.first - 1]
    return lead.end == scene.tokens[mention.first].start


def _is_state(word: str, column: Column) -> bool:
    """Whether a word says what things are: a participle, or the "active" of "is_active"."""
    return word.endswith("ed") or name_words(column.name)[0] in _STATES


def _before_things(scene: Scene, index: int) -> bool:
    """Whether the flag stands right before the things: "discontinued products"."""
    mention = scene.mentions[index]
    following = scene.starting(mention.last)
    column = scene.column(mention)
    if following is None or column is None or not _is_state(mention.phrase.lower(), column):
        return False
    chosen = scene.mentions[following].chosen
    split = _SPLITTING & set(scene.words(mention.first - 2, mention.first))
    return chosen.kind == "table" and chosen.table == mention.chosen.table and not split
