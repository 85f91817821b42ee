"""Finds what a question says about a reference of a table to itself, and takes it out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.normalise import readable_table
from services.planner.domain.query.joining.entities import singular
from services.planner.domain.reader.defining.formula import spellings
from services.planner.domain.reader.referring.roles import Role, roles_of, why_not

Kind = Literal["below", "above", "none", "some", "each", "beside"]
_STOPS = (
    r"(?:and|or|but|in|on|at|by|per|for|with|without|from|who|whom|that|which|whose|sorted|ordered"
)
_STOPS += r"|hired|born|living|is|are|was|were|has|have|had|does|do|did|as|to|the|each|every|any"
_STOPS += r"|anyone|anybody|someone|nobody|how|what|when|where|show|list|an?|all|of|his|her|their)"
_NAME = rf"(?:(?!{_STOPS}\b)[^\W_][\w.\-]*(?:[’'](?!s\b)\w+)?)"
_WHO = rf"(?P<who>{_NAME}(?:\s+{_NAME}){{0,3}}?)"
_END = rf"(?=\s*(?:[?.!,;]|$)|\s+{_STOPS}\b)"
_BEING = r"(?:(?:is|are|was|were)\s+)?"
_LINK = rf"(?:(?:who|that|which)\s+)?{_BEING}"
_SOME = r"(?:an?|the|any|their|his|her|its|direct|line|own|immediate)"
_BEFORE_NOUN = frozenset(
    """the a an each every per by of and their his her its which what any no many all own direct
    line whose excluding except immediate different are who list show have has with without for
    distinct most fewest""".split()
)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A question without its words about a role; `who` is the row that was named.

    The rows asked for are those "below" or "above" the one named, those that refer to "none" or to
    "some"; things are told apart by the row that "each" refers to, or listed with it "beside" them.
    """

    question: str
    role: Role | None = None
    kind: Kind = "each"
    who: str = ""
    problem: str = ""


def spoken(question: str, catalogue: Catalogue) -> Spoken:
    """What is left to be read, and how; the question as it is where no role is spoken of."""
    for role in roles_of(catalogue):
        if not _mentioned(question, role):
            continue
        if _denied(question, role) and _none(question, role) is None:
            return Spoken(question, role, problem=why_not(role))
        for read in (_none, _beside, _below, _above, _some, _each):
            found = read(question, role)
            if found is not None:
                return replace(found, question=_who_are(found.question, role))
        return Spoken(question, role, problem=why_not(role))
    return Spoken(question)


def _denied(question: str, role: Role) -> bool:
    """ "Do not report to Andrew Fuller", "whose manager is not Fuller"."""
    words = "|".join((*role.passives, *role.actives)) or r"(?!)"
    text = rf"(?:\bnot|n['’]t|\bnever)\s+(?:{words})\b"
    text += rf"|\b(?:{_noun(role)})\s+(?:is|was)(?:n['’]t|\s+not)\b"
    return re.search(text, question, re.IGNORECASE) is not None


def _mentioned(question: str, role: Role) -> bool:
    words = [*role.verbs, *role.passives, rf"{role.team}\s+of", rf"['’]s?\s+{role.team}"]
    if any(re.search(rf"{word}\b", question, re.IGNORECASE) for word in words):
        return True
    named = r"(?!\s+(?:ids?|keys?)\b)"  # "manager id" is a column, not a person
    for found in re.finditer(rf"\b(?:{_noun(role)})\b{named}", question, re.IGNORECASE):
        before = re.findall(r"[\w’']+", question[: found.start()].lower())
        if not before or before[-1] in _BEFORE_NOUN or before[-1].endswith(("'s", "’s")):
            return True
    return _active(question, role) is not None


def _noun(role: Role) -> str:
    return "|".join(role.nouns) or r"(?!)"


def _active(question: str, role: Role) -> re.Match[str] | None:
    verbs = "|".join(role.actives) or r"(?!)"
    patterns = (
        rf"\b(?:does|do|did)\s+{_WHO}\s+(?:{verbs})\b",
        rf"\bwho\s+(?:{verbs})\s+{_WHO}{_END}",
        rf"\b(?:that|whom)\s+{_WHO}\s+(?:{verbs})\b",
    )
    matches = (re.search(pattern, question, re.IGNORECASE) for pattern in patterns)
    return next((match for match in matches if match), None)


