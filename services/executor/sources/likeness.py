"""How far the name of a column says that it refers to another table's key."""

from __future__ import annotations

from mesh.text.stemming import stem
from services.executor.sources.naming import words_of

GENERIC = {(stem(word),) for word in ("id", "code", "name", "key", "no", "number", "nr")}
KEY_WORDS = {stem(word) for word in ("id", "key", "code", "no", "number", "nr", "uuid")}
# Words that name a person by what they do, in columns that refer to a table of people.
_PEOPLE = {stem(w) for w in ("employee", "staff", "person", "people", "user", "worker", "member")}
_ROLES = {
    stem(w)
    for w in (
        "rep",
        "representative",
        "manager",
        "owner",
        "agent",
        "assignee",
        "salesperson",
        "supervisor",
        "seller",
        "author",
        "creator",
        "approver",
        "handler",
        "instructor",
    )
}
ABOVE = {stem(w) for w in ("reports", "manager", "parent", "supervisor", "boss", "superior")}
_LINKS = KEY_WORDS | {stem(w) for w in ("via", "by", "to", "with", "from")}
_SHORTEST_STEM = 4


def likeness(table: str, column: str, target: str, key: str) -> float:
    """How far the name of a table's column says that it refers to a key of another, from 0 to 1."""
    words, key_words = words_of(column), words_of(key)
    here, there = words_of(table), words_of(target)
    about_target = key_words[: len(there)] == there or key_words[:1] == there[-1:]
    if not words or not key_words:
        return 0.0
    if words == key_words and words not in GENERIC:
        about_itself = words[: len(here)] == here
        return 0.7 if about_itself and not about_target else 1.0 if about_target else 0.9
    generic = key_words in GENERIC
    if generic and words == (*there, *key_words):
        return 1.0
    if generic and words == (*there[-1:], *key_words):
        return 0.95
    if generic and len(words) > len(key_words) and words[-2:] == (*there[-1:], *key_words):
        return 0.85
    if len(key_words) > 1 and words[-len(key_words) :] == key_words:
        return 0.85
    reference = about_target or generic or key_words[-1] in KEY_WORDS
    if reference and words in (there, there[-1:], there[:1]) and words != here:
        return 0.75
    if reference and len(there) > 1 and len(words) > 1 and words[:-1] == there[-1:]:
        return 0.7 if words[-1] in KEY_WORDS else 0.0
    if reference and len(words) == 2 and words[-1:] == there[-1:] and words != here:
        return 0.75  # the team at home, the port from which it sails
    return _role_likeness(words, there) if reference else 0.0


def _role_likeness(words: tuple[str, ...], there: tuple[str, ...]) -> float:
    """How far a column says by a role what it refers to: a sales rep is an employee."""
    if there[-1] in _PEOPLE and _ROLES & set(words):
        return 0.7
    verb = words[0]
    linking = len(words) == 2 and words[1] in _LINKS and len(verb) >= _SHORTEST_STEM
    return 0.7 if linking and there[-1].startswith(verb) else 0.0
