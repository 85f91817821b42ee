"""Numbers that sentences ask for: statistics of columns, counts, shares."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.reader.instructions.analysis import (
    Difference,
    Each,
    Number,
    Statistic,
)
from services.planner.domain.reader.instructions.condition import (
    Condition,
    describe_conditions,
    together,
)
from services.planner.domain.reader.instructions.ground import Ground, UnreadableError
from services.planner.domain.reader.instructions.offers import Offer
from services.planner.domain.reader.instructions.sentences import MARK, Sentence
from services.planner.domain.reader.instructions.vocabulary import stems

_C, _N = r"⟨c\d+⟩", r"⟨n\d+⟩"
STATISTICS: tuple[tuple[Statistic, str], ...] = (
    ("coefficient of variation", r"coefficient of variation|\bcv"),
    (
        "population standard deviation",
        r"population (?:standard deviation|std(?: dev)?|sd)(?: \( ddof = ⟨n\d+⟩ \))?",
    ),
    (
        "standard deviation",
        r"(?:sample )?(?:standard deviations?|std(?: dev(?:iation)?)?|stdev|sd)"
        r"(?: \( ddof = ⟨n\d+⟩ \))?",
    ),
    ("standard error", r"standard error(?: of the mean)?"),
    ("population variance", r"population variance"),
    ("interquartile range", r"inter ?quartile range(?: \( iqr \))?|iqr"),
    (
        "percentile",
        rf"(?P<n>{_N}) ?(?:th|st|nd|rd|%)? ?percentile"
        r"|(?P<quartile>first|lower|third|upper) quartile",
    ),
    ("mean", r"means?(?: number of| value)?|averages?(?: number of| value)?|avg"),
    ("median", r"medians?(?: number of| value)?"),
    ("variance", r"(?:sample )?variances?"),
    ("minimum", r"minimums?(?: value)?|min|(?:lowest|smallest) value"),
    ("maximum", r"maximums?(?: value)?|max|(?:highest|largest) value"),
    ("range", r"range"),
    ("skewness", r"skew(?:ness)?(?: coefficient)?"),
    ("kurtosis", r"(?:excess |fisher )?kurtosis"),
    ("sum", r"sum|total"),
)
ANY_STATISTIC = re.compile(
    "|".join(
        f"(?P<s{place}>(?<![\\w⟨])(?:{re.sub(r'[(][?]P<(?:n|quartile)>', '(?:', words)})(?![\\w⟩]))"
        for place, (_, words) in enumerate(STATISTICS)
    )
)
"""Any of the statistics as it is said: the group `s0` is the first of them, and so on."""
_DISTINCT = re.compile(
    rf"(?:unique|distinct|different) (?:values? (?:of|in) )?(?:the )?(?P<c>{_C})"
)
_MISSING = re.compile(
    r"(?:number of |how many |count of |percentage of )?(?:missing|null|nan)(?: values?"
    r"| entries)?"
)
_COUNT = re.compile(
    r"(?<![\w⟨])(?:how many|number of|count(?: of)?(?: the)?|total number of)(?! (?:are there|is"
    r" that|does|do |did|·|\?|,|$|missing|outliers?|decimals?))(?P<what>(?: (?!\S*⟨)\S+){0,2})"
    rf"(?P<thing> (?P<c>{_C}))?|(?<![\w⟨])counts?(?= ·)"
)
_SHARE = re.compile(
    r"(?<![\w⟨])(?P<how>percentages?|percent|proportions?|shares?|fractions?|rate)(?![\w⟩])"
)
_HOLDING = re.compile(
    r"(?:percent\w*|proportion|share|fraction)\b.*?\b(?:has|have|had|is|are|was|were|exceeds?)\b",
    re.IGNORECASE,
)
_OF_POPULATION: dict[Statistic, Statistic] = {
    "standard deviation": "population standard deviation",
    "variance": "population variance",
}
_QUARTILE = {"first": 0.25, "lower": 0.25, "third": 0.75, "upper": 0.75}


def read_statistics(
    sentence: Sentence, ground: Ground, found: Sequence[Condition], groups: Sequence[Condition]
) -> list[Offer]:
    """Statistics of columns, of the rows that fit, or of each of the `groups`."""
    offers: list[Offer] = []
    columns = [
        (m.start(), m.group())
        for m in re.finditer(_C, sentence.text)
        if ground.numeric(ground.meaning(sentence.marks[m.group()].column))
    ]
    for match in ANY_STATISTIC.finditer(sentence.text):
        place = next(p for p, _ in enumerate(STATISTICS) if match.group(f"s{p}") is not None)
        statistic, words = STATISTICS[place]
        inner = re.search(words, match.group())
        sentence.read |= set(MARK.findall(match.group()))
        divided = re.search(r"ddof = (⟨n\d+⟩)", match.group())
        if divided is not None and sentence.marks[divided.group(1)].number == 0:
            statistic = _OF_POPULATION.get(statistic, statistic)
        column = _column_of(match, columns, sentence, ground)
        if not column:
            continue
        part = _part(statistic, inner, sentence)
        offers += described(statistic, column, ground, found, groups, part)
        ground.current = column
    if offers:
        sentence.matched = True
    return offers


def _column_of(
    match: re.Match[str],
    columns: Sequence[tuple[int, str]],
    sentence: Sentence,
    ground: Ground,
) -> str:
    """The column named next, else the one before, else the one spoken of last."""
    after = [name for place, name in columns if place >= match.end()]
    before = [name for place, name in columns if place < match.start()]
    text = after[0] if after else before[-1] if before else ""
    return ground.meaning(sentence.mark(text).column) if text else ground.current


def _part(statistic: str, inner: re.Match[str] | None, sentence: Sentence) -> float | None:
    if statistic != "percentile" or inner is None:
        return None
    if inner.group("quartile"):
        return _QUARTILE[inner.group("quartile")]
    return sentence.mark(inner.group("n")).number / 100


def described(
    statistic: Statistic,
    column: str,
    ground: Ground,
    found: Sequence[Condition],
    groups: Sequence[Condition],
    part: float | None = None,
) -> list[Offer]:
    """A statistic of a column, once or of each group; of two groups their difference as well."""
    made: list[tuple[Number, Offer]] = []
    for group in _or_all(groups):
        held = [*found, *([group] if group is not None else [])]
        number = Number(statistic=statistic, column=column, where=together(held), part=part)
        of = f"{part * 100:g}th percentile" if part is not None else statistic
        where = f" where {describe_conditions(held)}" if held else ""
        about = stems(column) | (group_words(group) if group is not None else frozenset())
        made.append(
            (number, Offer(number, f"{of} of {column}{where}", frozenset({statistic}), about))
        )
    offers = [offer for _, offer in made]
    if len(made) == 2:
        offers.append(difference(made[0], made[1], statistic))
    return offers


def difference(one: tuple[Number, Offer], other: tuple[Number, Offer], what: str) -> Offer:
    """How far the first is above the second."""
    return Offer(
        Difference(first=one[0], second=other[0]),
        f"{one[1].label} less {other[1].label}",
        frozenset({"difference"}),
        one[1].about & other[1].about,
        asked=False,
    )


def group_words(group: Condition) -> frozenset[str]:
    """The words by which a name may speak of a group."""
    value = str(group.value or "")
    return frozenset({f"={value.lower()}", *(f"={word}" for word in value.lower().split())})


def read_counts(
    sentence: Sentence,
    ground: Ground,
    found: Sequence[Condition],
    groups: Sequence[Condition],
    before: Sequence[Offer],
) -> list[Offer]:
    """How many rows fit, and which share of all that is."""
    offers: list[Offer] = []
    distinct = _DISTINCT.search(sentence.text)
    if distinct is not None:
        column = sentence.mark(distinct.group("c")).column
        number = Number(statistic="distinct", column=column, where=together(found))
        sentence.cut(distinct)
        return [Offer(number, f"number of different {column}", frozenset({"count"}), stems(column))]
    match = _COUNT.search(sentence.text)
    if match is not None:
        entity = match.group("c")
        counts = not entity or not ground.numeric(sentence.marks[entity].column)
        if counts:
            for group in _or_all(groups):
                held = [*found, *([group] if group is not None else [])]
                number = Number(statistic="count", where=together(held))
                where = f" where {describe_conditions(held)}" if held else ""
                about = group_words(group) if group is not None else frozenset()
                offers.append(Offer(number, f"number of rows{where}", frozenset({"count"}), about))
            sentence.cut(match)
    share = _SHARE.search(sentence.text)
    if share is not None:
        offers += _shares(share, sentence, found, groups, [*before, *offers])
    return offers


def _shares(
    match: re.Match[str],
    sentence: Sentence,
    found: Sequence[Condition],
    groups: Sequence[Condition],
    before: Sequence[Offer],
) -> list[Offer]:
    percent = re.search(r"percent|%", sentence.text) is not None
    sentence.cut(match)
    held = list(found)
    among = _or_all(groups)
    if not held and len(groups) < 2:
        counts = [o.source for o in before if isinstance(o.source, Number)]
        last = next((n for n in reversed(counts) if n.statistic in ("count", "missing")), None)
        if last is not None:
            return [_share_of(last, before, percent=percent)]
        held, among = list(groups), [None]
        if not held:
            return []
    held = list({c.term: c for c in held}.values())
    flags = [c for c in held if c.flag]
    verb = _HOLDING.search(sentence.wording)
    conditions = [c for c in held if verb is not None and c.at >= verb.end()]
    part = flags if flags and len(held) > len(flags) else conditions or held
    of_all = [c for c in held if c not in part]
    if len({c.term for c in part}) > 1 and not flags and not conditions:
        raise UnreadableError(f'which share of which rows is not clear in "{sentence.wording}".')
    offers = []
    for group in among:
        own = [g for g in (group,) if g is not None]
        whole = [*of_all, *(own if held else [])]
        number = Number(statistic="share", where=together(part or own), among=together(whole))
        of = f" of those where {describe_conditions(whole)}" if whole else ""
        label = f"share of rows where {describe_conditions(part or own)}{of}"
        about = group_words(group) if group is not None else frozenset()
        offers.append(Offer(number, label, frozenset({"share"}), about, percent=percent))
    return offers


def _or_all(groups: Sequence[Condition]) -> list[Condition | None]:
    """The groups, or once all rows where there are none."""
    return list(groups) or [None]


def _share_of(counted: Number, before: Sequence[Offer], *, percent: bool) -> Offer:
    """The share that goes with a count: "and what share is that?"."""
    kind: Statistic = "share missing" if counted.statistic == "missing" else "share"
    offer = next(o for o in before if o.source == counted)
    label = offer.label.replace("number of", "share of", 1)
    number = counted.model_copy(update={"statistic": kind})
    return Offer(number, label, frozenset({"share"}), offer.about, percent=percent)


def each_offers(by: str, offers: Sequence[Offer]) -> list[Offer]:
    """The same numbers of each group of a column."""
    return [
        Offer(
            Each(by=by, number=offer.source),
            f"{offer.label}",
            offer.concepts,
            offer.about | stems(by),
        )
        for offer in offers
        if isinstance(offer.source, Number)
    ]
