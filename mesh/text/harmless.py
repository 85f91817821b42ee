"""Text that a terminal shows, and does not obey. Pure.

What files and databases hold, what things are called and what somebody asked may have characters
that terminals take for commands (ECMA-48: they write to the clipboard, set the title, hide text),
that turn the order of letters around (Unicode's bidirectional embeddings, overrides and isolates,
UAX #9), or that nobody sees, in which a text for models can hide. The marks U+200E, U+200F and
U+061C stay: Arabic and Hebrew need them, and they order no letter but their neighbours.
"""

from __future__ import annotations

import re
from typing import Any

_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # all controls but tab and line feed
    "\u202a-\u202e\u2066-\u2069"  # turn letters around
    "\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufffb"  # break lines, or are not seen
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # are not seen, or as a blank
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\ud800-\udfff"  # bytes of a name that is no text, which some locales write as they are
    "\U000e0000-\U000e0fff]"  # tags and varieties, which spell out text that is not seen
    # Emoji, Persian and Thai need one or two of these at a place, and never more.
    "|[\u00ad\u200b-\u200d\ufe00-\ufe0f]{3,}"
)
_PICTURES = 0x2400
_DELETE = 0x7F


def is_harmless(text: str) -> bool:
    """Whether a terminal would obey no character of the text."""
    return not _OBEYED.search(text)


def harmless(text: str) -> str:
    """The text with a visible character for each that a terminal would obey; as long as before."""
    return _OBEYED.sub(_visible, text)


def harmless_line(text: str) -> str:
    """The same for a text that has to stay one line: line feeds are shown, too."""
    return harmless(text).replace("\n", chr(_PICTURES + 0x0A))


def harmless_value(value: Any) -> Any:
    """A value of JSON with all its texts and names made harmless."""
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, list):
        return [harmless_value(one) for one in value]
    if isinstance(value, dict):
        return {harmless(name): harmless_value(one) for name, one in value.items()}
    return value


def harmless_json(text: str) -> str:
    r"""A JSON document that means the same, with \uXXXX for what a terminal would obey.

    Only strings of JSON can hold such characters, and there an escape is as good as the character.
    """
    return _OBEYED.sub(_escaped, text)


def _visible(found: re.Match[str]) -> str:
    return "".join(map(_shown, found[0]))


def _shown(character: str) -> str:
    """Unicode's picture of a control (chart U+2400), else the sign for what cannot be shown."""
    code = ord(character)
    if code < 0x20:
        return chr(_PICTURES + code)
    return "\u2421" if code == _DELETE else "\ufffd"


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
