"""What is told of a question, once its readings are ranked."""

from __future__ import annotations

from functools import partial

from mesh.remarks import OF_READING
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.confidence import thresholds
from services.planner.domain.evidence import NONE_TRIED
from services.planner.domain.lexicon.normalise import readable, readable_table
from services.planner.domain.query.intent import Clarification, Intent, NotUnderstood, Understood
from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reader import asking
from services.planner.domain.reader.beyond_rows import changes_answer, names_unread
from services.planner.domain.reader.chart.compliance import summed_text
from services.planner.domain.reader.chart.those_without import FEW
from services.planner.domain.reader.choice import forms
from services.planner.domain.reader.chosen import (
    LISTED_WORDS,
    Choice,
    doubts_of,
    guessed,
    links_of,
    open_joins,
    twins,
)
from services.planner.domain.reader.finish import finished
from services.planner.domain.reader.grammar import aggregation
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.lost_amounts import refused
from services.planner.domain.reader.rivals import rivals_of
from services.planner.domain.reader.unread import unread_words

_WHOLE = 0.9  # of a column's name
_STATISTICS = (Aggregate.AVERAGE, Aggregate.MEDIAN, Aggregate.DEVIATION)
_HARDLY_SURE = 0.7  # of an answer that leaves something open

_NOT_TOLD = ("group missed", "grain missed")
"""What an answer that lacks it is never likely: what numbers are to be told by."""

_OF_A_SAMPLE = "deviations are those of a sample, divided by n - 1"


def decided(choice: Choice, catalogue: Catalogue) -> Understood | Clarification | NotUnderstood:
    """The reading to be answered with its doubts, a question back, or the refusal."""
    sure, unread = choice.confidence, choice.unread
    twofold = bool(twins(choice)) and sure < thresholds.SURE
    unsure = twofold or sure < thresholds.ANSWERED or (sure < thresholds.SURE and unread)
    unsure = unsure or any(changes_answer(choice.weighed.scene, word) for word in unread)
    unsure = unsure or any(_narrows(choice, word) for word in unread)
    if not unsure or _has_form(choice):
        return _understand(choice, catalogue)  # with the doubt that there is
    asked = asking.asked_back(
        choice.weighed,
        choice.ranked,
        0.0 if twofold else sure,
        catalogue,
        partial(unread_words, choice.weighed.scene),
    )
    if asked is not None:
        return asked
    if twofold and (sure >= thresholds.ANSWERED or _better_than_nothing(choice)):
        return _understand(choice, catalogue)
    if _better_than_nothing(choice):
        return _understand(choice, catalogue)
    return _refused(choice, catalogue)


def _has_form(choice: Choice) -> bool:
    """Whether the first has the form that is asked for outright, and leaves out no word."""
    scene, best = choice.weighed.scene, choice.best
    if not forms.asked_outright(scene) or forms.missed(scene, best.draft.sketch):
        return False
    return best.draft.sketch.rare or not choice.unread


def _better_than_nothing(choice: Choice) -> bool:
    """Whether a reading that is not likely is told, as doubtful, where else nothing would be."""
    words = len(choice.unread)
    if not words:
        return choice.confidence >= thresholds.DOUBTED
    is_mentioned = words == 1 and choice.confidence >= thresholds.LEVEL_WITHOUT
    word = choice.unread[0]
    asked = _is_what_is_asked_of(choice, word) or changes_answer(choice.weighed.scene, word)
    return is_mentioned and not asked and not _narrows(choice, word)


def _narrows(choice: Choice, word: str) -> bool:
    """Whether a word says which things are counted, what numbers are told by, or until when
    something lasted: "number of zealous customers", "by year", "between order and delivery"."""
    scene = choice.weighed.scene
    at = next((token.index for token in scene.tokens if token.text == word), 0)
    counted = scene.between(at - 2, at) in ("how many", "number of", "count of")
    things = any(t.first == at + 1 and t.coverage >= _WHOLE for t in scene.tables)
    each = any(cue.last + 1 == at for cue in splits(scene.words, Split.OF_EACH))
    return (counted and things) or each or _is_end_of_span(choice, at)


def _is_end_of_span(choice: Choice, at: int) -> bool:
    """Whether a word says until when something lasted that is asked for: "order and delivery"."""
    scene, made = choice.weighed.scene, choice.best.draft.sketch.made
    lasting = any(n.place is not None and n.place.definition is not None for n in made)
    between = any(token.lower == "between" for token in scene.tokens[:at])
    return lasting and between and scene.tokens[at - 1].lower == "and"


