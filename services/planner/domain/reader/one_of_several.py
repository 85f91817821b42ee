"""Values that a question names in part, or that others hold too: "support" of two queues that are
called so, "Decca" beside "Decca Records". Which are meant is told, and no such answer is sure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from services.planner.domain.catalogue import Catalogue, ValueLookup
from services.planner.domain.confidence.thresholds import DOUBTFUL
from services.planner.domain.lexicon.stop_words import STOP_WORDS
from services.planner.domain.lexicon.tokens import Token, loud, stem, tokenise
from services.planner.domain.query.filters import Condition, Filter, Group, conditions_of
from services.planner.domain.query.intent import Intent, Operator, Understood
from services.planner.domain.query.planning.summary import summarise

_KINDS = 50  # more different values than a column of kinds has
_TOGETHER, _MOST_SHOWN = 6, 3
_HARDLY_SURE = 0.7
_WORDS = re.compile(r"[^\W_]+")
_SEVERAL = {Operator.EQUAL: Operator.IN, Operator.NOT_EQUAL: Operator.NOT_IN}


@dataclass
class _Widened:
    """What comes of the conditions: those that change, what is told, how sure it is at most."""

    changed: dict[Condition, Condition] = field(default_factory=dict[Condition, Condition])
    notes: list[str] = field(default_factory=list[str])
    most: float = 1.0


async def with_several_values(
    found: Understood, question: str, catalogue: Catalogue, lookup: ValueLookup
) -> Understood:
    """The reading with all values that its words may mean: those of a column of kinds together,
    the others told."""
    tokens, intended = tokenise(question), _Widened()
    wheres = [m.where for m in found.intent.measures if m.where is not None]
    for wanted in dict.fromkeys(conditions_of((*found.intent.filters, *wheres))):
        await _look(wanted, tokens, catalogue, lookup, intended)
    if not intended.notes and not intended.changed:
        return found
    intent = _with(found.intent, lambda one: intended.changed.get(one, one))
    notes = tuple(note for note in intended.notes if note not in found.assumptions)
    return found.model_copy(
        update={
            "intent": intent,
            "summary": summarise(intent, catalogue),
            "confidence": min(found.confidence, intended.most),
            "measured": True,
            "assumptions": (*notes, *found.assumptions),
        }
    )


async def _look(
    wanted: Condition,
    tokens: Sequence[Token],
    catalogue: Catalogue,
    lookup: ValueLookup,
    intended: _Widened,
) -> None:
    table = catalogue.table(wanted.field.table)
    column = table.column(wanted.field.column) if table is not None else None
    if column is None or wanted.operator not in (*_SEVERAL, *_SEVERAL.values()):
        return
    if len(wanted.values) != 1:
        _look_at_all(wanted, tokens, intended)
        return
    value = wanted.values[0]
    known_tokens = _find_value_words(value, tokens) if isinstance(value, str) else []
    if not known_tokens or not isinstance(value, str):
        return
    phrase, stems = " ".join(t.text for t in known_tokens), {t.stem for t in known_tokens}
    hits = await lookup([phrase])
    others = [
        hit.value
        for hit in hits
        if (hit.table, hit.column) == (wanted.field.table, wanted.field.column)
        and _plain(hit.value) != _plain(value)
        and stems <= _stems(hit.value)
    ]
    others = list(dict.fromkeys(others))
    whole = _stems(value) <= stems
    if not others and not whole and phrase.isupper():
        intended.notes.append(f'"{phrase}" is taken for {value}')
    if not others or (whole and column.distinct > _KINDS):
        return
    if whole:
        intended.notes.append(f'"{phrase}" is {value} alone, without {_listed(others)}')
        intended.most = min(intended.most, _HARDLY_SURE)
    elif column.distinct <= _KINDS and len(others) < _TOGETHER:
        together = sorted((value, *others))
        operator = _SEVERAL[wanted.operator]
        intended.changed[wanted] = wanted.model_copy(
            update={"operator": operator, "values": tuple(together)}
        )
        intended.notes.append(f'"{phrase}" is taken for {_listed(together)} together')
        intended.most = min(intended.most, _HARDLY_SURE)
    else:
        intended.notes.append(
            f'"{phrase}" is taken for {value} alone: there is {_listed(others)} too'
        )
        intended.most = min(intended.most, DOUBTFUL)


def _look_at_all(wanted: Condition, tokens: Sequence[Token], intended: _Widened) -> None:
    """Several values that share the words said: all of them are meant, which is told."""
    values = [value for value in wanted.values if isinstance(value, str)]
    known_tokens = [{t.index: t for t in _find_value_words(value, tokens)} for value in values]
    if len(values) < 2 or len(values) != len(wanted.values) or not known_tokens[0]:
        return
    same = all(one.keys() == known_tokens[0].keys() for one in known_tokens)
    if same and len({_plain(value) for value in values}) == len(values):
        phrase = " ".join(token.text for token in known_tokens[0].values())
        intended.notes.append(f'"{phrase}" is taken for {_listed(sorted(values))} together')
        intended.most = min(intended.most, _HARDLY_SURE)


def _find_value_words(value: str, tokens: Sequence[Token]) -> list[Token]:
    """The words of the question that a value is meant by; none where it is quoted in full."""
    if any(token.quoted and _plain(token.text) == _plain(value) for token in tokens):
        return []
    named, stems = loud(tokens), _stems(value)
    return [
        t
        for t in tokens
        if not (t.mark or t.quoted)
        and t.stem in stems
        and (t.lower not in STOP_WORDS or t.index in named)
    ]


def _stems(value: str) -> set[str]:
    words = [word.casefold() for word in _WORDS.findall(value)]
    return {stem(word) for word in words if word not in STOP_WORDS or word.upper() in value}


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _listed(values: Sequence[str]) -> str:
    more = f" and {len(values) - _MOST_SHOWN} more" if len(values) > _MOST_SHOWN + 1 else ""
    shown = values[:_MOST_SHOWN] if more else values
    return " or ".join(shown) + more


def _with(intent: Intent, changed: Callable[[Condition], Condition]) -> Intent:
    """The intent with its conditions as changed."""

    def one(wanted: Filter) -> Filter:
        if isinstance(wanted, Condition):
            return changed(wanted)
        if isinstance(wanted, Group):
            return wanted.model_copy(update={"members": tuple(map(one, wanted.members))})
        return wanted

    measures = tuple(
        m if m.where is None else m.model_copy(update={"where": one(m.where)})
        for m in intent.measures
    )
    return intent.model_copy(
        update={"filters": tuple(map(one, intent.filters)), "measures": measures}
    )
