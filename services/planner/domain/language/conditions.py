"""Which rows are meant: comparisons, values, flags, and things that are absent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from services.planner.domain.catalogue import Catalogue, Column, DataType
from services.planner.domain.language.intent import (
    Condition,
    Field,
    Filter,
    Group,
    Operator,
)
from services.planner.domain.language.link import Mention, flag_value, numeric
from services.planner.domain.language.normalise import Token
from services.planner.domain.language.vocabulary import (
    ADJECTIVES,
    AGGREGATE_WORDS,
    COMPARATORS,
    NEGATIONS,
    STOP_WORDS,
    TEXT_OPERATORS,
)

_NEGATED = {
    Operator.EQUAL: Operator.NOT_EQUAL,
    Operator.GREATER: Operator.AT_MOST,
    Operator.LESS: Operator.AT_LEAST,
    Operator.AT_LEAST: Operator.LESS,
    Operator.AT_MOST: Operator.GREATER,
    Operator.CONTAINS: Operator.NOT_CONTAINS,
}
_BE = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "has",
        "have",
        "had",
        "get",
        "got",
        "=",
        ":",
        "as",
        "named",
        "called",
    ]
)


@dataclass(slots=True)
class Scene:
    """What the parsing stages share: the tokens, the resolved mentions, and who took which."""

    tokens: Sequence[Token]
    mentions: Sequence[Mention]
    catalogue: Catalogue
    roles: dict[int, str] = field(default_factory=dict)

    def free(self, index: int) -> bool:
        """True while no stage has taken that mention."""
        return index not in self.roles

    def column(self, mention: Mention) -> Column | None:
        """The column that a mention stands for."""
        table = self.catalogue.table(mention.chosen.table)
        return table.column(mention.chosen.column) if table else None

    def words(self, first: int, last: int) -> list[str]:
        """The lower-case words of tokens `first` up to, not including, `last`."""
        return [t.lower for t in self.tokens[max(0, first) : last]]

    def starting(self, token: int, within: int = 0) -> int | None:
        """The mention that starts at that token, or up to `within` tokens later."""
        for index, mention in enumerate(self.mentions):
            if token <= mention.first <= token + within:
                return index
        return None

    def ending(self, token: int, within: int = 0) -> int | None:
        """The nearest mention that ends at that token or up to `within` tokens before."""
        found = [
            (mention.last, index)
            for index, mention in enumerate(self.mentions)
            if token - within <= mention.last <= token
        ]
        return max(found)[1] if found else None


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison as found: what is compared (a mention or none), how, with which numbers."""

    mention: int | None
    operator: Operator
    numbers: tuple[float, ...]
    first: int
    last: int
    aggregate: str = ""


@dataclass(slots=True)
class Conditions:
    """Filters on rows, comparisons that turn out to be about groups, and columns of which every
    value was named, which are to be split by."""

    filters: list[Filter] = field(default_factory=list)
    grouped: list[Compared] = field(default_factory=list)
    split: list[Field] = field(default_factory=list)


def find_conditions(scene: Scene) -> Conditions:
    """All conditions; the mentions they use get the role "condition"."""
    found = Conditions()
    placed: list[tuple[int, Condition]] = []
    for compared in _comparisons(scene):
        if compared.aggregate or _is_table(scene, compared.mention):
            found.grouped.append(compared)
            if compared.mention is not None:
                scene.roles.setdefault(compared.mention, "group condition")
            continue
        target = _target_field(scene, compared)
        if target is None:
            continue
        if compared.mention is not None:
            scene.roles[compared.mention] = "condition"
        condition = _condition(target, compared.operator, compared.numbers)
        if not compared.numbers:
            condition = condition.model_copy(update={"than_average": True})
        placed.append((compared.first, condition))
    placed += _text_matches(scene)
    placed += _values(scene)
    placed += _flags(scene)
    for wanted in _combine(scene, sorted(placed, key=lambda pair: pair[0])):
        if _names_every_value(scene, wanted):
            found.split.append(_conditions_of(wanted)[0].field)
        else:
            found.filters.append(wanted)
    return found


def _conditions_of(wanted: Filter) -> list[Condition]:
    if isinstance(wanted, Condition):
        return [wanted]
    members = wanted.members if isinstance(wanted, Group) else ()
    return [m for m in members if isinstance(m, Condition)]


def _names_every_value(scene: Scene, wanted: Filter) -> bool:
    conditions = _conditions_of(wanted)
    if len({c.field for c in conditions}) != 1:
        return False
    if any(c.operator not in (Operator.EQUAL, Operator.IN) for c in conditions):
        return False
    target = conditions[0].field
    table = scene.catalogue.table(target.table)
    column = table.column(target.column) if table else None
    values = {value for c in conditions for value in c.values}
    return column is not None and column.distinct == len(values) > 1


