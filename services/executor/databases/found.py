"""What was found in a database, under the names it has in a request."""

from __future__ import annotations

from dataclasses import dataclass, field

from services.executor.databases.live import Relation
from services.executor.sources.manifest import StoredTable

MOST_TABLES = 2_000


@dataclass
class Catalogue:
    """What was found, under the names it has in a request."""

    tables: list[StoredTable] = field(default_factory=list)
    relations: dict[str, Relation] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def free_name(wanted: str, instead: str, taken: set[str]) -> str:
    """`wanted`, or `instead` with a number if need be, that is not among the taken ones.

    `taken` are in folded case.
    """
    name, number = wanted, 2
    while name.casefold() in taken:
        name = instead if name == wanted and instead != wanted else f"{instead}_{number}"
        number += 1
    return name
