"""Things that are counted and have no table of their own: "customers per region" of orders.

Where a table holds the id of such things on many rows, its rows are not what is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Number, Sketch
from services.planner.domain.reader.grammar import aggregation, chart_words, comparison
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.mentions import Mention, Tie
from services.planner.domain.reader.links.schema import Place

_IDS = frozenset("id ids identifier number no nr code key ref reference".split())
_DIFFERENT = frozenset("different distinct unique individual the".split())
_EACH_ROW, _NAMED = 0.999, 0.8


@lru_cache(maxsize=8)
def counted_keys(scene: Scene) -> tuple[Place, ...]:
    """The ids of the things that are counted: after "how many" or "number of", or what a question
    begins with before "per region". None where they have a table of their own."""
    return tuple(dict.fromkeys(_counted(scene)))


def misses_entities(scene: Scene, sketch: Sketch) -> bool:
    """Whether such things are counted and the reading counts others, or none."""
    keys = counted_keys(scene)
    whole = any(key.unique >= _EACH_ROW for key in keys)
    return bool(keys) and not any(
        (n.aggregate is Aggregate.COUNT_DISTINCT and n.place in keys) or (n.place is None and whole)
        for n in sketch.made
    )


def number_of(key: Place) -> Number:
    """How many different ones there are."""
    return Number(Aggregate.COUNT_DISTINCT, key)


def _counted(scene: Scene) -> Iterator[Place]:
    for mention in scene.mentions:
        if _is_plural(scene, mention) and _is_id_of(scene, mention) and _is_counted(scene, mention):
            yield mention.place


def _is_plural(scene: Scene, mention: Mention) -> bool:
    word = scene.tokens[mention.last].lower
    return word.endswith("s") and not word.endswith("ss")


def _is_id_of(scene: Scene, mention: Mention) -> bool:
    """Whether the words are all that an id is of, and no table is called so."""
    place = mention.place
    entities = [stem(word) for word in place.words if word not in _IDS]
    texts = [t.stem for t in scene.tokens[mention.first : mention.last + 1]]
    if mention.tie is not Tie.NAME or len(entities) == len(place.words) or texts != entities:
        return False
    return not any(
        t.coverage >= _NAMED and t.first <= mention.first and t.last >= mention.last
        for t in scene.tables
    )


def _is_counted(scene: Scene, mention: Mention) -> bool:
    before = [token.lower for token in scene.tokens[: mention.first]]
    while before and before[-1] in _DIFFERENT:
        before.pop()
    if before[-2:] in (["how", "many"], ["number", "of"], ["count", "of"]):
        return True
    return not before and (_is_split(scene, mention.last + 1) or _is_narrowed(scene, mention.last))


def _is_narrowed(scene: Scene, last: int) -> bool:
    """Whether a condition follows, and groups after it: "patients over 65 by department"."""
    if not scene.words.find(comparison.RULES) or scene.words.find(aggregation.RULES):
        return False
    cues = [cue for cue in splits(scene.words, Split.OF_EACH) if cue.first > last + 1]
    return bool(cues) and _is_split(scene, cues[-1].first)


def _is_split(scene: Scene, at: int) -> bool:
    """Whether groups follow: "per region", "in each region", "by month"."""
    after = [token.lower for token in scene.tokens[at : at + 1]]
    at += after in (["in"], ["for"], ["at"], ["of"], ["on"])
    if not any(cue.first == at for cue in splits(scene.words, Split.OF_EACH)):
        return False
    if any(cue.first <= at + 1 <= cue.last for cue in scene.words.find(chart_words.GRAINS)):
        return True
    named = [m for m in scene.mentions if m.first == at + 1 and m.coverage >= _NAMED]
    return bool(named) and not any(m.place.number for m in named)
