"""Regular expressions of RE2, which DuckDB speaks, in the words of other engines.

In RE2 a dot is any sign but a line feed, `$` the end of the text alone, and words are of ASCII.
"""

from __future__ import annotations

import re

# An escaped sign, a class in brackets, or any other sign.
_SIGN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)
_DOT = r"[^\n]"
_LETTER = "[0-9A-Za-z_]"
_EDGE = f"(?:(?<={_LETTER})(?!{_LETTER})|(?<!{_LETTER})(?={_LETTER}))"
_INSIDE = f"(?:(?<={_LETTER})(?={_LETTER})|(?<!{_LETTER})(?!{_LETTER}))"
_JAVA = {".": _DOT, "$": r"\z", r"\b": _EDGE, r"\s": r"[ \t\n\f\r]"}
_PCRE = {**_JAVA, "\\d": "[0-9]", "\\D": "[^0-9]", "\\w": _LETTER, "\\W": "[^0-9A-Za-z_]"}
_POSTGRES = {".": _DOT, r"\b": _EDGE, r"\B": _INSIDE}


def in_java(expression: str) -> str:
    """As Java writes it; what Java reads otherwise besides is the caller's to refuse."""
    return "".join(_JAVA.get(sign, sign) for sign in _signs(expression))


def in_pcre(expression: str) -> str:
    """As PCRE reads it where signs are those of Unicode, as in MariaDB."""
    return "".join(_PCRE.get(sign, sign) for sign in _signs(expression))


def in_postgres(expression: str) -> str:
    """As PostgreSQL writes it; what it reads otherwise besides is the caller's to refuse."""
    return "".join(_POSTGRES.get(sign, sign) for sign in _signs(expression))


def matches_nothing(expression: str) -> bool:
    """Whether it matches the empty text, after which engines go on at different places."""
    try:
        return re.match(f"(?:{expression})$", "") is not None
    except re.error:
        return True


def has_options(expression: str) -> bool:
    """Whether a group begins with a question mark, and is more than a group without a number."""
    signs = _signs(expression)
    for one, two, three in zip(signs, signs[1:], [*signs[2:], ""], strict=False):
        if one == "(" and two == "?" and three != ":":
            return True
    return False


def _signs(expression: str) -> list[str]:
    return [str(sign) for sign in _SIGN.findall(expression)]
