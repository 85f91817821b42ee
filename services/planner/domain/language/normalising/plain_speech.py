"""What people say every day, put into the words that the other stages know."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.planner.domain.catalogue import Catalogue, Table
from services.planner.domain.lexicon.normalise import (
    name_words,
    readable,
    readable_table,
    stem,
)
from services.planner.domain.query.columns import is_measure
from services.planner.domain.reader.defining.formula import spellings

_SCALES = {"thousand": 1e3, "million": 1e6, "mln": 1e6, "billion": 1e9, "bn": 1e9}
_SCALED = re.compile(rf"(?<![\w.,])(\d+(?:\.\d+)?)\s*({'|'.join(_SCALES)})\b", re.IGNORECASE)
_ONE = re.compile(r"\b(than|at least|at most|exactly)\s+one\b(?!\s+of\b)", re.IGNORECASE)
_SIGN = r"\b(?:(?:with|have|has|having|had)\s+(?:an?\s+)?)?(?P<sign>negative|positive)\s+"
_IS_SIGN = r"\s+(?:is|are|was|were)\s+(?P<sign>negative|positive)\b"
_HOUR = re.compile(r"\b(hours?)\s+of\s+(?:the\s+)?day\b", re.IGNORECASE)
_OUTSIDE = re.compile(r"\boutside(?:\s+of)?\s+(?=\w)", re.IGNORECASE)
_PERCENTAGE = re.compile(
    r"(?<!\bas )(?<!\bas a )(?<!\bas the )(?<!\bin )"
    r"\b(?:percentage|percent)\s+of(?=\s+(?!total\b|the total\b|all\b))",
    re.IGNORECASE,
)
_PROPORTION = re.compile(r"\b(?:what|which)\s+proportion\s+of\b", re.IGNORECASE)
_BUYER = re.compile(
    r"^\s*who(?=\s+(?:bought|ordered|purchased|spent|paid|placed)\b)", re.IGNORECASE
)
_THEIR_AVERAGE = re.compile(
    r"\b(?P<thing>\w+)s['’]\s+(?P<mean>average|mean)\s+"
    r"(?P<number>spend(?:ing)?|revenue|sales|turnover)\b",
    re.IGNORECASE,
)
_BUYERS = frozenset(stem(word) for word in ("customer", "client", "buyer"))
_SHARES = frozenset(stem(word) for word in ("share", "percentage", "percent"))
_UNRECORDED = r"\b(?:with\s+no|without(?:\s+an?)?)\s+(?:recorded|known|given|stated|registered)\s+"
_COMMON = re.compile(
    r"^\s*(?:(?:(?:what|which)(?:\s+(?:is|are|was|were)|'s)?|show(?:\s+me)?|give\s+me|list|name)\s+)?"
    r"(?:the\s+)?(?P<many>\d+\s+)?(?P<end>most|least)\s+(?:common|frequent|widespread)(?:ly\s+used)?"
    r"\s+(?P<thing>[\w ]+?)(?P<rest>\s+(?:in|among|for|from|on)\s+[^?.]+)?\s*[?.]*\s*$",
    re.IGNORECASE,
)
_DO_MOST = re.compile(
    r"^\s*(?:(?:from|in|at|by|to|on)\s+)?(?:which|what)\s+(?P<thing>[\w ]+?)\s+"
    r"(?:do|does|did|are|were|have)\s+(?:the\s+)?(?P<end>most)\s+(?:of\s+)?(?:the\s+|our\s+)?"
    r"(?P<others>\w+)\s+\w+(?:\s+(?:from|in|at|by|to|on))?\s*[?.]*\s*$",
    re.IGNORECASE,
)


def plainly(question: str, catalogue: Catalogue) -> str:
    """The question with what is said every day said as it is read best."""
    words = {word for t in catalogue.tables for c in t.columns for word in name_words(c.name)}
    if not words & {stem(scale) for scale in _SCALES}:
        question = _SCALED.sub(_whole, question)
    if not words & _SHARES:
        question = _PERCENTAGE.sub("share of", question)
        question = _PROPORTION.sub("what share of", question)
    question = _THEIR_AVERAGE.sub(r"\g<mean> \g<number> per \g<thing>", question)
    question = _ONE.sub(r"\1 1", question)
    question = _HOUR.sub(r"\1", question)
    question = _OUTSIDE.sub("not in ", question)
    question = _buyers_named(_signed(question, catalogue), catalogue)
    return _most_of(_unrecorded(question, catalogue), catalogue)


def _whole(match: re.Match[str]) -> str:
    return f"{float(match[1]) * _SCALES[match[2].lower()]:.15g}"


def _buyers_named(question: str, catalogue: Catalogue) -> str:
    """ "Who bought the most": which customers did."""
    found = [t for t in catalogue.tables if set(name_words(t.name)) <= _BUYERS]
    return _BUYER.sub(f"which {readable_table(found[0].name)}", question) if found else question


def _signed(question: str, catalogue: Catalogue) -> str:
    """ "Accounts with a negative balance" are those "where balance is less than 0"."""
    numbers = {
        c.name for t in catalogue.tables for c in t.columns if is_measure(c.role, c.data_type)
    }
    if not numbers or not re.search(r"\b(?:negative|positive)\b", question, re.IGNORECASE):
        return question
    named = "|".join(spellings(name) for name in sorted(numbers, key=len, reverse=True))
    name = rf"(?P<name>{named})(?:s|(?!\w))"

    def compared(match: re.Match[str]) -> str:
        than = "less" if match["sign"].lower() == "negative" else "more"
        return f"where {match['name']} is {than} than 0"

    question = re.sub(rf"{_SIGN}{name}", compared, question, flags=re.IGNORECASE)
    return re.sub(rf"\b(?:where\s+)?{name}{_IS_SIGN}", compared, question, flags=re.IGNORECASE)


def _unrecorded(question: str, catalogue: Catalogue) -> str:
    """ "Penguins with no recorded sex" are those "where sex is missing"."""
    if not re.search(_UNRECORDED, question, re.IGNORECASE):
        return question
    names = sorted({c.name for t in catalogue.tables for c in t.columns}, key=len, reverse=True)
    named = "|".join(spellings(name) for name in names)
    said = rf"{_UNRECORDED}(?P<name>{named})(?!\w)"
    return re.sub(said, r"where \g<name> is missing", question, flags=re.IGNORECASE)


def _most_of(question: str, catalogue: Catalogue) -> str:
    """ "The most common genre" is the one that has the most tracks, and "the country that most
    customers come from" the one that has the most customers."""
    said = _DO_MOST.match(question)
    if said is not None and _is_thing(said["thing"], catalogue):
        others = said["others"]
        known = any(stem(others.lower()) in name_words(t.name) for t in catalogue.tables)
        return f"which {said['thing']} has the most {others}" if known else question
    said = _COMMON.match(question)
    if said is None:
        return question
    counted = sorted(set(_counted_for(said["thing"], catalogue)))
    named = set(name_words(said["rest"] or ""))
    counted = [name for name in counted if set(name_words(name)) <= named] or counted
    if len(counted) != 1:
        return question
    rows = readable_table(counted[0])
    rows = rows if rows.endswith("s") else f"{rows}s"
    end, many = said["end"].lower(), said["many"] or ""
    return f"which {many}{said['thing']} has the {end} {rows}{said['rest'] or ''}"


def _is_thing(text: str, catalogue: Catalogue) -> bool:
    wanted = _named(text)
    names = [t.name for t in catalogue.tables]
    names += [c.name for t in catalogue.tables for c in t.columns]
    return any(wanted <= set(name_words(name)) for name in names)


def _counted_for(thing: str, catalogue: Catalogue) -> Iterator[str]:
    """Tables whose rows are counted for each thing: those of its column, or that refer to it."""
    wanted = _named(thing)
    tables = [t for t in catalogue.tables if set(name_words(readable_table(t.name))) == wanted]
    for table in tables:
        yield from (k.from_table for k in catalogue.relationships if k.to_table == table.name)
    for table in () if tables else catalogue.tables:
        if _has_column(table, wanted):
            yield table.name


def _has_column(table: Table, wanted: set[str]) -> bool:
    own = set(name_words(table.name))
    return any(
        wanted in (set(found := name_words(c.name)), set(found) - own) for c in table.columns
    )


def _named(text: str) -> set[str]:
    return set(name_words(readable(text))) - {"of", "the"}