def _is_table(scene: Scene, index: int | None) -> bool:
    return index is not None and scene.mentions[index].chosen.kind == "table"


def _condition(target: Field, operator: Operator, values: Sequence[float | str]) -> Condition:
    return Condition(field=target, operator=operator, values=tuple(_plain(v) for v in values))


def _plain(value: float | str) -> float | int | str:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _comparisons(scene: Scene) -> list[Compared]:
    found: list[Compared] = []
    position = 0
    while position < len(scene.tokens):
        compared = _comparison_at(scene, position, found)
        if compared is None:
            position += 1
            continue
        for token in scene.tokens[compared.first : compared.last]:
            token.used = token.used or "condition"
        found.append(compared)
        position = compared.last
    return found


def _comparison_at(scene: Scene, position: int, earlier: Sequence[Compared]) -> Compared | None:
    tokens = scene.tokens
    if tokens[position].used or tokens[position].quoted:
        return None
    if tokens[position].lower == "between":
        return _between(scene, position, earlier)
    for phrase, sign in COMPARATORS:
        words = phrase.split()
        end = position + len(words)
        if scene.words(position, end) != words:
            continue
        average_at = _average_after(scene, end)
        if average_at is not None:
            return _than_average(scene, position, average_at, Operator(sign))
        number_at = _number_after(scene, end)
        if number_at is None:
            return None
        operator = _negate(scene, position, Operator(sign))
        numbers = (tokens[number_at].number or 0.0,)
        return _attach(scene, position, number_at + 1, operator, numbers, earlier)
    return _bare_number(scene, position, earlier)


def _average_after(scene: Scene, position: int) -> int | None:
    for index in range(position, min(position + 2, len(scene.tokens))):
        if scene.tokens[index].lower in ("average", "mean", "avg"):
            return index
    return None


def _than_average(scene: Scene, first: int, at: int, operator: Operator) -> Compared | None:
    """ "gpa lower than the average gpa of all students": the column against its own average."""
    after = scene.starting(at + 1, within=1)
    column = scene.column(scene.mentions[after]) if after is not None else None
    before = _compared_before(scene, first)
    last = at + 1
    if after is not None and column is not None and numeric(column.data_type):
        last = scene.mentions[after].last
        scene.roles[after] = "condition"
        before = after if before is None else before
        owner = scene.starting(last, within=2)
        if owner is not None and scene.words(last, last + 1) == ["of"]:
            if scene.mentions[owner].chosen.kind == "table":
                scene.roles[owner] = "condition"
                last = scene.mentions[owner].last
    if before is None:
        return None
    return Compared(before, operator, (), first, last)


def _between(scene: Scene, position: int, earlier: Sequence[Compared]) -> Compared | None:
    low = _number_after(scene, position + 1)
    if low is None or scene.words(low + 1, low + 2) not in (["and"], ["to"]):
        return None
    high = _number_after(scene, low + 2)
    if high is None:
        return None
    numbers = (scene.tokens[low].number or 0.0, scene.tokens[high].number or 0.0)
    return _attach(scene, position, high + 1, Operator.BETWEEN, numbers, earlier)


def _bare_number(scene: Scene, position: int, earlier: Sequence[Compared]) -> Compared | None:
    """A column's name directly followed by a number: "supplier id 3", "age is 30", "10 or more"."""
    token = scene.tokens[position]
    if token.number is None or token.stem:
        return None
    after = " ".join(scene.words(position + 1, position + 3))
    number = (token.number,)
    if after in ("or more", "or higher", "or above", "or older", "or greater"):
        return _attach(scene, position, position + 3, Operator.AT_LEAST, number, earlier)
    if after in ("or less", "or fewer", "or below", "or lower", "or younger"):
        return _attach(scene, position, position + 3, Operator.AT_MOST, number, earlier)
    before = scene.ending(position, within=2)
    if before is None or scene.mentions[before].chosen.kind != "column":
        return None
    between = scene.words(scene.mentions[before].last, position)
    if not all(word in _BE or word in ("of", "not", "number", "the") for word in between):
        return None
    operator = Operator.NOT_EQUAL if "not" in between else Operator.EQUAL
    return Compared(before, operator, number, scene.mentions[before].last, position + 1)


def _number_after(scene: Scene, position: int) -> int | None:
    for index in range(position, min(position + 3, len(scene.tokens))):
        token = scene.tokens[index]
        if token.number is not None and not token.quoted:
            return index
        if not (token.lower in ("the", "a", "an", "$", "number", "value") or token.text in "€£"):
            return None
    return None


