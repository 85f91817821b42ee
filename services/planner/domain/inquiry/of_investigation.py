"""What an investigation tells of itself: its ledger, its hypotheses, its explanations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.planner.domain.inquiry.passage import Passage, Topic
from services.planner.domain.investigation.explanation import Explanation
from services.planner.domain.investigation.hypothesis import HypothesisStatus
from services.planner.domain.investigation.result import InvestigationResult
from services.planner.domain.investigation.wording import called, days_called, words_of_name

_USUAL = re.compile(r"usual|by chance|chance makes", re.IGNORECASE)
_DOUBT = re.compile(r"\bin doubt\b|\bfault\b|\bdata\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z])")
_FALL = "fall fell drop decline decrease lower dip down"
_RISE = "rise rose increase growth grew jump higher spike up"


def of_investigation(result: InvestigationResult) -> Iterator[Passage]:
    """Everything but what jobs of all kinds tell."""
    sentences = _SENTENCE.split(result.text)
    way = _way_of(result)
    yield Passage(
        topics=(Topic.CHANGE,), text=result.text, own=True, about=f"{way} {_base(result)}"
    )
    for number, sentence in enumerate(sentences, 1):
        if _USUAL.search(sentence):
            yield Passage(
                topics=(Topic.USUAL, Topic.SURE), text=sentence, own=True, rank=number, about=way
            )
        if _DOUBT.search(sentence):
            yield Passage(topics=(Topic.QUALITY, Topic.SURE), text=sentence, own=True, rank=number)
    yield from _hypotheses(result)
    for explanation in result.explanations:
        yield from _explained(explanation)
    if not result.explanations:
        text = "Nothing stands out of what chance would show: there is no explanation."
        yield Passage(topics=(Topic.EXPLAINED, Topic.SURE), text=text, own=True)
    yield from _ground(result)


def _hypotheses(result: InvestigationResult) -> Iterator[Passage]:
    findings = {f.hypothesis_affected: f.summary for f in result.ledger.findings}
    by_status = {
        HypothesisStatus.RULED_OUT: (Topic.RULED_OUT, "Ruled out"),
        HypothesisStatus.CONFIRMED: (Topic.HYPOTHESES, "Borne out"),
        HypothesisStatus.PENDING: (Topic.OPEN, "Not settled"),
        HypothesisStatus.INVESTIGATING: (Topic.OPEN, "Not settled"),
    }
    left = {topic: False for topic, _ in by_status.values()}
    for number, hypothesis in enumerate(result.hypotheses, 1):
        topic, text = by_status[hypothesis.status]
        left[topic] = True
        title = f"{hypothesis.title[:1].lower()}{hypothesis.title[1:]}"
        yield Passage(
            topics=tuple(dict.fromkeys((topic, Topic.HYPOTHESES))),
            text=f"{text}: {title}.",
            own=True,
            rank=number,
            about=hypothesis.causal_story,
        )
        summary = findings.get(hypothesis.hypothesis_id, "")
        if summary and topic is not Topic.HYPOTHESES:
            yield Passage(topics=(topic,), text=summary, rank=number)
    if not left[Topic.RULED_OUT]:
        yield Passage(topics=(Topic.RULED_OUT,), text="No hypothesis was ruled out.", own=True)
    if not left[Topic.OPEN]:
        yield Passage(topics=(Topic.OPEN,), text="Every hypothesis was settled.", own=True)


def _explained(explanation: Explanation) -> Iterator[Passage]:
    """Title, evidence, and what its likelihood rests on. Its title names the segment, which is
    quoted from cells, and its evidence has claims."""
    where = " ".join(f"{name} {value or 'missing'}" for name, value in explanation.segment)
    effect = explanation.effect.value if explanation.effect is not None else 0.0
    about = f"{where} {explanation.title} {_FALL if effect < 0 else _RISE if effect > 0 else ''}"
    title = f"{explanation.likelihood.value}: {explanation.title}."
    yield Passage(
        topics=(Topic.EXPLAINED, Topic.SURE),
        text=title,
        own=True,
        rank=explanation.rank,
        about=about,
    )
    for evidence in explanation.evidence:
        topics: tuple[Topic, ...] = (Topic.EXPLAINED,)
        if "probability" in evidence.text:
            topics = (Topic.EXPLAINED, Topic.SURE)
        if evidence.text.startswith("It begins"):
            topics = (Topic.EXPLAINED, Topic.ONSET)
        yield Passage(topics=topics, text=evidence.text, rank=explanation.rank, about=about)
    yield Passage(
        topics=(Topic.SURE,), text=f"{explanation.reasoning}", rank=explanation.rank, about=about
    )


def _ground(result: InvestigationResult) -> Iterator[Passage]:
    ground = result.ground
    for sentence in ground.said:
        if capital(sentence.rstrip(".")) not in result.caveats:  # which are told of every job
            text = f"{capital(sentence.rstrip('.'))}."
            yield Passage(topics=(Topic.ASSUMED,), text=text, own=True)
    columns = ", ".join(map(words_of_name, ground.dimensions))
    if columns:
        sentence = f"It was split by {columns}, and by their combinations."
        yield Passage(
            topics=(Topic.SPLIT,), text=sentence, own=True, about=" ".join(ground.dimensions)
        )
    periods = [p for p in (ground.baseline, ground.comparison) if p is not None]
    if len(periods) == 2:
        days = " with ".join(map(days_called, periods))
        sentence = f"{called(ground)} was compared: {days}."
        yield Passage(
            topics=(Topic.READING, Topic.ASSUMED), text=capital(sentence), own=True, rank=2
        )
    if result.explanations:
        sentence = (
            "Every explanation is associational: it says where the metric moved, not why. A causal "
            "analysis of the segment tests a cause that is suspected."
        )
        yield Passage(topics=(Topic.NEXT, Topic.ASSUMED), text=sentence, own=True, rank=9)
    elif any(h.status is not HypothesisStatus.RULED_OUT for h in result.hypotheses):
        sentence = "Look again with more history, a longer period, or further dimensions."
        yield Passage(topics=(Topic.NEXT,), text=sentence, own=True)


def capital(text: str) -> str:
    """With a capital letter first."""
    return f"{text[:1].upper()}{text[1:]}"


def _base(result: InvestigationResult) -> str:
    return f"{called(result.ground)} {result.ground.metric}"


def _way_of(result: InvestigationResult) -> str:
    """Words of the way that the whole moved, as the answer tells it."""
    fell = re.search(r"\bfell\b|\bbelow\b", result.text)
    rose = re.search(r"\brose\b|\babove\b", result.text)
    return _FALL if fell and not rose else _RISE if rose and not fell else ""
