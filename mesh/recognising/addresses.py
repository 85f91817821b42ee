"""Addresses of the Internet Protocol, versions 4 and 6."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from mesh.recognising.folding import DOT

SUSPECT = f"[0-9]{DOT}[0-9]+{DOT}[0-9]+{DOT}[0-9]|:[0-9A-Fa-f]{{0,4}}:"

_FOUR = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d|,\d\d?(?![\d.]))")
_SIX = re.compile(r"(?<![\w:.])[0-9A-Fa-f:]{2,39}(?:\d(?:\.\d{1,3}){3})?(?![\w:])")
# A number of four parts behind such a word is not an address.
_OTHER = re.compile(
    r"(?:\bv|version|ver\.?|release|build|section|chapter|§)[\s:#]*$", re.IGNORECASE
)


def found(text: str) -> bool:
    """Whether the text holds an address; one that is written like a version is none."""
    return any(_is_four(text, match) for match in _FOUR.finditer(text)) or any(
        _is_six(match[0]) for match in _SIX.finditer(text)
    )


def _is_four(text: str, match: re.Match[str]) -> bool:
    if _OTHER.search(text, max(0, match.start() - 20), match.start()):
        return False
    try:
        IPv4Address(match[0])
    except AddressValueError:
        return False
    return True


def _is_six(text: str) -> bool:
    """`a::b` is more often a name in a program than an address: some digit is asked for."""
    if text.count(":") < 2 or not any(sign.isdigit() for sign in text):
        return False
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return True
