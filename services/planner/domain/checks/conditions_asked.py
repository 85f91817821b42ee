"""Conditions that a question asks for in words of its own: the statement has none of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from rapidfuzz import fuzz
from sqlglot import exp

from services.planner.domain.catalogue import Column, DataType, Table, ValueHit
from services.planner.domain.checks.asked import (
    DISTINCT,
    DOWN,
    EACH,
    MEAN,
    NEGATED,
    SHARE,
    TOTAL,
    UP,
    find_phrase,
    lower_words,
    tokens,
)
from services.planner.domain.checks.statement import Judged
from services.planner.domain.implied_numbers import months_of
from services.planner.domain.lexicon.names import likeness, words_of
from services.planner.domain.lexicon.stop_words import PRESENTATION, STOP_WORDS
from services.planner.domain.lexicon.tokens import Token, stem
from services.planner.domain.semantics.kinds import is_flag

Unread = Iterator[tuple[str, str]]
"""Words of the question, and what is said of them."""

_ALIKE, _SPELT = 0.65, 75
_MISSPELT = 90
_PARTLY = 0.6  # the score of a value of which the question says a part
_TIMES = (DataType.DATE, DataType.DATETIME)
_GENDERS = frozenset("male males female females men women man woman boys girls".split())
_NOW = frozenset("current currently still now".split())
_EMPTY = frozenset(
    "unknown missing missed skipped blank empty cancelled canceled unanswered unpaid unsold".split()
)
_NOTHING = frozenset("zero free".split())
_WEEK = frozenset("weekend weekends weekday weekdays".split())
_PERIODS = (
    "last year",
    "this year",
    "last month",
    "this month",
    "last quarter",
    "this quarter",
    "last week",
    "this week",
    "yesterday",
    "today",
    "previous year",
    "previous month",
)
_TEXTS = (
    "contain",
    "contains",
    "containing",
    "start with",
    "starts with",
    "starting with",
    "begin with",
    "begins with",
    "beginning with",
    "end with",
    "ends with",
)
_OF_TEXTS = (
    exp.Like,
    exp.ILike,
    exp.StartsWith,
    exp.Contains,
    exp.RegexpLike,
    exp.Substring,
    exp.Left,
    exp.Right,
    exp.StrPosition,
    exp.EQ,
    exp.In,
)
_BEFORE_MONTH = frozenset(
    "in of last this since until till to from and before after through during by january june july "
    "april".split()
)
_UNSURE_MONTHS = ("may", "march", "mar", "sep", "dec", "jan", "nov", "oct", "jun", "jul", "apr")
_NO_CONDITION = STOP_WORDS | PRESENTATION | MEAN | TOTAL | DISTINCT | DOWN | UP | EACH | SHARE
_PLAIN = frozenset(
    stem(word)
    for word in "number numbers count counts exist exists existing database data dataset record "
    "records row rows entry entries item items listed total overall registered available involved "
    "recorded stored known we people person answer answers answered held hold information file "
    "altogether currently ever now whole system contain contains made take taken happened here "
    "present offered altogether got been really so far kinds kind types type "
    "get gets receive received collect collected come came go went use used run ran play played "
    "buy bought sell sold visit visited listen listened track tracked log logged measure measured "
    "handle handled process processed placed place we our us I".split()
)
_PLAIN_VALUES = frozenset(
    "others other more less most first last finish finished status state better best team group "
    "high medium low large small full part time times works work home open close closed between "
    "years year days hours before after above below under over same name names".split()
)
_NARROWING = (
    exp.Where,
    exp.Having,
    exp.Filter,
    exp.Case,
    exp.Limit,
    exp.Group,
    exp.Qualify,
    exp.Join,
    exp.Distinct,
)


def conditions(judged: Judged) -> Unread:
    """Every word that asks for a condition which is not there."""
    for look in (
        _months,
        _quoted,
        _texts,
        _genders,
        _now,
        _empty,
        _nothing,
        _week,
        _periods,
        _parts_of_values,
        _flags,
        _counted,
    ):
        yield from look(judged)


def literals(judged: Judged) -> list[str]:
    """The literals of a statement as texts in lower case."""
    return [node.name.casefold() for node in judged.tree.find_all(exp.Literal)]


def tables_of(judged: Judged) -> list[Table]:
    """The tables that a statement reads, each once."""
    return list(dict.fromkeys(t for block in judged.blocks for t in block.tables))


def used_names(judged: Judged) -> frozenset[str]:
    """The names of the columns that a statement has, in lower case."""
    return frozenset(c.name.casefold() for c in judged.tree.find_all(exp.Column))


def _months(judged: Judged) -> Unread:
    texts = [*literals(judged), *used_names(judged)]
    if judged.tree.find(exp.Between) or (
        judged.tree.find(exp.GT, exp.GTE) and judged.tree.find(exp.LT, exp.LTE)
    ):
        return  # a span holds months that it does not name
    words = tokens(judged.question)
    for name, month in months_of(judged.question):
        at = next((t for t in words if t.text == name), None)
        if at is None or (name.casefold() in _UNSURE_MONTHS and not _is_of_time(words, at)):
            continue
        written = {str(month), f"{month:02}"} & {t.lstrip() for t in texts}
        inside = any(
            re.search(rf"(?:-|\d{{4}})0?{month}(?!\d)|{name[:3].casefold()}", t) for t in texts
        )
        ends = any(re.search(rf"-0?{month % 12 + 1}-0?1(?!\d)", t) for t in texts)
        quarter = judged.tree.find(exp.Quarter) and str((month + 2) // 3) in texts
        if not written and not inside and not ends and not quarter:
            yield name, f"the question says {name}"


def _is_of_time(words: tuple[Token, ...], at: Token) -> bool:
    """Whether a word that may be a month's name is one: after "in", before a year."""
    before = words[at.index - 1].lower if at.index else ""
    after = words[at.index + 1] if at.index + 1 < len(words) else None
    return before in _BEFORE_MONTH or bool(after and after.digits)


