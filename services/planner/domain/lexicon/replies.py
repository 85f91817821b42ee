"""Which option a reply to a question back means."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.lexicon.normalise import name_words


def find_option(options: Sequence[str], reply: str) -> int | None:
    """The place, from 0, of the option that a reply points at: by number from 1, by its text, or by
    words that only one of the options has. None where it points at none or at several, so that
    nothing is taken unasked.

    >>> option_meant(["sum of total in invoices", "number of invoices"], "number")
    1
    """
    words = reply.strip().rstrip(".").casefold()
    for place, option in enumerate(options):
        if words in (str(place + 1), option.casefold()):
            return place
    texts = set(name_words(words))
    alike = [i for i, option in enumerate(options) if texts and texts <= set(name_words(option))]
    return alike[0] if len(alike) == 1 else None
