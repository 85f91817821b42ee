"""What is told of a question, once its readings are ranked and the former reader has spoken."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.evidence import NONE_TRIED
from services.planner.domain.query.intent import (
    Clarification,
    NotUnderstood,
    Understood,
)
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reader import asking
from services.planner.domain.reader.accounting import account_of
from services.planner.domain.reader.choice import forms, thresholds
from services.planner.domain.reader.chosen import (
    TOLD_WORDS,
    Choice,
    doubts_of,
    guessed,
    links_of,
    not_used,
    open_joins,
)
from services.planner.domain.reader.finish import finished
from services.planner.domain.reader.former import claims_of
from services.planner.domain.reader.former_errs import errs
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.unread import unread_words

_HARDLY_SURE = 0.7  # of an answer that leaves something open
_FORMERLY_SURE = 0.75  # from here on the former reader tells its answers as sure
_FORMERLY_LIKELY = 0.5
_DISPUTED = 0.4  # of a reading that the ranker puts below another of which it is not sure either
_LEFT_OUT = "left out as not understood: "


def decided(
    choice: Choice, former: Understood | NotUnderstood, catalogue: Catalogue
) -> Understood | Clarification | NotUnderstood:
    """The reading to be answered with its doubts, a question back, or the refusal."""
    sure, unread = choice.confidence, choice.unread
    if isinstance(former, Understood) and errs(former, choice.weighed.scene):
        if sure >= thresholds.ANSWERED:
            return _told(choice, catalogue)
        if (asked := _asked_back(choice, catalogue)) is not None:
            return asked
        if _better_than_nothing(choice):
            return _told(choice, catalogue)
        return _disputed(former, choice, catalogue)
    unsure = sure < thresholds.ANSWERED or (sure < thresholds.SURE and unread)
    if unsure and not choice.best.agreed and _alone_in_form(choice, former):
        return _told(choice, catalogue)  # with the doubt that there is
    same = choice.best.agreed or (unsure and choice.borne_out)
    if isinstance(former, Understood) and same:
        return _agreed(former, choice)
    if not unsure:  # a word that was not used may have been the filter, or what it is all about
        disputed = isinstance(former, Understood) and not choice.borne_out
        return _told(choice, catalogue, most=thresholds.CONTESTED if disputed else 1.0)
    if isinstance(former, Understood):
        return _disputed(former, choice, catalogue)
    asked = _asked_back(choice, catalogue)
    if asked is None and _better_than_nothing(choice):
        return _told(choice, catalogue)
    return asked or former


def _better_than_nothing(choice: Choice) -> bool:
    """Whether a reading that is not likely is told, as doubtful, where else nothing would be."""
    words = len(choice.unread)
    if not words:
        return choice.confidence >= thresholds.DOUBTED
    told = words == 1 and choice.confidence >= thresholds.TOLD_WITHOUT
    return told and not _is_what_is_asked_of(choice, choice.unread[0])


def _is_what_is_asked_of(choice: Choice, word: str) -> bool:
    """Whether a word names what is counted, what each number is of, or what the question begins
    with: without it nothing of what was asked is told."""
    scene = choice.weighed.scene
    at = next((token.index for token in scene.tokens if token.text == word), 0)
    each = any(cue.last + 1 == at for cue in splits(scene.words, Split.OF_EACH))
    return at == 0 or each or scene.tokens[at].lower in scene.counted_words


def part_of_each(choice: Choice, former: Understood, catalogue: Catalogue) -> Understood | None:
    """The likeliest, where it tells which part of each group fits and the former reader tells how
    all are spread over the groups; likely at most, for both are meant by the same words."""
    draft = choice.best.draft
    if draft is None or not draft.sketch.share or choice.unread:
        return None
    told = _told(choice, catalogue, most=thresholds.RIVALLED)
    other = f"it may also mean: {former.summary}"
    return told.model_copy(update={"assumptions": (*told.assumptions, other)})


def untried(former: Understood | NotUnderstood) -> Understood | NotUnderstood:
    """The former reader's outcome where no reading could be tried on the data: never sure."""
    if isinstance(former, NotUnderstood):
        return former
    return former.model_copy(
        update={
            "confidence": min(former.confidence, _HARDLY_SURE),
            "measured": True,
            "assumptions": (*former.assumptions, NONE_TRIED),
        }
    )


def _agreed(former: Understood, choice: Choice) -> Understood:
    """The former reader's layout of what both read."""
    sure, unread = choice.confidence, choice.unread
    told = _with_unused(former, choice)
    clean = former.confidence >= _FORMERLY_SURE and not former.assumptions
    if clean and not unread:
        agreed = thresholds.SURE if sure >= thresholds.AGREED else thresholds.BORNE_OUT
        sure = max(sure, agreed)
    if unread:  # it may be right without the word, but hardly where that is told
        filters = choice.weighed.scene.values_among(unread)
        sure = min(sure, thresholds.DOUBTFUL if told.assumptions or filters else _HARDLY_SURE)
    unsaid = tuple(open_joins(choice, former.intent))
    if unread and not told.assumptions:
        unsaid = (not_used(unread), *unsaid)
    if unsaid:
        sure = min(sure, _HARDLY_SURE)
    sure, notes = guessed(choice, sure)
    assumptions = (*notes, *told.assumptions, *unsaid)
    return told.model_copy(
        update={"confidence": sure, "measured": True, "assumptions": assumptions}
    )