def _quoted(judged: Judged) -> Unread:
    texts, names = literals(judged), used_names(judged)
    for token in tokens(judged.question):
        text = token.lower
        if not token.quoted or text in names or any(text in t for t in texts):
            continue
        if not any(likeness(text, w) >= _ALIKE for n in names for w in words_of(n)):
            yield token.text, f"the question says {token.text!r}"


def _texts(judged: Judged) -> Unread:
    phrase = find_phrase(judged.question, _TEXTS)
    if phrase and not judged.tree.find(*_OF_TEXTS):
        yield phrase, f"the question says {phrase!r}, and no text is searched"


def _genders(judged: Judged) -> Unread:
    texts = [w for w in lower_words(judged.question) if w in _GENDERS]
    columns = [
        c for t in tables_of(judged) for c in t.columns if {"sex", "gender"} & set(words_of(c.name))
    ]
    if texts and columns and not _any_used(judged, columns) and not _is_written(judged, texts[0]):
        yield texts[0], f"the question says {texts[0]!r}, and {columns[0].name} is not looked at"


def _now(judged: Judged) -> Unread:
    """What holds now, of rows that say since when or until when they hold."""
    texts = [w for w in lower_words(judged.question) if w in _NOW]
    states = [c for t in tables_of(judged) for c in t.columns if _tells_of_state(c)]
    if texts and states and not _any_used(judged, states) and not _is_written(judged, texts[0]):
        yield texts[0], f"the question says {texts[0]!r}, and {states[0].name} is not looked at"


def _tells_of_state(column: Column) -> bool:
    ends = column.data_type in _TIMES and column.nulls > 0
    named = {"status", "state", "active", "current", "open"} & set(words_of(column.name))
    return ends or bool(named)


def _empty(judged: Judged) -> Unread:
    if judged.tree.find(exp.Is, exp.Not, exp.NEQ) or leaves_empty_out(judged):
        return
    yield from _without(judged, _EMPTY, "and no row is left out for it")


def leaves_empty_out(judged: Judged) -> bool:
    """Whether rows without a value are left out or looked for by the way: by an aggregate of a
    column with empty ones, or by an outer join."""
    for block in judged.blocks:
        for node in block.aggregates:
            origin = block.origin(node.this) if isinstance(node.this, exp.Column) else None
            if origin is not None and origin.column.nulls:
                return True
        if any(join.side for join in block.joins):
            return True
    return False


def _nothing(judged: Judged) -> Unread:
    if judged.tree.find(exp.Is, exp.Not, exp.NEQ) or "0" in literals(judged):
        return
    yield from _without(judged, _NOTHING, "and nothing is compared with 0")


def _without(judged: Judged, words: frozenset[str], text: str) -> Unread:
    """Those of some words that no name or literal of the statement is like."""
    names = {w for n in used_names(judged) for w in words_of(n)}
    names |= {w for t in tables_of(judged) for w in words_of(t.name)}
    for word in lower_words(judged.question):
        known = any(likeness(word, name) >= _ALIKE for name in names)
        if word in words and not known and not _is_written(judged, word):
            yield word, f"the question says {word!r}, {text}"


def _week(judged: Judged) -> Unread:
    sql = judged.tree.sql("duckdb").casefold()
    if not re.search(r"dow|weekday|dayofweek|day_of_week|dayname|%w|%u|%a|satur|weekend", sql):
        yield from _without(judged, _WEEK, "and no day of the week is looked at")


def _periods(judged: Judged) -> Unread:
    phrase = find_phrase(judged.question, _PERIODS)
    years = any(re.search(r"(?<!\d)\d{4}(?!\d)", t) for t in literals(judged))
    ends = judged.tree.find(exp.CurrentDate, exp.CurrentTimestamp, exp.Max, exp.Lag)
    if phrase and not years and not ends and not _takes_the_last(judged):
        yield phrase, f"the question says {phrase!r}, and no time is looked at"