def _negate(scene: Scene, position: int, operator: Operator) -> Operator:
    negated = any(word in ("not", "no") for word in scene.words(position - 1, position))
    return _NEGATED.get(operator, operator) if negated else operator


def _attach(
    scene: Scene,
    first: int,
    last: int,
    operator: Operator,
    numbers: tuple[float, ...],
    earlier: Sequence[Compared],
) -> Compared:
    after = scene.starting(last, within=1)
    if after is not None and _counts(scene, after, last):
        return Compared(after, operator, numbers, first, last)
    before = _compared_before(scene, first)
    if before is not None:
        mention = scene.mentions[before]
        words = scene.words(mention.first - 3, mention.first)
        aggregate = next((AGGREGATE_WORDS[w] for w in words if w in AGGREGATE_WORDS), "")
        counted = _counted(words)
        if counted and (mention.chosen.kind == "table" or not aggregate):
            aggregate = "count"
        return Compared(before, operator, numbers, first, last, aggregate)
    if earlier and "or" in scene.words(earlier[-1].last, first):
        return Compared(earlier[-1].mention, operator, numbers, first, last, earlier[-1].aggregate)
    return Compared(None, operator, numbers, first, last)


def _counted(words: Sequence[str]) -> bool:
    joined = " ".join(words)
    return "number of" in joined or "how many" in joined or "count of" in joined


def _counts(scene: Scene, index: int, last: int) -> bool:
    """Whether the words after a number say what it counts: "300 hours", "3 orders"."""
    mention = scene.mentions[index]
    gap = scene.words(last, mention.first)
    if gap and gap != ["different"]:
        return False
    column = scene.column(mention)
    return mention.chosen.kind == "table" or (column is not None and numeric(column.data_type))


def _compared_before(scene: Scene, position: int) -> int | None:
    for index in range(len(scene.mentions) - 1, -1, -1):
        mention = scene.mentions[index]
        if mention.last > position:
            continue
        gap = scene.words(mention.last, position)
        if len(gap) > 4 or any(word in (".", "?", ",", "and", "or") for word in gap):
            return None
        column = scene.column(mention)
        if mention.chosen.kind == "column" and column is not None:
            return index
        if mention.chosen.kind == "table" and _counted(
            scene.words(mention.first - 4, mention.first)
        ):
            return index
    return None


def _target_field(scene: Scene, compared: Compared) -> Field | None:
    if compared.mention is not None:
        chosen = scene.mentions[compared.mention].chosen
        return Field(table=chosen.table, column=chosen.column)
    adjectives = scene.words(compared.first, compared.last)
    stems = next((ADJECTIVES[word] for word in adjectives if word in ADJECTIVES), ())
    return numeric_column_named(scene, stems)


def numeric_column_named(scene: Scene, stems: Sequence[str]) -> Field | None:
    """The first numeric column, in the tables mentioned, whose name holds one of these stems."""
    from services.planner.domain.language.normalise import name_words

    mentioned = [m.chosen.table for m in scene.mentions if m.chosen.table]
    for wanted in stems:
        for name in dict.fromkeys(mentioned):
            table = scene.catalogue.table(name)
            for column in table.columns if table else ():
                if wanted in name_words(column.name) and numeric(column.data_type):
                    return Field(table=name, column=column.name)
    return None


def _text_matches(scene: Scene) -> list[tuple[int, Condition]]:
    found: list[tuple[int, Condition]] = []
    for position in range(len(scene.tokens)):
        for phrase, sign in TEXT_OPERATORS:
            words = phrase.split()
            end = position + len(words)
            if scene.words(position, end) != words or scene.tokens[position].used:
                continue
            value_at = _text_after(scene, end)
            before = scene.ending(position, within=4)
            if value_at is None or before is None:
                continue
            chosen = scene.mentions[before].chosen
            scene.roles[before] = "condition"
            taken = scene.starting(value_at)
            if taken is not None:
                scene.roles[taken] = "condition"
            target = Field(table=chosen.table, column=chosen.column)
            text = scene.tokens[value_at].text
            found.append((position, _condition(target, Operator(sign), (text,))))
            for token in scene.tokens[position : value_at + 1]:
                token.used = token.used or "condition"
            break
    return [pair for pair in found if pair[1].field.column]


def _text_after(scene: Scene, position: int) -> int | None:
    skip = ("the", "letter", "letters", "word", "a", "string", "substring", "text", "phrase")
    for index in range(position, min(position + 4, len(scene.tokens))):
        token = scene.tokens[index]
        if token.quoted or (token.lower not in skip and not token.mark):
            return index
    return None


