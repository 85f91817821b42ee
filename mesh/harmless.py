"""Text that a terminal shows, and does not obey. Pure.

What files and databases hold, what things are called and what somebody asked may have characters
that terminals take for commands (ECMA-48: they write to the clipboard, set the title, hide text),
or that turn the order of letters around (Unicode's bidirectional embeddings, overrides and
isolates, UAX #9). The marks U+200E, U+200F and U+061C stay: Arabic and Hebrew need them, and they
order no letter but their neighbours.
"""

from __future__ import annotations

import re

_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # all controls but tab and line feed
    "\u202a-\u202e\u2066-\u2069"  # turn letters around
    "\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # break lines, or are not seen
    "\U000e0000-\U000e007f]"  # tags, which spell out text that is not seen
)
_PICTURES = 0x2400
_DELETE = 0x7F


def is_harmless(text: str) -> bool:
    """Whether a terminal would obey no character of the text."""
    return not _OBEYED.search(text)


def harmless(text: str) -> str:
    """The text with a visible character for each that a terminal would obey; as long as before."""
    return _OBEYED.sub(_visible, text)


def harmless_json(text: str) -> str:
    r"""A JSON document that means the same, with \uXXXX for what a terminal would obey.

    Only strings of JSON can hold such characters, and there an escape is as good as the character.
    """
    return _OBEYED.sub(_escaped, text)


def _visible(found: re.Match[str]) -> str:
    """Unicode's picture of a control (chart U+2400), else the sign for what cannot be shown."""
    code = ord(found[0])
    if code < 0x20:
        return chr(_PICTURES + code)
    return "\u2421" if code == _DELETE else "\ufffd"


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
