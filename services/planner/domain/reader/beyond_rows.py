"""Why a reading is no answer to its question, although each of its words was tied to something."""

from __future__ import annotations

from services.planner.domain.lexicon.stop_words import PRESENTATION
from services.planner.domain.lexicon.tokens import Token
from services.planner.domain.query.filters import Against, Condition
from services.planner.domain.query.intent import Having, Intent
from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.chart.leading import find_undated_entity
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.grammar import comparison
from services.planner.domain.reader.grammar.beyond_rows import CHANGES_ROWS, RULES, Beyond
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.semantics.units import unit_called

_SURELY = 0.8
_WITHIN = (
    Operator.BETWEEN,
    Operator.AT_LEAST,
    Operator.GREATER,
    Operator.AT_MOST,
    Operator.LESS,
    Operator.EQUAL,
)
_WHERE = frozenset(("from", "in", "at", "to", "for"))


def why_beyond_rows(scene: Scene, intent: Intent | None) -> str:
    """What of the question rows do not answer; empty where the reading, None for none, does."""
    for cue in scene.words.find(RULES):
        word = cue.slot("word")
        of_another = word is not None and scene.valued[word] < _SURELY
        if not of_another and (intent is None or not _is_answered(cue.means, intent)):
            return cue.means.value
    if intent is None:
        return ""
    if _was_not_done_then(scene, intent):
        return Beyond.UNDONE.value
    if undated := find_undated_entity(scene):
        return f'"{undated}" by which date? They have none'
    if any(isinstance(one, Condition) and one.than_average for one in intent.filters):
        for average in scene.words.find(comparison.AVERAGE):
            after = average.last + 1
            if after < len(scene.tokens) and scene.valued[after] >= _SURELY:
                text = scene.between(average.first, after + 1)
                return f'"{text}" cannot be compared with yet, only the average of all'
    return ""


def _was_not_done_then(scene: Scene, intent: Intent) -> bool:
    """Whether orders "not shipped in 1997" are told as those that were."""
    spans = {one.field for one in _conditions(intent) if one.operator in _WITHIN}
    return any(
        m.place.field in spans
        and m.place.column.nulls
        and scene.between(m.first - 1, m.first) in ("not", "never")
        and any(span.first == m.last + 1 for span in scene.spans)
        for m in scene.mentions
    )


def _is_answered(asked: Beyond, intent: Intent) -> bool:
    """Whether the reading tells it all the same."""
    if asked is Beyond.YES_OR_NO:
        return bool(intent.derived) or intent.statistic is not None
    if asked is Beyond.COMPARED and not any(m.expression for m in intent.measures):
        against = any(isinstance(one, Against) for one in intent.filters)
        return against or bool(intent.derived) or intent.statistic is not None
    if asked in (Beyond.EITHER, Beyond.COMPARED):
        if intent.derived:
            return True
        shown = {d.expression for d in intent.dimensions}
        values = [one for one in _conditions(intent) if one.field in shown]
        return intent.grouped and len(values) > 1 and intent.limit is None
    if asked is Beyond.BOTH_TIMES:
        return any(isinstance(one, Having) for one in intent.having)
    return False


def _conditions(intent: Intent) -> list[Condition]:
    members = [m for f in intent.filters for m in getattr(f, "members", (f,))]
    return [one for one in members if isinstance(one, Condition)]


def changes_answer(scene: Scene, word: str) -> bool:
    """Whether a reading without this word tells of other rows: a name, or what was done."""
    at = next((token.index for token in scene.tokens if token.text == word), None)
    if at is None:
        return False
    is_mentioned = any(cue.first <= at <= cue.last for cue in scene.words.find(CHANGES_ROWS))
    placed = at > 0 and scene.tokens[at - 1].lower in _WHERE and unit_called(word) is None
    return is_mentioned or placed or is_name(scene, scene.tokens[at])


def is_name(scene: Scene, token: Token) -> bool:
    """Whether a word is written as a name within a question that writes others small."""
    small = sum(not t.capital for t in scene.tokens if t.text[:1].isalpha())
    capital = token.capital and token.index > 0 and 2 * small >= len(scene.tokens)
    return token.quoted or (capital and token.lower not in PRESENTATION)


def names_unread(scene: Scene, unread: list[str]) -> list[str]:
    """The names among some words, those that stand together as one: "Acme Corp", the things of
    "per purchase"."""
    found: list[list[Token]] = []
    after = {cue.last + 1 for cue in splits(scene.words, Split.OF_EACH)}
    for token in scene.tokens:
        named = is_name(scene, token) or token.index in after
        if token.text not in unread or not named:
            continue
        if found and found[-1][-1].index == token.index - 1:
            found[-1].append(token)
        else:
            found.append([token])
    return [" ".join(token.text for token in one) for one in found]
