"""What of a question was tied to nothing although it changes the answer: then there is none.

A comparison, a negation, a rank or a superlative that is left out makes the answer one to another
question, whatever is said beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.planner.domain.catalogue import DataType
from services.planner.domain.language.conditions.conditions import Conditions
from services.planner.domain.language.measures.unsaid import numbers_of
from services.planner.domain.language.normalising.cues import (
    ADJECTIVES,
    AGGREGATE_WORDS,
    NEGATIONS,
    SUPERLATIVES,
)
from services.planner.domain.language.parsing.roles import is_text
from services.planner.domain.language.refusing.parts_of_all import why_not_part
from services.planner.domain.language.work import Work
from services.planner.domain.lexicon.normalise import Token, name_words
from services.planner.domain.query.intent import (
    Against,
    Aggregate,
    Condition,
    Field,
    Filter,
    Group,
    Intent,
    Membership,
    Operator,
)

_COMPARING = frozenset("than exceed exceeds exceeding exceeded below above beneath".split())
_DENYING = (NEGATIONS - {"t", "no"}) | {"neither", "exclude", "excluded", "excludes"}
_NEGATIVE = (
    Operator.NOT_EQUAL, Operator.NOT_IN, Operator.NOT_CONTAINS, Operator.IS_NULL, Operator.NOT_NULL,
    Operator.AT_MOST, Operator.AT_LEAST, Operator.LESS, Operator.GREATER, Operator.NOT_A_NUMBER,
)  # fmt: skip
_STATING = frozenset("is are was were".split())
# Words that end like superlatives and are none.
_NO_SUPERLATIVES = frozenset(
    """request interest forest harvest invest suggest northwest southwest midwest digest protest
    contest conquest arrest honest modest manifest reinvest budapest bucharest everest""".split()
)
_PARTICIPLES = frozenset(
    "bin binned held made built given taken kept run born known shown found".split()
)
_ENDS = frozenset(["top", "bottom"])
_DATES = (DataType.DATE, DataType.DATETIME)
# Of these alone it is plain what they are of; "highest" may be any number.
_OF_ONE_KIND = ADJECTIVES.keys() & set("longest shortest oldest youngest tallest heaviest".split())
_SHORT = 5
_AROUND = 2


def why_unread(work: Work, conditions: Conditions, intent: Intent, unknown: Sequence[Token]) -> str:
    """The first of these that the question has and the intent has not, as one sentence."""
    return (
        _uncompared(work, conditions)
        or _undenied(work, intent)
        or _unranked(work, intent)
        or _misplaced(work, intent)
        or _of_top(work, intent)
        or _unaveraged(work)
        or _unnumbered(work)
        or why_not_part(work.scene)
        or _spilled(work, intent, unknown)
    )


def _uncompared(work: Work, conditions: Conditions) -> str:
    """A comparison of which one side could not be found."""
    if conditions.unplaced:
        compared = conditions.unplaced[0]
        said = " ".join(work.scene.words(compared.first, compared.last))
        return f'What is to be compared in "{said}" could not be told.{_numbers(work)}'
    for place, _ in work.scene.loose():
        if work.scene.tokens[place].lower in _COMPARING:
            said = " ".join(work.scene.words(place - _AROUND, place + _AROUND + 1))
            return f'The comparison in "{said}" could not be read.{_numbers(work)}'
    return ""


def _undenied(work: Work, intent: Intent) -> str:
    """A "not" or "except" although no condition leaves anything out."""
    wheres = [m.where for m in intent.measures if m.where is not None]
    denied = any(_denies(wanted) for wanted in (*intent.filters, *wheres)) or intent.having
    for place, _ in work.scene.loose():
        token = work.scene.tokens[place]
        if token.lower == "neither":
            return 'What "neither" leaves out could not be told.'
        if denied:
            continue
        none = token.lower == "no" and work.scene.starting(place + 1) is not None
        if token.lower in _DENYING or none:
            said = " ".join(work.scene.words(place, place + _AROUND + 1))
            return f'What "{said}" leaves out could not be told.'
    return ""


def _denies(wanted: Filter) -> bool:
    if isinstance(wanted, Group):
        return any(_denies(member) for member in wanted.members)
    if isinstance(wanted, Membership):
        return wanted.absent
    return isinstance(wanted, Condition | Against) and wanted.operator in _NEGATIVE


def _unranked(work: Work, intent: Intent) -> str:
    """Few rows of many, or the first of them, without a number or a date to go by."""
    top = work.parts.top
    if top is not None and top.skip and intent.limit_per_series is not None:
        return "Only the first few of each group can be picked, not a later place."
    if top is not None and intent.limit and intent.grouped and not intent.dimensions:
        return f'Who or what has the "{top.word}" is not said.'
    if top is not None and intent.limit and not _ranks(work, intent, top.word):
        return f'"{top.word}" by what?{_numbers(work)}'
    extremes = {m.aggregate for m in intent.measures} & {Aggregate.MINIMUM, Aggregate.MAXIMUM}
    lost = () if top is not None or extremes else _of_no_number(work)
    for place in (*(place for place, _ in work.scene.loose()), *lost):
        word = work.scene.tokens[place].lower
        if (_is_superlative(word) or word in _ENDS) and not _is_said_already(work, place):
            said = " ".join(work.scene.words(place, place + _AROUND))
            return f'"{said}" by what?{_numbers(work)}'
    return ""


def _of_no_number(work: Work) -> Iterator[int]:
    """Superlatives that were taken for aggregates, of which there is none in the end."""
    inside = {i for m in work.scene.mentions for i in range(m.first, m.last)}
    for place, token in enumerate(work.scene.tokens):
        if token.used == "aggregate" and token.lower in SUPERLATIVES and place not in inside:
            yield place


def _ranks(work: Work, intent: Intent, word: str) -> bool:
    order = intent.order[0] if intent.order else None
    if order is None or word == "first" or work.wishes.order is not None:
        return order is not None or word == "first"
    if order.target != "dimension":
        return True
    by = intent.dimensions[order.index]
    dated = isinstance(by.expression, Field) and work.data_type(by.expression) in _DATES
    return work.draft.newest_by is not None or by.grain is not None or dated


def _is_superlative(word: str) -> bool:
    formed = word.endswith("est") and len(word) > _SHORT and word not in _NO_SUPERLATIVES
    return word in SUPERLATIVES or formed


def _is_said_already(work: Work, place: int) -> bool:
    """Whether the word is part of "at least", or says again what a ranking goes by."""
    top, word = work.parts.top, work.scene.tokens[place].lower
    named = {stem for measure in work.draft.measures for stem in name_words(measure.label)}
    if word in _OF_ONE_KIND and not named & {*ADJECTIVES[word]}:
        return False  # the "top 5 longest flights" are not those of the highest numbers
    again = top is not None and SUPERLATIVES.get(word, not top.descending) is top.descending
    return again or work.scene.words(place - 1, place) == ["at"]


def _unaveraged(work: Work) -> str:
    """An average of few picked rows, which are told one by one."""
    parts = work.parts
    told = parts.aggregates or parts.averaged or parts.average_count or work.wishes.quantiles
    for token in work.scene.tokens if parts.top is not None and not told else ():
        word = token.lower
        if not token.quoted and AGGREGATE_WORDS.get(word) in ("avg", "median"):
            return f'The {word} of the rows that "{_top_word(work)}" picks cannot be told yet.'
    return ""


def _of_top(work: Work, intent: Intent) -> str:
    """ "Average freight of the top 5 customers": one number of five, who are best by what?"""
    top, scene = work.parts.top, work.scene
    if top is None or top.count < 2 or work.wishes.order is not None:
        return ""
    before = scene.words(0, top.position)
    average = [word for word in before if AGGREGATE_WORDS.get(word) in ("avg", "median")]
    after = scene.words(top.position, len(scene.tokens))
    by_it = "by" in after and len(intent.measures) < 2
    if not average or by_it or not {"of", "for"} & set(before[-_SHORT:]):
        return ""
    return (
        f'The {average[-1]} of the rows that "{top.word}" picks cannot be told yet: ask for '
        "each of them, with the number that ranks them."
    )


def _top_word(work: Work) -> str:
    return work.parts.top.word if work.parts.top is not None else ""


def _unnumbered(work: Work) -> str:
    """So many things, without a word on which of them: "show 5 products"."""
    for place, _ in work.scene.loose():
        number, things = work.scene.tokens[place].number, work.scene.starting(place + 1)
        if number is None or things is None:
            continue
        mention = work.scene.mentions[things]
        if mention.chosen.kind == "table" or is_text(work.scene, mention):
            said = f"{number:g} {mention.phrase}"
            return f'Which "{said}" is not said; "the first {said}" would be any of them.'
    return ""


def _misplaced(work: Work, intent: Intent) -> str:
    """The newest of things, where the answer is split by something else."""
    by = work.draft.newest_by
    if by is None or not intent.grouped:
        return ""
    shown = [f for d in intent.dimensions for f in (d.expression, d.identity) if f is not None]
    for field in shown:
        parent = work.graph.parent_of(field) if isinstance(field, Field) else None
        own = isinstance(field, Field) and field.table == by.table
        if own or (parent is not None and parent.table == by.table):
            return ""
    return f'What the "{_top_word(work)}" is of could not be told.'


def _spilled(work: Work, intent: Intent, unknown: Sequence[Token]) -> str:
    """A count or a share of rows that are split by every column they have, or of unknown ones."""
    if not intent.grouped:
        return ""
    states = [token.text for token in unknown if _is_state(work, token)]
    if not states and not work.draft.whole_rows:
        return ""
    said = ", ".join(states or [token.text for token in unknown])
    return f'What "{said}" means could not be told.' if said else "Which rows are meant is unclear."


def _is_state(work: Work, token: Token) -> bool:
    """Whether an unknown word says what is true of rows: "were shipped late", "are popular"."""
    place = next(i for i, other in enumerate(work.scene.tokens) if other is token)
    before = work.scene.words(place - _AROUND, place)
    if token.lower in _PARTICIPLES:
        return False
    return bool(before) and (before[-1] in _STATING or before[0] in _STATING)


def _numbers(work: Work) -> str:
    return numbers_of(work, work.draft.base)
