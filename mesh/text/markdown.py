"""Words of others within Markdown. Pure."""

from __future__ import annotations

import re


def plain_words(text: str) -> str:
    """Words of others as Markdown that says just that: no tags, links, pictures or formulas."""
    spaced = " ".join(text.replace("&", "&amp;").replace("<", "&lt;").split())
    return re.sub(r"([\\`*\[\]$|~_]|:(?=//))", r"\\\1", spaced)
