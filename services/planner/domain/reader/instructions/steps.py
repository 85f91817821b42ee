"""What sentences do to the rows: leave out outliers and missing values, keep only some."""

from __future__ import annotations

import re
from dataclasses import dataclass

from services.planner.domain.query.defining.terms import Computed
from services.planner.domain.reader.instructions.analysis import Test, Tested
from services.planner.domain.reader.instructions.condition import (
    Condition,
    describe_conditions,
    together,
)
from services.planner.domain.reader.instructions.ground import (
    Ground,
    UnreadableError,
    both,
    inside,
)
from services.planner.domain.reader.instructions.offers import Offer
from services.planner.domain.reader.instructions.sentences import Sentence
from services.planner.domain.reader.instructions.vocabulary import stems

_C, _N = r"⟨c\d+⟩", r"⟨n\d+⟩"
_REMOVING = (
    r"(?:remov\w*|exclud\w*|drop\w*|eliminat\w*|filter\w* out|discard\w*|ignor\w*|delet\w*"
    r"|omit\w*"
    r"|skip\w*|leav\w* out|left out|without|disregard\w*|get\w* rid of|strip\w*)"
)
_NOTHING = re.compile(
    r"(?:do not|don n?o?t|no|without|avoid) (?:perform |do |apply |need\w* |use |make )*(?:any )?"
    r"(?:further|other|additional|more)\b.*|^(?:please )?(?:use|using|apply|via"
    r"|with)(?: \S+){0,3}"
    r" (?:pandas|numpy|scipy|sklearn|scikit learn|statsmodels|python|built in|the library)\b.*"
    r"|^assum\w*(?! equal| unequal)\b.*|^note\b.*|^⟨n\d+⟩ (?:sided|tailed) *,? *$"
    r"|^only complete rows *$"
)
_MISSING = r"(?:missing|null|nan|na|empty|unknown|blank)"
_DROP = re.compile(
    rf"{_REMOVING}(?P<what>[^·]*?(?:{_MISSING}|without)\b(?: (?:values?|data|readings?|entries|"
    rf"observations?))?(?: (?:in|of|for|from|on|an?|the|either|any|of them|both|columns?))*"
    rf"(?P<cs>(?: ?(?:,|and|or|the) ?)* ?(?:{_C})(?: (?:,|and|or|the|,? and) ?{_C})*)?)"
    rf"|{_REMOVING}[^·]*? (?:whose|where|when) (?:the )?(?P<cs2>{_C}(?: (?:,|and|or) {_C})*"
    rf"|either"
    rf"|any|both)(?: of them)? (?:is|are|values? (?:is|are)) (?:all )?{_MISSING}"
)
_WHOLE = re.compile(
    r"\b(?:any|at least one|a|all) (?:rows? with )?(?:a |any )?(?:missing|null"
    r"|nan)"
    r"|(?:incomplete|any column)"
)
_OUTLIERS = re.compile(r"outliers?|extreme values?|anomal\w+")
_Z = re.compile(r"z ?scores?|standard deviations? (?:from|away)")
_LIMITS = tuple(
    re.compile(form)
    for form in (
        rf"(?:(?:with|and|using) )?(?:an? |the )?(?:threshold|factor|multiplier|cut ?off|limit)"
        rf"(?: (?:of|is|=|at))* (?P<n>{_N})",
        rf"(?P<n>{_N}) ?(?:times|x|×|\*)? ?(?:the )?(?:iqr|inter ?quartile range)",
        rf"(?:absolute )?z ?scores?(?: (?:is|are|of|value|values|that|in|greater|larger|more"
        rf"|higher|"
        rf"than|above|over|exceed\w*|beyond|absolute|>|in absolute value))* (?P<n>{_N})",
        rf"(?P<n>{_N}) (?:standard deviations?|sigmas?)",
    )
)
_REMOVED_OUTLIERS = re.compile(
    rf"{_REMOVING}(?: (?!outlier)\S+){{0,4}}? (?:whose|where) (?:the )?(?P<c2>{_C})(?: values?)? "
    rf"(?:is|are)(?: an?)? outliers?"
    rf"|{_REMOVING}(?: (?:the|all|any|these|such|rows?|records|data|points?|observations|values?|"
    rf"with|that|are|considered|as|its|statistical|{_C}))* (?:outliers?|extreme values?)"
    rf"(?: (?:values?|rows?))?(?: (?:of|in|from|for|on|the|column|based on))*(?: (?P<c>{_C}))?"
)
_LEFT_OVER = re.compile(rf"(?<!\S){_REMOVING} (?!assum|(?:\S+ ){{0,4}}?·)\S+")
_METHOD = re.compile(
    rf"(?:,? ?(?:(?:by|using|with|use|based on|according to|via|as defined by) )?(?:the |an? )?"
    rf"(?:{_N} ?(?:times|x|×|\*)? ?(?:the )?)?(?:iqr|inter ?quartile range|tukey|z ?score)s?"
    rf"(?: (?:method|rule|approach|criterion|fences?))*(?: \( [^)]*\))?)"
)
_THEM = re.compile(
    rf"(?:after )?{_REMOVING} (?:them|these|those|the outliers|these outliers|such (?:rows"
    rf"|values))"
    r"(?: from the data)?"
)
_RESTRICTION = re.compile(
    rf"^(?:then |and |please |first )*(?:only|use only|using only|consider only"
    rf"|only (?:consider|use|"
    rf"look|include|keep)|restrict\w*|limit\w*|keep|focus\w*|filter\w*|{_REMOVING}|select"
    rf"|for this "
    r"analysis|look only|subset)\b"
)
_INVERTING = re.compile(rf"^(?:then |and |please |first )*{_REMOVING}\b")


