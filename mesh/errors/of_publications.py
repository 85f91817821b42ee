"""Reasons to refuse a page, or to give it out no more; to be had from `mesh.errors`."""

from __future__ import annotations

from mesh.errors.kinds import Kind
from mesh.errors.reasons import reason

TEXT_FAILS = reason(
    "TEXT_FAILS",
    Kind.DATA,
    "The text of a page says what the frames that it cites do not bear out.",
    "`assay check` names each failure and what to write.",
)
PAGE_UNSAFE = reason(
    "PAGE_UNSAFE",
    Kind.WRONG_USE,
    "The page has what a page without scripts, forms and other files does not need.",
    "Publish what `assay publish` makes of the text.",
)
PAGE_REVOKED = reason(
    "PAGE_REVOKED",
    Kind.STATE,
    "The page was taken back; it is not given out any more.",
    "Ask whoever revoked it for what stands in its place.",
)