def _takes_the_last(judged: Judged) -> bool:
    """Whether the latest of a time are taken by order and limit."""
    order, limit = judged.tree.args.get("order"), judged.tree.args.get("limit")
    if order is None or limit is None or not order.expressions[0].args.get("desc"):
        return False
    by = order.expressions[0].this
    item = next((e for e in judged.tree.selects if e.alias_or_name == by.name), by)
    times = (exp.Cast, exp.TimeToStr, exp.TimestampTrunc, exp.DateTrunc, exp.Year, exp.Month)
    columns = [c for t in tables_of(judged) for c in t.columns if c.data_type in _TIMES]
    named = {c.name.casefold() for c in columns}
    return bool(item.find(*times)) or any(
        c.name.casefold() in named for c in item.find_all(exp.Column)
    )


def _parts_of_values(judged: Judged) -> Unread:
    """Words that are part of a value of a column that the statement does not look at."""
    read = {t.name: t for t in tables_of(judged)}
    names = {w for t in read.values() for w in words_of(t.name)}
    names |= {w for t in read.values() for c in t.columns for w in words_of(c.name)}
    used = used_names(judged)
    for hit in judged.hits:
        text = hit.phrase.casefold()
        plain = text in _NO_CONDITION or len(text) < 4 or " " in text or text.isdigit()
        if plain or not _PARTLY <= hit.score < 1 or hit.table not in read:
            continue
        if hit.column.casefold() in used or _is_written(judged, text):
            continue
        if not _is_part(judged, hit.phrase, hit):
            continue
        if not any(likeness(text, name) >= _ALIKE for name in names):
            where = f"{hit.value!r} of {hit.column} in {hit.table}"
            yield hit.phrase, f"the question says {hit.phrase!r}, as {where} is called"


def _is_part(judged: Judged, phrase: str, hit: ValueHit) -> bool:
    """Whether a word is one of a longer value and of no other, one in the plural, or one misspelt
    by a letter."""
    text, words = phrase.casefold(), words_of(hit.value)
    if stem(text) in _PLAIN or text in _PLAIN_VALUES | NEGATED:
        return False
    alike = {
        h.value.casefold() for h in judged.hits if (h.phrase, h.column) == (phrase, hit.column)
    }
    # The first word of a question has a capital whatever it is.
    first = judged.question.lstrip().startswith(phrase)
    telling = (phrase[:1].isupper() and not first) or text == words[0]
    several = len(words) > 1 and text in words and telling and len(alike) == 1
    plural = any(text == f"{word}s" for word in words)
    misspelt = any(
        fuzz.ratio(text, word) >= _MISSPELT
        and abs(len(text) - len(word)) < 2
        and text != word
        and f"{text}s" != word
        and text[0] == word[0]
        and min(len(text), len(word)) > 5
        for word in words
    )
    return several or plural or misspelt


def _flags(judged: Judged) -> Unread:
    """Words of the names of columns that say yes or no, of which the statement looks at none."""
    tables, used = tables_of(judged), used_names(judged)
    taken = {stem(w) for n in used for w in words_of(n)}
    taken |= {stem(w) for t in tables for w in words_of(t.name)}
    for table in tables:
        for column in table.columns:
            if column.name.casefold() in used or not is_flag(column):
                continue
            own = {stem(w) for w in words_of(column.name) if len(w) > 2} - taken
            for token in tokens(judged.question):
                stop = token.lower in _NO_CONDITION or token.mark
                if not stop and token.stem in own and not _is_written(judged, token.lower):
                    yield (
                        token.text,
                        f"the question says {token.text!r}, as {column.name} is called",
                    )
                    break


def _counted(judged: Judged) -> Unread:
    """Words that say more than what is counted, where all rows of a table are."""
    outer = judged.blocks[-1] if len(judged.blocks) == 1 else None
    whole = outer is not None and len(outer.aggregates) == len(outer.select.expressions) == 1
    if outer is None or not whole or judged.tree.find(*_NARROWING):
        return
    if not isinstance(outer.aggregates[0], exp.Count):
        return
    table = outer.tables[0] if outer.tables else None
    known = partial(_is_known, judged, table)
    left = [t for t in tokens(judged.question) if not t.mark and t.stem and not known(t)]
    if table is not None and left:
        text = " ".join(t.text for t in left[:3])
        yield left[0].text, f"every row of {table.name} is counted, and the question says {text!r}"


def _is_known(judged: Judged, table: Table | None, token: Token) -> bool:
    """Whether a word says no more than that rows of a table are counted."""
    if token.lower in _NO_CONDITION or token.stem in _PLAIN or table is None:
        return True
    names = [*words_of(table.name), *(w for n in used_names(judged) for w in words_of(n))]
    names += [w for c in table.columns[:1] for w in words_of(c.name)]
    names += [w for t in judged.catalogue.tables[:1] for w in words_of(t.source_name)]
    return any(likeness(token.lower, name) >= _ALIKE for name in names)


def _any_used(judged: Judged, columns: list[Column]) -> bool:
    return bool(used_names(judged) & {c.name.casefold() for c in columns})


def _is_written(judged: Judged, word: str) -> bool:
    """Whether a word is in a literal of the statement, or like a word of one."""
    for text in literals(judged):
        if word in text or any(
            likeness(word, w) >= _ALIKE or fuzz.ratio(word, w) >= _SPELT for w in words_of(text)
        ):
            return True
    return False
