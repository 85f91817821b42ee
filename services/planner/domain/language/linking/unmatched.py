"""Values that people name but the data does not hold: read as written, never left out.

Next to a column an unknown word is that column's value, and the honest answer has no rows. After
"in" or "from" it is a value of the one column that fits; where none or several do, nobody can say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType
from services.planner.domain.language.linking.mention import Candidate, Mention
from services.planner.domain.language.normalising.cues import (
    AGGREGATE_WORDS,
    COMPARATORS,
    GROUP_CUES,
    NEGATIONS,
    SUPERLATIVES,
    TEXT_OPERATORS,
)
from services.planner.domain.language.resolving.counted_things import COUNTING
from services.planner.domain.lexicon.normalise import Token, name_words, readable
from services.planner.domain.lexicon.vocabulary import PLACE_WORDS, STOP_WORDS
from services.planner.domain.query.intent import Field

_SAYING = frozenset("is are was were = equals named called".split())
_PASSED_OVER = NEGATIONS | {"the", "a", "an", "!", "="}
_PLACING = frozenset("in from at near within to".split())
_OWNING = frozenset(["for", "of"])
_SPLITTING = frozenset(["by", "per"])
_OR = frozenset(["or", "and", ",", "nor"])
_ENDS = _PLACING | _OWNING | GROUP_CUES | frozenset(", . ? ! ; and or as during with".split())
# What follows "in" and names no place: "employees in service", "shown in ascending".
_IDIOMS = frozenset(
    """action addition advance all alphabetical asc ascending attendance business charge circulation
    common decreasing desc descending detail details existence existing fact full general
    increasing operation order parallel part particular place practice print progress question
    sequence service short stock total turn use""".split()
)
_EACH_ONCE = frozenset("the different distinct unique individual separate".split())
_AFTER_THINGS = frozenset(
    """are is were was do does did have has had there who that which whose can will exist per each
    every not""".split()
)
# Words for rows, and for units that columns of times are counted in.
_ANYTHING = frozenset(
    """rows records entries items things cases ones instances units pieces times occurrences events
    lines seconds minutes hours days weeks months quarters years observations samples
    individuals members persons users copies results""".split()
)
_MOST_WORDS = 4
_FEW = 3
_LIKELY = "a value as written, which nothing in the data matches"
NO_VALUES: frozenset[str] = (
    STOP_WORDS
    | GROUP_CUES
    | NEGATIONS
    | frozenset(AGGREGATE_WORDS)
    | frozenset(SUPERLATIVES)
    | frozenset(word for phrase, _ in (*COMPARATORS, *TEXT_OPERATORS) for word in phrase.split())
    | frozenset("""missing empty null unknown blank known present given available there""".split())
)


@dataclass(slots=True)
class Written:
    """The mentions with the unmatched values among them, and why there is no answer, if so."""

    mentions: tuple[Mention, ...]
    problem: str = ""


def with_written_values(
    question: str, tokens: Sequence[Token], mentions: Sequence[Mention], catalogue: Catalogue
) -> Written:
    """Adds what is said of values that nothing in the data matched."""
    reading = _Reading(question, tokens, list(mentions), catalogue)
    problem = ""
    for first, last in list(reading.unknown_phrases()):
        target = reading.column_beside(first, last) or reading.alternative(first, last)
        if target is None and reading.splits(first, last):
            problem = problem or reading.nothing_called(first, last)
        elif target is None and reading.is_counted(first, last):
            problem = problem or f'Nothing in the data is called "{reading.text(first, last)}".'
        elif target is None and reading.is_placed(first, last):
            target = reading.column_of_places(reading.lower(first - 1) in _PLACING)
            problem = problem or ("" if target else reading.nothing_called(first, last))
        if target is not None:
            reading.add(first, last, target)
    return Written(tuple(sorted(reading.mentions, key=lambda m: m.first)), problem)


@dataclass(slots=True)
class _Reading:
    question: str
    tokens: Sequence[Token]
    mentions: list[Mention]
    catalogue: Catalogue
    linked: set[int] = field(init=False)

    def __post_init__(self) -> None:
        self.linked = {i for m in self.mentions for i in range(m.first, m.last)}

    def lower(self, position: int) -> str:
        return self.tokens[position].lower if 0 <= position < len(self.tokens) else ""

    def text(self, first: int, last: int) -> str:
        if self.tokens[first].quoted:
            return self.tokens[first].text
        return self.question[self.tokens[first].start : self.tokens[last - 1].end]

    def unknown_phrases(self) -> Iterator[tuple[int, int]]:
        """Words tied to nothing that could be a value; words with capitals stay together."""
        position = 0
        while position < len(self.tokens):
            last = position
            while last < min(len(self.tokens), position + _MOST_WORDS) and self._unknown(last):
                last += 1
                alone = last < len(self.tokens) and not (
                    self._capital(position) and self._capital(last)
                )
                if self.tokens[last - 1].quoted or alone:
                    break
            if last > position:
                yield position, last
            position = max(last, position + 1)

    def _unknown(self, position: int) -> bool:
        token = self.tokens[position]
        if token.used or token.mark or position in self.linked:
            return False
        if token.quoted:
            return bool(token.text)
        return bool(token.stem) and token.number is None and token.lower not in NO_VALUES

    def _capital(self, position: int) -> bool:
        token = self.tokens[position]
        return not token.quoted and token.text[:1].isupper()

    def _marked_out(self, position: int) -> bool:
        """Whether the writing says that it is a name: quotes, or a capital inside a sentence."""
        if self.tokens[position].quoted:
            return True
        words = [t for t in self.tokens if t.stem and not t.quoted]
        titled = len(words) > 1 and all(t.text[:1].isupper() for t in words)
        starts = self.lower(position - 1) in ("", ".", "?", "!")
        return self._capital(position) and not starts and not titled

    def _describes(self, position: int) -> bool:
        """Whether it is a verb's form, which says how and not what: "categorizing", "sorted"."""
        return self.lower(position).endswith(("ed", "ing")) and not self.tokens[position].quoted

    def column_beside(self, first: int, last: int) -> Field | None:
        """The column in "region is North", "region = North", "ship country Atlantis" and
        "the Atlantis region"."""
        start = first
        said = False
        while self.lower(start - 1) in _PASSED_OVER | _SAYING:
            start -= 1
            said = said or self.lower(start) in _SAYING
        describes = (
            self._describes(first)
            or self.lower(first - 1) == "never"
            or self.lower(last) in ("than", "to")
        )
        certain = self._marked_out(first)
        if (said and not (describes and not certain)) or (certain and start == first):
            before = next((m for m in self.mentions if m.last == start), None)
            target = self._text_column(before) if before is not None else None
            if target is not None:
                return target
        preceded = self.lower(first - 1) in _PLACING | {"the", "for", "where", "with", "of"}
        if certain and preceded:
            after = next((m for m in self.mentions if m.first == last), None)
            return self._text_column(after) if after is not None else None
        return None

    def alternative(self, first: int, last: int) -> Field | None:
        """ "Germany or Atlantis": the column of the value that it stands beside."""
        start = first
        while self.lower(start - 1) in _OR:
            start -= 1
        for mention in self.mentions:
            named = mention.chosen.kind == "value"
            follows = mention.last == start < first and self._marked_out(first)
            leads = self.lower(last) in ("or", "and") and mention.first == last + 1
            if named and (follows or (leads and self._marked_out(first))):
                return Field(table=mention.chosen.table, column=mention.chosen.column)
        return None

    def is_placed(self, first: int, last: int) -> bool:
        """Whether a preposition says that it narrows the rows: "in Atlantis", "from 'X'"."""
        before = self.lower(first - 1)
        if before in _PLACING | _OWNING and self._marked_out(first):
            return True
        idiom = before == "in" and self.lower(first) in _IDIOMS
        bare = before in ("in", "from") and not idiom and self.lower(last) in _ENDS | {""}
        return bare and any(m.last == first - 1 for m in self.mentions)

    def splits(self, first: int, last: int) -> bool:
        """Whether the numbers are to be split by it: "revenue by colour", with no colours."""
        ends = self.lower(last) in _ENDS | {""} and not self.tokens[first].quoted
        split = ends and self.lower(first - 1) in _SPLITTING
        return split and not self._describes(first)

    def is_counted(self, first: int, last: int) -> bool:
        """Whether it is the things to be counted: "how many physicians", with none in any table.

        In a single table whatever is counted may be a name for its rows.
        """
        if len(self.catalogue.tables) < 2 or self.lower(last) not in _ENDS | _AFTER_THINGS | {""}:
            return False
        start = first
        while self.lower(start - 1) in _EACH_ONCE:
            start -= 1
        counting = (self.lower(start - 2), self.lower(start - 1)) in COUNTING
        word = self.lower(last - 1)
        plural = word.endswith("s") and not word.endswith("ss")
        return counting and plural and word not in _ANYTHING

    def column_of_places(self, place: bool) -> Field | None:
        """The only column that can hold such a value."""
        fitting = self._fitting(place)
        return fitting[0][0] if len(fitting) == 1 else None

    def _fitting(self, place: bool) -> list[tuple[Field, Column]]:
        """Columns of text in the tables spoken of, or else in all; of places where there are."""
        spoken = {m.chosen.table for m in self.mentions if m.chosen.table}
        tables = [t for t in self.catalogue.tables if not spoken or t.name in spoken]
        texts = [
            (Field(table=t.name, column=c.name), c) for t in tables for c in t.columns if _names(c)
        ]
        places = [pair for pair in texts if set(name_words(pair[1].name)) & PLACE_WORDS]
        return places if place and places else texts

    def _text_column(self, mention: Mention) -> Field | None:
        table = self.catalogue.table(mention.chosen.table)
        column = table.column(mention.chosen.column) if table else None
        if column is None or mention.chosen.kind != "column" or not _names(column):
            return None
        return Field(table=mention.chosen.table, column=mention.chosen.column)

    def nothing_called(self, first: int, last: int) -> str:
        """Why a value without a column cannot be looked for, and where it could be."""
        said = f'Nothing in the data is called "{self.text(first, last)}".'
        place = self.lower(first - 1) in _PLACING
        fitting = [c.name for _, c in self._fitting(place)]
        named = [name for name in fitting if place or "name" in name_words(name)]
        names = dict.fromkeys(readable(name) for name in named or fitting)
        if not names or self.lower(first - 1) in _SPLITTING:
            return said
        return f"{said} If it is a value, name its column: {' or '.join(list(names)[:_FEW])}."

    def add(self, first: int, last: int, target: Field) -> None:
        """Makes the phrase a mention of that value."""
        text = self.text(first, last)
        chosen = Candidate(
            "value", target.table, target.column, text, score=0.5, reason=_LIKELY, written=True
        )
        stems = tuple(t.stem for t in self.tokens[first:last] if t.stem)
        self.mentions.append(Mention(first, last, text, stems, (chosen,)))
        self.linked |= set(range(first, last))


def _names(column: Column) -> bool:
    return column.data_type is DataType.STRING and column.role is not ColumnRole.TIMESTAMP
