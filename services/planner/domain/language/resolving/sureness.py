"""How surely a question was read: what its words were tied to, and which were left over."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.language.linking.lexicon import INITIALS, MISSPELLED, SHORT
from services.planner.domain.language.linking.meanings import SIMILAR
from services.planner.domain.language.linking.mention import Mention
from services.planner.domain.language.normalising.cues import VALUE_WORDS
from services.planner.domain.language.resolving.resolve import describe
from services.planner.domain.language.scene import Scene
from services.planner.domain.lexicon.normalise import name_words
from services.planner.domain.lexicon.vocabulary import STOP_WORDS
from services.planner.domain.query.intent import Link


def nearly_named(scene: Scene) -> list[str]:
    """What was taken for what was written otherwise: "Germani" for "Germany", "hours" for "HS"."""
    names = [m for m in scene.mentions if m.chosen.reason in (MISSPELLED, SHORT, INITIALS)]
    similar = [m for m in scene.mentions if m.chosen.reason.startswith(SIMILAR)]
    values = [m for m in scene.mentions if m.chosen.kind == "value"]
    read = [f'"{m.phrase}" is read as {m.chosen.column or m.chosen.table}' for m in names]
    read += [f'"{m.phrase}" is taken as {_called(m)}: {m.chosen.reason}' for m in similar]
    return read + [
        f'"{m.chosen.value}" is meant by "{_spelled(scene, m)}"'
        for m in values
        if name_words(m.chosen.value) != name_words(_spelled(scene, m))
        and not any(word in VALUE_WORDS for word in (m.phrase.lower(), *m.stems))
    ]


def _called(mention: Mention) -> str:
    chosen = mention.chosen
    return f"{chosen.column} in {chosen.table}" if chosen.column else chosen.table


def _spelled(scene: Scene, mention: Mention) -> str:
    token = scene.tokens[mention.first]
    return token.text if token.quoted else mention.phrase


def links_of(mentions: Sequence[Mention]) -> tuple[Link, ...]:
    """Which words were tied to what, for people."""
    return tuple(
        Link(
            phrase=m.phrase,
            target=describe(m.chosen),
            score=round(min(1.0, max(0.0, m.chosen.score)), 3),
            reason=m.chosen.reason,
            names=tuple(n for n in (m.chosen.table, m.chosen.column, m.chosen.value) if n),
        )
        for m in mentions
    )


def confidence_of(scene: Scene) -> float:
    """The share of the question's content words that were used, times how surely they were tied."""
    inside = {i for m in scene.mentions for i in range(m.first, m.last)}
    content = [
        i for i, t in enumerate(scene.tokens) if (t.stem or t.quoted) and t.lower not in STOP_WORDS
    ]
    known = [i for i in content if i in inside or scene.tokens[i].used]
    share = len(known) / len(content) if content else 1.0
    scores = [min(1.0, m.chosen.score) for m in scene.mentions] or [0.5]
    return round(share * sum(scores) / len(scores), 3)
