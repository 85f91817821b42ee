"""What the data's names are called in sentences: one, several, and short forms written out."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from services.planner.domain.lexicon.normalise import readable, readable_table

if TYPE_CHECKING:
    from pluralizer import Pluralizer

# Short forms that mean one thing wherever they stand in a name.
_SHORT = {
    "amt": "amount",
    "avg": "average",
    "cnt": "count",
    "dept": "department",
    "emp": "employee",
    "dob": "date of birth",
    "elev": "elevation",
    "enr": "enrollment",
    "govt": "government",
    "hrs": "hours",
    "lat": "latitude",
    "lng": "longitude",
    "mfg": "manufacturer",
    "mgr": "manager",
    "mins": "minutes",
    "num": "number",
    "orig": "origin",
    "pct": "percentage",
    "percap": "per capita",
    "precip": "precipitation",
    "qty": "quantity",
    "secs": "seconds",
    "visib": "visibility",
    "yr": "year",
}
# Short forms that mean so only beside the words given: "exp" is also experience and expense.
_SHORT_BESIDE = {
    "exp": ("expectancy", {"life"}),
    "dep": ("departure", {"delay", "time", "date", "hour", "airport", "sched", "actual"}),
    "arr": ("arrival", {"delay", "time", "date", "hour", "airport", "sched", "actual"}),
    "sched": ("scheduled", {"dep", "arr", "departure", "arrival", "time"}),
    "cap": ("capita", {"per"}),
    "temp": ("temperature", {"min", "max", "mean", "avg", "average", "air", "water", "c", "f"}),
    "pop": ("population", {"total", "city", "country", "urban", "rural", "density", "growth"}),
}
_WHOLE_NAMES = {
    "pop": "population",
    "dest": "destination",
    "temp": "temperature",
    "arr": "arrival",
    "dep": "departure",
}
# What people add to the name of a table that holds things: "penguins_raw", "sales 2023".
_OF_TABLES = frozenset(
    """raw data table tbl clean cleaned full all list new old final sample small large csv export
    dump view copy test train""".split()
)
# Beyond the library's rules: what has no other form, and what ends in s and is one.
_SAME = (
    "species",
    "news",
    "physics",
    "mathematics",
    "economics",
    "statistics",
    "gas",
    "revenue",
    "data",
)
_SINGULAR_IN_S = {
    "lens": "lenses",
    "bias": "biases",
    "atlas": "atlases",
    "canvas": "canvases",
    "minus": "minuses",
    "virus": "viruses",
    "chassis": "chassis",
    "index": "indexes",
}
_PARTED = re.compile(r" (?:of|per|in|for|from|to|by) ")


@lru_cache(maxsize=4_096)
def worded(name: str) -> str:
    """An identifier in words, its short forms written out: "lifeExp" gives "life expectancy"."""
    words = readable(name).split()
    if len(words) == 1:
        return _WHOLE_NAMES.get(words[0], _SHORT.get(words[0], words[0]))
    return " ".join(_written_out(word, set(words)) for word in words)


def _written_out(word: str, beside: set[str]) -> str:
    long, company = _SHORT_BESIDE.get(word, ("", set()))
    return long if beside & company else _SHORT.get(word, word)


def rows_of(table: str) -> str:
    """What several rows of a table are called: "penguins_raw" holds "penguins"."""
    words = readable_table(table).split()
    while len(words) > 1 and (words[-1] in _OF_TABLES or words[-1].isdigit()):
        words.pop()
    return plural(" ".join(words))


def plural(noun: str) -> str:
    """Several of a thing: "category" gives "categories", and what is several stays."""
    head, parting, rest = _headed(noun)
    *before, last = head.split() or [""]
    several = last if is_plural(last) else _pluralizer().plural(last)
    return " ".join([*before, several]) + parting + rest


def singular(noun: str) -> str:
    """One of several things: "movies" gives "movie"."""
    head, parting, rest = _headed(noun)
    *before, last = head.split() or [""]
    return " ".join([*before, _one(last)]) + parting + rest


def is_plural(name: str) -> bool:
    """Whether a name is of several things: "total sales", but not "share of sales" or "gas"."""
    words = [word for word in _headed(name.casefold())[0].split() if not word.isdigit()]
    last = words[-1] if words else ""
    return len(last) > 2 and _one(last) != last


def _one(word: str) -> str:
    ends_in_s = word in _SINGULAR_IN_S or word.endswith(("ss", "us", "is"))
    return word if ends_in_s else str(_pluralizer().singular(word))


def _headed(noun: str) -> tuple[str, str, str]:
    """What a name is of, and what follows: "number", " of ", "orders"."""
    found = _PARTED.search(noun)
    if found is None:
        return noun, "", ""
    return noun[: found.start()], found.group(), noun[found.end() :]


@cache
def _pluralizer() -> Pluralizer:
    from pluralizer import Pluralizer  # only sentences about things need it

    rules = Pluralizer()  # type: ignore[no-untyped-call]
    for word in _SAME:
        rules.add_uncountable_rule(word)
    for one, several in _SINGULAR_IN_S.items():
        rules.add_irregular_rule(one, several)
    return rules