def _values(scene: Scene) -> list[tuple[int, Condition]]:
    found: list[tuple[int, Condition]] = []
    for index, mention in enumerate(scene.mentions):
        if mention.chosen.kind != "value" or not scene.free(index):
            continue
        chosen = mention.chosen
        neighbour = _column_beside(scene, index, chosen.table, chosen.column)
        if neighbour is not None:
            scene.roles[neighbour] = "condition"
        scene.roles[index] = "condition"
        target = Field(table=chosen.table, column=chosen.column)
        operator = _value_operator(scene, mention.first, neighbour)
        found.append((mention.first, _condition(target, operator, (chosen.value,))))
    linked = {i for m in scene.mentions for i in range(m.first, m.last)}
    for position, token in enumerate(scene.tokens):
        if token.quoted and not token.used and position not in linked:
            before = scene.ending(position, within=3)
            if before is None or scene.mentions[before].chosen.kind != "column":
                continue
            chosen = scene.mentions[before].chosen
            scene.roles[before] = "condition"
            operator = _value_operator(scene, position, before)
            target = Field(table=chosen.table, column=chosen.column)
            found.append((position, _condition(target, operator, (token.text,))))
    return found


def _column_beside(scene: Scene, index: int, table: str, column: str) -> int | None:
    """The mention of that very column next to a value, which then only says whose value it is."""
    value = scene.mentions[index]
    for other in (index - 1, index + 1):
        if not 0 <= other < len(scene.mentions) or not scene.free(other):
            continue
        mention = scene.mentions[other]
        same = (mention.chosen.table, mention.chosen.column) == (table, column)
        gap = scene.words(min(mention.last, value.last), max(mention.first, value.first))
        if same and mention.chosen.kind == "column" and len(gap) <= 4:
            linking = all(w in _BE or w in STOP_WORDS or w in NEGATIONS for w in gap)
            if other < index and linking and not {"by", "per", "each"} & set(gap):
                return other
            if other > index and not gap:
                return other
    return None


def _value_operator(scene: Scene, position: int, neighbour: int | None) -> Operator:
    start = scene.mentions[neighbour].last if neighbour is not None else position - 5
    words = scene.words(min(start, position - 1), position)
    for mark in (",", ".", "and", "but"):
        if mark in words:
            words = words[words.index(mark) + 1 :]
    before = " ".join(words)
    negated = any(word in NEGATIONS for word in words) or re.search(
        r"other than|different from|!", before
    )
    return Operator.NOT_EQUAL if negated else Operator.EQUAL


def _flags(scene: Scene) -> list[tuple[int, Condition]]:
    found: list[tuple[int, Condition]] = []
    for index, mention in enumerate(scene.mentions):
        column = scene.column(mention)
        if not scene.free(index) or mention.chosen.kind != "column" or column is None:
            continue
        yes = "true" if column.data_type is DataType.BOOLEAN else flag_value(column.samples)
        before = scene.words(mention.first - 3, mention.first)
        said = before[-1:] and before[-1] in (
            "been",
            "is",
            "are",
            "was",
            "were",
            "not",
            "have",
            "has",
        )
        if yes is None or not said or column.distinct > 2:
            continue
        scene.roles[index] = "condition"
        operator = Operator.NOT_EQUAL if set(before) & NEGATIONS else Operator.EQUAL
        value: float | str = float(yes) if numeric(column.data_type) else yes
        target = Field(table=mention.chosen.table, column=mention.chosen.column)
        found.append((mention.first, _condition(target, operator, (value,))))
    return found


def _combine(scene: Scene, placed: Sequence[tuple[int, Condition]]) -> list[Filter]:
    """Neighbouring conditions become alternatives where "or", or one column, ties them."""
    groups: list[list[tuple[int, Condition]]] = []
    for position, condition in placed:
        if groups:
            before, last = groups[-1][-1]
            words = scene.words(before, position)
            same = (
                last.field == condition.field
                and Operator.EQUAL == condition.operator == last.operator
            )
            if "or" in words or same:
                groups[-1].append((position, condition))
                continue
        groups.append([(position, condition)])
    return [_as_filter(scene, group) for group in groups]


def _as_filter(scene: Scene, group: Sequence[tuple[int, Condition]]) -> Filter:
    conditions = [condition for _, condition in group]
    if len(conditions) == 1:
        return conditions[0]
    first = conditions[0]
    if all(c.field == first.field and c.operator is Operator.EQUAL for c in conditions):
        words = scene.words(group[0][0] - 2, group[-1][0])
        values = tuple(dict.fromkeys(c.values[0] for c in conditions))
        if len(values) == 1:
            return first
        if "and" in words and "or" not in words:
            return Group(connective="and", members=tuple(dict.fromkeys(conditions)))
        return Condition(field=first.field, operator=Operator.IN, values=values)
    return Group(connective="or", members=tuple(conditions))
