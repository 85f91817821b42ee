"""What the card of the data says of one table, one column and one join, at a level of disclosure.

Every fact is one that was kept when the data was read: nothing is asked of it here.
"""

from __future__ import annotations

import json
import re

from mesh.policy import MASK, Disclosure, Policy
from mesh.text.sentinels import is_one_at_sight
from services.planner.adapters.llm.fact_text import MOST_VALUES, describe_periods
from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
)
from services.planner.domain.facts import TableFacts

LONGEST_NAME = 200
"""A longer name is left out with what it names: cut short it would name nothing."""

_LONGEST_TEXT, _LONGEST_COMMENT = 60, 200
_LONGEST_VALUES = 400
_SAMPLES, _SYNONYMS = 3, 3
_SHORT, _DAY = 24, 10
_AS_NUMBER = re.compile(r"[-+]?\d[\d,]*(\.\d+)?")
_PLAIN = re.compile(r"-?\d[\d.:T+-]*(e[+-]?\d+)?")
_TELLING = (ColumnRole.ID, ColumnRole.MEASURE)  # of others the type says enough
_NUMBERS = (DataType.INTEGER, DataType.FLOAT)
_TIMES = (DataType.DATE, DataType.DATETIME)


def quote_text(text: str, longest: int = _LONGEST_TEXT) -> str:
    """A text of the data as JSON, cut short, in which no tag can be closed."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return json.dumps(cut, ensure_ascii=False).replace("<", "\\u003c")


def named(name: str) -> str:
    """A name as a statement writes it, but for what JSON escapes."""
    return quote_text(name, LONGEST_NAME)


def disclosed(column: Column, policy: Policy, level: Disclosure) -> Column:
    """A column with what may be told of it and nothing else."""
    if not level.allows(Disclosure.VALUES):
        kept = ("name", "data_type", "role", "synonyms", "kind", "unit", "formula")
        bare = Column(**{field: getattr(column, field) for field in kept})
        return bare.model_copy(update={"comment": clean(column.comment, policy) or ""})
    samples = column.samples
    if column.data_type not in _TIMES:  # whose texts can be nothing else
        samples = tuple(text for text in samples if policy.match(text) is None)
    return column.model_copy(
        update={
            # Of a domain that lacks some no more is told than of any other column.
            "samples": samples if len(samples) == len(column.samples) else samples[:_SAMPLES],
            "minimum": clean(column.minimum, policy),
            "maximum": clean(column.maximum, policy),
            "comment": clean(column.comment, policy) or "",
        }
    )


def name_only(column: Column) -> Column:
    """A column without anything that its values say."""
    return Column(name=column.name, data_type=column.data_type, role=column.role)


def clean(text: str | None, policy: Policy) -> str | None:
    """The text, unless policy hides it."""
    return None if text and policy.match(text) is not None else text


def table_head(table: Table, policy: Policy, level: Disclosure) -> str:
    """What a table is: where from, how many rows, what one row is."""
    source = clean(table.source_name, policy) or MASK
    texts = [f"table {named(table.name)} from {quote_text(source)}"]
    if level.allows(Disclosure.VALUES):
        texts.append(f"{table.rows} rows")
    if key := grain(table, level):
        texts.append(f"one for each {' and '.join(map(named, key))}")
    texts += [f"dated by {named(table.time_column)}"] if table.time_column else []
    texts += [f"also {quote_text(name)}" for name in table.synonyms[:_SYNONYMS]]
    comment = clean(table.comment, policy)
    return ", ".join(texts) + (f" -- {quote_text(comment, _LONGEST_COMMENT)}" if comment else "")


def grain(table: Table, level: Disclosure) -> tuple[str, ...]:
    """The columns that tell a table's rows apart: its declared key, else one that was measured."""
    there = {column.name for column in table.columns}
    if table.primary_key and set(table.primary_key) <= there:
        return table.primary_key
    if not level.allows(Disclosure.VALUES):
        return ()
    keys = (c.name for c in table.columns if c.role is ColumnRole.ID and _unique(c, table))
    return next(((name,) for name in keys), ())


def bare_column(column: Column, table: Table) -> str:
    """A column's name and type."""
    return f" {named(column.name)} {column.data_type},"


