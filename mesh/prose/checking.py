"""Checks a text against the frames that it cites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from mesh.prose.bindings import Text, parse_text
from mesh.prose.clauses import BoundValue, clauses_of
from mesh.prose.failures import Failure, FailureCode
from mesh.prose.frames import Frame
from mesh.prose.references import UnreadableReference, evaluate
from mesh.prose.rules.comparisons import find_wrong_comparisons
from mesh.prose.rules.directions import find_wrong_directions
from mesh.prose.rules.evidence import find_unfounded_evidence
from mesh.prose.rules.extremes import find_wrong_extremes
from mesh.prose.rules.names import find_wrong_names
from mesh.prose.rules.numbers import find_wrong_numbers
from mesh.prose.rules.times import find_wrong_times
from mesh.prose.rules.unbound import find_unbound_numbers

RULES = (
    find_wrong_numbers,
    find_wrong_names,
    find_wrong_times,
    find_wrong_directions,
    find_wrong_extremes,
    find_wrong_comparisons,
    find_unfounded_evidence,
)
LONGEST = 200_000


@dataclass(frozen=True, slots=True)
class CheckedText:
    """What was found: failures in the order of the text, and how much is bound to which frames."""

    failures: tuple[Failure, ...]
    bound: int
    frames: tuple[str, ...]


def check_text(source: str, frames: Mapping[str, Frame]) -> CheckedText:
    """Everything in a text that its frames do not bear out.

    Raises ValueError for a text of more than `LONGEST` characters.
    """
    if len(source) > LONGEST:
        raise ValueError(f"the text has {len(source):,} characters; {LONGEST:,} are the most")
    text = parse_text(source)
    bound_values: list[BoundValue] = []
    found = [*_unread(text), *_evaluated(text, frames, bound_values)]
    cited = {cell.frame.name for one in bound_values for cell in one.value.cells}
    cited |= {one.value.frame.name for one in bound_values if one.value.frame is not None}
    for clause in clauses_of(text, bound_values):
        found.extend(find_unbound_numbers(clause, {name: frames[name] for name in cited}))
        for rule in RULES:
            found.extend(rule(clause))
    found.extend(_doubts_left_out(bound_values, {name: frames[name] for name in sorted(cited)}))
    failures = [replace(one, line=text.line(one.start)) for one in found]
    return CheckedText(
        tuple(sorted(failures, key=lambda one: (one.start, one.code))),
        len(text.bound),
        tuple(sorted(cited)),
    )


def _unread(text: Text) -> Iterator[Failure]:
    for start, end in text.unread:
        yield Failure(
            FailureCode.BINDING_UNREADABLE,
            text.source[start:end][:60],
            "these braces hold no binding",
            "write {what is shown|FRAME.COLUMN[ROW]}, or \\{ for a brace",
            start,
            end,
        )


def _evaluated(
    text: Text, frames: Mapping[str, Frame], bound_values: list[BoundValue]
) -> Iterator[Failure]:
    for bound in text.bound:
        try:
            value = evaluate(bound.reference, frames)
            if not (value.cells or value.frame or value.doubt):
                raise UnreadableReference(f"{bound.reference} names no cell of a frame")
            bound_values.append(BoundValue(bound, value))
        except UnreadableReference as error:
            yield Failure(
                FailureCode.BINDING_UNREADABLE,
                f"{{{bound.shown}|{bound.reference}}}",
                str(error),
                "mend the reference",
                bound.start,
                bound.end,
            )


def _doubts_left_out(
    bound_values: list[BoundValue], frames: Mapping[str, Frame]
) -> Iterator[Failure]:
    """Doubts of frames that the text cites without passing them on."""
    passed = {
        (one.value.doubt[0].name, one.value.doubt[1]) for one in bound_values if one.value.doubt
    }
    for name, frame in frames.items():
        first = next(
            one.bound
            for one in bound_values
            if one.value.frame is frame or any(cell.frame is frame for cell in one.value.cells)
        )
        for code, sentence in frame.doubts.items():
            if (name, code) not in passed:
                yield Failure(
                    FailureCode.DOUBT_LEFT_OUT,
                    f"{name} without its doubt {code}",
                    sentence,
                    f"say it, as in {{…|doubt {name}.{code}}}, or mend the statement of {name}",
                    first.start,
                    first.end,
                )
        if frame.contested:
            yield Failure(
                FailureCode.FRAME_CONTESTED,
                name,
                "a check found an error in its statement, or in that of a frame it reads",
                "mend the statement, or accept it with a reason",
                first.start,
                first.end,
            )
