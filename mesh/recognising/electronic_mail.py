"""E-mail addresses, those of other scripts too (RFC 5321, 6531, 5890)."""

from __future__ import annotations

import re
import unicodedata

SUSPECT = "@"

_LOCAL = r"""(?:[^\s@<>()\[\],;:"\\]{1,64}|"[^"@\n]{1,62}")"""
_LABEL = r"""[^\s@.,;:<>()\[\]"'/\\!?&=#%*|{}$+~^`]{1,63}"""
_ADDRESS = re.compile(
    rf"{_LOCAL}@(?:(?P<literal>\[[0-9A-Fa-f:.]+\])|(?P<domain>{_LABEL}(?:\.{_LABEL})+))"
)


def found(text: str) -> bool:
    """Whether the text holds an address."""
    return "@" in text and any(
        match["literal"] or _is_domain(match["domain"]) for match in _ADDRESS.finditer(text)
    )


def _is_domain(name: str) -> bool:
    """Its last part is a top level: letters of any script, or their encoding."""
    last = name.rpartition(".")[2].lower()
    if re.match(r"xn--[a-z0-9]", last):
        return True
    return len(last) > 1 and all(unicodedata.category(sign)[0] in "LM" for sign in last)
