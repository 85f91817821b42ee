"""A question's sentences, each with what in it names columns, values and numbers marked.

Rules are matched against the marked text: lower-case words with one space between them, in which
`⟨c3⟩` stands for a column, `⟨v4⟩` for a value of the data, `⟨n5⟩` for a number and `⟨q6⟩` for any
other quoted text. Nothing of the question is changed: each mark knows the words it stands for.
`marking.py` finds what is marked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from services.planner.domain.catalogue import Catalogue, Column, Table, ValueLookup
from services.planner.domain.lexicon.tokens import tokenise
from services.planner.domain.reader.links.schema import schema_of
from services.planner.domain.reader.links.values import ValueLink, link_values

_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bno)[.?!;](?=\s|$)|\n+", re.IGNORECASE)
_CLAUSE = re.compile(
    r",? (?:and(?: then)?|then) (?=(?:calculate|compute|perform|determine|run|fit|count|identify"
    r"|conduct|create|what|how (?:many|much)|which)\b)",
    re.IGNORECASE,
)
_FEW = 30


@dataclass(frozen=True)
class Mark:
    """What a mark stands for; the words are characters `start` to `end` of the sentence."""

    kind: str
    start: int
    end: int
    column: str = ""
    value: str = ""
    number: float = 0.0
    text: str = ""


@dataclass(eq=False)
class Sentence:
    """A sentence: `said` as it stands, `text` with marks, and which marks some rule has read."""

    wording: str
    text: str = ""
    marks: dict[str, Mark] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    matched: bool = False

    def mark(self, name: str) -> Mark:
        """The mark of that name, which is read thereby."""
        self.read.add(name)
        self.matched = True
        return self.marks[name]

    def cut(self, match: re.Match[str]) -> None:
        """Takes what some rule has read out of the text."""
        self.read |= set(MARK.findall(match.group()))
        self.matched = True
        self.text = f"{self.text[: match.start()]}·{self.text[match.end() :]}"

    def named(self) -> str:
        """The sentence with every column that was marked written as the data spells it."""
        sentence, last = "", 0
        for mark in sorted(self.marks.values(), key=lambda m: m.start):
            if mark.kind == "column":
                sentence += f'{self.wording[last : mark.start]}"{mark.column}"'
                last = mark.end
        return sentence + self.wording[last:]


MARK = re.compile(r"⟨[cvnq]\d+⟩")


def parted(question: str) -> list[str]:
    """The question's sentences, in order; one that tells two things to do is two."""
    clauses = [clause for text in _END.split(question) for clause in _CLAUSE.split(text)]
    return [part for part in (clause.strip(" ,") for clause in clauses) if part]


async def values_of(
    sentences: Sequence[str], catalogue: Catalogue, lookup: ValueLookup
) -> list[list[ValueLink]]:
    """The values of the data that each sentence may name."""
    schema = schema_of(catalogue)
    return [await link_values(text, tokenise(text), schema, lookup) for text in sentences]


def values_spoken(
    names: Sequence[str], table: Table, linked: Sequence[Sequence[ValueLink]]
) -> dict[str, tuple[str, ...]]:
    """The values of columns that the names of figures speak of, in their order."""
    found: dict[str, list[str]] = {}
    for name, values in zip(names, linked, strict=True):
        for value in values:
            if value.place.table.name == table.name and value.how in ("exact", "stem", "alias"):
                found.setdefault(value.place.column.name, []).append(value.value)
        for number in re.findall(r"(?<!\S)\d+(?!\S)", name):
            for column in table.columns:
                if _holds(column, float(number)):
                    found.setdefault(column.name, []).append(number)
    return {column: tuple(dict.fromkeys(values)) for column, values in found.items()}


def _holds(column: Column, number: float) -> bool:
    """Whether a column of few whole numbers may hold one."""
    try:
        low, high = float(column.minimum or "nan"), float(column.maximum or "nan")
    except ValueError:
        return False
    return column.distinct <= 2 * _FEW and low <= number <= high
