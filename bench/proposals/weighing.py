"""What decisions on known questions say of decisions to come, given how often a model errs.

Of the rules' own readings nothing is assumed: each question counts once. How often a configured
model errs nobody knows beforehand, nor how often it errs in the same way again, so that is stated
here, and docs/confidence.md tells what becomes of the measure where it is otherwise.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from bench.proposals.decisions import Case, Decision
from mesh.reliability import Measured, wilson
from services.planner.domain.confidence.seen import ConfidenceLevel, Kind, Seen
from services.planner.domain.confidence.telling import find_level, may_gain_by_sample

_OF_TEMPLATES = 0.25


@dataclass(frozen=True)
class Assumed:
    """`errs` of a model's first proposals are wrong, as of a person's statements; `misread` of
    these mistakes are misreadings, of which `shared` are the very ones of the rules, where these
    misread too, and the rest are slips. A second sample makes `repeated` of the mistakes again. A
    capable model had 2 of 75 questions wrong at first: the 95 % interval of that ends at 9 %."""

    errs: float = 0.05
    misread: float = 0.5
    shared: float = 1 / 3
    repeated: float = 0.5
    first: float = 1 / 3

    def to_json(self) -> dict[str, float]:
        """As JSON."""
        return {name: round(value, 3) for name, value in asdict(self).items()}


@dataclass(frozen=True)
class Weighed:
    """What is seen of a decision, whether it is right, how many decisions to come it stands for,
    over which database it is, and whether its question is of a template. `looked_at` is where
    people saw what the rules do while they wrote them: it tells right from wrong, and flatters."""

    seen: Seen
    right: bool
    weight: float
    database: str = ""
    of_template: bool = False
    looked_at: bool = False


def proposed(decisions: Sequence[Decision], assumed: Assumed) -> Iterator[Weighed]:
    """First proposals, each standing for its part of all; of the rules alone as they are."""
    counts: dict[Case, int] = defaultdict(int)
    for one in decisions:
        counts[one.case] += 1
    truths, slips = counts["truth"], assumed.errs * (1 - assumed.misread)
    misread = assumed.errs * assumed.misread
    parts: dict[Case, float] = {
        "truth": (1 - assumed.errs) * truths,
        "slip": slips * truths,
        "misread": misread * (1 - assumed.shared) * truths,
        "shared": misread * assumed.shared * truths,
        "statement": (1 - assumed.errs) * counts["statement"],
        "faulty statement": assumed.errs * counts["statement"],
        "rules": counts["rules"],
        "chosen": counts["chosen"],
        "chosen in vain": assumed.first * counts["chosen in vain"],
    }
    for one in decisions:
        part = parts[one.case] / counts[one.case]
        yield Weighed(one.seen, one.right, part, one.database, one.of_template, one.looked_at)


def balanced(group: Sequence[Weighed]) -> list[Weighed]:
    """The same with what templates asked as no more than a quarter of it: their questions are
    plainer than people's, and hide where these go wrong."""
    templates = sum(one.weight for one in group if one.of_template)
    others = sum(one.weight for one in group) - templates
    most = others * _OF_TEMPLATES / (1 - _OF_TEMPLATES)
    less = min(1.0, most / templates) if templates else 1.0
    return [replace(one, weight=one.weight * less) if one.of_template else one for one in group]


def asked_again(one: Weighed, assumed: Assumed, alike: float) -> Iterator[Weighed]:
    """What a second sample makes of a model's first: it agrees, or both differ. Of two that mean
    the same `alike` are seen to give the same."""
    same = alike * (1 - assumed.errs if one.right else assumed.repeated)
    both = one.seen.model_copy(update={"samples": 2})
    yield replace(one, seen=both, weight=one.weight * same)
    differ = one.seen.model_copy(update={"divided": True})
    yield replace(one, seen=differ, weight=one.weight * (1 - same))


def alike_in(decisions: Sequence[Decision]) -> float:
    """How often two right statements are seen to give the same, where each right way of writing
    the answer is as likely."""
    shares = [(1 + one.alike) / (1 + one.others) for one in decisions if one.case == "truth"]
    return sum(shares) / max(len(shares), 1)


def for_fitting(decisions: Sequence[Decision], assumed: Assumed) -> dict[Kind, list[Weighed]]:
    """Decisions by the kind whose curve they make: a model's first ones by themselves, and with
    what a second sample says of each."""
    found: dict[Kind, list[Weighed]] = defaultdict(list)
    alike = alike_in(decisions)
    for one in proposed(decisions, assumed):
        found[one.seen.kind].append(one)
        if one.seen.kind == "model":
            for again in asked_again(one, assumed, alike):
                found[again.seen.kind].append(again)
    return {kind: balanced(group) for kind, group in found.items()}


def weigh_decisions(
    decisions: Sequence[Decision], assumed: Assumed, by: Measured
) -> Iterator[tuple[ConfidenceLevel, Weighed]]:
    """Decisions as a planner with two samples tells them: a second is asked for only where it can
    make the answer sure."""
    alike = alike_in(decisions)
    for one in proposed(decisions, assumed):
        again = may_gain_by_sample(one.seen, by)
        for each in asked_again(one, assumed, alike) if again else (one,):
            yield find_level(each.seen, by), each


def share_of(group: Sequence[Weighed]) -> tuple[float, int, float, float]:
    """The share that is right, of how many decisions of equal weight (Kish 1965), and its 95 %
    Wilson interval."""
    whole = sum(one.weight for one in group)
    squares = sum(one.weight**2 for one in group)
    if not whole:
        return 0.0, 0, 0.0, 1.0
    share = sum(one.weight for one in group if one.right) / whole
    number = whole * whole / squares
    return share, round(number), *wilson(share * number, number)
