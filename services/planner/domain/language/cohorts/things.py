"""Which things can be followed over time: those that rows with a date refer to, again and again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from services.planner.domain.catalogue import Catalogue, ColumnRole, DataType, Table
from services.planner.domain.language.linking.mention import Mention
from services.planner.domain.language.scene import Scene
from services.planner.domain.lexicon.normalise import name_words, readable, stem
from services.planner.domain.lexicon.synonyms import synonyms_of
from services.planner.domain.lexicon.vocabulary import PREFERRED_OWNERS
from services.planner.domain.query.intent import Field
from services.planner.domain.query.joining.joins import JoinGraph, key_of

DATES = (DataType.DATE, DataType.DATETIME)
_SPLITTING = frozenset("by per each every across".split())
_IDENTIFYING = frozenset("id key number no code identifi name".split())


@dataclass(slots=True)
class Followed:
    """Who is followed by which table's rows: `entity` tells them apart, `plural` is their name."""

    entity: Field
    events: str
    plural: str
    notes: list[str] = field(default_factory=list)


def has_events(word: str, catalogue: Catalogue, graph: JoinGraph) -> bool:
    """Whether things so called are referred to by rows that have a date."""
    return _called(stem(word), catalogue, graph) is not None


def followed_things(scene: Scene, graph: JoinGraph) -> Followed | None:
    """The things that are named and have events; else those that usually are followed."""
    catalogue = scene.catalogue
    spoken = {mention.chosen.table for mention in scene.mentions}
    split = [m for m in scene.mentions if _splits(scene, m)]
    for mention in (m for m in scene.mentions if m not in split):
        found = _mentioned(mention, catalogue, graph, spoken)
        if found is not None:
            return found
    for word in PREFERRED_OWNERS:
        found = _called(word, catalogue, graph)
        if found is not None:
            found.notes.append(f"{found.plural} are followed, as nobody else was named")
            return found
    named = (_mentioned(mention, catalogue, graph, spoken) for mention in split)
    return next((found for found in named if found is not None), None)


def owner_of(found: Followed, scene: Scene, graph: JoinGraph) -> Table | None:
    """The table that has a row for each of the things; that of the events where none has."""
    parent = graph.parent_of(found.entity)
    return scene.catalogue.table((parent or found.entity).table)


def _splits(scene: Scene, mention: Mention) -> bool:
    """Whether a mention says what things are split by, not which they are."""
    return bool(_SPLITTING & set(scene.words(mention.first - 1, mention.first)))


def _mentioned(
    mention: Mention, catalogue: Catalogue, graph: JoinGraph, spoken: Collection[str]
) -> Followed | None:
    chosen = mention.chosen
    table = catalogue.table(chosen.table)
    if chosen.kind == "table":
        return _by_table(table, catalogue, graph, spoken)
    return _by_column(table, chosen.column) if chosen.kind == "column" else None


def _called(word: str, catalogue: Catalogue, graph: JoinGraph) -> Followed | None:
    said = {word, *synonyms_of(word)}
    for table in catalogue.tables:
        if said & set(name_words(table.name)):
            found = _by_table(table, catalogue, graph, frozenset())
            if found is not None:
                return found
    for table in catalogue.tables:
        for column in table.columns:
            words = set(name_words(column.name))
            if said & words and words - said <= _IDENTIFYING:
                found = _by_column(table, column.name)
                if found is not None:
                    return found
    return None


def _by_table(
    table: Table | None, catalogue: Catalogue, graph: JoinGraph, spoken: Collection[str]
) -> Followed | None:
    """Things with rows of their own that other rows, which have dates, refer to."""
    if table is None:
        return None
    ranked: list[tuple[bool, float, str, Field]] = []
    for events in catalogue.tables:
        relation = graph.direct(events.name, table.name)
        if events.name == table.name or relation is None or relation.fans_out:
            continue
        if any(c.data_type in DATES for c in events.columns):
            cost = graph.tree(events.name, [table.name]).cost
            ranked.append((events.name not in spoken, cost, events.name, relation.left))
    if not ranked:
        return None
    _, _, events_name, entity = min(ranked, key=lambda item: item[:3])
    return Followed(entity, events_name, _plural(readable(table.name)))


def _by_column(table: Table | None, name: str) -> Followed | None:
    """Things that a table of dated rows names, each several times."""
    column = table.column(name) if table is not None else None
    if table is None or column is None or column.data_type in (DataType.FLOAT, *DATES):
        return None
    dated = any(c.data_type in DATES for c in table.columns)
    named = column.role is ColumnRole.ID or column.data_type is DataType.STRING
    if not dated or not named or not 1 < column.distinct < table.rows:
        return None
    if key_of(table) == (name,):
        return None
    words = [w for w in readable(name).split() if w not in ("id", "key", "number", "no", "name")]
    thing = " ".join(words) or readable(name)
    return Followed(Field(table=table.name, column=name), table.name, _plural(thing))


def _plural(thing: str) -> str:
    if thing.endswith("s"):
        return thing
    return (
        thing[:-1] + "ies" if thing.endswith("y") and thing[-2:-1] not in "aeiou" else thing + "s"
    )
