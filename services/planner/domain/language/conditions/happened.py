"""What has been done: "orders that were shipped", "revenue of paid invoices".

A date that says when something was done is there once it was done. A doing that the data tells
nothing about would be left out without a word, so it is a reason not to answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.catalogue import ColumnRole, DataType
from services.planner.domain.language.conditions.text_conditions import condition_of
from services.planner.domain.language.conditions.undone import COMPLEMENTS, date_of, is_negated
from services.planner.domain.language.linking.mention import Candidate, Mention
from services.planner.domain.language.normalising.cues import NEGATIONS
from services.planner.domain.language.scene import Scene
from services.planner.domain.lexicon.normalise import name_words, readable_table
from services.planner.domain.query.intent import Condition, Field, Operator
from services.planner.domain.reader.times.times import TimeSpan

_BEEN = frozenset("is are was were be been being got get already not never n't".split())
_THAT = frozenset(["that", "which", "who"])
_IRREGULAR = frozenset("paid sent sold left built".split())
# Said of some rows and not of others, so that leaving it out changes the answer.
STATES = frozenset(
    """shipped delivered cancelled canceled returned refunded paid unpaid approved rejected
    closed resolved completed finished fulfilled dispatched settled confirmed archived expired
    abandoned declined denied withdrawn terminated suspended reopened""".split()
)


def without_participles(scene: Scene) -> None:
    """Undoes mentions like "shipped orders" for the ship name, where a date says when it was done.

    What is left of them are the things. To be called before any mention has a role.
    """
    kept: list[Mention] = []
    for mention in scene.mentions:
        doing = _doing(scene, mention)
        if doing is None:
            kept.append(mention)
        elif mention.last - mention.first > 1:
            kept.append(_things_of(scene, mention, doing))
    scene.mentions = kept


def _doing(scene: Scene, mention: Mention) -> int | None:
    """Where a mention of a text says in truth what was done; None where it does not."""
    column = scene.column(mention)
    chosen = mention.chosen
    alone = mention.last - mention.first == 1
    dated = column is not None and column.role is ColumnRole.TIMESTAMP
    if chosen.kind != "column" or column is None or (alone and dated):
        return None
    if not dated and column.data_type is not DataType.STRING:
        return None
    if dated and {"by", "per"} & set(scene.words(mention.first - 1, mention.first)):
        return None
    own = set(name_words(chosen.table))
    places = range(mention.first, mention.last)
    others = [place for place in places if scene.tokens[place].stem not in own]
    if len(others) != 1 or not _participle(scene, others[0]):
        return None
    if alone and not _of_things(scene, others[0]):
        return None
    named = not dated and set(name_words(column.name)) - own <= {scene.tokens[others[0]].stem}
    told = date_of(scene, scene.tokens[others[0]].stem, empty=dated)
    return None if named or told is None else others[0]


def _things_of(scene: Scene, mention: Mention, doing: int) -> Mention:
    """The mention of a table alone, where what was done to its rows stood beside it."""
    first = mention.first + 1 if doing == mention.first else mention.first
    last = mention.last - 1 if doing == mention.last - 1 else mention.last
    tokens = scene.tokens[first:last]
    things = Candidate("table", mention.chosen.table, score=0.9, reason="name")
    stems = tuple(token.stem for token in tokens)
    return Mention(first, last, " ".join(t.text for t in tokens), stems, (things,))


def happened(scene: Scene) -> list[tuple[int, Condition]]:
    """Dates that are there for what was done, with the token where it is said."""
    found: list[tuple[int, Condition]] = []
    inside = {i for m in scene.mentions for i in range(m.first, m.last)}
    for position, token in enumerate(scene.tokens):
        if token.used or token.quoted or position in inside or not _participle(scene, position):
            continue
        if is_negated(scene, position) or not _of_things(scene, position):
            continue
        if not (_stands_alone(scene, position) or _before_things(scene, position)):
            continue
        target = date_of(scene, token.stem)
        if target is None:
            continue
        token.used = "condition"
        found.append((position, condition_of(target, Operator.NOT_NULL, ())))
    return found


def denied_time(scene: Scene, spans: Sequence[TimeSpan]) -> str:
    """Why what was not done in a span of time is not told: it was done at others, or never."""
    for span in spans:
        if is_negated(scene, span.first_token):
            return (
                f'"not" and "{span.text}" may mean another time or never: '
                "ask for what was done before or after, or for what was never done."
            )
    return ""


def untold(scene: Scene) -> str:
    """Why a state of things that nothing in the data tells cannot be asked for, or nothing."""
    inside = {i for m in scene.mentions for i in range(m.first, m.last)}
    for position, token in enumerate(scene.tokens):
        if token.lower not in STATES or token.used or token.quoted or position in inside:
            continue
        if not _of_things(scene, position) or date_of(scene, token.stem, empty=False) is not None:
            continue
        things = next((m.chosen.table for m in scene.mentions if m.chosen.kind == "table"), "")
        about = f" of {readable_table(things)}" if things else ""
        return f'Nothing in the data{about} tells whether something was "{token.text}".'
    return ""


def _participle(scene: Scene, position: int) -> bool:
    word = scene.tokens[position].lower
    return word.endswith("ed") or word in _IRREGULAR


def _of_things(scene: Scene, position: int) -> bool:
    """Whether it is said of things: "orders shipped", "shipped orders", "orders were shipped"."""
    before = scene.words(position - 1, position)
    verbal = bool(before) and (before[0] in _BEEN or before[0] in _THAT or before[0] in NEGATIONS)
    return verbal or _after_things(scene, position) or _before_things(scene, position)


def _after_things(scene: Scene, position: int) -> bool:
    return any(m.last == position and m.chosen.kind == "table" for m in scene.mentions)


def _before_things(scene: Scene, position: int) -> bool:
    return any(m.first == position + 1 and m.chosen.kind == "table" for m in scene.mentions)


def _stands_alone(scene: Scene, position: int) -> bool:
    """Whether nothing follows that says where to, when or by whom, which is then what is meant."""
    after = next(iter(scene.words(position + 1, position + 2)), "")
    if after in COMPLEMENTS:
        return False
    if after != "by":
        return True
    agent = scene.starting(position + 2, within=1)
    return agent is None or scene.mentions[agent].chosen.kind != "value"


def done_on(scene: Scene) -> Field | None:
    """The date of what was done "in" a span of time: "orders shipped in 1997"."""
    inside = {i for m in scene.mentions for i in range(m.first, m.last)}
    for position, token in enumerate(scene.tokens):
        following = scene.tokens[position + 1 : position + 2]
        timed = bool(following) and following[0].used == "time"
        if timed and position not in inside and _participle(scene, position):
            return date_of(scene, token.stem, empty=False)
    return None
