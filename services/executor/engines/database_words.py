"""What databases say of a statement or a value, in words of ours.

Their own words hold paths, addresses of web pages and advice for others than who asked. What is
known is said again with its particulars; what is not goes to the log, and people are told the kind
of fault alone.
"""

from __future__ import annotations

import logging
import re

log = logging.getLogger(__name__)
_LONGEST = 60
_NAME = r"[\w.$+*/%<>=!~^|&@-]+"

_MESSAGES = tuple(
    (re.compile(pattern, re.IGNORECASE), words)
    for pattern, words in (
        # DuckDB, of statements
        (
            rf"No function matches .*types '(?P<a>{_NAME})\((?P<b>.*?)\)'",
            "{a} takes no values of the types {b}: cast them",
        ),
        (
            rf'Could not choose a best candidate .*"(?P<a>{_NAME})\((?P<b>.*?)\)"',
            "{a} of the types {b} could mean several things: cast the values",
        ),
        (
            r"Cannot (mix|compare) values of type (?P<a>[\w(), \[\]]+?) and (type )?"
            r"(?P<b>[\w(), \[\]]+?)( in |\s*-|$)",
            "values of the types {a} and {b} stand together: cast one of them",
        ),
        (
            r"Unimplemented type for cast \((?P<a>.*?) -> (?P<b>.*?)\)",
            "a value of the type {a} cannot be made one of the type {b}",
        ),
        (r"aggregate function calls cannot be nested", "an aggregate stands inside an aggregate"),
        (
            r"(?P<a>WHERE|GROUP BY|JOIN|FILTER|HAVING|LIMIT|QUALIFY)\b.*cannot contain (?P<b>\w+)",
            "{a} cannot hold {b}",
        ),
        (r"window functions are not allowed in (?P<a>[A-Z ]+)", "{a} cannot hold window functions"),
        (r"Set operations can only apply", "the parts of the union have other numbers of columns"),
        (
            r"(ORDER|GROUP BY) term out of range.*between 1 and (?P<a>\d+)",
            "a place in ORDER BY or GROUP BY is not between 1 and {a}",
        ),
        (
            r'Ambiguous reference to column name "(?P<a>.*?)"',
            "the column {a} is in several tables: write which one is meant",
        ),
        (
            r"Subquery returns (?P<a>\d+) columns",
            "a subquery gives {a} columns where one is wanted",
        ),
        (
            r"More than one row returned",
            "a subquery in the place of a value gives more than one row",
        ),
        (
            r"(Function|Macro) with name (?P<a>\w+) does not exist",
            "there is no function {a}() that can stand there",
        ),
        (r"Type with name (?P<a>\w+) does not exist", "there is no type {a}"),
        (r'window "(?P<a>.*?)" does not exist', "there is no window {a}"),
        (
            r'Column "(?P<a>.*?)" in (?P<b>EXCLUDE|REPLACE|RENAME) list not found',
            "there is no column {a} for {b}",
        ),
        (r'Could not find key "(?P<a>.*?)" in struct', "the struct has no part {a}"),
        (r"Cannot extract field '(?P<a>.*?)'", "{a} is no part of that value"),
        (r"LIMIT/OFFSET cannot be negative|LIMIT must not be negative", "a limit is negative"),
        (r"UNNEST\(\) can only be applied", "unnest takes lists and structs alone"),
        (r"JSON path error", "a path into JSON cannot be read"),
        (
            r"parameters? in the range \[-?\d, 1\]|percentile value .* not between",
            "a quantile is not between 0 and 1",
        ),
        (r"lambda function", "a lambda stands where none is taken, or takes other values"),
        # of values
        (
            r"""Could not convert string ['"](?P<a>.*?)['"] to (?P<b>[\w()., ]+?)( when|$|:)""",
            'the text "{a}" cannot be read as {b}',
        ),
        (
            r"Malformed JSON|invalid input syntax for type jsonb?\b",
            "a text cannot be read as JSON (a cell that policy blocks is none)",
        ),
        (
            r'invalid input syntax for type (?P<b>[\w ]+): "(?P<a>.*?)"',
            'the text "{a}" cannot be read as {b}',
        ),
        (
            r'Could not parse string "(?P<a>.*?)" according to format specifier "(?P<b>.*?)"',
            'the text "{a}" does not have the format {b}',
        ),
        (r"Failed to parse format specifier (?P<a>\S+?):", "the format {a} is not known"),
        (
            r'(?P<a>date|time|timestamp)[\w ]* field value out of range:? "(?P<b>.*?)"',
            'the text "{b}" is no {a}',
        ),
        (
            r'invalid (?P<a>date|time|timestamp)[\w ]* field format:? "(?P<b>.*?)"',
            'the text "{b}" is no {a}',
        ),
        (r"Date out of range: (?P<a>[-\d]+)", "{a} is no date"),
        (r'specifier "(?P<a>.*?)" not recognized', "a date has no part {a}"),
        (r"with value (?P<a>\S+) can't be cast .*type (?P<b>\w+)", "{a} is too large for {b}"),
        (r"cannot take square root of a negative", "a square root is taken of a negative number"),
        (r"cannot take logarithm of (?P<a>zero|a negative number)", "a logarithm is taken of {a}"),
        (r"division by zero", "a number is divided by zero"),
        (r"out of range|overflow", "a number or time is too large for its type"),
        (
            r"Unknown Time ?Zone '(?P<a>.*?)'|time zone \"(?P<c>.*?)\" not recognized",
            "there is no time zone {a}{c}",
        ),
        (r"Month intervals cannot have day", "an interval mixes months with days"),
        (
            r"invalid (escape|regular expression|regexp)|missing [)\]]|no argument for repetition|"
            r"unmatched|unexpected \)",
            "a regular expression cannot be read",
        ),
        (r"Invalid UTF8|invalid byte sequence|requested character", "a character does not exist"),
        (
            r"Cannot create a string of size|Out of Memory|requested length too large|"
            r"memory alloc request size|string buffer exceeds|Cannot enlarge string buffer|"
            r"out of memory",
            "a text would be too large",
        ),
        (r"value too long", "a text is too long for its type"),
        # Spark, by the name of its condition
        (
            r"CAST_INVALID_INPUT|CONVERSION_INVALID_INPUT|CANNOT_PARSE|DATETIME",
            "a text cannot be read as the number or time it is cast to",
        ),
        (r"TOO_MANY_ROWS", "a subquery in the place of a value gives more than one row"),
    )
)


def in_words(message: str) -> str:
    """What the message says, without a full stop; empty where it is not known."""
    for pattern, words in _MESSAGES:
        if found := pattern.search(message):
            given = {name: _short(value) for name, value in found.groupdict(default="").items()}
            return words.format(**given)
    log.info("A database said what has no words of ours: %s", message[:500])
    return ""


def _short(value: str) -> str:
    plain = " ".join(value.replace("_LITERAL", "").split())
    return plain if len(plain) <= _LONGEST else plain[:_LONGEST] + "…"