def _without(question: str, found: re.Match[str], role: Role, instead: str = "") -> str:
    """The question with other words for those found; "who" stands for things of the table."""
    start = question[: found.start()]
    if not start.strip() and found.group().lower().startswith("who "):
        start = f"which {readable_table(role.table)} "
    return f"{start}{instead}{question[found.end() :]}"


def _none(question: str, role: Role) -> Spoken | None:
    """ "Employees without a manager", "who reports to nobody"."""
    noun, verbs = _noun(role), "|".join(role.verbs) or r"(?!)"
    patterns = (
        rf"\b(?:without|lacking)\s+(?:{_SOME}\s+)*(?:{noun})\b",
        rf"\b{_LINK}(?:have|has|had|having|with)\s+no\s+(?:{_SOME}\s+)*(?:{noun})\b",
        rf"\b{_LINK}(?:do|does|did)(?:n['’]t|\s+not)\s+have\s+(?:{_SOME}\s+)*(?:{noun})\b",
        rf"\b{_LINK}(?:{verbs})\s+(?:no[- ]?one|nobody)\b",
        rf"\b{_LINK}(?:do|does|did)(?:n['’]t|\s+not)\s+(?:{verbs})"
        rf"\s+(?:anyone|anybody|someone|a\s+(?:{noun}))\b",
    )
    return _first(question, patterns, lambda m: Spoken(_without(question, m, role), role, "none"))


def _beside(question: str, role: Role) -> Spoken | None:
    """ "Employees and their managers", "the manager of each employee", "who reports to whom"."""
    noun, verbs = rf"(?:{_SOME}\s+)*(?:{_noun(role)})", "|".join(role.verbs) or r"(?!)"
    entities = readable_table(role.table)
    entity = rf"(?:{entities}|{singular(role.table)})"
    whom = rf"^who\s+(?:{verbs})\s+whom?\b"
    patterns = (
        rf"(?:,|\s+(?:and|with|along with|together with))\s+(?:their|his|her|its)\s+{noun}\b",
        rf"\s+and\s+(?:whom?\s+)?they\s+(?:{verbs})(?:\s+to)?\b",
        rf"\b{noun}\s+(?:of|for)\s+(?:each|every|all|the)\s+(?:of\s+)?(?:the\s+)?{entity}\b",
        rf"\b(?:each|every)\s+{entity}['’]s?\s+{noun}\b",
    )
    if re.search(whom, question, re.IGNORECASE):
        return Spoken(f"list {entities}", role, "beside")

    def listed(match: re.Match[str]) -> Spoken:
        own = "" if match.re.pattern in patterns[:2] else entities
        left = f"{question[: match.start()]}{own}{question[match.end() :]}"
        return Spoken(left, role, "beside")

    return _first(question, patterns, listed)


def _below(question: str, role: Role) -> Spoken | None:
    """ "Who reports to Andrew Fuller", "staff managed by Fuller", "whose manager is Fuller"."""
    noun, verbs = _noun(role), "|".join(role.passives) or r"(?!)"
    patterns = (
        rf"\b{_LINK}(?:{verbs})\s+{_WHO}{_END}",
        rf"\b{role.team}\s+of\s+{_WHO}{_END}",
        rf"\b{_WHO}['’]s?\s+{role.team}\b",
        rf"\bwhose\s+(?:{_SOME}\s+)*(?:{noun})\s+(?:is|was)\s+{_WHO}{_END}",
        rf"\b{_LINK}(?:have|has|having|with)\s+{_WHO}\s+as\s+(?:{_SOME}\s+)*(?:{noun})\b",
    )
    found = _first(
        question,
        patterns,
        lambda m: Spoken(_without(question, m, role, f" {m['who']}"), role, "below", m["who"]),
    )
    active = _active(question, role) if found is None else None
    if active is None or active.group().lower().startswith("who"):
        return found
    return Spoken(
        _without(question, active, role, f" {active['who']}"), role, "below", active["who"]
    )


