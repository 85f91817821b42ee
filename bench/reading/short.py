"""Short everyday questions, made by templates over the databases of the other sets.

Those sets ask in whole sentences and of charts; people also ask "total price by city". Which
template is asked of which columns a hash of the database decides, so they are the same every time.
They are for learning and for its figures; of other people's questions they say nothing.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

from bench.reading.templates import TEMPLATES, Asked, Short, plural
from services.planner.domain.catalogue import Catalogue, Table
from services.planner.domain.lexicon.normalise import readable_table
from services.planner.domain.reader.links.schema import Place, Schema, schema_of
from services.planner.domain.semantics.kinds import Kind

OF_EACH_DATABASE = 17
_MEASURED = (Kind.AMOUNT, Kind.INTENSIVE, Kind.LEVEL)
_FEWEST, _MOST = 2, 40


def short_questions(catalogue: Catalogue, name: str) -> Iterator[Short]:
    """Questions over one database, the same ones for the same content."""
    dice = random.Random(hashlib.sha256(name.encode()).hexdigest())
    schema = schema_of(catalogue)
    scenes = [s for t in catalogue.tables if (s := _scene(schema, t, dice)) is not None]
    seen: set[str] = set()
    for number in range(OF_EACH_DATABASE if scenes else 0):
        scene = dice.choice(scenes)
        template = TEMPLATES[(number + dice.randrange(3)) % len(TEMPLATES)]
        made = template(scene)
        if made is not None and made.question not in seen:
            seen.add(made.question)
            yield made


def _scene(schema: Schema, table: Table, dice: random.Random) -> Asked | None:
    def clear(place: Place) -> bool:
        """No other column goes by that name, and it is no abbreviation."""
        alike = sum(set(place.words) <= set(other.words) for other in schema.places)
        return alike == 1 and all(len(word) > 2 for word in place.words)

    keys = {(r.from_table, r.from_column) for r in schema.catalogue.relationships}
    places = [
        p
        for p in schema.of_table(table.name)
        if clear(p) and (table.name, p.column.name) not in keys
    ]
    split = [p for p in places if p.kind is Kind.CATEGORY and _FEWEST <= p.column.distinct <= _MOST]
    measured = [p for p in places if p.kind in _MEASURED and p.number and p.column.distinct > 2]
    called = readable_table(table.name).lower()
    alone = sum(called in readable_table(t.name).lower() for t in schema.catalogue.tables) == 1
    if table.rows < 3 or not split or not measured or not alone:
        return None
    many = called if called.endswith("s") else plural(called)
    return Asked(
        table,
        many,
        called.removesuffix("s"),
        measured,
        split,
        [p for p in places if p.kind is Kind.NAME and p.unique == 1],
        [p for p in places if p.time],
        dice,
    )


def databases(folder: Path) -> list[Path]:
    """The files of the databases of the other sets, by name."""
    found = {
        path.stem: path
        for part in ("train", "dev")
        for path in (folder / f"questions_{part}/databases").glob("*.sqlite")
    }
    return [found[name] for name in sorted(found)]
