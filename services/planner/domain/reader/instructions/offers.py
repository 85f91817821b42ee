"""Figures that can be told, with the words by which a question may ask for each."""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.domain.reader.instructions.analysis import (
    Difference,
    Each,
    Extreme,
    Number,
    Source,
    Test,
    Tested,
    Verdict,
)


@dataclass(frozen=True)
class Offer:
    """A figure: `concepts` say what it is, `about` are words for the column or group it is of.

    `asked` ones were asked for in words; the others come with a test and are told where a name
    asks for them. `text` is no number; a share is told as `percent`; what is told of it comes after
    so many `barriers`, which are steps that earlier figures are not to see.
    """

    source: Source
    label: str
    concepts: frozenset[str]
    about: frozenset[str] = frozenset()
    asked: bool = True
    text: bool = False
    percent: bool = False
    barriers: int = 0
    order: int = 0


def at_stage(source: Source, stage: int) -> Source:
    """The same figure of the rows that so many steps leave."""
    match source:
        case Number():
            return source.model_copy(update={"stage": stage})
        case Extreme() | Each():
            return source.model_copy(update={"number": at_stage(source.number, stage)})
        case Tested():
            test: Test = source.test.model_copy(update={"stage": stage})
            return source.model_copy(update={"test": test})
        case Difference():
            ends = {
                "first": at_stage(source.first, stage),
                "second": at_stage(source.second, stage),
            }
            return source.model_copy(update=ends)
        case Verdict():
            return source.model_copy(update={"of": at_stage(source.of, stage)})
