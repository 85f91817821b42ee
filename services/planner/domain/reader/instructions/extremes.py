"""Which group has the most or the least of a number, as sentences ask for it, and that number."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.reader.instructions.analysis import Each, Extreme, Number, Statistic
from services.planner.domain.reader.instructions.condition import Condition, together
from services.planner.domain.reader.instructions.ground import Ground, UnreadableError
from services.planner.domain.reader.instructions.numbers import ANY_STATISTIC, STATISTICS
from services.planner.domain.reader.instructions.offers import Offer
from services.planner.domain.reader.instructions.sentences import Sentence
from services.planner.domain.reader.instructions.vocabulary import stems

_C = r"⟨c\d+⟩"
_BEST = r"(?:highest|largest|greatest|most|maximum|biggest|best|top)"
_WORST = r"(?:lowest|smallest|least|fewest|minimum)"
_EXTREME = re.compile(
    rf"(?:which|what|the)(?: (?!has|had|have|is|of)[a-z]+){{0,2}}"
    rf"(?: of the)? (?P<by>{_C}) (?:groups? )?(?:has|had|have|with|is|shows?|got|"
    rf"recorded)(?: (?:the|a|an))* (?P<way>{_BEST}|{_WORST})(?: (?P<rest>[^,.?·]*))?"
)
_AGAIN = re.compile(
    rf"which(?: (?:one|of them|group|the))?(?: has| had| have)?(?: the)? (?P<way>{_BEST}"
    rf"|{_WORST})"
    r"(?: (?P<rest>[^,.?·]*))?"
)
_COMMON = re.compile(
    rf"most (?:common|frequent)(?: (?:value of"
    rf"|values of))?(?: the)? (?P<by>{_C})|"
    rf"mode of(?: the)? (?P<by2>{_C})"
)


def read_extreme(
    sentence: Sentence, ground: Ground, found: Sequence[Condition], before: Sequence[Offer]
) -> list[Offer]:
    """Which group, or row, has the highest or lowest number, and that number."""
    common = _COMMON.search(sentence.text)
    if common is not None:
        by = sentence.mark(common.group("by") or common.group("by2")).column
        number = Number(statistic="count", where=together(found))
        sentence.cut(common)
        ground.current = by
        return extreme_offers(by, number, descending=True, of="rows")
    match = _EXTREME.search(sentence.text)
    if match is not None:
        by = ground.meaning(sentence.mark(match.group("by")).column)
        descending = re.fullmatch(_BEST, match.group("way")) is not None
        number = _number_in(match.group("rest") or "", sentence, ground, found, before, by)
        offers = extreme_offers(by, number, descending=descending)
        sentence.cut(match)
        other = re.search(
            rf"and which(?: has| had)?(?: the)? (?P<way>{_BEST}|{_WORST})", sentence.text
        )
        if other is not None:
            descending = re.fullmatch(_BEST, other.group("way")) is not None
            offers += extreme_offers(by, number, descending=descending)
            sentence.cut(other)
        return offers
    again = _AGAIN.search(sentence.text)
    last = next((o.source for o in reversed(before) if isinstance(o.source, Each)), None)
    if again is not None and last is not None:
        sentence.cut(again)
        descending = re.fullmatch(_BEST, again.group("way")) is not None
        return extreme_offers(last.by, last.number, descending=descending)
    return []


def _number_in(
    rest: str,
    sentence: Sentence,
    ground: Ground,
    found: Sequence[Condition],
    before: Sequence[Offer],
    by: str,
) -> Number:
    """The number that groups are compared by; of a bare column its highest value of each group."""
    statistic: Statistic = "maximum"
    named = ANY_STATISTIC.search(rest)
    if named is not None:
        place = next(p for p, _ in enumerate(STATISTICS) if named.group(f"s{p}") is not None)
        statistic = STATISTICS[place][0]
    marks = re.findall(_C, rest)
    column = ground.meaning(sentence.mark(marks[0]).column) if marks else ground.current
    if not marks and re.search(r"\b(?:rows|records|entries|number of)\b", rest):
        return Number(statistic="count", where=together(found))
    if not column or not ground.numeric(column) or column == by:
        each = next((o.source for o in reversed(before) if isinstance(o.source, Each)), None)
        if each is not None:
            return each.number
        raise UnreadableError(f'it is not said of which number in "{sentence.wording}".')
    return Number(statistic=statistic, column=column, where=together(found))


def extreme_offers(by: str, number: Number, *, descending: bool, of: str = "") -> list[Offer]:
    """The group, its number, and for a count its share of all."""
    way = "highest" if descending else "lowest"
    what = of or f"{number.statistic} of {number.column}" if number.column else "number of rows"
    words = stems(by) | {f"={way}", "=most" if descending else "=least"}
    made = [
        Offer(
            Extreme(by=by, number=number, descending=descending),
            f"{by} with the {way} {what}",
            frozenset({"name"}),
            words,
            text=True,
        ),
        Offer(
            Extreme(by=by, number=number, descending=descending, tells="value"),
            f"{way} {what} of any {by}",
            frozenset({number.statistic, "count", "sum"})
            if number.statistic in ("maximum", "count")
            else frozenset({number.statistic}),
            stems(number.column) | {f"={way}"},
            asked=False,
        ),
    ]
    if number.statistic == "count":
        made.append(
            Offer(
                Extreme(by=by, number=number, descending=descending, tells="share"),
                f"share of rows of that {by}",
                frozenset({"share"}),
                stems(by),
                asked=False,
                percent=True,
            )
        )
    return made
