"""What a message of a conversation is taken for, from its words and what stands before it."""

from __future__ import annotations

import re
from datetime import date

from services.planner.domain.conversation.turn import Judgement, Otherwise, Standing, TurnKind
from services.planner.domain.investigation.request import asks_why
from services.planner.domain.investigation.why import why_moved
from services.planner.domain.lexicon.cues import Form, form_of
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.replies import find_option
from services.planner.domain.lexicon.tokens import stem

_ANY_TIME = " in 2020"
"""What makes a question why complete that says no time: then its metric can be read."""
_ORDINALS = {
    word: place
    for place, words in enumerate(
        ("first 1st former", "second 2nd latter", "third 3rd", "fourth 4th", "fifth 5th")
    )
    for word in words.split()
}
_CHANGES = {
    Form.FRAGMENT: TurnKind.FOLLOW_UP,
    Form.CORRECTION: TurnKind.CORRECTION,
    Form.WHY: TurnKind.WHY,
    Form.CAUSE: TurnKind.CAUSE,
}


_OWN = {Form.QUESTION: Otherwise.REFUSED, Form.WHOLE: Otherwise.DOUBTFUL}


def judged(words: str, standing: Standing, today: date) -> Judgement:
    """What the words are. Where nothing stands before that they could change, they are refused."""
    form, cue = form_of(words)
    if form is not Form.WHY and standing.has_reading and _why_in_sight(words, standing, today):
        form, cue = Form.WHY, "why the number in sight moved"
    if form is Form.WHY and why_moved(words, today) is not None:
        return Judgement(kind=TurnKind.FRESH, reason="a question why that names metric and time")
    if standing.options:
        return _reply(words, form, cue, standing)
    if form is Form.CHOICE:
        return _refused(TurnKind.CHOICE, "no readings to choose from were offered")
    if form in _OWN:
        return Judgement(
            kind=TurnKind.FRESH,
            reason=f"{cue}: it needs nothing that was said before",
            otherwise=_OWN[form] if standing.has_reading else Otherwise.NEVER,
        )
    if not standing.has_reading:
        if form in (Form.EITHER, Form.CAUSE):
            return Judgement(kind=TurnKind.FRESH, reason="nothing was asked before")
        return _refused(_CHANGES[form], "nothing was answered before that this could be about")
    if form is Form.EITHER:
        return Judgement(kind=TurnKind.FOLLOW_UP, reason=f"{cue}, after a question", tentative=True)
    kind = _CHANGES[form]
    if kind is TurnKind.CORRECTION and not standing.fresh_reading:
        kind = TurnKind.FOLLOW_UP  # it changes what a follow-up came to: nothing to be learnt
    return Judgement(kind=kind, reason=cue)


def _why_in_sight(words: str, standing: Standing, today: date) -> bool:
    """Whether it is asked why a number moved, without a time, whose words are all in sight."""
    if not asks_why(words) or why_moved(words, today) is not None:
        return False
    found = why_moved(words.rstrip(" ?.!") + _ANY_TIME, today)
    if found is None:
        return False
    seen = {stem(word) for word in words_of(standing.in_sight)}
    return {stem(word) for word in words_of(found.metric)} <= seen


def _reply(words: str, form: Form, cue: str, standing: Standing) -> Judgement:
    """Words to a job that asks which reading is meant."""
    option = _option(words, standing.options)
    if option is not None:
        text = standing.options[option]
        return Judgement(kind=TurnKind.CHOICE, reason=f"chooses “{text}”", option=option)
    if form is Form.CHOICE:
        return _refused(
            TurnKind.CHOICE, f"there are {len(standing.options)} readings, and that is none of them"
        )
    if form in (*_OWN, Form.WHY, Form.CAUSE):
        return Judgement(kind=TurnKind.FRESH, reason=f"{cue}, and none of the readings offered")
    return Judgement(kind=TurnKind.CHOICE, reason="says in other words which reading is meant")


def _option(words: str, options: tuple[str, ...]) -> int | None:
    text = words.strip(" ?.!").casefold()
    if re.search(r"\blast\b", text) and form_of(words)[0] is Form.CHOICE:
        return len(options) - 1
    if form_of(words)[0] is Form.CHOICE:
        for word in re.findall(r"\w+", text):
            place = int(word) - 1 if word.isdigit() else _ORDINALS.get(word)
            if place is not None:
                return place if 0 <= place < len(options) else None
    return find_option(options, words.strip(" ?.!"))


def _refused(kind: TurnKind, why: str) -> Judgement:
    return Judgement(kind=kind, reason=why, refused=why)
