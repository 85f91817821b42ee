"""Which things can be followed over time: those that rows with a date refer to, again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.catalogue import Catalogue, ColumnRole, DataType, Table
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.lexicon.wording import plural
from services.planner.domain.query.intent import Field
from services.planner.domain.query.joining.joins import JoinGraph
from services.planner.domain.query.joining.keys import key_of
from services.planner.domain.reader.statistics.ground import Named

DATES = (DataType.DATE, DataType.DATETIME)
_USUAL = ("customer", "client", "account", "user", "member", "subscriber")


@dataclass(frozen=True, slots=True)
class Followed:
    """Who is followed by which table's rows: `entity` tells them apart, `plural` is their name."""

    entity: Field
    events: str
    plural: str
    note: str = ""


def find_followed_entities(
    mentions: Sequence[Named], catalogue: Catalogue, graph: JoinGraph
) -> Followed | None:
    """The things that are named and have events; else those that usually are followed."""
    spoken = {mention.table for mention in mentions}
    for mention in mentions:
        table = catalogue.table(mention.table)
        made = _by_column(table, mention.column) if mention.column else None
        made = made or (None if mention.column else _by_table(table, catalogue, graph, spoken))
        if made is not None:
            return made
    for table in catalogue.tables:
        if plural(readable(table.name)).rstrip("s") in _USUAL:
            made = _by_table(table, catalogue, graph, spoken)
            if made is not None:
                note = f"{made.plural} are followed, as nobody else was named"
                return Followed(made.entity, made.events, made.plural, note)
    return None


def _by_table(
    table: Table | None, catalogue: Catalogue, graph: JoinGraph, spoken: set[str]
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
    return Followed(entity, events_name, plural(readable(table.name)))


def _by_column(table: Table | None, name: str) -> Followed | None:
    """Things that a table of dated rows names, each several times."""
    column = table.column(name) if table is not None else None
    if table is None or column is None or column.data_type in (DataType.FLOAT, *DATES):
        return None
    dated = any(c.data_type in DATES for c in table.columns)
    several = 1 < column.distinct < table.rows and key_of(table) != (name,)
    if not dated or column.role is not ColumnRole.ID or not several:
        return None
    words = [w for w in readable(name).split() if w not in ("id", "key", "number", "no", "name")]
    return Followed(
        Field(table=table.name, column=name), table.name, plural(" ".join(words) or readable(name))
    )
