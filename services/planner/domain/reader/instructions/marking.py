"""What in a sentence is marked: the columns, values, numbers and quoted texts that it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from services.planner.domain.catalogue import Catalogue, Table
from services.planner.domain.lexicon.stop_words import PRESENTATION, STOP_WORDS
from services.planner.domain.lexicon.tokens import Token, tokenise
from services.planner.domain.reader.instructions.sentences import Mark, Sentence
from services.planner.domain.reader.instructions.vocabulary import METHOD_WORDS
from services.planner.domain.reader.links.mentions import Mention, Tie, link_names
from services.planner.domain.reader.links.schema import Place, schema_of
from services.planner.domain.reader.links.values import ValueLink
from services.planner.domain.semantics.units import unit_called

_LEAST_NAMED, _WHOLE, _SHORT_VALUE = 0.45, 0.9, 2
_COLUMN_WORDS = frozenset(
    "column columns feature features variable variables field flag indicator".split()
)
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_INTRODUCING = frozenset("a an new another".split())


def marked(text: str, table: Table, values: Sequence[ValueLink]) -> Sentence:
    """The sentence with its marks, over the columns of a table."""
    tokens = tokenise(text)
    columns = _columns(tokens, table)
    taken: dict[int, tuple[int, str, Mention | ValueLink]] = {}
    for mention in columns:
        for index in range(mention.first, mention.last + 1):
            taken[index] = (mention.last, "c", mention)
    for value in _values(tokens, table, values, columns):
        for index in range(value.first, value.last + 1):
            taken[index] = (value.last, "v", value)
    sentence = Sentence(text)
    words: list[str] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        last, kind, of = taken.get(index, (index, "", None))
        name = f"⟨{kind or 'n'}{index}⟩"
        start, end = token.start, tokens[last].end
        if isinstance(of, Mention):
            sentence.marks[name] = Mark("column", start, end, column=of.place.column.name)
        elif isinstance(of, ValueLink):
            column = of.place.column.name
            sentence.marks[name] = Mark("value", start, end, column=column, value=of.value)
        elif token.quoted:
            name = f"⟨q{index}⟩"
            sentence.marks[name] = Mark("quoted", start, end, text=token.text)
        elif token.number is not None and (token.digits or not token.ordinal):
            scale = _SCALES.get(tokens[index + 1].lower, 1) if index + 1 < len(tokens) else 1
            if scale > 1:
                last, end = index + 1, tokens[index + 1].end
            sign = -1 if _negative(tokens, index, words) else 1
            sentence.marks[name] = Mark(
                "number", start, end, number=sign * scale * token.number, text=_unit(tokens, last)
            )
            if sign < 0:
                words.pop()
        else:
            name = "" if _hyphen(tokens, index) else token.lower
        words += [name] if name else []
        index = last + 1
    sentence.text = " ".join(words)
    return sentence


def _unit(tokens: Sequence[Token], last: int) -> str:
    """The unit behind a number, if there is one."""
    word = tokens[last + 1].lower if last + 1 < len(tokens) else ""
    return word if word and unit_called(word) is not None else ""


def _hyphen(tokens: Sequence[Token], index: int) -> bool:
    """Whether a dash ties two words: "two-sample"."""
    if tokens[index].text not in "-–" or not 0 < index < len(tokens) - 1:
        return False
    before, after = tokens[index - 1], tokens[index + 1]
    tied = before.end == tokens[index].start and tokens[index].end == after.start
    return tied and not (before.digits and after.digits)


def _negative(tokens: Sequence[Token], index: int, words: Sequence[str]) -> bool:
    if not words or words[-1] != "-" or tokens[index - 1].end != tokens[index].start:
        return False
    return index < 2 or (tokens[index - 2].number is None and tokens[index - 2].text != ")")


def _columns(tokens: Sequence[Token], table: Table) -> list[Mention]:
    """The best mention of a column at each place, no two over one another."""
    schema = schema_of(Catalogue(tables=(table,)))
    quoted = [m for place in schema.places for m in _quoted(tokens, place)]
    mentions, _ = link_names(tokens, schema)
    fitting = [m for m in mentions if m.tie is Tie.NAME and _is_named(m, tokens)]
    ranked = sorted(
        quoted + fitting,
        key=lambda m: (-m.coverage * m.quality * (1 + 0.3 * m.words), -m.words, m.first),
    )
    kept: list[Mention] = []
    for mention in ranked:
        if not any(m.first <= mention.last and m.last >= mention.first for m in kept):
            alike = [m for m in ranked if (m.first, m.last) == (mention.first, mention.last)]
            kept.append(max((_with_span(m, tokens) for m in alike), key=lambda m: m.last))
    return sorted(kept, key=lambda m: m.first)


def _quoted(tokens: Sequence[Token], place: Place) -> list[Mention]:
    """Where the name stands in quotes, or is written with a space and in the plural."""
    name = place.column.name.lower()
    found = [
        Mention(place, t.index, t.index, 1.0, 2.0, Tie.NAME, 9)
        for t in tokens
        if t.quoted and t.lower.replace(" ", "_") == name.replace(" ", "_")
    ]
    closed = name.replace("_", "").replace(" ", "")
    return found + [
        Mention(place, one.index, other.index, 1.0, 1.0, Tie.NAME, 2)
        for one, other in pairwise(tokens)
        if f"{one.lower}{other.lower}" == f"{closed}s"
    ]


def _with_span(mention: Mention, tokens: Sequence[Token]) -> Mention:
    """With the years behind it that are part of its name: "incidents from 1985 to 1999" is
    `incidents_85_99`."""
    years = [int(word) % 100 for word in place_numbers(mention.place.column.name)]
    if len(years) != 2:
        return mention
    behind = tokens[mention.last + 1 : mention.last + 5]
    known_tokens = [t for t in behind if t.number is not None]
    if len(known_tokens) != 2 or [int(t.number or 0) % 100 for t in known_tokens] != years:
        return mention
    return replace(mention, last=known_tokens[-1].index)


def place_numbers(name: str) -> list[str]:
    """The numbers in a column's name."""
    return re.findall(r"(?<!\d)\d{2}(?:\d{2})?(?!\d)", name)


