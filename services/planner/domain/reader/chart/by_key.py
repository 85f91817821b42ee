"""Keys that no word asks for: things go by their names, and no key says which is the first."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.normalise import readable_table, stem
from services.planner.domain.query.intent import Field
from services.planner.domain.query.joining.references import references_of
from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.requirements import Requirements
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Sketch
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.naming import names_of
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind

KEY_WORDS = frozenset("id ids identifier code codes number no nr key keys ref reference".split())
_IN_ORDER = frozenset("first last latest earliest newest oldest recent next".split())
_WHOLE = 0.9


def told_by_key(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether things that have names are told by their keys: "tracks by genre" by its id. Where a
    few share a name, the key comes beside it later (`equal_names.py`)."""
    scene = requirements.scene
    return not scene.charted and any(
        place.kind is Kind.ID
        and (table := _entity(place, scene))
        and _has_name(scene, table)
        and not _asked(place, scene)
        and not (sketch.grouped and _is_role(place, table, scene))
        for place in (*sketch.shown, *sketch.split)
    )


def ranked_by_key(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether the first few are those with the highest keys: "top 5 genres" by their ids."""
    place = sketch.sorting.by if sketch.sorting is not None else None
    if not isinstance(place, Place) or sketch.limit is None or place.kind is not Kind.ID:
        return False
    ordered = any(token.lower in _IN_ORDER for token in requirements.scene.tokens)
    return not place.text and not ordered and not _asked(place, requirements.scene)


def counts_keys(sketch: Sketch, requirements: Requirements) -> bool:
    """Whether "customers per manager" or "who is the manager of Ann" is told by how many different
    keys of managers there are, which no word asks for."""
    scene = requirements.scene
    if requirements.counts or sketch.shown or len(sketch.numbers) != 1 or scene.charted:
        return False
    (number,) = sketch.numbers
    place = number.place
    if (
        number.aggregate is not Aggregate.COUNT_DISTINCT
        or place is None
        or place.kind is not Kind.ID
    ):
        return False
    after = {cue.last + 1 for cue in splits(scene.words, Split.OF_EACH)}
    named = {m.first for m in scene.by_place.get(place.index, ()) if m.tie is Tie.NAME}
    return scene.between(0, 1) == "who" or bool(after & named)


@lru_cache(maxsize=64)
def _asked(place: Place, scene: Scene) -> bool:
    """Whether a key is spoken of as such: by its whole name, or by a word for keys."""
    if any(token.lower in KEY_WORDS - {"number", "no"} for token in scene.tokens):
        return True
    mentions = scene.by_place.get(place.index, ())
    return any(
        m.tie is Tie.NAME and (m.coverage >= _WHOLE or scene.tokens[m.last].lower in KEY_WORDS)
        for m in mentions
    )


@lru_cache(maxsize=64)
def _is_role(place: Place, table: str, scene: Scene) -> bool:
    """Whether a key is called by what its things are there for, which no table is called: the
    "support rep" of a customer is an employee."""
    role = {stem(word) for word in place.words} - KEY_WORDS
    if not role or role & {stem(word) for word in readable_table(table).lower().split()}:
        return False
    mentions = scene.by_place.get(place.index, ())
    said = [{stem(scene.tokens[at].lower) for at in range(m.first, m.last + 1)} for m in mentions]
    return any(role <= words for words in said)


def _has_name(scene: Scene, table: str) -> bool:
    """Whether the things of a table have names beside their keys."""
    names = names_of(scene.schema, table)
    return bool(names) and names[0].kind is not Kind.ID


@lru_cache(maxsize=64)
def _entity(place: Place, scene: Scene) -> str:
    """The table whose rows a column tells apart; empty where it is no key."""
    return _tables_by_key(scene.schema.catalogue).get(place.field, "")


@lru_cache(maxsize=16)
def _tables_by_key(catalogue: Catalogue) -> Mapping[Field, str]:
    known = references_of(catalogue)
    found = {key: key.table for key in known.keys}
    return found | {reference.child: reference.parent.table for reference in known.all}


RULES = (told_by_key, ranked_by_key, counts_keys)
