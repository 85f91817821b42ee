"""From marked sentences to one analysis: steps in their order, and the figures that are told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from services.planner.domain.catalogue import Table
from services.planner.domain.query.defining.terms import Computed, references
from services.planner.domain.reader.instructions.analysis import (
    Analysis,
    Derive,
    Difference,
    Each,
    Extreme,
    Number,
    Source,
    Tested,
    Verdict,
)
from services.planner.domain.reader.instructions.columns import read_columns
from services.planner.domain.reader.instructions.condition import (
    Condition,
    alternatives,
    describe_conditions,
    together,
)
from services.planner.domain.reader.instructions.extremes import read_extreme
from services.planner.domain.reader.instructions.ground import Ground, UnreadableError
from services.planner.domain.reader.instructions.grouping import of_groups
from services.planner.domain.reader.instructions.marking import marked, place_numbers
from services.planner.domain.reader.instructions.numbers import (
    each_offers,
    read_counts,
    read_statistics,
)
from services.planner.domain.reader.instructions.offers import Offer, at_stage
from services.planner.domain.reader.instructions.output import Slot, read_rounding
from services.planner.domain.reader.instructions.rows import conditions
from services.planner.domain.reader.instructions.sentences import MARK, Sentence
from services.planner.domain.reader.instructions.slots import figures_for
from services.planner.domain.reader.instructions.special import Special
from services.planner.domain.reader.instructions.steps import (
    inverts,
    is_redundant,
    leaves_out_unread,
    read_missing,
    read_outlier_method,
    read_outliers,
    restricts,
)
from services.planner.domain.reader.instructions.tests import TestWish, read_parameters, read_test
from services.planner.domain.reader.instructions.verdicts import read_rules, slot_rules
from services.planner.domain.reader.instructions.vocabulary import concepts
from services.planner.domain.reader.instructions.wishing import Wishing
from services.planner.domain.reader.links.values import ValueLink

_C = r"⟨c\d+⟩"
_COUNT_AFTER = re.compile(
    r"\b(?:mean|average|median|range|deviation|variance|percentile|sum|total|skewness|kurtosis)\b"
    r".* and (?:the )?(?P<count>number of|how many|percentage of|proportion of|share of)\b",
    re.IGNORECASE,
)
_LOST = re.compile(
    r"\b(?:log|logarithm\w*|transform\w*|normali[sz]\w+|standardi[sz]\w+|scal(?:e|ed|ing)|imput\w+"
    r"|filled|filling|encod\w+|weighted|binned|binning|discreti\w+|cumulative|top|bottom|sort\w*"
    r"|ranked|ranking|previous|lag\w*|consecutive|square root)\b"
)
_DIFFERENCE = re.compile(r"\bdifference\b")


def composed(
    texts: Sequence[str],
    values: Sequence[Sequence[ValueLink]],
    table: Table,
    slots: Sequence[Slot],
    question: str,
    spoken: Mapping[str, tuple[str, ...]],
) -> Analysis:
    """The analysis that sentences ask for. Raises UnreadableError, with words for people."""
    return _Composer(table, slots, question, spoken).analysis(texts, values)


class _Composer(Wishing, Special):
    def analysis(self, texts: Sequence[str], values: Sequence[Sequence[ValueLink]]) -> Analysis:
        ground = self.ground
        first = [marked(s, ground.table, v) for s, v in zip(texts, values, strict=True)]
        self.rules = [*read_rules(first), *(r for slot in self.slots for r in slot_rules(slot))]
        rounding = read_rounding(first)
        self.parameters = read_parameters(first, self.question)
        self.outliers = read_outlier_method(first)
        size = len(ground.table.columns)
        for place, sentence in enumerate(first):
            if len(ground.table.columns) != size:  # columns were made: their names are marked too
                again = marked(texts[place], ground.table, values[place])
                read_rules([again]), read_rounding([again])
                read_parameters([again], "")
                if self.outliers is not None:
                    read_outlier_method([again])
                first[place] = sentence = again
            self._read(sentence, place)
            self._require_read(sentence)
        self.run_tests()
        figures = figures_for(self.slots, self.offers, self.rules, rounding, self.parameters.alpha)
        if not figures:
            raise UnreadableError("no figure that is asked for could be read.")
        staged = []
        for figure in figures:
            offer = next((o for o in self.offers if o.source == figure.source), None)
            of = getattr(figure.source, "of", None)
            offer = offer or next((o for o in self.offers if o.source == of), None)
            stage = self.stage(offer) if offer is not None else len(ground.steps)
            staged.append(figure.model_copy(update={"source": at_stage(figure.source, stage)}))
        return Analysis(
            table=ground.table.name,
            steps=tuple(ground.steps),
            figures=tuple(staged),
            notes=tuple(ground.notes),
        )

    def _read(self, sentence: Sentence, place: int) -> None:
        ground = self.ground
        self.asked |= concepts(MARK.sub(" ", sentence.text))
        if is_redundant(sentence) or not re.search(r"[a-z⟨]", sentence.text):
            sentence.matched = True
            return
        if self.read_missing_counts(sentence, place):
            return
        before = len(ground.steps)
        read_missing(sentence, ground)
        restricting = restricts(sentence)
        read_columns(sentence, ground)
        old = [s for s in ground.steps[before:] if isinstance(s, Derive)]
        if any(o.source for o in self.offers) and any(
            s.column in {c.name for c in self.ground.table.columns}
            and not ground.labels.get(s.column)
            and s.column not in ground.resolved.values()
            and self._replaces(s)
            for s in old
        ):
            self.barriers.append(before)
        if self.ranked(sentence, place) or self.interval(sentence, place):
            return
        # What is looked for, before the conditions: "differs from 4" is none.
        wish = read_test(sentence, ground, self.parameters)
        found = conditions(sentence, ground)
        if self.outliers is not None:
            at = len(ground.steps)
            groups, others = alternatives(found)
            offers, after = read_outliers(sentence, ground, self.outliers, [*others, *groups])
            if after:
                self.barriers.append(at)
            self.offer(offers, place)
            if offers:
                found = []
        if restricting and not wish and found:
            self._restrict(sentence, found)
            if not re.search(
                r"\b(?:what|how|which|calculate|compute|find|give|report)\b", sentence.text
            ):
                return
            found = []
        groups, others = alternatives(found)
        if len(groups) < 2 or restricting:
            groups, others = [], list(found)
        self.figures(sentence, place, wish, groups, others)

    def _replaces(self, step: Derive) -> bool:
        return any(
            step.column in stems_of for offer in self.offers for stems_of in (_columns(offer),)
        )

    def _restrict(self, sentence: Sentence, found: Sequence[Condition]) -> None:
        term = together(found)
        if term is None:
            return
        text = f"only rows where {describe_conditions(found)}"
        if inverts(sentence) and not all("not" in c.text for c in found):
            term, text = (
                Computed(function="not", operands=(term,)),
                f"without rows where {describe_conditions(found)}",
            )
        self.ground.keep(term, text)

    def figures(
        self,
        sentence: Sentence,
        place: int,
        wish: TestWish | None,
        groups: list[Condition],
        others: list[Condition],
    ) -> None:
        ground = self.ground
        if wish is not None and wish.vague:
            statistic = [w for w in ("mean", "median", "average", "variance") if w in sentence.text]
            numeric = wish.test == "difference" and statistic and not groups
            if numeric and "significant" not in sentence.wording.lower():
                wish = None
        if wish is not None and self.is_test(wish, sentence):
            self.read_wish(sentence, wish, groups, others, place)
            return
        self.read_open_roles(sentence)
        by = self.grouping(sentence)
        extreme = read_extreme(sentence, ground, others, self.offers)
        self.offer(extreme, place)
        if extreme and by is None and not groups:
            if re.search(r"share|percent", sentence.text):
                sentence.matched = True
            self.take_rest(sentence)
            return
        if any(c.counted for c in others):  # what they lie above is of these rows alone
            self._restrict(sentence, [c for c in others if not c.counted])
            others = [c for c in others if c.counted]
        counted_from = _counted_from(sentence.wording)
        held = [c for c in others if not c.counted and c.column != by and c.at < counted_from]
        counts = read_counts(sentence, ground, others, groups, self.offers)
        statistics = read_statistics(sentence, ground, held, groups)
        offers = [*counts, *statistics]
        if groups and by == groups[0].column:
            by = None
        if _DIFFERENCE.search(sentence.text) and len(groups) == 2:
            offers = [o if "difference" not in o.concepts else _asked(o) for o in offers]
        if by is not None and any(c.column == by for c in others):
            offers = [*counts, *self.by(by, statistics, ground)]
        elif by is not None:
            offers = self.by(by, offers, ground)
        self.offer(offers, place)
        if groups:
            self.groups = groups
        used = frozenset(c for offer in offers for c in _columns_read(offer.source))
        self.take_rest(sentence, used | {by or ""} if offers else None)

    def by(self, by: str, offers: list[Offer], ground: Ground) -> list[Offer]:
        """Numbers of each group: by name where the groups are known, else as a list."""
        return of_groups(by, offers, ground, named=bool(self.slots)) or each_offers(by, offers)

    def _require_read(self, sentence: Sentence) -> None:
        """Raises UnreadableError for a sentence, number or value that nothing has read."""
        ground = self.ground
        if not sentence.matched or leaves_out_unread(sentence):
            raise UnreadableError(f'"{sentence.wording}" could not be read.')
        lost = _LOST.search(sentence.text) if not (ground.resolved or ground.grouped) else None
        if lost is not None:
            raise UnreadableError(f'"{lost.group()}" in "{sentence.wording}" could not be read.')
        for name, mark in sentence.marks.items():
            if name in sentence.read or name not in sentence.text or mark.kind == "quoted":
                continue
            text = sentence.wording[mark.start : mark.end]
            if mark.kind == "number" and mark.number <= 2 and not text[:1].isdigit():
                continue  # "one of them", "the two"
            if mark.kind == "number" and _is_of_a_name(mark.number, sentence):
                continue
            raise UnreadableError(f'"{text}" in "{sentence.wording}" could not be read.')


def _counted_from(text: str) -> int:
    """Where a count begins that comes after another number: its conditions are not the other's."""
    match = _COUNT_AFTER.search(text)
    return match.start("count") if match is not None else len(text) + 1


def _is_of_a_name(number: float, sentence: Sentence) -> bool:
    """Whether a year is part of the name of a column that the sentence speaks of."""
    named = [m.column for m in sentence.marks.values() if m.kind == "column"]
    return any(int(part) % 100 == number % 100 for c in named for part in place_numbers(c))


def _asked(offer: Offer) -> Offer:
    return replace(offer, asked=True)


def _columns_read(source: Source) -> frozenset[str]:
    """Every column that a figure is made from."""
    match source:
        case Number():
            terms = [t for t in (source.where, source.among) if t is not None]
            return frozenset({source.column, *(r.column for t in terms for r in references(t))})
        case Extreme() | Each():
            return frozenset({source.by}) | _columns_read(source.number)
        case Difference():
            return _columns_read(source.first) | _columns_read(source.second)
        case Verdict():
            return _columns_read(source.of)
        case Tested():
            test = source.test
            return frozenset({*test.columns, *test.predictors, test.by})


def _columns(offer: Offer) -> frozenset[str]:
    source = offer.source
    column = getattr(source, "column", "")
    number = getattr(source, "number", None)
    return frozenset({column, getattr(number, "column", "")} - {""})
