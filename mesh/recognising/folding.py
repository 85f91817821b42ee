"""One plain spelling for the many that a text can have.

Digits of all scripts become 0 to 9, dashes a hyphen, spaces a space, full-width signs those of
ASCII; signs that are not seen go. Percent signs and HTML entities are undone, three times at most.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

UNSEEN = "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
_DOTS = "\u2024\u3002\uff61\ufe52"
_DEPTH = 3


# The zero of every script; its other digits follow it.
_ZEROS = (
    "\u0660\u06f0\u07c0\u0966\u09e6\u0a66\u0ae6\u0b66\u0be6\u0c66\u0ce6\u0d66\u0de6\u0e50"
    "\u0ed0\u0f20\u1040\u1090\u17e0\u1810\u1946\u19d0\u1a80\u1a90\u1b50\u1bb0\u1c40\u1c50"
    "\ua620\ua8d0\ua900\ua9d0\ua9f0\uaa50\uabf0\uff10\U000104a0\U00010d30\U00011066\U000110f0"
    "\U00011136\U000111d0\U000112f0\U00011450\U000114d0\U00011650\U000116c0\U00011730"
    "\U000118e0\U00011950\U00011c50\U00011d50\U00011da0\U00016a60\U00016ac0\U00016b50"
    "\U0001d7ce\U0001d7d8\U0001d7e2\U0001d7ec\U0001d7f6\U0001e140\U0001e2f0\U0001e950"
    "\U0001fbf0"
)
_DIGITS = "".join(f"{zero}-{chr(ord(zero) + 9)}" for zero in _ZEROS)
_FULL_WIDTH = "\uff0e\uff1a\uff20\ufe6b\uff21-\uff3a\uff41-\uff5a"
_DOTS = "\u2024\u3002\uff61\ufe52"
_DEPTH = 3

# Insides of classes in brackets, and expressions, in the syntax of Python, RE2 and PostgreSQL.
ODD = f"[{_DIGITS}{_FULL_WIDTH}{UNSEEN}]|%[0-9A-Fa-f][0-9A-Fa-f]|&#?[0-9A-Za-z]+;"
"""Matches every text whose plain form has other digits, letters or signs of ASCII than itself,
dashes, spaces and dots apart."""

BETWEEN = "[^0-9A-Za-z]{0,4}"
"""What may stand between two digits of one number."""

START = "(?:^|[^0-9A-Za-z_.-])"
"""What may stand before a number that is not part of a code."""

DOT = f"[.{_DOTS}]"
TELLING = f"[0-9{_DIGITS}@\uff20\ufe6b%&:\uff1a([{{<]|[ _-](?:dot|punkt|point|punto)[ _-]"
"""Matches every text that is personal data, case ignored."""


# Digits in groups behind such a word are no telephone number, and no social security number.
_OTHER = re.compile(
    r"(?<![a-z])(?:p/?n|parts?|sku|items?|models?|orders?|po|contracts?|invoices?|serial|s/?n|lot|"
    r"batch|articles?|art|ref|is[bms]n|ean|cas|zip|postcode)[.:#\s]*(?:(?:no|nr|number)[.:#\s]*)?$",
    re.IGNORECASE,
)


def is_other_number(text: str, at: int) -> bool:
    """Whether the word before a place says that digits there are something else."""
    return _OTHER.search(text, max(0, at - 24), at) is not None


class _Folded(dict[int, str | None]):
    """What becomes of a sign, found out when it is first met."""

    def __missing__(self, code: int) -> str | None:
        sign = chr(code)
        folded: str | None = sign
        if code < 128:
            pass
        elif 0xFF01 <= code <= 0xFF5E:
            folded = chr(code - 0xFEE0)
        elif sign in "\ufe6b":
            folded = "@"
        elif sign in _DOTS:
            folded = "."
        elif code == 0x2212 or unicodedata.category(sign) == "Pd":
            folded = "-"
        elif unicodedata.category(sign) == "Zs":
            folded = " "
        elif _unseen(code):
            folded = None
        self[code] = folded
        return folded


_FOLDED = _Folded({ord(zero) + digit: str(digit) for zero in _ZEROS for digit in range(10)})


def folded(text: str) -> str:
    """The text in its plain spelling."""
    return text if text.isascii() else text.translate(_FOLDED)


def forms(text: str) -> Iterator[str]:
    """The text in its plain spelling, and what it says once what is encoded in it is undone."""
    plain = folded(text)
    yield plain
    for _ in range(_DEPTH):
        if "%" not in plain and "&" not in plain:
            return
        decoded = folded(html.unescape(unquote(plain, errors="ignore")))
        if decoded == plain:
            return
        plain = decoded
        yield plain


def _unseen(code: int) -> bool:
    return (
        code in (0xAD, 0x61C, 0x180E, 0xFEFF)
        or 0x200B <= code <= 0x200F
        or 0x202A <= code <= 0x202E
        or 0x2060 <= code <= 0x206F
    )
