"""Ties the figures that an analysis can tell to the names under which they were asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.reader.instructions.analysis import Each, Figure, Source, Verdict
from services.planner.domain.reader.instructions.ground import UnreadableError
from services.planner.domain.reader.instructions.offers import Offer
from services.planner.domain.reader.instructions.output import Rounding, Slot
from services.planner.domain.reader.instructions.verdicts import Rule, verdict_for
from services.planner.domain.reader.instructions.vocabulary import concepts, stems, words_in

_ALIKE = {
    "low": "lowest",
    "bottom": "lowest",
    "smallest": "lowest",
    "first": "lowest",
    "q1": "lowest",
    "high": "highest",
    "top": "highest",
    "largest": "highest",
    "last": "highest",
    "max": "highest",
    "mid": "middle",
    "medium": "middle",
    "fewest": "lowest",
    "most": "highest",
    "least": "lowest",
    "women": "f",
    "female": "f",
    "men": "m",
    "male": "m",
}
_NOT = re.compile(r"\b(?:no|not|non|without)\b")
_NAME_HINTS = frozenset("name names text string label category".split())
_GOOD, _MOST_BESIDE = 1.0, 6
_TELLING = frozenset(
    (
        "p-value",
        "R squared",
        "adjusted R squared",
        "root mean squared error",
        "mean",
        "median",
        "mean squared error",
        "mean absolute error",
        "standard deviation",
        "variance",
        "skewness",
        "kurtosis",
        "slope",
        "intercept",
        "interquartile range",
        "coefficient of variation",
        "degrees of freedom",
        "missing",
        "outliers",
        "difference",
        "population standard deviation",
    )
)


def figures_for(
    slots: Sequence[Slot],
    offers: Sequence[Offer],
    rules: Sequence[Rule],
    rounding: Rounding,
    alpha: float | None,
) -> list[Figure]:
    """A figure for each name, or what was asked for in words where there are none.

    Raises UnreadableError for a name that nothing is tied to.
    """
    if not slots:
        return _in_words(offers, rules, rounding)
    found: dict[str, tuple[Offer, Source]] = {}
    for slot in slots:
        verdict = verdict_for(slot, offers, rules, alpha)
        if verdict is not None:
            found[slot.name] = verdict
    open_slots = [slot for slot in slots if slot.name not in found]
    scored = sorted(
        (
            (_score(slot, offer, offers), -slot_place, -place, slot, offer)
            for slot_place, slot in enumerate(open_slots)
            for place, offer in enumerate(offers)
        ),
        key=lambda one: one[:3],
        reverse=True,
    )
    used: list[Offer] = []
    for score, _, _, slot, offer in scored:
        if score >= _GOOD and slot.name not in found and offer not in used:
            found[slot.name] = (offer, offer.source)
            used.append(offer)
    _by_elimination(open_slots, offers, found, used)
    missing = [slot.name for slot in slots if slot.name not in found]
    if missing:
        names = ", ".join(f"@{name}" for name in missing)
        raise UnreadableError(f"nothing that was read is the figure of {names}.")
    figures = [_named(slot, *found[slot.name], rounding) for slot in slots]
    answering = [offer for offer, _ in found.values()]
    return figures + _in_words(_left_out(offers, answering), (), rounding)


def _left_out(offers: Sequence[Offer], answering: Sequence[Offer]) -> list[Offer]:
    """Figures that a sentence asks for of which no name is: they are told as well."""
    numbers = {offer.order for offer in answering}
    sources = [offer.source for offer in answering]
    left = [
        offer
        for offer in offers
        if offer.asked
        and offer.order not in numbers
        and offer.source not in sources
        and not isinstance(offer.source, Each)
    ]
    return left if len(left) <= _MOST_BESIDE else []


def _by_elimination(
    slots: Sequence[Slot],
    offers: Sequence[Offer],
    found: dict[str, tuple[Offer, Source]],
    used: list[Offer],
) -> None:
    """As many names as asked figures are left: they belong together in their order."""
    left = [slot for slot in slots if slot.name not in found]
    free = [offer for offer in offers if offer.asked and offer not in used]
    if left and len(left) == len(free):
        for slot, offer in zip(left, free, strict=True):
            if _conflict(slot, offer):
                continue
            if offer.text == bool(set(words_in(slot.hint).split()) & _NAME_HINTS) or not offer.text:
                found[slot.name] = (offer, offer.source)


def _score(slot: Slot, offer: Offer, offers: Sequence[Offer]) -> float:
    """How well a figure fits a name: by what it is, of which column, of which group."""
    texts, hinted = concepts(words_in(slot.name)), concepts(f"{words_in(slot.hint)} {slot.wording}")
    words = {_ALIKE.get(word, word) for word in words_in(slot.name).split()}
    raw = set(words_in(slot.name).split())
    named = stems(slot.name)
    score = 2.0 * len(texts & offer.concepts) + 0.75 * len((hinted - texts) & offer.concepts)
    if isinstance(offer.source, Each):
        return -1.0  # many figures have no one name
    if _conflict(slot, offer):
        return -1.0
    score -= 1.5 * bool(texts and not texts & offer.concepts)
    score += 1.0 * len(named & {a for a in offer.about if not a.startswith("=")})
    labels = {a[1:] for a in offer.about if a.startswith("=")}
    sentences = {_ALIKE.get(label, label) for label in labels}
    spoken = bool(sentences & words or labels & raw or _spoken(labels, slot.name))
    if labels and not spoken and not _flag_score(slot, labels) and _has_sibling(offer, offers):
        return -1.0  # it is not said of which group
    score += 2.0 * spoken
    others = {
        _ALIKE.get(a[1:], a[1:]) for other in offers for a in other.about if a.startswith("=")
    }
    if sentences and not sentences & words and others & words:
        score -= 3.0
    rest = named - {a for a in offer.about if not a.startswith("=")}
    alike = any(o.concepts == offer.concepts and _labels(o) for o in offers)
    if not labels and alike and rest:
        return -1.0  # the name is of a group, but of none that is known
    score += _flag_score(slot, labels)
    if offer.text:
        wants_name = bool(set(words_in(slot.hint).split()) & _NAME_HINTS) or "name" in raw
        score += 1.0 if wants_name else 0.0
        score += 1.0 if named and named <= {a for a in offer.about if not a.startswith("=")} else 0
        score -= 2.0 * bool(texts - {"name"})
    return score + (0.25 if offer.asked else 0.0)


def _labels(offer: Offer) -> set[str]:
    return {a[1:] for a in offer.about if a.startswith("=")}


def _has_sibling(offer: Offer, offers: Sequence[Offer]) -> bool:
    """Whether the same is told of another group."""
    of = offer.about - {f"={label}" for label in _labels(offer)}
    return any(
        o.concepts == offer.concepts
        and o.about - {f"={label}" for label in _labels(o)} == of
        and _labels(o) != _labels(offer)
        for o in offers
    )


def _conflict(slot: Slot, offer: Offer) -> bool:
    """Whether a name says that it is of another kind: a mean is no p-value."""
    telling = concepts(words_in(slot.name)) & _TELLING
    return bool(telling) and not telling & offer.concepts


def _spoken(labels: set[str], name: str) -> bool:
    stemmed = {stem(word) for word in words_in(name).split()}
    return bool({stem(label) for label in labels} & stemmed)


def _flag_score(slot: Slot, labels: set[str]) -> float:
    """A group of those who say yes, or no, to what the name speaks of."""
    yes, no = labels & {"1", "true", "yes"}, labels & {"0", "false", "no"}
    if not yes and not no:
        return 0.0
    negated = _NOT.search(words_in(slot.name)) is not None
    return 1.0 if bool(no) == negated else -1.0


def _named(slot: Slot, offer: Offer, source: Source, rounding: Rounding) -> Figure:
    label = offer.label
    decimals = slot.decimals
    if decimals is None and not offer.text and not isinstance(source, Verdict):
        decimals = rounding.decimals(offer.concepts | concepts(words_in(slot.name)))
        whole = offer.concepts & {"count", "degrees of freedom", "outliers", "missing"}
        decimals = None if whole and "mean" not in offer.concepts else decimals
    if isinstance(source, Verdict):
        sign = {"<": "below", ">": "above"}.get(source.comparison, source.comparison)
        label = f"whether the {label} is {sign} {source.limit:g}"
        decimals = None
    percent = _percent(offer, slot)
    label = f"{label} in percent" if percent else label
    return Figure(label=label, source=source, name=slot.name, decimals=decimals, percent=percent)


def _percent(offer: Offer, slot: Slot | None) -> bool:
    if "share" not in offer.concepts and "share missing" not in offer.concepts:
        return False
    text = f"{words_in(slot.name)} {slot.hint} {slot.wording}" if slot is not None else ""
    return offer.percent or re.search(r"\b(?:pct|percent\w*)\b|%", text) is not None


def _in_words(offers: Sequence[Offer], rules: Sequence[Rule], rounding: Rounding) -> list[Figure]:
    asked = [offer for offer in offers if offer.asked]
    made = [
        Figure(
            label=f"{offer.label} in percent" if _percent(offer, None) else offer.label,
            source=offer.source,
            percent=_percent(offer, None),
            decimals=rounding.decimals(offer.concepts) if not offer.text else None,
        )
        for offer in dict.fromkeys(asked)
    ]
    for rule in rules:
        if rule.yes and rule.no:
            slot = Slot("", options=(rule.yes, rule.no))
            found = verdict_for(slot, offers, [rule], None)
            if found is not None:
                made.append(
                    Figure(
                        label=f"whether the {found[0].label} is {rule.comparison} {rule.limit:g}",
                        source=found[1],
                    )
                )
    return made


def with_order(offers: Sequence[Offer], barriers: int, order: int) -> list[Offer]:
    """The offers of a sentence, marked with its place."""
    return [replace(offer, barriers=barriers, order=order) for offer in offers]
