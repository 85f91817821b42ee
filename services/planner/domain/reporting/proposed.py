"""What a report tells of the statement behind an answer: where its parts come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_AGREE = {
    "same": "gives the same rows",
    "subset": "gives the same rows, with other columns beside them",
    "scaled": "gives the same rows, in per cent or as parts of one",
    "differs": "gives another result",
    "fails": "was set aside",
    "not_compared": "was not compared",
}


def proposed_in_words(proposal: Mapping[str, Any] | None) -> tuple[str, ...]:
    """A line for each word that became a part of the statement, for what a row is, and for each
    proposal beside it; nothing of an answer that takes several statements."""
    return tuple(_lines(proposal)) if proposal is not None else ()


def _lines(proposal: Mapping[str, Any]) -> Iterator[str]:
    for one in proposal["bindings"]:
        became = one["fragment"] or "changes nothing"
        why = f" ({one['because']})" if one["because"] else ""
        yield f"“{one['words']}” → {became}{why}"
    if grain := proposal["grain"]:
        yield f"A row of the result: {grain}"
    for other in proposal["others"]:
        text = f": {other['told']}" if other["told"] else ""
        yield f"{other['proposer']} {_AGREE[other['compared']]}{text}"