def _above(question: str, role: Role) -> Spoken | None:
    """ "The manager of Nancy Davolio", "whom does Nancy report to", "who manages Nancy"."""
    noun, verbs = _noun(role), "|".join(role.verbs) or r"(?!)"
    entities = readable_table(role.table)
    patterns = (
        rf"\b(?:to\s+)?(?:whom?|which\s+\w+)\s+(?:does|do|did)\s+{_WHO}\s+"
        rf"(?:{verbs}|report(?:\s+directly)?)(?=\s*[?.!]?\s*$)",
        rf"\b(?:{noun})\s+(?:of|for)\s+(?:the\s+employee\s+)?{_WHO}{_END}",
        rf"\b{_WHO}['’]s?\s+(?:{_SOME}\s+)*(?:{noun})\b",
    )

    def named(match: re.Match[str]) -> Spoken:
        left = f"{question[: match.start()]}{entities} {match['who']}{question[match.end() :]}"
        return Spoken(left, role, "above", match["who"])

    found = _first(question, patterns, named)
    active = _active(question, role) if found is None else None
    if active is None or not active.group().lower().startswith("who"):
        return found
    return named(active)


def _some(question: str, role: Role) -> Spoken | None:
    """ "Employees with a manager"."""
    text = rf"\b{_LINK}(?:have|has|having|with)\s+an?\s+(?:{_noun(role)})\b"
    text += r"(?!\s+(?:named|called|who))"
    return _first(question, (text,), lambda m: Spoken(_without(question, m, role), role, "some"))


def _each(question: str, role: Role) -> Spoken | None:
    """ "Employees per manager": the column itself, to be shown as whom it refers to."""
    noun = rf"(?:{_SOME}\s+)*(?:{_noun(role)})"
    patterns = (
        rf"(?<=\bby ){spellings(role.column)}\b",
        rf"(?<=\bper )(?:{noun})\b",
        rf"(?<=\bby )(?:{noun})\b",
        rf"(?<=\beach )(?:{noun})\b",
        rf"(?<=\bevery )(?:{noun})\b",
        rf"(?<=\bwhich )(?:{noun})(?=\s+(?:has|have|had)\b)",
    )
    many = (
        rf"\bhow\s+many\s+(?:different\s+)?(?:{noun})(?:\s+(?:are|do|exist)\b.{{0,16}})?\s*[?.]?$"
    )
    listed = (
        rf"^(?:(?:who|which) are|list|show(?: me)?|name)\s+(?:all\s+)?(?:the\s+)?{noun}\s*[?.]?$"
    )
    if re.search(listed, question, re.IGNORECASE):
        left = f"list {role.column} of {readable_table(role.table)}"
        return Spoken(left, role, "each")
    counted = re.search(many, question, re.IGNORECASE)
    if counted is not None:
        left = f"how many different {role.column} of {readable_table(role.table)}"
        return Spoken(left, role, "each")
    return _first(
        question, patterns, lambda m: Spoken(_without(question, m, role, role.column), role, "each")
    )


def _first(
    question: str, patterns: tuple[str, ...], made: Callable[[re.Match[str]], Spoken]
) -> Spoken | None:
    for pattern in patterns:
        match = re.search(pattern, question, re.IGNORECASE)
        if match is not None:
            return made(match)
    return None


def _who_are(question: str, role: Role) -> str:
    """With "who" read as which things of the table, which alone can be meant."""
    entities = readable_table(role.table)
    plain = re.sub(r"\s+", " ", question).strip()
    if not re.search(rf"\b{re.escape(entities[:-1] or entities)}", plain, re.IGNORECASE):
        plain = re.sub(
            r"^(?:who(?:m|se)?|people|staff)\b(?:\s+(?:is|are|was|were))?(?:\s+the\b)?",
            f"which {entities}",
            plain,
            flags=re.IGNORECASE,
        )
    return re.sub(r"^who\s+(?:is|are|was)\s+(?:the\s+)?", "which ", plain, flags=re.IGNORECASE)
