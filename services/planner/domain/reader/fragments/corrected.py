"""A reading corrected in a person's words: the way into fragments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from services.planner.domain.catalogue import Catalogue, ValueLookup
from services.planner.domain.confidence.thresholds import LIKELY
from services.planner.domain.query.intent import Intent, NotUnderstood, Understood
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reader.fragments.editing import edited
from services.planner.domain.reader.fragments.fragment import EditError, Fragment
from services.planner.domain.reader.fragments.reading import fragment_of

_STATED = 1.0
_LEAVES_OUT = ("left out as not understood: ", "not used: ")
"""How the assumptions of a reading begin that name words without a part in it."""
_LED = re.compile(
    r"\s*(?:(?:and|so|ok(?:ay)?|well)[ ,]+)*now[ ,]+(?=(?:for|by|per|only|just|with|without|in|as|"
    r"show|make)\b)",
    re.IGNORECASE,
)
"""A "now" that leads on to the next request ("now for Europe"), and tells no time."""

_TAKEN_OUT = re.compile(r"\b(?:take|leave) (?!out\b)([^,;]+?) out\b", re.IGNORECASE)


@dataclass(frozen=True)
class Changed:
    """The reading that a fragment leads to; `changes` say what is other than before.

    `confidence` is from 0 to 1: what a person said is sure, what was guessed of it is likely.
    """

    intent: Intent
    changes: tuple[str, ...]
    notes: tuple[str, ...]
    confidence: float = _STATED


async def changed(
    intent: Intent,
    words: str,
    catalogue: Catalogue,
    lookup: ValueLookup,
    today: date,
    *,
    called: str = "correction",
) -> Changed | str:
    """The reading changed by the words of a fragment; or, for people, why it is not.

    `called` is what people are told that the words are.
    """
    led = _LED.match(words)
    text = _TAKEN_OUT.sub(r"leave out \1", words[led.end() :] if led else words)
    try:
        fragment = await fragment_of(text, intent, catalogue, lookup, today)
        if problem := _unreadable(fragment, called):
            return problem
        found = edited(intent, fragment, catalogue)
    except EditError as error:
        return f"“{words}” cannot be done: {error}."
    if not found.changes:
        return f"“{words}” changes nothing: it was read so already."
    confidence = LIKELY if fragment.doubts else _STATED
    notes = (*fragment.doubts, *found.notes)
    return Changed(found.intent, found.changes, notes, confidence)


def _unreadable(fragment: Fragment, called: str) -> str:
    """Why a fragment is not acted upon: each of its words counts, as it does in a question."""
    if fragment.unread:
        words = " and ".join(f"“{word}”" for word in fragment.unread)
        names = "names" if len(fragment.unread) == 1 else "name"
        return f"Of the {called} “{fragment.words}”, {words} {names} nothing in this data."
    if fragment.empty:
        return (
            f"The {called} “{fragment.words}” says that something is to change, and not what: "
            'say it like "by country", "only 1997" or "net price instead".'
        )
    return ""


async def corrected(
    read: Understood, words: str, catalogue: Catalogue, lookup: ValueLookup, today: date
) -> Understood | NotUnderstood:
    """The reading as a person's correction has it, told with what was changed."""
    found = await changed(read.intent, words, catalogue, lookup, today)
    if isinstance(found, str):
        return refused(found, catalogue)
    text = "corrected: " + ", ".join(found.changes)
    unused = _still_left_out(read, words)
    return Understood(
        intent=found.intent,
        summary=summarise(found.intent, catalogue),
        confidence=_no_surer(found.confidence, read, unused),
        measured=True,
        links=read.links,
        assumptions=(text, *unused, *found.notes),
    )


def _still_left_out(read: Understood, words: str) -> tuple[str, ...]:
    """What the reading told of unused words, but for those that the correction has."""
    text = words.casefold()
    notes = (note for note in read.assumptions if note.startswith(_LEAVES_OUT))
    return tuple(
        note
        for note in notes
        if not any(word in text for word in re.findall(r"\w+", note.partition(": ")[2].casefold()))
    )


def _no_surer(value: float, read: Understood, unused: tuple[str, ...]) -> float:
    """How sure a corrected reading is: a correction settles what it speaks of, and no other doubt.

    Where words stay without a part, it is no surer than the reading was. Who corrects one thing of
    a reading that was doubtful has not said that the rest is right: that is likely.
    """
    if unused:
        return min(value, read.confidence)
    return value if read.confidence >= LIKELY else min(value, LIKELY)


def refused(why: str, catalogue: Catalogue) -> NotUnderstood:
    """That a correction cannot be followed, with what there is."""
    tables = tuple(
        f"{table.name}: {', '.join(column.name for column in table.columns[:12])}"
        for table in catalogue.tables
    )
    return NotUnderstood(message=why, available=tables)