def _alone_in_form(choice: Choice, former: Understood | NotUnderstood) -> bool:
    """Whether the first has the form asked for outright, and the former reader's has not."""
    scene, best = choice.weighed.scene, choice.ranked[0]
    outright = forms.asked_outright(scene)
    if best.draft is None or not outright or forms.missed(scene, best.intent, best.draft.sketch):
        return False
    if not best.draft.sketch.rare and unread_words(scene, best):
        return False
    return isinstance(former, NotUnderstood) or forms.missed(scene, former.intent, None)


def _disputed(former: Understood, choice: Choice, catalogue: Catalogue) -> Understood:
    """One of two readings, with the doubt that there is.

    It is the one that makes use of every word; the former reader's where both do, or none does.
    """
    scene, unread = choice.weighed.scene, choice.unread
    told = _with_unused(former, choice)
    lost = account_of(former.intent, scene, claims_of(former)).unread
    clean = not lost and not former.assumptions and former.confidence >= _FORMERLY_SURE
    rival = summarise(finished(choice.best.intent, scene, catalogue), catalogue)
    notes = told.assumptions
    if clean and unread and choice.confidence >= thresholds.NOT_LOST:
        why = f"this reading is likely, not sure: {_more_usual(rival, unread)}"
        return told.model_copy(
            update={
                "confidence": thresholds.READ_WHOLE,
                "measured": True,
                "assumptions": (*notes, why),
            }
        )
    if not clean and not unread and choice.confidence >= thresholds.RATHER:
        return _told(choice, catalogue)
    if len(unread) < len(lost) and choice.confidence >= thresholds.HALF_READ:
        return _told(choice, catalogue)
    if unread:  # then it is no reading of the same question
        notes += (f"this reading is doubtful: {_more_usual(rival, unread)}",)
    else:
        notes += (f"it may also mean: {rival}",)
    likely = clean and not unread and choice.confidence >= thresholds.RATHER
    most = thresholds.RIVALLED if likely else _DISPUTED
    doubted = {"confidence": min(former.confidence, most), "assumptions": notes}
    return former.model_copy(update=doubted)


def _more_usual(rival: str, unread: Sequence[str]) -> str:
    words = ", ".join(f'"{word}"' for word in unread[:TOLD_WORDS])
    return f"“{rival}” would be more usual, but leaves out {words}"


def with_reason(found: Understood) -> Understood:
    """With why an answer is not told as sure, where nothing says so yet."""
    sure, likely = thresholds.SURE, thresholds.LIKELY
    if not found.measured:
        sure, likely = _FORMERLY_SURE, _FORMERLY_LIKELY
    if found.confidence >= sure or found.assumptions:
        return found
    word = "likely" if found.confidence >= likely else "doubtful"
    why = f"this reading is {word} ({found.confidence:.2f}): {found.summary}"
    return found.model_copy(update={"assumptions": (why,)})


def _with_unused(former: Understood, choice: Choice) -> Understood:
    """The former reader's answer with the words that it made no use of."""
    best, scene = choice.best, choice.weighed.scene
    unused = account_of(former.intent, scene, claims_of(former)).unread
    notes = former.assumptions
    if choice.borne_out and best.draft is not None:  # the same rows, read otherwise
        read_otherwise = choice.unread
        unused = tuple(word for word in unused if word in read_otherwise)
        notes = tuple(note for note in notes if not _settled(note, read_otherwise))
    said = " ".join(notes)
    unused = tuple(word for word in unused if word not in said)
    told = [not_used(unused)] if unused else []
    return former.model_copy(update={"assumptions": (*told, *notes)})


def _settled(note: str, unread: Sequence[str]) -> bool:
    """Whether a note speaks of words that were left out, and none of them is unread now."""
    if not note.startswith(_LEFT_OUT):
        return False
    words = note.removeprefix(_LEFT_OUT).replace(",", " ").split()
    return not {word.casefold() for word in words} & {word.casefold() for word in unread}


def _asked_back(choice: Choice, catalogue: Catalogue) -> Clarification | None:
    return asking.asked_back(
        choice.weighed, choice.ranked, choice.confidence, catalogue,
        partial(unread_words, choice.weighed.scene),
    )  # fmt: skip


def _told(choice: Choice, catalogue: Catalogue, *, most: float = 1.0) -> Understood:
    """The ranker's first, told as no surer than `most`."""
    sure, guesses = guessed(choice, min(choice.confidence, most))
    intent = finished(choice.best.intent, choice.weighed.scene, catalogue)
    if choice.unread and choice.confidence < thresholds.SURE:
        sure = min(sure, thresholds.DOUBTFUL)
    elif choice.unread or open_joins(choice, intent):
        sure = min(sure, _HARDLY_SURE)
    notes = (*guesses, *doubts_of(choice, sure, intent, catalogue))
    return Understood(
        intent=intent, summary=summarise(intent, catalogue), confidence=sure, measured=True,
        links=links_of(choice), assumptions=notes,
    )  # fmt: skip
