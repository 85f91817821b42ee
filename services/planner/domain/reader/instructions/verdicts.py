"""Verdicts: what is to be said if a number lies on one side of a limit, and what otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from services.planner.domain.catalogue import Table
from services.planner.domain.reader.instructions.analysis import (
    Comparison,
    Difference,
    Number,
    Tested,
    Verdict,
)
from services.planner.domain.reader.instructions.marking import marked
from services.planner.domain.reader.instructions.offers import Offer
from services.planner.domain.reader.instructions.output import Slot
from services.planner.domain.reader.instructions.sentences import Sentence
from services.planner.domain.reader.instructions.signs import SIGN, sign_of
from services.planner.domain.reader.instructions.vocabulary import concepts

_N, _Q = r"⟨n\d+⟩", r"⟨q\d+⟩"
_SUBJECT = r"(?:the |its |their |this )*(?P<subject>(?:absolute )?(?:[^⟨·,]|⟨n\d+⟩){1,60}?)"
_IS = r"(?: (?:is|was|are|value|of|it))*"
_THEN = rf" ?(?:[,:] ?)?(?:then )?(?P<said>[^·]*?(?P<yes>{_Q})[^·]*?)"
_ELSE = rf"(?:[,;] ?)?(?:and |or )?(?:otherwise|else|if not)(?P<not>[^·]*?(?P<no>{_Q}))"
_RULES = tuple(
    re.compile(form)
    for form in (
        rf"(?<!\S)if {_SUBJECT}{_IS} (?P<sign>{SIGN}) (?P<n>{_N}){_THEN}{_ELSE}",
        rf"(?P<yes>{_Q})(?: \S+){{0,2}}? if {_SUBJECT}{_IS} (?P<sign>{SIGN}) (?P<n>{_N}) ?{_ELSE}",
        rf"(?P<yes>{_Q})(?: \S+){{0,2}}? if {_SUBJECT}{_IS} (?P<sign>{SIGN}) (?P<n>{_N})",
    )
)
_CONSIDER = re.compile(
    rf"consider(?: \w+){{0,4}}? (?:to be |as |a |an )*(?P<word>[a-z]+(?: [a-z]+)?) (?:if|when) "
    rf"{_SUBJECT}{_IS} (?P<sign>{SIGN}) (?P<n>{_N})"
)
_NEGATIVE = re.compile(
    r"\b(?:not|no|non|false|fail|fails|cannot|un\w+|in(?:significant"
    r"|dependent)|"
    r"dis\w+|rejected|abnormal)\b",
    re.IGNORECASE,
)
_NULL = re.compile(
    r"\b(?:same|equal|equality|homogen\w*|independen\w*|normal|normality|normally|accept|retain"
    r"|gaussian)\b",
    re.IGNORECASE,
)
_AGAINST = re.compile(r"\b(?:not|non|un|reject\w*|different|differ|unequal)\b", re.IGNORECASE)
_ASKING = re.compile(
    r"\b(?:significan\w*|reject\w*|normal\w*|decision|conclusion|differ\w*|relat\w*|associat\w*|"
    r"depend\w*|equal\w*|correlated|hypothesis|same|effect)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Rule:
    """A verdict that the question spells out; `yes` and `no` are empty where it leaves them."""

    subject: frozenset[str]
    comparison: Comparison
    limit: float
    yes: str
    no: str
    absolute: bool
    slot: str = ""


def slot_rules(slot: Slot) -> list[Rule]:
    """The rules that are told of a name: "where x is 'good' if R² is above 0.7"."""
    if not re.search(r"\bif\b", slot.wording):
        return []
    nothing = Table(name="", source_name="", rows=0, columns=())
    return [
        replace(rule, slot=slot.name) for rule in read_rules([marked(slot.wording, nothing, [])])
    ]


def read_rules(sentences: Sequence[Sentence]) -> list[Rule]:
    """The rules that sentences spell out; their words are taken out."""
    found: list[Rule] = []
    for sentence in sentences:
        for pattern in (*_RULES, _CONSIDER):
            match = pattern.search(sentence.text)
            if match is None:
                continue
            groups = match.groupdict()
            subject = concepts(match.group("subject"))
            if not subject or (pattern is _CONSIDER and "p-value" in subject):
                continue
            yes = sentence.marks[groups["yes"]].text if groups.get("yes") else groups["word"] or ""
            no = sentence.marks[groups["no"]].text if groups.get("no") else ""
            yes = re.sub(r"^(?:the|a|an) ", "", yes)
            limit = sentence.marks[match.group("n")].number
            found.append(
                Rule(
                    subject,
                    sign_of(match.group("sign")),  # type: ignore[arg-type]
                    limit,
                    yes,
                    no,
                    "absolute" in match.group("subject"),
                )
            )
            sentence.cut(match)
    return found


def verdict_for(
    slot: Slot, offers: Sequence[Offer], rules: Sequence[Rule], alpha: float | None
) -> tuple[Offer, Verdict] | None:
    """The verdict that a name asks for; None where it asks for none, or there is no number."""
    for rule in rules:
        if rule.slot and rule.slot != slot.name:
            continue
        subject = {"difference"} if "difference" in rule.subject else rule.subject
        of = next((o for o in offers if o.concepts & subject and _is_number(o)), None)
        spelt = slot.options is None or {o.lower() for o in slot.options} & {rule.yes.lower()}
        asks = slot.options is not None or not concepts(slot.text)
        if of is not None and spelt and asks and (slot.options or rule.no):
            words = slot.options or (rule.yes, rule.no)
            no = rule.no or next((o for o in words if o.lower() != rule.yes.lower()), "")
            return of, _verdict(of, rule.comparison, rule.limit, rule.yes, no, rule.absolute)
    options = slot.options
    if options is None or any(rule.slot == slot.name for rule in rules):
        return None
    every = [o for o in offers if "p-value" in o.concepts and not _about_one(o) and _is_number(o)]
    if len(every) != 1:
        return None  # it is not said which of several tests decides
    likely = every[0]
    if not _ASKING.search(f"{slot.text} {' '.join(options)}"):
        return None
    yes, no = _ordered(options)
    asserts_null = _asserts_null(slot, yes)
    found, unfound = (no, yes) if asserts_null else (yes, no)
    return likely, _verdict(likely, "<", alpha or 0.05, found, unfound, absolute=False)


def _verdict(
    of: Offer, comparison: Comparison, limit: float, yes: str, no: str, absolute: bool
) -> Verdict:
    source = of.source
    if not isinstance(source, Number | Tested | Difference):
        raise TypeError(type(source).__name__)
    return Verdict(of=source, comparison=comparison, limit=limit, yes=yes, no=no, absolute=absolute)


def _is_number(offer: Offer) -> bool:
    return isinstance(offer.source, Number | Tested | Difference) and not offer.text


def _about_one(offer: Offer) -> bool:
    return isinstance(offer.source, Tested) and bool(offer.source.about)


def _ordered(options: tuple[str, str]) -> tuple[str, str]:
    """The affirmative option first: the other one says no."""
    one, other = options
    if _NEGATIVE.search(one) and not _NEGATIVE.search(other):
        return other, one
    return one, other


def _asserts_null(slot: Slot, yes: str) -> bool:
    """Whether the affirmative says that there is nothing: normal, equal, the same."""
    spoken = yes if yes.lower() not in ("yes", "true") else f"{slot.text}"
    spoken = re.sub(re.escape("/".join(slot.options or ())), "", spoken)
    return _NULL.search(spoken) is not None and _AGAINST.search(spoken) is None
