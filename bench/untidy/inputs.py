"""What is asked over an untidy input, and what would be right."""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Truth = tuple[tuple[Any, ...], ...]
"""The rows that an answer tells, in any order; other columns may stand beside them."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question over an input.

    Any of `rights` is right; where there are none, only a doubt or a refusal is. `doubt` is a
    pattern of the matter: an answer that tells it and is not told as sure is as good as one can do
    with the data as they are. What must be told even beside a right number is `tell`.
    """

    question: str
    rights: tuple[Truth, ...] = ()
    doubt: str = ""
    tell: str = ""


@dataclass(frozen=True, slots=True)
class Input:
    """One input of a kind: its files by name, or a place where they lie, and the questions.

    Those `held` were made without a look at how anything is recognised, and are reported apart."""

    kind: str
    name: str
    asked: tuple[Asked, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    place: Path | None = None
    folder: bool = False
    held: bool = False

    def laid(self, below: Path) -> Path:
        """The file or the folder to ask, written below a folder where this input has its own."""
        if self.place is not None:
            return self.place
        own = below / self.kind.replace(" ", "-") / self.name
        for name, content in self.files.items():
            (own / name).parent.mkdir(parents=True, exist_ok=True)
            (own / name).write_bytes(content)
        return own if self.folder else own / next(iter(self.files))


def value(*cells: Any) -> Truth:
    """One row."""
    return (cells,)


def groups(rows: Mapping[Any, Any]) -> Truth:
    """A row for each key, with its value."""
    return tuple(rows.items())


def summed(rows: Iterable[Sequence[Any]], key: int, amount: int) -> dict[Any, Any]:
    """The amounts added for each key; both are places in a row."""
    found: dict[Any, Any] = defaultdict(int)
    for row in rows:
        found[row[key]] += row[amount]
    return dict(found)


def table(
    heads: Sequence[str], rows: Iterable[Sequence[Any]], sep: str = ",", decimal: str = "."
) -> bytes:
    """Delimited text; what is None is empty."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=sep, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows([_cell(cell, decimal) for cell in row] for row in rows)
    return text.getvalue().encode()


def _cell(cell: Any, decimal: str) -> str:
    if cell is None:
        return ""
    return str(cell).replace(".", decimal) if isinstance(cell, float) else str(cell)


def lines(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """A JSON object a line."""
    objects = (json.dumps(dict(zip(heads, row, strict=True))) for row in rows)
    return ("\n".join(objects) + "\n").encode()
