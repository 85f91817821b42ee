"""How callers name things: jobs by id or its beginning, files by a name for display."""

from __future__ import annotations

import re
import unicodedata

from mesh.errors import INVALID_ARGUMENT, AssayError

MAX_NAME_CHARACTERS = 255
MAX_DESCRIPTION_CHARACTERS = 2_000

_JOB_REFERENCE = re.compile(r"[0-9a-f]{4,32}")
_SEPARATORS = re.compile(r"[/\\]")
# Joiners have a meaning inside words of several scripts; every other invisible sign may only
# mislead (text direction overrides) or break what prints the name.
_JOINERS = "\u200c\u200d"
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def display_name(text: str, field: str) -> str:
    """The last part of a path that somebody sent, safe to print; never used to open anything.

    Folders, control and direction characters are taken out, and long names are cut before their
    extension. Raises AssayError(INVALID_ARGUMENT) naming `field` when nothing is left.
    """
    visible = "".join(
        sign
        for sign in unicodedata.normalize("NFC", text)
        if sign in _JOINERS or unicodedata.category(sign) not in _INVISIBLE
    )
    name = " ".join(_SEPARATORS.split(visible)[-1].split())
    if not name.strip("."):
        raise AssayError(
            INVALID_ARGUMENT,
            f"{field} is not a file name: {text[:40]!r}",
            hint="Give the file's name with its extension, such as orders.csv.",
            fields={field: "holds no file name"},
        )
    if len(name) <= MAX_NAME_CHARACTERS:
        return name
    stem, dot, extension = name.rpartition(".")
    if not stem or len(extension) > 20:
        return name[:MAX_NAME_CHARACTERS]
    return f"{stem[: MAX_NAME_CHARACTERS - len(extension) - 1]}{dot}{extension}"


def description(text: str) -> str:
    """What a person says a file holds. Raises AssayError(INVALID_ARGUMENT) when it says nothing or
    is too long."""
    text = text.replace("\x00", "")
    if not text.strip():
        raise AssayError(
            INVALID_ARGUMENT,
            "the description has no words in it",
            hint="Say what the file holds, such as: orders of the shop, a row each.",
            fields={"description": "must not be empty"},
        )
    if len(text) > MAX_DESCRIPTION_CHARACTERS:
        raise AssayError(
            INVALID_ARGUMENT,
            f"the description has {len(text):,} characters, "
            f"at most {MAX_DESCRIPTION_CHARACTERS:,} are kept",
            fields={"description": f"at most {MAX_DESCRIPTION_CHARACTERS} characters"},
        )
    return text


def usual_description(name: str, rows: int) -> str:
    """The description of a file of which nobody said what it holds."""
    return f"{name}, {rows:,} {'row' if rows == 1 else 'rows'}"
