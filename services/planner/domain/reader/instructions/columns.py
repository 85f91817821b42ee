"""Columns that sentences make or change: formulas, ranges, bins, filled and transformed ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from services.planner.domain.language.defining.formula import formula
from services.planner.domain.language.defining.ranges import choice, listed_ranges
from services.planner.domain.language.defining.terms import (
    Branch,
    Choice,
    Computed,
    Constant,
    Function,
    Term,
    WholeColumn,
)
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
_BINS = {"quartile": 4, "quintile": 5, "decile": 10, "tercile": 3, "tertile": 3}
_QUANTILES = re.compile(
    rf"\b(?P<kind>{'|'.join(_BINS)})s?\b|(?P<n>{_N}) (?:quantile|equal(?:ly)? siz\w*"
    r"|equal frequency|equally populated) ?(?:based )?(?:bins?|groups?|intervals?|buckets?)?"
)
_WIDTHS = re.compile(
    rf"(?P<n>{_N}) (?:equal width|equally wide|equal length|equal sized width) ?(?:bins?|groups?|"
    rf"intervals?|ranges?)|(?P<n2>{_N}) (?:bins?|intervals?|groups?) of (?:equal|the same) width"
)
_HALVES = re.compile(
    rf"(?:⟨n\d+⟩|two) groups? (?:at|by|based on|using|around) (?:the |its )?(?P<what>median|mean)"
    rf"(?: of (?:the )?(?P<c>{_C}))?"
)
_CUTTING = re.compile(
    r"\b(?:bin|divid|split|group|cut|categori|discreti|segment|bucket"
    r"|break)\w*"
)
_LABELS = re.compile(r"[\"'‘“]([\w ]{1,20})[\"'’”]\s+(?:for|if|when)\b[^.;]*?\b(above|below|over|"
                     r"under|greater|less|higher|lower)", re.IGNORECASE)  # fmt: skip
_YEARS = re.compile(r" years?(?: old| of age)?\b", re.IGNORECASE)
_TERMS = ("lowest", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


def read_columns(sentence: Sentence, ground: Ground) -> bool:
    """The columns that a sentence makes; whether it makes any."""
    made = False
    for read in (_formula, _ranges, _halves, _bins, _filled, _transformed):
        made = read(sentence, ground) or made
    return made


def _formula(sentence: Sentence, ground: Ground) -> bool:
    for pattern in _DEFINED:
        for match in pattern.finditer(sentence.said):
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
    said, last = "", start
    for mark in sorted(sentence.marks.values(), key=lambda m: m.start):
        if mark.kind == "column" and mark.start >= start:
            said += f'{sentence.said[last : mark.start]}"{mark.column}"'
            last = mark.end
    return said + sentence.said[last:]


def _cut_characters(sentence: Sentence, start: int, begun: int, rest: str, left: int) -> None:
    """Takes the words of a definition out of the text: those behind it stay to be read."""
    behind = len(rest) - left
    end = len(sentence.said) - behind
    inside = {n for n, m in sentence.marks.items() if start <= m.start < end or m.end == begun}
    sentence.read |= inside
    sentence.matched = True
    after = [n for n, m in sentence.marks.items() if m.start >= end]
    words = sentence.text.split(" ")
    tail = sentence.said[end:]
    if not after:
        kept = tail.lower().split()
    else:
        first = min(after, key=lambda n: sentence.marks[n].start)
        between = sentence.said[end : sentence.marks[first].start].lower().split()
        kept = [*between, *words[words.index(first) :]] if first in words else between
    before = sentence.said[:start].lower().split()
    sentence.text = " ".join([*(w for w in before if not w.startswith("@")), "·", *kept])


def _ranges(sentence: Sentence, ground: Ground) -> bool:
    said = _YEARS.sub(lambda m: " " * len(m.group()), sentence.said)
    run = listed_ranges(said)
    if run is None:
        return False
    numeric = [
        m for m in sentence.marks.values() if m.kind == "column" and ground.numeric(m.column)
    ]
    before = [m for m in numeric if m.start <= run.start] or numeric[:1]
    if not before or not all(r.label for r in run.ranges):
        return False
    column = max(before, key=lambda m: m.start).column
    labels = [r.label for r in run.ranges]
    name = f"{column} group"
    text = f"{name}: {', '.join(labels)}"
    ground.derive(name, choice(run.ranges, ground.reference(column)), text, labels)
    ground.grouped = name
    sentence.matched = True
    sentence.read |= {
        n for n, m in sentence.marks.items()
        if run.start <= m.start < run.end or m.column == column
    }  # fmt: skip
    sentence.text = "·"
    return True


def _column(sentence: Sentence, ground: Ground, named: str | None) -> str:
    if named:
        return ground.meaning(sentence.mark(named).column)
    inside = [m for n, m in sentence.marks.items() if m.kind == "column" and n in sentence.text]
    numeric = [m.column for m in inside if ground.numeric(m.column)]
    name = numeric[0] if numeric else ground.current
    if not name:
        raise UnreadableError(f'it is not said which column is meant in "{sentence.said}".')
    return ground.meaning(name)


def _halves(sentence: Sentence, ground: Ground) -> bool:
    match = _HALVES.search(sentence.text)
    if match is None:
        return False
    column = _column(sentence, ground, match.group("c"))
    said = dict((way.lower(), label) for label, way in _LABELS.findall(sentence.said))
    high = next((said[w] for w in ("above", "over", "greater", "higher") if w in said), "high")
    low = next((said[w] for w in ("below", "under", "less", "lower") if w in said), "low")
    what: WholeColumn = "median" if match.group("what") == "median" else "mean"
    middle = ground.overall(what, column)
    here = ground.reference(column)
    quoted = [m.text for m in sentence.marks.values() if m.kind == "quoted"]
    if low == "low" and len(quoted) == 2 and high in quoted:
        low = next(q for q in quoted if q != high)
    term = Choice(
        branches=(
            Branch(when=compared(here, ">", middle), then=Constant(value=high)),
            Branch(when=compared(here, "<=", middle), then=Constant(value=low)),
        )
    )
    name = f"{column} half"
    ground.derive(name, term, f"{name}: {high} above the {what}, else {low}", (low, high))
    ground.grouped = name
    sentence.read |= set(sentence.marks)
    sentence.matched, sentence.text = True, "·"
    return True


def _bins(sentence: Sentence, ground: Ground) -> bool:
    if not _CUTTING.search(sentence.text):
        return False
    wide = _WIDTHS.search(sentence.text)
    match = wide or _QUANTILES.search(sentence.text)
    if match is None:
        return False
    said = match.group("n") or match.groupdict().get("n2")
    count = int(sentence.mark(said).number) if said else _BINS[match.group("kind")]
    if not 2 <= count <= 10:
        raise UnreadableError(f"values are cut into two to ten ranges, not {count}.")
    column = _column(sentence, ground, None)
    sentence.read |= {n for n, m in sentence.marks.items() if m.column == column}
    labels = _bin_labels(count)
    low, high = ground.overall("minimum", column), ground.overall("maximum", column)
    branches = []
    for place, label in enumerate(labels, start=1):
        end: Term = ground.overall("quantile", column, round(place / count, 12))
        if wide is not None:
            width = compared(compared(high, "-", low), "*", number(place / count))
            end = compared(low, "+", width)
        inside = compared(ground.reference(column), "<=", end if place < count else high)
        branches.append(Branch(when=inside, then=Constant(value=label)))
    kind = "equally wide ranges" if wide is not None else "groups of equal size"
    name = f"{column} group"
    ground.derive(name, Choice(branches=tuple(branches)), f"{column} in {count} {kind}", labels)
    ground.grouped = name
    sentence.cut(match)
    return True


def _bin_labels(count: int) -> tuple[str, ...]:
    if count in (2, 3):
        return ("low", "high") if count == 2 else ("low", "middle", "high")
    return (*_TERMS[: count - 1], "highest")


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
            raise UnreadableError(f'it is not said which column is filled in "{sentence.said}".')
        other: Term
        if match.group("n"):
            other = number(sentence.mark(match.group("n")).number)
        elif how.startswith("zero"):
            other = number(0)
        else:
            other = ground.overall(_WHOLE[how], column)
        term = Computed(function="filled", operands=(ground.reference(column), other))
        said = f"{other.value:g}" if isinstance(other, Constant) else f"its {how}"
        ground.derive(column, term, f"missing {column} filled with {said}")
        sentence.read |= {n for n, m in sentence.marks.items() if m.column == column}
    sentence.cut(match)
    return True


_WHOLE: Mapping[str, WholeColumn] = {
    "mean": "mean", "average": "mean", "median": "median", "mode": "mode",
    "most frequent": "mode", "most common": "mode",
}  # fmt: skip


def _transformed(sentence: Sentence, ground: Ground) -> bool:
    done = False
    while (match := _ADJECTIVE.search(sentence.text)) is not None:
        name = sentence.marks[match.group("c")].column
        if name not in ground.meant:
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
            raise UnreadableError(f'it is not said how {name} is scaled in "{sentence.said}".')
        _transform(ground, name, how)
        sentence.cut(match)
        return True
    return done


def _transform(ground: Ground, name: str, how: str) -> None:
    for words, label, make in _WAYS:
        if re.search(words, how):
            ground.derive(f"{label} {name}", make(ground, name), f"{label} of {name}")
            ground.meant[name] = f"{label} {name}"
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