def _is_named(mention: Mention, tokens: Sequence[Token]) -> bool:
    """Whether the words are meant for a column: no word of statistics, none that all data has."""
    if mention.coverage < _LEAST_NAMED or mention.quality < 0.6:
        return False
    known_tokens = [t for t in tokens[mention.first : mention.last + 1] if not t.mark]
    beside = {t.lower for t in tokens[mention.last + 1 : mention.last + 2]}
    beside |= {t.lower for t in tokens[max(0, mention.first - 1) : mention.first]}
    before = tokens[mention.first - 1].lower if mention.first else ""
    if before in _INTRODUCING and beside & _COLUMN_WORDS:
        return False  # "a binary column" is a new one
    telling = [t for t in known_tokens if t.lower not in METHOD_WORDS | STOP_WORDS | PRESENTATION]
    if not telling and not beside & _COLUMN_WORDS and "_" not in mention.place.column.name:
        return len(known_tokens) > 1 and mention.coverage > _WHOLE
    return bool(telling) or mention.coverage > _WHOLE


def _values(
    tokens: Sequence[Token],
    table: Table,
    values: Sequence[ValueLink],
    columns: Sequence[Mention],
) -> list[ValueLink]:
    """Values that are surely meant, none inside the name of a column that is named better."""
    kept: list[ValueLink] = []
    for value in sorted(values, key=lambda v: (v.first - v.last, v.how == "alias", -v.score)):
        words = tokens[value.first : value.last + 1]
        quoted = words[0].quoted
        over = [m for m in columns if m.first <= value.last and m.last >= value.first]
        if (
            value.place.table.name != table.name
            or value.how == "part"
            or any(m.coverage > _WHOLE or not quoted for m in over)
            or any(k.first <= value.last and k.last >= value.first for k in kept)
            or (not quoted and _is_common(words, value, tokens, columns))
        ):
            continue
        kept.append(value)
    return kept


def _is_common(
    words: Sequence[Token],
    value: ValueLink,
    tokens: Sequence[Token],
    columns: Sequence[Mention],
) -> bool:
    """Whether a word may well be no value: short ones count only behind "=", in brackets, or close
    behind the name of their column."""
    if value.how == "alias" or len(words) > 1:
        return False
    word = words[0]
    if len(word.text) > _SHORT_VALUE and word.lower not in METHOD_WORDS:
        return word.number is not None
    before = tokens[word.index - 1].text if word.index else ""
    after = tokens[word.index + 1].text if word.index + 1 < len(tokens) else ""
    named = word.text == value.value and any(
        0 < word.index - m.last <= 2 and m.place.column.name == value.place.column.name
        for m in columns
    )
    enclosed = (before, after) in (("(", ")"), ("'", "'"), ('"', '"'))
    return not (before == "=" or enclosed or named)
