"""The hypotheses that an investigation begins with, and those that what it finds gives rise to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.hypothesis import Hypothesis, Test, hypothesis_id
from services.planner.domain.investigation.leaves.hypothesising import hypotheses_of_leaves
from services.planner.domain.investigation.wording import called, words_of_name

Segment = tuple[tuple[str, str | None], ...]
MOST_AT_FIRST = 12
_TITLE = 100


def first_hypotheses(
    ground: Ground, now: datetime, supposed: Mapping[str, str] | None = None, by: str = ""
) -> tuple[Hypothesis, ...]:
    """What may be behind any movement, the cheapest to rule out and the suspected ones first.

    `supposed` is what the model `by` supposes of dimensions, by their names.
    """
    of_dimensions = _of_dimensions(ground, supposed or {}, by)
    label = called(ground)
    if ground.leaf is not None:
        return _numbered([*hypotheses_of_leaves(ground), *of_dimensions], now)
    made: list[dict[str, object]] = [
        *_of_the_whole(ground, label),
        *(_of_segments(ground, label) if ground.dimensions else ()),
    ]
    return _numbered([*made, *of_dimensions], now)


def _of_the_whole(ground: Ground, label: str) -> list[dict[str, object]]:
    return [
        {
            "title": "The data changed, not what they are about",
            "causal_story": "Days are missing, rows were loaded twice, values went missing or are "
            f"in another unit, so that {label} moved on paper only.",
            "dimensions": ground.dimensions,
            "expected_pattern": "gaps, repeated rows, floods of missing values or a constant "
            "factor in one of the periods",
            "priority": 1,
            "test": Test.QUALITY,
        },
        {
            "title": "It moved no more than it usually does",
            "causal_story": f"{label} goes up and down by itself; the difference is within that.",
            "dimensions": (),
            "expected_pattern": "pairs of earlier periods differ as much as these two",
            "priority": 2,
            "test": Test.CHANGE,
        },
    ]


def _of_segments(ground: Ground, label: str) -> list[dict[str, object]]:
    return [
        {
            "title": "Some segments moved, alone or in combination",
            "causal_story": f"{label} moved because of a few segments, while the rest stayed.",
            "dimensions": ground.dimensions,
            "expected_pattern": "segments whose change stands out of what a search finds in data "
            "without a cause",
            "priority": 3,
            "test": Test.SEARCH,
        },
        {
            "title": "Everything moved alike",
            "causal_story": f"Something outside moved {label} in all segments by the same part.",
            "dimensions": ground.dimensions,
            "expected_pattern": "a change of the total that stands out, and none of a "
            "segment beside it",
            "priority": 4,
            "test": Test.ALIKE,
        },
    ]


def _of_dimensions(ground: Ground, supposed: Mapping[str, str], by: str) -> list[dict[str, object]]:
    made = []
    for name in ground.dimensions:
        one = _of_dimension(name, ground, name in ground.suspected)
        own = {"made_by": by, "supposed": supposed[name]} if name in supposed else {}
        made.append({**one, **own})
    return made


def _priority(name: str, ground: Ground, suspected: bool) -> int:
    """What people suspect comes first; what a model would look at, before what nobody named."""
    if suspected:
        return 2
    return 5 if name in ground.proposed.values() else 6


def _numbered(made: list[dict[str, object]], now: datetime) -> tuple[Hypothesis, ...]:
    made.sort(key=lambda one: one["priority"])  # type: ignore[arg-type,return-value]
    return tuple(
        Hypothesis.model_validate(
            {"hypothesis_id": hypothesis_id(number), "created_at": now, **one}
        )
        for number, one in enumerate(made[:MOST_AT_FIRST], 1)
    )


def _of_dimension(name: str, ground: Ground, suspected: bool) -> dict[str, object]:
    return {
        "title": _cut(f"It depends on {words_of_name(name)}"),
        "causal_story": _cut(
            f"Values of {name} {'are off' if ground.leaf else 'moved'} differently, so that some "
            f"of them make most of the {'difference' if ground.leaf else 'change'}.",
            500,
        ),
        "dimensions": (name,),
        "expected_pattern": f"contributions of the values of {name} that differ by more than "
        "chance",
        "priority": _priority(name, ground, suspected),
        "test": Test.DIMENSION,
        "suspected": suspected,
    }


def within_hypotheses(
    known: Sequence[Hypothesis], segments: Sequence[Segment], ground: Ground, now: datetime
) -> tuple[Hypothesis, ...]:
    """That parts moved alone, for each of these segments that nobody has asked that of and that
    has another dimension to be divided by."""
    asked = {frozenset(h.segment) for h in known if h.test is Test.WITHIN}
    made: list[Hypothesis] = []
    for segment in segments:
        inside = {name for name, _ in segment}
        others = [name for name in ground.dimensions if name not in inside]
        if others and frozenset(segment) not in asked:
            asked.add(frozenset(segment))
            made.append(within_hypothesis(len(known) + len(made) + 1, segment, others, now))
    return tuple(made)


def within_hypothesis(
    number: int, segment: Segment, others: Sequence[str], now: datetime
) -> Hypothesis:
    """That inside a segment which moved, parts of it moved alone."""
    named = in_words(segment)
    return Hypothesis(
        hypothesis_id=hypothesis_id(number),
        title=_cut(f"Within {named}, some parts moved alone"),
        causal_story=_cut(f"The change of {named} is one of a part of it, not of all of it.", 500),
        dimensions=tuple(others),
        expected_pattern="parts that moved differently from the rest of the segment",
        priority=3,
        created_at=now,
        test=Test.WITHIN,
        segment=segment,
    )


def in_words(segment: Segment) -> str:
    """A segment as people call it: "channel web with region North"; what is missing too."""
    if not segment:
        return "everything"
    texts = [
        f"{words_of_name(name)} {'(missing)' if value is None else value}"
        for name, value in segment
    ]
    if len(texts) == 1:
        return texts[0]
    rest = ", ".join(texts[1:-1]) + " and " + texts[-1] if len(texts) > 2 else texts[-1]
    return f"{texts[0]} with {rest}"


def _cut(text: str, most: int = _TITLE) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
