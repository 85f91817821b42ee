"""Which rows are meant: conditions as sentences state them, values, spans of years, flags."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import replace

from services.planner.domain.lexicon.names import words_of
from services.planner.domain.query.defining.terms import Computed, Function
from services.planner.domain.reader.instructions.condition import Condition
from services.planner.domain.reader.instructions.flags import (
    flag_groups,
    flagged,
    plain_flag,
    read_flag,
)
from services.planner.domain.reader.instructions.ground import (
    Ground,
    UnreadableError,
    compared,
    number,
)
from services.planner.domain.reader.instructions.own_numbers import against, against_it, deviating
from services.planner.domain.reader.instructions.sentences import MARK, Mark, Sentence
from services.planner.domain.reader.instructions.signs import SIGN, sign_of
from services.planner.domain.semantics.units import converted, unit_called, unit_of_name

_C, _V, _N = (rf"⟨(?:{kind})\d+⟩" for kind in "cvn")
_IS = r"(?:(?:is|are|was|were|has|have|having|value|values|a|an|the|of|that) )*"
_TO = r"(?:to|and|-|–|through|until)"
_WHO = r"(?:who|that|which)(?: (?:have|had|has|were|was|are|is))?"
_NOT = re.compile(
    r"\b(?:not|no|non|except|excluding|exclude|without|other than|besides|omit|remove|drop)\b"
    r"(?: \S+){0,2} ?$"
)
_MONTHS = {name.lower(): place for place, name in enumerate(calendar.month_name) if name}


def conditions(sentence: Sentence, ground: Ground) -> list[Condition]:
    """All conditions that a sentence states; their words are taken out of it."""
    found: list[Condition] = []
    for pattern, read in _FORMS:
        place = 0
        while (match := pattern.search(sentence.text, place)) is not None:
            made = read(match, sentence, ground)
            if made is None:
                place = match.start() + 1
                continue
            named = [sentence.marks[name].start for name in MARK.findall(match.group())]
            found += [replace(one, at=min(named, default=-1)) for one in made]
            sentence.cut(match)
            place = match.start() + 1
    return sorted(found, key=lambda condition: condition.place)


Found = list[Condition] | None


def _one(ground: Ground, name: str, sign: Function, value: float, place: int) -> list[Condition]:
    term = compared(ground.reference(name), sign, number(value))
    only = f"{value:g}" if sign == "==" else None
    text = {"==": "is", "!=": "is not"}.get(sign, sign)
    return [Condition(term, name, f"{name} {text} {value:,.10g}", place, only)]


def _compared(match: re.Match[str], sentence: Sentence, ground: Ground) -> Found:
    name = ground.meaning(sentence.marks[match.group("c")].column)
    if not ground.numeric(name):
        return None
    value = _in_unit_of(name, sentence.marks[match.group("n")])
    return _one(ground, name, sign_of(match.group("sign")), value, match.start())


def _in_unit_of(name: str, mark: Mark) -> float:
    """A number with a unit, in the unit of a column: "5 kg" of `mass_g` is 5000."""
    given, wanted = unit_called(mark.text), unit_of_name(name)
    if not mark.text or given is None or wanted is None:
        return mark.number
    value = converted(mark.number, given, wanted)
    if value is None:
        raise UnreadableError(f"{name} is in {wanted.name}, which {mark.text} is no measure of.")
    return value


def _between(match: re.Match[str], sentence: Sentence, ground: Ground) -> Found:
    name = ground.meaning(sentence.marks[match.group("c")].column)
    return _span(match, sentence, ground, name)


def _span(match: re.Match[str], sentence: Sentence, ground: Ground, name: str) -> Found:
    if not ground.numeric(name):
        return None
    marks = [sentence.marks[match.group(g)] for g in ("n", "n2")]
    if not marks[0].text:
        marks[0] = replace(marks[0], text=marks[1].text)  # "3 to 5 kg"
    low, high = (_in_unit_of(name, mark) for mark in marks)
    here = ground.reference(name)
    ends = compared(here, ">=", number(low)), compared(here, "<=", number(high))
    text = f"{name} is {low:g} to {high:g}"
    return [Condition(Computed(function="and", operands=ends), name, text, match.start())]


def _listed(match: re.Match[str], sentence: Sentence, ground: Ground) -> Found:
    name = ground.meaning(sentence.marks[match.group("c")].column)
    if not ground.numeric(name):
        return None
    numbers = [sentence.marks[n].number for n in re.findall(_N, match.group("ns"))]
    return [c for n in numbers for c in _one(ground, name, "==", n, match.start())]


def _valued(match: re.Match[str], sentence: Sentence, ground: Ground) -> Found:
    mark = sentence.marks[match.group("v")]
    text = match.groupdict().get("c")
    if text and sentence.marks[text].column != mark.column:
        return None
    before = sentence.text[: match.start()]
    negated = _NOT.search(before) is not None or " not " in f" {match.group()} "
    sign: Function = "!=" if negated else "=="
    term = compared(ground.reference(mark.column), sign, ground.constant(mark.column, mark.value))
    text = f"{mark.column} is {'not ' if negated else ''}{mark.value}"
    return [Condition(term, mark.column, text, match.start(), None if negated else mark.value)]


def _labelled(match: re.Match[str], sentence: Sentence, ground: Ground) -> Found:
    """A label that the question itself gave to a group."""
    words = match.group().lower()
    for name, labels in ground.labels.items():
        label = next((one for one in labels if one.lower() == words), None)
        if label is not None:
            term = compared(ground.reference(name), "==", ground.constant(name, label))
            return [Condition(term, name, f"{name} is {label}", match.start(), label)]
    return None


def _year(ground: Ground) -> str | None:
    return next(
        (
            c.name
            for c in ground.table.columns
            if ground.numeric(c.name) and "year" in words_of(c.name) and _is_year(c.minimum)
        ),
        None,
    )


def _is_year(text: str | None) -> bool:
    try:
        return 1000 <= float(text or "nan") <= 2200
    except ValueError:
        return False


def _in_year(match: re.Match[str], sentence: Sentence, ground: Ground) -> Found:
    name, value = _year(ground), sentence.marks[match.group("n")].number
    if name is None or not 1000 <= value <= 2200:
        return None
    if "n2" in match.groupdict():
        return _span(match, sentence, ground, name)
    signs: dict[str, Function] = {"since": ">=", "after": ">", "before": "<", "until": "<="}
    signs |= dict.fromkeys(("later", "onward", "onwards", "newer"), ">=")
    signs |= dict.fromkeys(("earlier", "older"), "<=")
    words = match.group("when").split()
    sign = signs.get(words[-1], "==")
    if words[0] in ("or", "and"):
        sign = ">=" if words[-1] == "after" else "<=" if words[-1] == "before" else sign
    return _one(ground, name, sign, value, match.start())


def _in_month(match: re.Match[str], sentence: Sentence, ground: Ground) -> Found:
    name = next((c.name for c in ground.table.columns if words_of(c.name)[-1] == "month"), None)
    if name is None or not ground.numeric(name):
        return None
    return _one(ground, name, "==", _MONTHS[match.group("month")], match.start())


def _none_of(match: re.Match[str], sentence: Sentence, ground: Ground) -> Found:
    name = ground.meaning(sentence.marks[match.group("c")].column)
    return _one(ground, name, "==", 0, match.start()) if ground.numeric(name) else None


Reading = Callable[[re.Match[str], Sentence, Ground], Found]
_FORMS: tuple[tuple[re.Pattern[str], Reading], ...] = tuple(
    (re.compile(rf"(?<!\S)(?:{form})(?!\S)"), read)
    for form, read in (
        (
            rf"(?:(?P<c>{_C}) )?(?:absolute )?z ?scores?(?: of (?:the )?(?P<c2>{_C}))? {_IS}"
            rf"(?P<sign>{SIGN}) (?P<n>{_N})(?: in absolute (?:value|terms))?",
            deviating,
        ),
        (rf"(?P<c>{_C}) and (?:non|not) (?P<c2>{_C})", flag_groups),
        (
            r"(?P<at>at or |equal to or )?(?P<way>above|below|over|under) (?:it|this|that)"
            r"(?: value| percentile)?",
            against_it,
        ),
        (
            rf"(?P<c>{_C})? ?(?:values? )?{_IS}(?P<sign>{SIGN}) (?:its |the |their )?"
            rf"(?P<what>(?P<n>{_N}) ?(?:th|%)? ?percentile|median|mean|average)"
            r"(?: (?:value|of (?:the )?⟨c\d+⟩))?",
            against,
        ),
        (
            rf"(?P<c>{_C}) {_IS}(?:between|from|in the range) (?P<n>{_N}) {_TO} (?P<n2>{_N})"
            r"(?: \( inclusive \)| inclusive)?",
            _between,
        ),
        (
            rf"(?P<c>{_C}) (?P<n>{_N}) {_TO} (?P<n2>{_N})(?: \( inclusive \)"
            rf"| inclusive)?",
            _between,
        ),
        (rf"(?P<c>{_C}) {_IS}(?P<sign>{SIGN}) (?P<n>{_N})", _compared),
        (rf"(?P<sign>{SIGN}) (?P<n>{_N}) (?P<c>{_C})", _compared),
        (rf"(?:with|having|has|have|had|of) (?P<ns>{_N}) (?P<c>{_C})", _listed),
        (rf"(?:equal to|values?|codes?) ?(?P<c>{_C}) ?(?P<ns>{_N})", _listed),
        (
            rf"(?P<c>{_C}) (?:is |are |in )?(?P<ns>{_N}(?: ,(?: and| or)? {_N}| and {_N}"
            rf"| or {_N})*)",
            _listed,
        ),
        (rf"(?P<c>{_C}) (?:at|in|from) (?P<v>{_V})", _valued),
        (rf"(?P<c>{_C}) {_IS}(?:(?:==?|equals?(?: to)?|not|in|either) )*(?P<v>{_V})", _valued),
        (
            rf"(?P<c>{_C}) {_IS}(?:(?:==?|equals?|equal to) )?(?P<truth>yes|no|true|false)",
            read_flag,
        ),
        (rf"(?P<v>{_V})", _valued),
        (
            rf"(?:from|between|for|during|in)(?: the)?(?: years?)? (?P<n>{_N}) {_TO} (?P<n2>{_N})"
            r"(?: \( inclusive \)| inclusive)?",
            _in_year,
        ),
        (
            rf"(?:in|from|during) (?P<n>{_N})(?P<when> (?:or|and) (?:later|after|onwards?|newer))",
            _in_year,
        ),
        (
            rf"(?:in|from|during) (?P<n>{_N})(?P<when> (?:or|and) (?:earlier|before|older))",
            _in_year,
        ),
        (
            rf"(?P<when>in|of|for|during|since|after|before|until|from)(?: the)?(?: years?)? "
            rf"(?P<n>{_N})",
            _in_year,
        ),
        (rf"(?:in|for|of|during|from) (?P<month>{'|'.join(_MONTHS)})", _in_month),
        (rf"(?:had|has|have|with|having) (?:no|zero) (?P<c>{_C})", _none_of),
        (
            rf"(?:{_WHO} )?(?P<no>did not|do not|does not|were not|are not|not|non) (?P<c>{_C})",
            flagged,
        ),
        (rf"{_WHO}(?P<no> never)? (?P<c>{_C})", flagged),
        (r"[a-z]+", _labelled),
        (rf"(?P<c>{_C})(?= rate| and|$| ,| \?|·| by| for| in| of)", plain_flag),
    )
)
