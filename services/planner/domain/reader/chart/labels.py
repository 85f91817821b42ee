"""What the columns of an answer are called."""

from __future__ import annotations

from services.planner.domain.language.normalising.normalise import readable_table
from services.planner.domain.language.normalising.wording import worded
from services.planner.domain.reader.links.schema import Place


class Labels:
    """Names of the answer's columns, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, place: Place) -> str:
        """A column's own name, with its table's where two are alike."""
        plain = worded(place.column.name)
        if plain in self._taken:
            plain = f"{readable_table(place.table.name)} {plain}"
        return self.free(plain)

    def free(self, label: str) -> str:
        """The label, numbered where it is taken."""
        name, count = label, 2
        while name in self._taken:
            name, count = f"{label} {count}", count + 1
        self._taken.add(name)
        return name