@dataclass
class OutlierWish:
    """How outliers are told from others, and of which column they are asked for."""

    method: str = "iqr"
    limit: float | None = None
    column: str = ""
    offer: Offer | None = None

    @property
    def threshold(self) -> float:
        """How far is too far: ranges beyond the quartiles, or deviations."""
        return self.limit if self.limit is not None else 1.5 if self.method == "iqr" else 3.0


def is_redundant(sentence: Sentence) -> bool:
    """Whether a sentence only says what is done anyway: no more cleaning, which library."""
    if _NOTHING.search(sentence.text):
        sentence.matched = True
        sentence.text = _NOTHING.sub("·", sentence.text)
        return not re.search(r"⟨c", sentence.text)
    return False


def read_outlier_method(sentences: list[Sentence]) -> OutlierWish | None:
    """How outliers are found, wherever it is told; None where there is no word of them."""
    if not any(_OUTLIERS.search(s.text) or _Z.search(s.text) for s in sentences):
        return None
    if not any(_OUTLIERS.search(s.text) for s in sentences):
        return None
    wish = OutlierWish()
    if any(_Z.search(s.text) for s in sentences):
        wish.method = "z-score"
    for sentence in sentences:
        for pattern in _LIMITS:
            match = pattern.search(sentence.text)
            if match is not None and wish.limit is None:
                number = sentence.mark(match.group("n")).number
                wish.limit = number
                kept = re.search(r"iqr|inter ?quartile range", match.group())
                text = kept.group() if kept and "outlier" in sentence.text else "·"
                head, tail = sentence.text[: match.start()], sentence.text[match.end() :]
                sentence.text = f"{head}{text}{tail}"
    return wish


