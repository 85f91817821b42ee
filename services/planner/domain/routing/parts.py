"""A question's parts, where it asks for several things in one breath."""

from __future__ import annotations

import re

from services.planner.domain.routing.words import content

_BETWEEN = re.compile(
    r"(?<=[?!;])\s+|(?<=[^\W\d]{2}\.)\s+|\s*;\s*"
    r"|,?\s+(?:and(?:\s+also)?|as\s+well\s+as|also|plus|compared\s+(?:with|to)|versus|vs\.?"
    r"|against|together\s+with|alongside)\s+",
    re.IGNORECASE,
)
_LEAST_WORDS = 1
"""Words about data that a part has; with fewer it belongs to the part before it."""
_MOST_PARTS = 6


def parts(question: str) -> tuple[str, ...]:
    """The parts of a question in order; the question alone where it has only one."""
    found: list[str] = []
    cut = 0
    for match in _BETWEEN.finditer(question):
        found.append(question[cut : match.start()])
        cut = match.end()
    found.append(question[cut:])
    whole = [part.strip(" ,.;?!") for part in found]
    texts = [part for part in whole if len(content(part)) >= _LEAST_WORDS]
    return (
        tuple(texts[:_MOST_PARTS]) if len(texts) > 1 and len(texts) == len(whole) else (question,)
    )
