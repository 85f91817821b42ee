"""Other names of values, found by the same look-up as the values themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from services.planner.domain.catalogue import Catalogue, ValueHit, ValueLookup

_ARTICLES = frozenset(("the", "a", "an"))


def with_aliases(lookup: ValueLookup, catalogue: Catalogue) -> ValueLookup:
    """The look-up, which also knows what a semantic model calls values besides."""
    known: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for table in catalogue.tables:
        for column in table.columns:
            for alias in column.aliases:
                known[_plain(alias.said)].append((table.name, column.name, alias.value))
    if not known:
        return lookup

    async def both(phrases: Sequence[str]) -> Sequence[ValueHit]:
        own = [
            ValueHit(phrase=phrase, table=table, column=column, value=value, score=1.0)
            for phrase in phrases
            for table, column, value in known.get(_plain(phrase), ())
        ]
        found = await lookup(phrases)
        taken = {(hit.phrase, hit.table, hit.column) for hit in own}
        return [*own, *(hit for hit in found if (hit.phrase, hit.table, hit.column) not in taken)]

    return both


def _plain(text: str) -> str:
    """A text as it is compared: an article before it says nothing ("the States")."""
    words = text.casefold().split()
    return " ".join(words[1:] if len(words) > 1 and words[0] in _ARTICLES else words)
