"""The names in what a model proposes, as those of the data."""

from __future__ import annotations

from collections.abc import Iterable

from services.planner.domain.analysis.repairing.queries import closest
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.reader.links.schema import Place, schema_of


class UnfitError(Exception):
    """What a model proposes does not fit the data; `problems` are told to the model."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class Names:
    """Tables and columns of a catalogue by what they are called, whatever the case."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._tables = {table.name.casefold(): table.name for table in catalogue.tables}
        self._named: dict[str, list[Place]] = {}
        for place in schema_of(catalogue).places:
            whole = f"{place.table.name}.{place.column.name}"
            for name in (whole, place.column.name):
                self._named.setdefault(name.casefold(), []).append(place)

    def table(self, name: str) -> str:
        """The table of that name. Raises UnfitError."""
        found = self._tables.get(name.casefold())
        if found is None:
            raise UnfitError(f"there is no table {name!r}{_meant(name, self._tables.values())}")
        return found

    def place(self, name: str, base: str = "") -> Place:
        """The column of that name, with or without its table; `base` is the table where several
        have one. Raises UnfitError."""
        found = self._named.get(name.casefold(), [])
        if len(found) > 1:
            found = [place for place in found if place.table.name == base] or found
        if len(found) == 1:
            return found[0]
        if not found:
            whole = [f"{p.table.name}.{p.column.name}" for ps in self._named.values() for p in ps]
            raise UnfitError(f"there is no column {name!r}{_meant(name, whole)}")
        tables = " or ".join(f"{p.table.name}.{p.column.name}" for p in found)
        raise UnfitError(f"{name!r} may be {tables}: name the table, too")


def _meant(name: str, names: Iterable[str]) -> str:
    like = closest(name, list(dict.fromkeys(names)))
    return f"; is {like!r} meant?" if like else ""
