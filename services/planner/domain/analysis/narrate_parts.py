"""The answers of several domains in words: what each gave, under its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from services.planner.domain.analysis.narrate import Narration, narrate
from services.planner.domain.reporting.evidence import ClaimBook
from services.planner.domain.reporting.prose import Origin, Piece, Prose, Quoted
from services.planner.domain.reporting.story import Story


def narrate_parts(stories: Sequence[tuple[str, Story]], book: ClaimBook) -> Narration:
    """Each story under the name of its domain; the finding is that of the first.

    Raises UnstatedError, as `narrate` does, and ValueError without stories.
    """
    pairs = [(name, narrate(story, book)) for name, story in stories]
    prose: list[Prose | Piece | str] = []
    for name, one in pairs:
        prose += [" " if prose else "", Quoted(name, Origin.NAME), ": ", one.answer]
    empty = [one.empty_reason for _, one in pairs]
    return replace(
        pairs[0][1],
        answer=Prose.of(*prose),
        display_task="",
        empty_reason=empty[0] if all(empty) else None,
        caveats=tuple(dict.fromkeys(text for _, one in pairs for text in one.caveats)),
        gaps=tuple(dict.fromkeys(text for _, one in pairs for text in one.gaps)),
        formats={name: how for _, one in pairs for name, how in one.formats.items()},
    )
