"""Words of time that nothing has read: leaving them out would answer another question."""

from __future__ import annotations

import re

from services.planner.domain.language.scene import Scene

_SURE = frozenset(
    """weekend weekends morning mornings afternoon afternoons evening evenings night nights noon
    early midnight today yesterday tomorrow tonight ago fiscal mondays tuesdays wednesdays thursdays
    fridays saturdays sundays monday tuesday wednesday thursday friday saturday sunday
    holidays easter christmas""".split()
)
_MONTHS = frozenset(
    """january february march april may june july august september october november december
    summer winter spring autumn""".split()
)
_UNITS = frozenset("day days week weeks month months quarter quarters year years".split())
_LEADING = frozenset(
    "in during since after before until till from of for between and to this last next".split()
)
_OLDER = re.compile(
    r"\b(?:older|newer|younger|more recent|earlier|later) than (?:\d+|an?|one|two|three|six|ten)"
    r" (?:days?|weeks?|months?|years?)\b",
    re.IGNORECASE,
)


def unread_time(scene: Scene, unplaced: bool) -> str:
    """Why a question whose words of time were not all read is not answered, or nothing.

    With `unplaced`, something is compared with nothing of the data.
    """
    inside = {i for m in scene.mentions for i in range(m.first, m.last)}
    for position, token in enumerate(scene.tokens):
        if token.used or token.quoted or position in inside:
            continue
        before = next(iter(scene.words(position - 1, position)), "")
        after = next(iter(scene.words(position + 1, position + 2)), "")
        month = token.lower in _MONTHS and before in _LEADING
        if month and token.lower not in ("summer", "winter", "spring", "autumn"):
            return (
                f'Of which year? "{token.text}" alone is in every year: say, "{token.text} 1997".'
            )
        if month or token.lower in _SURE or (token.lower in ("next", "same") and after in _UNITS):
            said = f"{token.text} {after}" if after in _UNITS else token.text
            return f'"{said}" could not be read as a time: say the dates, for instance "May 1997".'
    older = _OLDER.search(" ".join(token.text for token in scene.tokens)) if unplaced else None
    if older is not None:
        return f'"{older.group()}" depends on the day it is asked: say before or after which date.'
    return ""
