"""What else a question could mean that is not surely read: what was tried beside the first."""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.confidence import thresholds
from services.planner.domain.query.intent import Intent, Rival
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reader.choice import alike
from services.planner.domain.reader.choice.candidate import Candidate
from services.planner.domain.reader.choice.confidence import odds_of
from services.planner.domain.reader.chosen import Choice
from services.planner.domain.reader.finish import finished
from services.planner.domain.reader.glimpse import glimpse_of
from services.planner.domain.reader.unread import unread_words

_WORTH_TELLING = 0.05
"""A reading is told of with at least this share of the odds of the first: less than is asked about,
since nobody has to choose."""


def rivals_of(choice: Choice, summary: str, catalogue: Catalogue) -> tuple[Rival, ...]:
    """The likeliest of the others whose rows are not those of one that is told, which make use of
    every word that the first does, each with a little of what it gives."""
    scene, most = choice.weighed.scene, len(choice.unread)
    odds = odds_of([one.score for one in choice.ranked])
    kept: list[Candidate] = [choice.best]
    told, found = {_sense(choice.best.intent)}, dict[str, Rival]()
    for one, share in zip(choice.ranked, odds, strict=True):
        if share < _WORTH_TELLING * odds[0] or len(found) == thresholds.MOST_OFFERED:
            break
        if _sense(one.intent) in told or any(alike.no_rival(one, other) for other in kept):
            continue
        intent = finished(one.intent, scene, catalogue)
        text = summarise(intent, catalogue)
        if text == summary or text in found or len(unread_words(scene, one)) > most:
            continue
        kept.append(one)
        told.add(_sense(one.intent))
        found[text] = Rival(intent=intent, summary=text, glimpse=glimpse_of(one.outcome, intent))
    return tuple(found.values())


def _sense(intent: Intent) -> tuple[str, frozenset[str]]:
    """What is asked for, in whatever order its columns stand: by first and last name, or by last
    and first."""
    split = frozenset(map(repr, intent.dimensions))
    return repr(intent.model_copy(update={"dimensions": (), "order": ()})), split
