"""A question for a statistical test, or for a table as a whole, read by what it names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mesh.remarks import NOT_USED
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.confidence import thresholds
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.normalise import name_words, tokenise
from services.planner.domain.lexicon.stop_words import PRESENTATION, STOP_WORDS
from services.planner.domain.query.intent import Intent, Link, NotUnderstood, Understood
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reader.chart.beam import choose_conditions
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.choice.candidate import Weighed
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.lost_amounts import refused
from services.planner.domain.reader.statistics.columns import tested
from services.planner.domain.reader.statistics.ground import Ground, ground_of
from services.planner.domain.reader.statistics.holding import describe_missing_share
from services.planner.domain.reader.statistics.methods import method_not_offered
from services.planner.domain.reader.statistics.wish import (
    StatisticWish,
    statistic_wish,
)

_PROFILE = re.compile(
    r"\b(?:profile|describe|summari[sz]e|summary|overview of|what(?:'s| is) in|explore|inspect)\b.*"
    r"\b(?:data(?:set|base)?|table|file|columns?|this|it)\b"
    r"|^\s*(?:profile|describe(?! (?:how|why|what|when)\b)|overview)\b",
    re.IGNORECASE,
)
_OF_PROFILES = frozenset(
    """profile describe description summarise summarize summary overview explore inspect data
    dataset datasets set table tables file files column columns field fields variable
    variables whole full entire statistics stats statistical quick brief short main first look
    inside contents content structure""".split()
)
_NAMED_TEST, _IMPLIED_TEST, _LARGEST = 0.9, 0.7, 0.6
_MOST_UNREAD = 1
_IN_FULL = ("exact", "alias")
_FLAGS = ("flag yes", _DENIED := "flag no")


def statistic_reading(question: str, weighed: Weighed) -> Understood | NotUnderstood | None:
    """The test that is asked for; why it cannot be had; None where the question asks for none."""
    catalogue = weighed.scene.schema.catalogue
    tokens = tokenise(question)
    names = {w for t in catalogue.tables for c in t.columns for w in name_words(c.name)}
    scene = weighed.scene
    unable = method_not_offered(question, scene, tokens, names, tested=False)
    wish = statistic_wish(question, tokens, names)
    if wish is not None:
        unable = unable or method_not_offered(question, scene, tokens, names, tested=True)
        unable = unable or describe_missing_share(question)
    if unable:
        return refused(unable, catalogue)
    profile = _PROFILE.search(question) is not None
    if wish is None and not profile:
        return None
    ground = ground_of(weighed.scene, tokens, _conditions(weighed))
    if profile and _is_of_table(question, wish, ground):
        return _profile_of(ground, catalogue)
    if wish is None:
        return None
    found = tested(wish, ground, weighed.scene.graph)
    if found is None:
        return None
    if isinstance(found, str):
        return refused(found, catalogue)
    intent, notes = found
    return _decide(intent, notes, wish, ground, catalogue)


def _conditions(weighed: Weighed) -> list[Proposal]:
    """The likeliest conditions, every value that is said in full, and every yes that is denied: a
    test keeps no others. Who did and who did not are two groups, and no condition."""
    chosen = choose_conditions(weighed.proposals, weighed.condition_odds)
    taken = [one for one in chosen[0].taken if not one.of_groups] if chosen else []
    odds = zip(weighed.proposals, weighed.condition_odds, strict=True)
    for one, _ in sorted(odds, key=lambda pair: -pair[1]):
        apart = all(one.last < other.first or other.last < one.first for other in taken)
        if apart and (one.source in _IN_FULL or one.source == _DENIED) and not one.of_groups:
            taken.append(one)
    two = _both_answers(weighed.proposals)
    taken = [one for one in taken if one.source not in _FLAGS or one.place not in two]
    return sorted(taken, key=lambda one: one.first)


def _both_answers(proposals: Sequence[Proposal]) -> set[Place | None]:
    """Columns of yes or no of which both are said: "who survived and who did not survive"."""
    yes = {one.place for one in proposals if one.source == "flag yes"}
    return yes & {one.place for one in proposals if one.source == _DENIED}


def _decide(
    intent: Intent,
    notes: tuple[str, ...],
    wish: StatisticWish,
    ground: Ground,
    catalogue: Catalogue,
) -> Understood | NotUnderstood:
    """The test with what was left out, doubtful for one word and refused for more."""
    unread = list(dict.fromkeys(token.text for token in ground.unread()))
    text = ", ".join(f'"{word}"' for word in unread)
    if len(unread) > _MOST_UNREAD:
        return refused(f"what {text} should mean for this test is not understood", catalogue)
    left = [*ground.doubts, *([f"{NOT_USED}{text}"] if unread else [])]
    if wish.held_out is not None and not wish.held_out.has_seed:
        left.append(f"the rows held out are those of seed {wish.held_out.seed}, as none is told")
    sure = _IMPLIED_TEST if wish.implied or notes or ground.doubts else _NAMED_TEST
    return Understood(
        intent=intent,
        summary=summarise(intent, catalogue),
        measured=True,
        confidence=thresholds.DOUBTFUL if unread else sure,
        links=_links(ground),
        assumptions=(*notes, *left),
    )


def _links(ground: Ground) -> tuple[Link, ...]:
    return tuple(
        Link(
            phrase=m.phrase,
            score=m.score,
            reason="name",
            target=f"{m.column} of {m.table}" if m.column else m.table,
            names=tuple(name for name in (m.table, m.column) if name),
        )
        for m in ground.mentions
    )


def _is_of_table(question: str, wish: StatisticWish | None, ground: Ground) -> bool:
    """Whether a whole table is to be told of, rather than some of its columns or rows."""
    if any(m.column for m in ground.mentions) or ground.filters:
        return False
    named = {word for m in ground.mentions for word in words_of(m.table)}
    texts = {token.lower for token in tokenise(question) if token.stem}
    if texts - {*named, *(f"{word}s" for word in named)} - _OF_PROFILES - STOP_WORDS - PRESENTATION:
        return False  # "describe the section h" asks for no table
    return wish is None or (wish.test == "describe" and "describ" in question.lower())


def _profile_of(ground: Ground, catalogue: Catalogue) -> Understood | NotUnderstood:
    """The reading that describes the table named, else the largest."""
    named = [m.table for m in ground.mentions]
    largest = max(catalogue.tables, key=lambda t: t.rows, default=None)
    if largest is None:
        return refused("there is no table to describe", catalogue)
    base = named[0] if named else largest.name
    clear = bool(named) or len(catalogue.tables) == 1
    return Understood(
        intent=Intent(base=base, profile=True),
        summary=f"profile of every column of {base}",
        confidence=_NAMED_TEST if clear else _LARGEST,
        measured=True,
        links=_links(ground),
        assumptions=() if clear else (f"the largest table, {base}",),
    )
