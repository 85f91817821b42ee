"""What a job tells of a question: passages of the topic, narrowed by the words that name something.

A word that nothing of the passages knows is never read past: then the job does not tell it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from services.planner.domain.answer import Claim
from services.planner.domain.catalogue import Frozen
from services.planner.domain.inquiry.cues import topics_asked
from services.planner.domain.inquiry.numbers import find_claims, numbers_in, unclaimed
from services.planner.domain.inquiry.passage import Passage, Topic
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.stop_words import STOP_WORDS
from services.planner.domain.lexicon.tokens import stem

_PAST = frozenset(
    "of about in on for the a an that this it its your you me again really exactly value number "
    "result answer figure finding segment so there then with most best".split()
)
_PLACES = {
    "first": 1,
    "main": 1,
    "biggest": 1,
    "largest": 1,
    "top": 1,
    "likeliest": 1,
    "second": 2,
    "third": 3,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
}
_MOST_PASSAGES = 6


class Known(Frozen):
    """What a finished job can be asked: its passages and claims, and words that are about all of
    it, such as its metric; `names` are names of its data, whose digits are no figures."""

    passages: tuple[Passage, ...]
    claims: tuple[Claim, ...] = ()
    general: str = ""
    names: tuple[str, ...] = ()

    @property
    def topics(self) -> tuple[Topic, ...]:
        """What it tells of, in order."""
        known_passages = [p for p in self.passages if self._sound(p)]
        return tuple(dict.fromkeys(topic for p in known_passages for topic in p.topics))

    def of(self, topic: Topic) -> list[Passage]:
        """Its passages on a topic whose numbers may be told."""
        found = [p for p in self.passages if topic in p.topics and self._sound(p)]
        return sorted(found, key=lambda passage: passage.rank)

    def _sound(self, passage: Passage) -> bool:
        return passage.own or not unclaimed(passage.text, self.claims, self.names)


class JobAnswer(Frozen):
    """What a job tells. Without `passages` it does not tell it, and `why` says so for people."""

    topic: Topic | None = None
    passages: tuple[Passage, ...] = ()
    claims: tuple[Claim, ...] = ()
    why: str = ""

    @property
    def text(self) -> str:
        """The words, for people."""
        return " ".join(dict.fromkeys(passage.text for passage in self.passages))


def choose_answer(words: str, known: Known) -> JobAnswer:
    """What a job tells of a question."""
    missing = ""
    for cue, rest in topics_asked(words):
        passages = known.of(cue.topic)
        if not passages:
            missing = missing or f"nothing is recorded of {cue.topic.value}"
            continue
        if cue.topic is Topic.COMPUTED and (figures := numbers_in(rest)):
            found = _of_number(figures[0], known)
        else:
            found = _narrowed(rest, words, passages, known)
        if isinstance(found, str):
            missing = missing or found
            continue
        text = " ".join(passage.text for passage in found)
        return JobAnswer(
            topic=cue.topic,
            passages=tuple(found[:_MOST_PASSAGES]),
            claims=find_claims(text, known.claims),
        )
    return JobAnswer(why=missing or "its words ask for nothing that is recorded")


def _narrowed(
    rest: str, words: str, passages: Sequence[Passage], known: Known
) -> list[Passage] | str:
    """The passages that the words leave, or which word names nothing of them."""
    places = [_PLACES[w] for w in words.casefold().split() if w in _PLACES]
    if places:
        passages = [p for p in passages if p.rank == places[0]]
        if not passages:
            return f"there is no explanation number {places[0]}"
    wanted = [w for w in words_of(rest) if w and w not in _PAST and w not in STOP_WORDS]
    general = _stems([known.general])
    kept = list(passages)
    for word in wanted:
        hits = [p for p in kept if stem(word) in _stems([p.text, p.about])]
        if hits:
            kept = hits
        elif stem(word) not in general:
            return f"nothing is recorded of “{word}” there"
    # Of several explanations only those that are named are meant, else all: the first first.
    return kept


def _of_number(figure: str, known: Known) -> list[Passage] | str:
    """Where a number of the answer comes from."""
    for claim in known.claims:
        if numbers_in(claim.text) == [figure] or claim.value == figure:
            steps = [p for p in known.of(Topic.COMPUTED) if p.about and claim.call_id in p.calls]
            made = f": {steps[0].about}" if steps else ""
            text = (
                f"{claim.text} is {claim.value}, row {claim.row + 1} of column {claim.column} in "
                f"frame {claim.frame_digest[:12]}, made by call {claim.call_id[:8]}{made}."
            )
            return [Passage(topics=(Topic.COMPUTED,), text=text, own=True, calls=(claim.call_id,))]
    return f"{figure} is no number of the answer"


def _stems(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(word) for text in texts for word in words_of(text))