def brief_column(column: Column, table: Table) -> str:
    """A column's name and kind, and values that are words or days: no number is to be chosen."""
    kind = "key" if column.role is ColumnRole.ID else str(column.data_type)
    sentence = f"\n {named(column.name)} {kind}"
    texts = [text for text in column.samples if len(text) <= _SHORT][:_SAMPLES]
    if column.data_type is DataType.STRING and texts:
        sentence += f": {', '.join(map(quote_text, texts))}"
    elif column.data_type in _TIMES and column.minimum:
        sentence += (
            f" {quote_text(column.minimum[:_DAY])} to {quote_text((column.maximum or '')[:_DAY])}"
        )
    return sentence + (f" -- {quote_text(column.comment, _SHORT)}" if column.comment else "")


def full_column(column: Column, table: Table, known: TableFacts | None = None) -> str:
    """A column's type, meaning, unit, values, periods, share of empty cells and doubts; `known` is
    what was measured of its table."""
    parts = [f"{named(column.name)} {column.data_type}"]
    text = column.kind or (str(column.role) if column.role in _TELLING else "")
    parts += [text] if text else []
    parts += [f"in {quote_text(column.unit)}"] if column.unit else []
    parts += _values(column)
    parts += describe_periods(column, known)
    if column.nulls and table.rows:
        parts.append(f"{_share(column.nulls, table.rows)} empty")
    parts += _doubts(column, table)
    parts += [f"also {quote_text(sentence)}" for sentence in column.synonyms[:_SYNONYMS]]
    if column.formula:
        formula = quote_text(column.formula, _LONGEST_COMMENT)
        parts.append(f"computed: a query that needs it holds {formula} in its place")
    if column.comment:
        parts.append(quote_text(column.comment, _LONGEST_COMMENT))
    return "\n  " + ", ".join(parts)


def join_line(link: Relationship, shown: Catalogue) -> str:
    """Which column refers to which, and how often either comes, as far as that was measured."""
    pairs = ((link.from_column, link.to_column), *link.further)
    here, there = named(link.from_table), named(link.to_table)
    text = " and ".join(f"{here}.{named(a)} refers to {there}.{named(b)}" for a, b in pairs)
    if not link.declared and not link.by_model:
        text += " (guessed from the values)"
    ends = (shown.table(link.from_table), shown.table(link.to_table))
    if link.further or ends[0] is None or ends[1] is None:
        return text
    ours, theirs = ends[0].column(link.from_column), ends[1].column(link.to_column)
    if ours is None or theirs is None or not ours.distinct or not theirs.distinct:
        return text
    if not _unique(theirs, ends[1]):
        return f"{text}, where it repeats: such a join multiplies rows"
    return f"{text}, {'one' if _unique(ours, ends[0]) else 'many'} to one"


def _unique(column: Column, table: Table) -> bool:
    return column.distinct == table.rows > 0 and not column.nulls


def _values(column: Column) -> list[str]:
    """All values of a small domain; else the range, or how many there are and frequent ones."""
    if 0 < column.distinct <= len(column.samples):
        spelt = _end if column.data_type in _NUMBERS else quote_text
        listing = ", ".join(map(spelt, column.samples[:MOST_VALUES]))
        whole = all(len(text) <= _LONGEST_TEXT for text in column.samples)
        if whole and len(column.samples) <= MOST_VALUES and len(listing) <= _LONGEST_VALUES:
            return [f"only {listing}"]
    ranged = column.data_type in (*_NUMBERS, *_TIMES)
    if ranged and column.role is not ColumnRole.ID and column.minimum is not None:
        return [f"{_end(column.minimum)} to {_end(column.maximum or '')}"]
    texts = [f"{column.distinct} distinct"] if column.distinct else []
    if column.samples and not (ranged and column.role is ColumnRole.ID):
        texts.append("such as " + ", ".join(map(quote_text, column.samples[:_SAMPLES])))
    return texts


def _end(text: str) -> str:
    """An end of a range, without the midnight of a day."""
    bare = text.removesuffix("T00:00:00")
    return bare if _PLAIN.fullmatch(bare) else quote_text(text)


def _doubts(column: Column, table: Table) -> list[str]:
    """What to mind before the column is computed with."""
    found = []
    if table.rows and column.nulls == table.rows:
        found.append("nothing but empty")
    ends = [text for text in (column.minimum, column.maximum) if text]
    found += [f"{_end(end)} may stand for no value" for end in ends if is_one_at_sight(end)]
    texts = column.samples if column.data_type is DataType.STRING else ()
    if texts and all(_AS_NUMBER.fullmatch(text) for text in texts):
        found.append("numbers written as text")
    return found


def _share(part: int, whole: int) -> str:
    percent = 100 * part / whole
    return f"{percent:.0f} %" if percent >= 1 else "under 1 %"
