"""What stands for a text that policy blocks: a name that is the same for the same text, and else
tells nothing of it.

A pseudonym is made with a key (HMAC-SHA256), so whoever has not the key cannot find the text by
trying. Inside a query it is spelled in signs that no text has (of a private plane of Unicode): a
function that takes it apart leaves signs that are known for what they are, and no letter of the
original. In what leaves a query it reads like `[email bcdfghjklmnpq]`, and what is left of one that
was taken apart is `[blocked]`.
"""

from __future__ import annotations

import hashlib
import hmac
import re

MASK = "[blocked]"
OTHER = "blocked"
"""The kind of what an expression of the caller's own matches."""

KINDS = ("email", "phone", "ssn", "credit_card", "iban", "ip", OTHER)
_LETTERS = "bcdfghjklmnpqrstvwxz"
_LENGTH = 13  # 56 bits: among a million texts, two are alike once in 140,000 times

_FIRST = 0x10F000
_HIDDEN_LETTERS = "".join(chr(_FIRST + place) for place in range(len(_LETTERS)))
_OPENERS = {kind: chr(_FIRST + 0x40 + place) for place, kind in enumerate(KINDS)}
_END = chr(_FIRST + 0x7F)

HIDDEN = f"[{chr(_FIRST)}-{_END}]"
"""An expression for any sign of a spelled pseudonym, in the syntax of Python, RE2 and others."""

_SPELLED = re.compile(
    f"([{''.join(_OPENERS.values())}])([{_HIDDEN_LETTERS}]{{{_LENGTH}}}){_END}|{HIDDEN}+"
)
_SHOWN = re.compile(rf"\[({'|'.join(KINDS)}) ([{_LETTERS}]{{{_LENGTH}}})\]")
_KIND_OF = {opener: kind for kind, opener in _OPENERS.items()}
_SHOW = str.maketrans(_HIDDEN_LETTERS, _LETTERS)
_HIDE = str.maketrans(_LETTERS, _HIDDEN_LETTERS)


def pseudonym(text: str, kind: str, key: bytes) -> str:
    """The pseudonym of a text, spelled as inside a query."""
    number = int.from_bytes(hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256"))
    letters = []
    for _ in range(_LENGTH):
        number, place = divmod(number, len(_HIDDEN_LETTERS))
        letters.append(_HIDDEN_LETTERS[place])
    return f"{_OPENERS[kind]}{''.join(letters)}{_END}"


def presented(text: str) -> str:
    """The text as people see it: whole pseudonyms by their name, what is left of others masked."""
    return _SPELLED.sub(_presented_one, text) if not text.isascii() else text


def spelled(text: str) -> str:
    """The text with every pseudonym that people see spelled as inside a query."""
    if "[" not in text:
        return text
    return _SHOWN.sub(lambda found: f"{_OPENERS[found[1]]}{found[2].translate(_HIDE)}{_END}", text)


def key_of(secrets: list[str]) -> bytes:
    """The key for tables that are used together, of a secret of each."""
    return hashlib.sha256("\0".join(sorted(set(secrets))).encode()).digest()


def _presented_one(found: re.Match[str]) -> str:
    if not found[1]:
        return MASK
    return f"[{_KIND_OF[found[1]]} {found[2].translate(_SHOW)}]"
