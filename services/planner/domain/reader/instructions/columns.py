"""Columns that sentences make or change: formulas, filled and transformed ones, and ranges."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from services.planner.domain.query.defining.terms import (
    Computed,
    Constant,
    Function,
    Term,
    WholeColumn,
)
from services.planner.domain.reader.defining.formula import formula
from services.planner.domain.reader.instructions.cut_into_ranges import bins, halves, ranges
from services.planner.domain.reader.instructions.ground import (
    Ground,
    UnreadableError,
    compared,
    deviations,
    number,
)
from services.planner.domain.reader.instructions.sentences import Sentence

_C, _N = r"⟨c\d+⟩", r"⟨n\d+⟩"
_VERB = (
    r"(?:creat|add|mak|defin|comput|calculat|deriv|engineer|generat|introduc|construct|build|form"
    r"|let)\w*"
)
_NAME = r"[\"'`]?(?P<name>[^\W\d]\w*)[\"'`]?"
_DEFINED = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b{_VERB}\s+(?:an?\s+|the\s+)?(?:(?:new|additional|derived|binary|numeric\w*"
        rf"|extra)\s+)*"
        rf"(?:column|feature|variable|field|attribute|metric|flag|indicator)s?,?\s+"
        rf"(?:(?:called|named|labell?ed)\s+)?(?!by\b|as\b|that\b|which\b){_NAME}",
        rf"\b{_VERB}\s+(?:an?\s+|the\s+)?[\"'`]?(?P<name>[^\W\d]\w*(?: [^\W\d]\w*){{0,3}}?)"
        r"[\"'`]?\s+(?=(?:as|by|to be|be)\b)",
        rf"(?:^|\bwith\s+|\bwhere\s+|\blet\s+){_NAME}\s*(?==(?!=))",
    )
)
_JOIN = re.compile(
    r"^(?:[\s,:=]|(?:as|by|that|which|is|are|be|to|defined|calculated|computed|given|equal"
    r"|obtained|"
    r"representing|represents?|using|from|the)\b)+",
    re.IGNORECASE,
)
_CUT = re.compile(r",?\s+(?:and|then|to|for|where|with)\b|,|$", re.IGNORECASE)
_FILLED = re.compile(
    rf"(?:fill|imput|replac)\w*\b[^·]*?\b(?:missing|null|nan|na|empty|absent)\b[^·]*?"
    rf"\b(?:with|by|using)\b (?:(?:the|its|their|a|column|overall) )*(?:{_C} )?"
    rf"(?P<how>mean|average|median|mode|most frequent|most common|zeros?|(?P<n>{_N}))"
    r"(?: (?:value|of the column|imputation))?(?: of (?:the |that )?(?:column|"
    rf"{_C}))?(?P<each> (?:of|within|by|per|for|in) (?:each|every|the same|their|its own))?"
)
_LOG = r"(?:natural )?log(?:arithm)?(?:10|2)?(?:arithm(?:ic)?)?"
_HOW = (
    rf"(?P<how>{_LOG}(?: ?transform\w*)?|square root(?: ?transform\w*)?|min max (?:scal"
    rf"|normal)\w*|"
    r"z ?scores? (?:standardi|normali|scal)\w*)"
)
_ADJECTIVE = re.compile(
    rf"(?P<how>{_LOG} ?transformed|logged|square root transformed|standardi[sz]ed|normali[sz]ed"
    rf"|scaled)(?: values of(?: the)?)? (?P<c>{_C})"
)
_IMPERATIVE = tuple(
    re.compile(rf"(?<!\S){form}(?!\S)")
    for form in (
        rf"(?:take|taking|apply|applying|compute|use|perform\w*|calculate)(?: an?| the)? {_HOW}"
        rf"(?: (?:to|on|of|for))?(?: the)? (?P<c>{_C})(?: (?:column|values?|variable))?",
        rf"(?P<how>log ?transform(?:ing)?|standardi[sz]e|standardi[sz]ing|normali[sz]e"
        rf"|normali[sz]ing|scale|scaling|transform) (?:the )?(?P<c>{_C})(?: (?:column|values?))?"
        rf"(?: (?:with|by|using|via|to) (?P<way>(?:(?!·|{_C})\S+ ?){{1,12}}))?",
        rf"(?P<how>{_LOG}|square root) of (?:the )?(?P<c>{_C})",
    )
)


def read_columns(sentence: Sentence, ground: Ground) -> bool:
    """The columns that a sentence makes; whether it makes any."""
    made = False
    for read in (_formula, ranges, halves, bins, _filled, _transformed):
        made = read(sentence, ground) or made
    return made


def _formula(sentence: Sentence, ground: Ground) -> bool:
    for pattern in _DEFINED:
        for match in pattern.finditer(sentence.wording):
            rest = _spelt(sentence, match.end())
            body = rest[_end(_JOIN.match(rest)) :]
            for cut in sorted({m.start() for m in _CUT.finditer(body)} | {len(body)}, reverse=True):
                term = formula(body[:cut], ground.table, {})
                if term is None:
                    continue
                name = match.group("name").strip()
                ground.derive(name, term, f"{name} = {' '.join(body[:cut].split())}")
                left = len(rest) - len(body) + cut
                _cut_characters(sentence, match.start(), match.end(), rest, left)
                return True
    return False


def _end(match: re.Match[str] | None) -> int:
    return match.end() if match is not None else 0


def _spelt(sentence: Sentence, start: int) -> str:
    """The sentence from a character on, columns as the data spells them."""
    text, last = "", start
    for mark in sorted(sentence.marks.values(), key=lambda m: m.start):
        if mark.kind == "column" and mark.start >= start:
            text += f'{sentence.wording[last : mark.start]}"{mark.column}"'
            last = mark.end
    return text + sentence.wording[last:]


def _cut_characters(sentence: Sentence, start: int, begun: int, rest: str, left: int) -> None:
    """Takes the words of a definition out of the text: those behind it stay to be read."""
    behind = len(rest) - left
    end = len(sentence.wording) - behind
    inside = {n for n, m in sentence.marks.items() if start <= m.start < end or m.end == begun}
    sentence.read |= inside
    sentence.matched = True
    after = [n for n, m in sentence.marks.items() if m.start >= end]
    words = sentence.text.split(" ")
    tail = sentence.wording[end:]
    if not after:
        kept = tail.lower().split()
    else:
        first = min(after, key=lambda n: sentence.marks[n].start)
        between = sentence.wording[end : sentence.marks[first].start].lower().split()
        kept = [*between, *words[words.index(first) :]] if first in words else between
    before = sentence.wording[:start].lower().split()
    sentence.text = " ".join([*(w for w in before if not w.startswith("@")), "·", *kept])


def _filled(sentence: Sentence, ground: Ground) -> bool:
    match = _FILLED.search(sentence.text)
    if match is None:
        return False
    if match.group("each"):
        raise UnreadableError("filling missing values group by group cannot be done here.")
    near = re.findall(_C, match.group()) or re.findall(_C, sentence.text[: match.start()])
    named = [ground.meaning(sentence.marks[n].column) for n in near]
    if not named:
        named = [
            ground.meaning(sentence.marks[n].column) for n in re.findall(_C, sentence.text)[:1]
        ]
    how = match.group("how")
    for column in dict.fromkeys(named or [ground.current]):
        if not column:
            raise UnreadableError(f'it is not said which column is filled in "{sentence.wording}".')
        other: Term
        if match.group("n"):
            other = number(sentence.mark(match.group("n")).number)
        elif how.startswith("zero"):
            other = number(0)
        else:
            other = ground.overall(_WHOLE[how], column)
        term = Computed(function="filled", operands=(ground.reference(column), other))
        text = f"{other.value:g}" if isinstance(other, Constant) else f"its {how}"
        ground.derive(column, term, f"missing {column} filled with {text}")
        sentence.read |= {n for n, m in sentence.marks.items() if m.column == column}
    sentence.cut(match)
    return True


_WHOLE: Mapping[str, WholeColumn] = {
    "mean": "mean",
    "average": "mean",
    "median": "median",
    "mode": "mode",
    "most frequent": "mode",
    "most common": "mode",
}


def _transformed(sentence: Sentence, ground: Ground) -> bool:
    done = False
    while (match := _ADJECTIVE.search(sentence.text)) is not None:
        name = sentence.marks[match.group("c")].column
        if name not in ground.resolved:
            _transform(ground, name, match.group("how"))
        sentence.text = (
            f"{sentence.text[: match.start()]}{match.group('c')}{sentence.text[match.end() :]}"
        )
        done = True
    for pattern in _IMPERATIVE:
        match = pattern.search(sentence.text)
        if match is None:
            continue
        name = sentence.marks[match.group("c")].column
        how = f"{match.group('how')} {match.groupdict().get('way') or ''}"
        if match.group("how") in ("scale", "scaling", "transform") and not re.search(
            "min|max|z ?score|log|root|standard", how
        ):
            raise UnreadableError(f'it is not said how {name} is scaled in "{sentence.wording}".')
        _transform(ground, name, how)
        sentence.cut(match)
        return True
    return done


def _transform(ground: Ground, name: str, how: str) -> None:
    for words, label, make in _WAYS:
        if re.search(words, how):
            ground.derive(f"{label} {name}", make(ground, name), f"{label} of {name}")
            ground.resolved[name] = f"{label} {name}"
            return
    raise UnreadableError(f'"{how.strip()}" cannot be done here.')


def _of(function: Function) -> Callable[[Ground, str], Term]:
    return lambda ground, name: Computed(function=function, operands=(ground.reference(name),))


def _scaled(ground: Ground, name: str) -> Term:
    low, high = ground.overall("minimum", name), ground.overall("maximum", name)
    return compared(compared(ground.reference(name), "-", low), "/", compared(high, "-", low))


_WAYS: tuple[tuple[str, str, Callable[[Ground, str], Term]], ...] = (
    (r"log ?10", "decimal logarithm", _of("log10")),
    (r"log ?2", "binary logarithm", _of("log2")),
    (r"log", "logarithm", _of("ln")),
    (r"root", "square root", _of("root")),
    (r"min ?max|0 to 1|normali[sz](?!.*z ?score)|scaled", "scaled", _scaled),
    (r"z ?score|standard", "standardised", deviations),
)
