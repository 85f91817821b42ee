"""Small pieces of Markdown that reference pages are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

MARKS = re.compile(r"([\\`*{}\[\]<>#|]|(?<!\w)_|_(?!\w))")


def plain(text: str) -> str:
    """The text as Markdown that shows just these letters; what is in backticks stays code."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(
        part
        if number % 2
        else MARKS.sub(r"\\\1", part).replace("\\<", "&lt;").replace("\\>", "&gt;")
        for number, part in enumerate(parts)
    )


def code(text: str) -> str:
    """The text as code, also within a table."""
    return f"`{text}`" if "|" not in text else f"<code>{text.replace('|', '&#124;')}</code>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; each cell is Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(" ".join(line.split()) for line in row) + " |" for row in lines
    )