def _is_what_is_asked_of(choice: Choice, word: str) -> bool:
    """Whether a word names what is counted, what each number is of, which statistic is asked for,
    or what the question begins with: without it nothing of what was asked is told."""
    scene = choice.weighed.scene
    at = next((token.index for token in scene.tokens if token.text == word), 0)
    each = any(cue.last + 1 == at for cue in splits(scene.words, Split.OF_EACH))
    each = each or _is_end_of_span(choice, at)
    made = any(
        cue.first <= at <= cue.last and cue.means in _STATISTICS
        for cue in scene.words.find(aggregation.RULES)
    )
    return at == 0 or each or made or scene.tokens[at].lower in scene.counted_words


def _refused(choice: Choice, catalogue: Catalogue) -> NotUnderstood:
    """The refusal with the words that stopped it."""
    text = summed_text(choice.weighed.scene)
    if text is not None:
        column = text.column.name
        return refused(
            f"{column} in {text.table.source_name} holds text: it cannot be summed or averaged. "
            f"Ask for the number of rows, or have it read as numbers, as in "
            f"--read type.{column}=number",
            catalogue,
        )
    names = names_unread(choice.weighed.scene, choice.unread)
    if names:
        called = ", ".join(f'"{name}"' for name in names[:LISTED_WORDS])
        return refused(f"nothing in the data is called {called}", catalogue)
    words = ", ".join(f'"{word}"' for word in choice.unread[:LISTED_WORDS])
    why = f"what {words} should mean here" if words else "which of several meanings is meant"
    return refused(f"{why} is not understood", catalogue)


def untried(found: Understood, *, asked: bool) -> Understood:
    """A reading where none was tried on the data: never sure. If it was `asked`, that is told."""
    notes = (*found.assumptions, NONE_TRIED) if asked else found.assumptions
    sure = min(found.confidence, _HARDLY_SURE)
    return found.model_copy(update={"confidence": sure, "measured": True, "assumptions": notes})


def with_reason(found: Understood) -> Understood:
    """With why an answer is not told as sure, where nothing says so yet, and without whom it is."""
    found = _reasoned(found)
    if not (missing := _without_any(found.intent)):
        return found
    sure = min(found.confidence, _HARDLY_SURE)
    notes = (*found.assumptions, missing)
    return found.model_copy(update={"confidence": sure, "assumptions": notes})


def _without_any(intent: Intent) -> str:
    """That things with none are not among those with few: no row tells of them."""
    few = any(
        one.measure.aggregate is Aggregate.COUNT
        and one.measure.where is None
        and one.operator in FEW
        for one in intent.having
    ) and not any(join.optional for join in intent.joins)
    return f"those without any {readable_table(intent.base)} are left out" if few else ""


def _reasoned(found: Understood) -> Understood:
    if found.confidence >= thresholds.SURE or found.assumptions:
        return found
    word = "likely" if found.confidence >= thresholds.LIKELY else "doubtful"
    why = f"{OF_READING}{word} ({found.confidence:.2f}): {found.summary}"
    return found.model_copy(update={"assumptions": (why,)})


def _unknown_in_whole(choice: Choice) -> list[str]:
    """Of which column the whole of a share has rows that do not tell it."""
    share = choice.best.draft.sketch.share
    places = [one.place for one in share if (one.values or one.against) and one.place is not None]
    return [
        f"rows where {readable(place.column.name)} is empty are part of the whole"
        for place in places
        if place.column.nulls
    ]


def _understand(choice: Choice, catalogue: Catalogue) -> Understood:
    """The first, with what is to be known of it."""
    sure, guesses = guessed(choice, choice.confidence)
    intent = finished(choice.best.intent, choice.weighed.scene, catalogue)
    lost = any(choice.best.features.get(name) for name in _NOT_TOLD)
    if lost or (choice.unread and choice.confidence < thresholds.SURE):
        sure = min(sure, thresholds.DOUBTFUL)
    elif choice.unread or open_joins(choice, intent):
        sure = min(sure, _HARDLY_SURE)
    notes = (*guesses, *doubts_of(choice, sure, intent, catalogue))
    if any(m.aggregate is Aggregate.DEVIATION for m in intent.measures):
        notes = (*notes, _OF_A_SAMPLE)
    notes = (*notes, *_unknown_in_whole(choice))
    summary = summarise(intent, catalogue)
    return Understood(
        intent=intent,
        summary=summary,
        confidence=sure,
        measured=True,
        links=links_of(choice),
        assumptions=notes,
        rivals=rivals_of(choice, summary, catalogue) if sure < thresholds.SURE else (),
    )