def read_outliers(
    sentence: Sentence, ground: Ground, wish: OutlierWish, found: list[Condition]
) -> tuple[list[Offer], bool]:
    """Outliers that are left out, or asked for; whether a step was made that comes after figures.

    The conditions are of which rows they are looked for.
    """
    them = _THEM.search(sentence.text)
    if them is not None and wish.column:
        sentence.cut(them)
        _leave_out(ground, wish, wish.column)
        ground.current = wish.column
        return [], True
    removed = _REMOVED_OUTLIERS.search(sentence.text)
    if removed is not None:
        text = removed.group("c") or removed.group("c2")
        name = ground.column(sentence.mark(text).column).name if text else ground.current
        named = {sentence.marks[n].column for n in re.findall(_C, sentence.text)}
        numeric = [n for n in named if ground.numeric(n)]
        if not text and len(numeric) == 1:
            name = numeric[0]
        if not name:
            raise UnreadableError(f'it is not said of which column in "{sentence.wording}".')
        sentence.cut(removed)
        _cut_method(sentence)
        wish.column = name
        _leave_out(ground, wish, name)
        return [], False
    match = _OUTLIERS.search(sentence.text)
    if match is None:
        if _METHOD.search(sentence.text) and not re.search(_C, sentence.text):
            _cut_method(sentence)
            sentence.matched = True
        return [], False
    names = [sentence.mark(n).column for n in re.findall(_C, sentence.text)]
    numeric = [ground.meaning(n) for n in names if ground.numeric(n)]
    sentence.cut(match)
    _cut_method(sentence)
    if not numeric and (wish.offer is not None or not ground.current):
        return [], False
    name = numeric[0] if numeric else ground.current
    if wish.column == name:
        return [], False
    wish.column = name
    test = Test(
        test="outliers",
        columns=(name,),
        method=wish.method,
        threshold=wish.threshold,
        where=together(found),
    )
    where = f" where {describe_conditions(found)}" if found else ""
    how = f"{wish.threshold:g} {'deviations' if wish.method == 'z-score' else 'ranges'}"
    ground.current = name
    made = [
        Offer(
            Tested(test=test, statistic=statistic),
            f"{label} of {name}{where}",
            frozenset(texts),
            stems(name),
            asked=place == 0,
        )
        for place, (statistic, label, texts) in enumerate(
            (
                ("outliers", f"number of outliers (beyond {how})", ("outliers", "count")),
                ("lower bound", "lower bound for outliers", ("lower",)),
                ("upper bound", "upper bound for outliers", ("upper",)),
            )
        )
    ]
    wish.offer = made[0]
    return made, False


def _cut_method(sentence: Sentence) -> None:
    match = _METHOD.search(sentence.text)
    if match is not None:
        sentence.cut(match)


def _leave_out(ground: Ground, wish: OutlierWish, name: str) -> None:
    how = "deviations from the mean" if wish.method == "z-score" else "ranges from the quartiles"
    ground.keep(
        inside(ground, name, wish.method, wish.threshold),
        f"without rows whose {name} is missing or lies more than {wish.threshold:g} {how}",
    )


def read_missing(sentence: Sentence, ground: Ground) -> None:
    """Rows that are left out because they lack values."""
    while (match := _DROP.search(sentence.text)) is not None:
        text = match.group("cs") or match.group("cs2") or ""
        names = [ground.meaning(sentence.marks[n].column) for n in re.findall(_C, text)]
        if not names and _WHOLE.search(match.group()) and "values" not in match.group():
            names = [column.name for column in ground.table.columns if column.nulls]
        if names:
            held = [
                Computed(function="present", operands=(ground.reference(name),)) for name in names
            ]
            term = both(held)
            if term is not None:
                listed = " or ".join(names) if len(names) < 5 else "any value"
                ground.keep(term, f"without rows that lack {listed}")
        sentence.cut(match)


def leaves_out_unread(sentence: Sentence) -> bool:
    """Whether rows are to be left out in words that nothing has read."""
    return _LEFT_OVER.search(sentence.text) is not None


def restricts(sentence: Sentence) -> bool:
    """Whether a sentence says which rows are used at all."""
    return _RESTRICTION.search(sentence.text) is not None


def inverts(sentence: Sentence) -> bool:
    """Whether the rows that a restriction speaks of are those that are left out."""
    return _INVERTING.search(sentence.text) is not None
