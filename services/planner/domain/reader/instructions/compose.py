"""From marked sentences to one analysis: steps in their order, and the figures that are told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from services.planner.domain.catalogue import DataType, Table
from services.planner.domain.language.defining.terms import Computed, references
from services.planner.domain.reader.instructions.analysis import (
    Analysis,
    Derive,
    Difference,
    Each,
    Extreme,
    Number,
    Source,
    Test,
    Tested,
    Verdict,
)
from services.planner.domain.reader.instructions.columns import read_columns
from services.planner.domain.reader.instructions.ground import Ground, UnreadableError
from services.planner.domain.reader.instructions.numbers import (
    each_offers,
    read_counts,
    read_extreme,
    read_statistics,
)
from services.planner.domain.reader.instructions.offers import Offer, at_stage
from services.planner.domain.reader.instructions.output import Slot, read_rounding
from services.planner.domain.reader.instructions.results import offers_of, run_of
from services.planner.domain.reader.instructions.rows import (
    Condition,
    alternatives,
    conditions,
    together,
    told,
)
from services.planner.domain.reader.instructions.sentences import (
    MARK,
    Sentence,
    marked,
    place_numbers,
)
from services.planner.domain.reader.instructions.slots import figures_for, with_order
from services.planner.domain.reader.instructions.steps import (
    inverts,
    leaves_out_unread,
    read_missing,
    read_outlier_method,
    read_outliers,
    restricts,
    says_nothing,
)
from services.planner.domain.reader.instructions.tests import (
    GROUPED,
    PAIRED,
    TestWish,
    read_parameters,
    read_roles_of,
    read_test,
)
from services.planner.domain.reader.instructions.verdicts import read_rules
from services.planner.domain.reader.instructions.vocabulary import concepts, stems
from services.planner.domain.reader.links.values import ValueLink

_C = r"⟨c\d+⟩"
_GROUPING = re.compile(
    rf"(?:,? ?(?:separately|individually) )?(?:for|by|per|within|across|of|in|grouped by|group by)"
    rf"(?: the)? (?:each|every|different)(?: (?:of the|number of|value of|values of|level of|the|"
    rf"group of))* (?P<c>{_C})|(?:separately|individually|grouped|broken down|group\w*|split) "
    rf"(?:for|by|per|within|across)(?: the)? (?P<c2>{_C})|(?:for|by|per) (?P<c3>{_C})(?! ?=)"
)
_BETWEEN = re.compile(
    rf"(?:between|across|among|for|by|of|within)(?: the)?(?: (?:⟨n\d+⟩|different|various|all|each|"
    rf"groups? of|levels? of|categor\w+ of))* (?P<c>{_C})(?: (?:groups?|categories))?"
)
_THE_GROUPS = re.compile(
    r"(?:for|of|in|by|per|between|across|into|within)(?: the)? (?:each|every|these|those|two|"
    r"⟨n\d+⟩|both|all|such)?(?: \w+)?(?: of the)? ?(?:groups?|categor\w+|bins?|ones?|intervals?"
    r"|quartiles?|halves)|two groups|each one|each (?:group|bin|interval|category)"
)
_MISSING_RANK = re.compile(
    r"(?P<which>which|what)(?: (?P<n>⟨n\d+⟩))? columns?\b[^·]*\b(?:missing|null|nan)|columns? (?:with|"
    r"that ha\w+) the (?:most|highest|largest)[^·]*\b(?:missing|null|nan)"
)
_MISSING_OF = re.compile(
    rf"(?:how many|number of|count of|percentage of|share of)[^·⟨]*?\b(?:missing|null|nan)\b[^·]*?"
    rf"(?P<c>{_C})(?: have| has)?"
)
_RANKED = re.compile(
    rf"(?:which|what) (?:\w+ )?(?:columns?|variables?|features?)\b[^·]*?correlat\w*[^·⟨]*?(?P<c>{_C})"
)
_BESIDE = re.compile(
    rf"(?:mean|average|median|standard deviation|number|sum|total) (?:\S+ )*?{_C}[^·]*· and\b|"
    rf"(?:mean|average|median|standard deviation|number|sum|total) (?:\S+ )*?{_C}.* and (?:the|a) .*·"
)
_INTERVAL = re.compile(rf"confidence interval\b[^·]*?(?P<c>{_C})")
_DIFFERENCE = re.compile(r"\bdifference\b")
_SUBTRACT = re.compile(r"subtract|minus|absolute")


def composed(
    said: Sequence[str],
    values: Sequence[Sequence[ValueLink]],
    table: Table,
    slots: Sequence[Slot],
    question: str,
    spoken: Mapping[str, tuple[str, ...]],
) -> Analysis:
    """The analysis that sentences ask for. Raises UnreadableError, with words for people."""
    return _Composer(table, slots, question, spoken).analysis(said, values)


class _Composer:
    def __init__(
        self,
        table: Table,
        slots: Sequence[Slot],
        question: str,
        spoken: Mapping[str, tuple[str, ...]],
    ) -> None:
        self._ground = Ground(table, spoken=dict(spoken))
        self._slots = slots
        self._question = question
        self._offers: list[Offer] = []
        self._wishes: list[TestWish] = []
        self._barriers: list[int] = []
        self._asked: frozenset[str] = frozenset()
        self._groups: list[Condition] = []

    def analysis(self, said: Sequence[str], values: Sequence[Sequence[ValueLink]]) -> Analysis:
        ground = self._ground
        first = [marked(s, ground.table, v) for s, v in zip(said, values, strict=True)]
        self._rules = read_rules(first)
        rounding = read_rounding(first)
        self._parameters = read_parameters(first, self._question)
        self._outliers = read_outlier_method(first)
        size = len(ground.table.columns)
        for place, sentence in enumerate(first):
            if len(ground.table.columns) != size:  # columns were made: their names are marked too
                again = marked(said[place], ground.table, values[place])
                read_rules([again]), read_rounding([again])
                read_parameters([again], "")
                if self._outliers is not None:
                    read_outlier_method([again])
                first[place] = sentence = again
            self._read(sentence, place)
            self._require_read(sentence)
        self._run_tests()
        figures = figures_for(
            self._slots, self._offers, self._rules, rounding, self._parameters.alpha
        )
        if not figures:
            raise UnreadableError("no figure that is asked for could be read.")
        stages = {id(offer.source): self._stage(offer) for offer in self._offers}
        staged = []
        for figure in figures:
            offer = next((o for o in self._offers if o.source == figure.source), None)
            of = getattr(figure.source, "of", None)
            offer = offer or next((o for o in self._offers if o.source == of), None)
            stage = self._stage(offer) if offer is not None else len(ground.steps)
            staged.append(figure.model_copy(update={"source": at_stage(figure.source, stage)}))
        del stages
        return Analysis(
            table=ground.table.name, steps=tuple(ground.steps), figures=tuple(staged),
            notes=tuple(ground.notes),
        )  # fmt: skip

    def _stage(self, offer: Offer) -> int:
        """How many steps come before a figure: all but those told after it to be done then."""
        if offer.barriers < len(self._barriers):
            return self._barriers[offer.barriers]
        return len(self._ground.steps)

    def _offer(self, offers: Sequence[Offer], place: int) -> None:
        self._offers += with_order(offers, len(self._barriers), place)

    def _read(self, sentence: Sentence, place: int) -> None:
        ground = self._ground
        self._asked |= concepts(MARK.sub(" ", sentence.text))
        if says_nothing(sentence) or not re.search(r"[a-z⟨]", sentence.text):
            sentence.matched = True
            return
        if self._read_missing_counts(sentence, place):
            return
        before = len(ground.steps)
        read_missing(sentence, ground)
        restricting = restricts(sentence)
        read_columns(sentence, ground)
        old = [s for s in ground.steps[before:] if isinstance(s, Derive)]
        if any(o.source for o in self._offers) and any(
            s.column in {c.name for c in self._ground.table.columns} and not ground.labels.get(
                s.column) and s.column not in ground.meant.values() and self._replaces(s)
            for s in old
        ):  # fmt: skip
            self._barriers.append(before)
        if self._ranked(sentence, place) or self._interval(sentence, place):
            return
        # What is looked for, before the conditions: "differs from 4" is none.
        wish = read_test(sentence, ground, self._parameters)
        found = conditions(sentence, ground)
        if self._outliers is not None:
            at = len(ground.steps)
            groups, others = alternatives(found)
            offers, after = read_outliers(sentence, ground, self._outliers, [*others, *groups])
            if after:
                self._barriers.append(at)
            self._offer(offers, place)
            if offers:
                found = []
        if restricting and not wish and found:
            self._restrict(sentence, found)
            if not re.search(r"\b(?:what|how|which|calculate|compute|find|give|report)\b",
                             sentence.text):  # fmt: skip
                return
            found = []
        groups, others = alternatives(found)
        if len(groups) < 2 or restricting:
            groups, others = [], list(found)
        self._figures(sentence, place, wish, groups, others)

    def _replaces(self, step: Derive) -> bool:
        return any(
            step.column in stems_of for offer in self._offers for stems_of in (_columns(offer),)
        )

    def _restrict(self, sentence: Sentence, found: Sequence[Condition]) -> None:
        term = together(found)
        if term is None:
            return
        text = f"only rows where {told(found)}"
        if inverts(sentence) and not all("not" in c.text for c in found):
            term, text = (
                Computed(function="not", operands=(term,)),
                f"without rows where {told(found)}",
            )
        self._ground.keep(term, text)

    def _figures(
        self,
        sentence: Sentence,
        place: int,
        wish: TestWish | None,
        groups: list[Condition],
        others: list[Condition],
    ) -> None:
        ground = self._ground
        if wish is not None and wish.vague:
            statistic = [w for w in ("mean", "median", "average", "variance") if w in sentence.text]
            numeric = wish.test == "difference" and statistic and not groups
            if numeric and "significant" not in sentence.said.lower():
                wish = None
        if wish is not None and self._is_test(wish, sentence):
            self._read_wish(sentence, wish, groups, others, place)
            return
        self._read_open_roles(sentence)
        by = self._grouping(sentence)
        extreme = read_extreme(sentence, ground, others, self._offers)
        self._offer(extreme, place)
        if extreme and by is None and not groups:
            if re.search(r"share|percent", sentence.text):
                sentence.matched = True
            self._take_rest(sentence)
            return
        if any(c.counted for c in others):  # what they lie above is of these rows alone
            self._restrict(sentence, [c for c in others if not c.counted])
            others = [c for c in others if c.counted]
        held = [c for c in others if not c.counted and c.column != by]
        counts = read_counts(sentence, ground, others, groups, self._offers)
        statistics = read_statistics(sentence, ground, held, groups)
        offers = [*counts, *statistics]
        if groups and by == groups[0].column:
            by = None
        if _DIFFERENCE.search(sentence.text) and len(groups) == 2:
            offers = [
                o if "difference" not in o.concepts else _asked(o) for o in offers
            ]  # fmt: skip
        if by is not None and any(c.column == by for c in others):
            offers = [*counts, *self._by(by, statistics, ground)]
        elif by is not None:
            offers = self._by(by, offers, ground)
        self._offer(offers, place)
        if groups:
            self._groups = groups
        used = frozenset(c for offer in offers for c in _columns_read(offer.source))
        self._take_rest(sentence, used | {by or ""} if offers else None)

    def _is_test(self, wish: TestWish, sentence: Sentence) -> bool:
        """Whether the words are about a test, not the report of one that was told before."""
        if not wish.vague:
            return True
        named = [w for w in self._wishes if not w.vague]
        return (not named and bool(re.search(_C, sentence.text))) or (
            wish.test == "difference" and "significant" in sentence.said.lower() and not named
        )  # fmt: skip

    def _read_wish(
        self,
        sentence: Sentence,
        wish: TestWish,
        groups: list[Condition],
        others: list[Condition],
        place: int,
    ) -> None:
        ground = self._ground
        if others and _BESIDE.search(sentence.text):
            raise UnreadableError(
                f'which rows each figure is of is not clear in "{sentence.said}"; say it in two.'
            )
        wish.order, wish.barriers = place, len(self._barriers)
        grouped = wish.test in GROUPED or wish.test in ("difference", "relation")
        if groups and wish.test not in PAIRED and not wish.test.endswith("regression"):
            wish.by = groups[0].column
            wish.groups = [str(g.value) for g in groups]
            sentence.read |= {
                n for n, m in sentence.marks.items() if m.kind == "column" and m.column == wish.by
            }
        elif groups:
            self._groups = groups
        wish.where, wish.where_text = together(others), told(others)
        if not wish.by:
            by = self._grouping(sentence) if wish.test != "chi_square" else None
            if by is None and wish.test in GROUPED:
                by = self._between(sentence)
            if grouped:
                wish.by = by or ""
            else:
                wish.each = by or ""
        names = [ground.meaning(sentence.mark(n).column) for n in re.findall(_C, sentence.text)]
        names = [n for n in dict.fromkeys(names) if n != wish.by]
        if wish.test in GROUPED and not wish.by and len(names) == 2:
            wish.by = next((n for n in reversed(names) if _splits(ground, n)), "")
            names = [n for n in names if n != wish.by]
        elif wish.test in GROUPED and wish.by and len(names) > 1:
            names = [n for n in names if ground.numeric(n)]
        it = re.search(r"\bit\b", sentence.text) is not None and bool(ground.current)
        if it and len(names) < 2 and wish.test in PAIRED:
            names = [ground.current, *[n for n in names if n != ground.current]]
        wish.columns = names
        if wish.test == "normality" and not names and ground.current and not self._wishes:
            wish.columns = [ground.current]
        if names:
            ground.current = names[0]
        self._wishes.append(wish)
        self._take_rest(sentence)

    def _between(self, sentence: Sentence) -> str | None:
        for match in reversed(list(_BETWEEN.finditer(sentence.text))):
            name = sentence.marks[match.group("c")].column
            if _splits(self._ground, name):
                sentence.cut(match)
                return name
        return None

    def _grouping(self, sentence: Sentence) -> str | None:
        """The column whose groups are told one by one."""
        ground = self._ground
        for match in _GROUPING.finditer(sentence.text):
            said = match.group("c") or match.group("c2") or match.group("c3")
            name = sentence.marks[said].column
            if match.group("c3") and not _splits(ground, name):
                continue
            sentence.cut(match)
            return ground.meaning(name)
        match = _THE_GROUPS.search(sentence.text)
        if match is not None and (ground.grouped or self._two_valued()):
            sentence.cut(match)
            return ground.grouped or self._two_valued()
        if ground.grouped and re.search(r"\b(?:half|quartile|group|each|interval)s?\b",
                                        sentence.text):  # fmt: skip
            of = ground.grouped.rpartition(" ")[0]
            sentence.read |= {n for n, m in sentence.marks.items() if m.column == of}
            for match in reversed(list(re.finditer(rf"quartiles? of {_C}", sentence.text))):
                sentence.cut(match)
            return ground.grouped
        return None

    def _two_valued(self) -> str:
        """The column of two values that the question made, if it made one."""
        made = [s.column for s in self._ground.steps if isinstance(s, Derive)]
        return next((n for n in reversed(made) if self._ground.column(n).distinct == 2), "")

    def _by(self, by: str, offers: list[Offer], ground: Ground) -> list[Offer]:
        """Numbers of each group: by name where the groups are known, else as a list."""
        from services.planner.domain.reader.instructions.grouping import of_groups

        return of_groups(by, offers, ground, named=bool(self._slots)) or each_offers(by, offers)

    def _read_open_roles(self, sentence: Sentence) -> None:
        for wish in self._wishes:
            if wish.test.endswith("regression") and not (wish.target and wish.predictors):
                read_roles_of(sentence, self._ground, wish)

    def _ranked(self, sentence: Sentence, place: int) -> bool:
        """Which column goes together most closely with one."""
        match = _RANKED.search(sentence.text)
        if match is None:
            return False
        ground = self._ground
        target = ground.meaning(sentence.mark(match.group("c")).column)
        others = [c.name for c in ground.table.columns if ground.numeric(c.name)]
        others = [n for n in others if n != target and n.lower() not in ("rownames", "index")]
        method = next((m for m in ("spearman", "kendall") if m in sentence.text), "pearson")
        test = Test(
            test="correlation", columns=(target,), predictors=tuple(others[:20]), method=method
        )
        made = Tested(test=test, statistic="correlation", tells="name", without=f"{target} and ")
        told_of = Tested(test=test, statistic="correlation")
        said = f"most correlated with {target}"
        self._offer(
            [
                Offer(made, f"column {said}", frozenset({"name"}), frozenset({"column"}), text=True),
                Offer(told_of, f"correlation of the column {said}", frozenset({"correlation"})),
            ],
            place,
        )  # fmt: skip
        sentence.read |= set(MARK.findall(sentence.text))
        sentence.matched, sentence.text = True, "·"
        return True

    def _interval(self, sentence: Sentence, place: int) -> bool:
        """The confidence interval of a column's mean."""
        match = _INTERVAL.search(sentence.text)
        if match is None:
            return False
        ground = self._ground
        found = conditions(sentence, ground)
        name = ground.meaning(sentence.mark(match.group("c")).column)
        test = Test(
            test="describe", columns=(name,), where=together(found),
            confidence=self._parameters.confidence,
        )  # fmt: skip
        where = f" where {told(found)}" if found else ""
        self._offer(
            [
                Offer(
                    Tested(test=test, statistic=f"mean {end}", about=name),
                    f"{said} end of the interval of the mean of {name}{where}",
                    frozenset({said, "confidence interval"}), stems(name),
                )
                for end, said in (("low", "lower"), ("high", "upper"))
            ],
            place,
        )  # fmt: skip
        self._take_rest(sentence)
        ground.current = name
        return True

    def _read_missing_counts(self, sentence: Sentence, place: int) -> bool:
        """Missing values: of one column, or which columns lack most."""
        from services.planner.domain.reader.instructions.lacking import (
            read_lacking_columns,
            read_lacking_of,
        )

        ground = self._ground
        offers = read_lacking_columns(sentence, ground, _MISSING_RANK, self._slots)
        if offers:
            if not any(o.about == offers[0].about for o in self._offers):
                self._offer(offers, place)
            return True
        offers = read_lacking_of(sentence, ground, _MISSING_OF)
        self._offer(offers, place)
        return bool(offers)

    def _take_rest(self, sentence: Sentence, used: frozenset[str] | None = None) -> None:
        """Columns that a report speaks of are read: "report the coefficient of weight".

        Where figures are asked for, only those that they use, so that no other is lost.
        """
        if not (self._offers or self._wishes):
            return
        sentence.matched = True
        here = {n: sentence.marks[n].column for n in re.findall(_C, sentence.text)}
        meaning = self._ground.meaning
        sentence.read |= {n for n, c in here.items() if used is None or {c, meaning(c)} & used}

    def _require_read(self, sentence: Sentence) -> None:
        """Raises UnreadableError for a sentence, number or value that nothing has read."""
        if not sentence.matched or leaves_out_unread(sentence):
            raise UnreadableError(f'"{sentence.said}" could not be read.')
        for name, mark in sentence.marks.items():
            if name in sentence.read or name not in sentence.text or mark.kind == "quoted":
                continue
            said = sentence.said[mark.start : mark.end]
            if mark.kind == "number" and mark.number <= 2 and not said[:1].isdigit():
                continue  # "one of them", "the two"
            if mark.kind == "number" and _is_of_a_name(mark.number, sentence):
                continue
            raise UnreadableError(f'"{said}" in "{sentence.said}" could not be read.')

    def _run_tests(self) -> None:
        """Tests as they are run: words such as "difference" are those of the test named later."""
        wishes = _merged(self._wishes)
        for wish in wishes:
            if wish.vague:
                wish = _implied(wish, self._ground)
            if wish.each:
                self._of_each(wish)
                continue
            groups = self._groups if wish.test in PAIRED else []
            if groups and wish.test == "correlation":
                from services.planner.domain.reader.instructions.grouping import of_conditions

                self._offers += of_conditions(wish, groups, self._ground, self._parameters)
                continue
            test = run_of(wish, self._ground, self._parameters)
            self._offers += offers_of(test, wish, self._asked)

    def _of_each(self, wish: TestWish) -> None:
        from services.planner.domain.reader.instructions.grouping import tests_of_groups

        self._offers += tests_of_groups(wish, self._ground, self._parameters)


def _is_of_a_name(number: float, sentence: Sentence) -> bool:
    """Whether a year is part of the name of a column that the sentence speaks of."""
    named = [m.column for m in sentence.marks.values() if m.kind == "column"]
    return any(int(part) % 100 == number % 100 for c in named for part in place_numbers(c))


def _asked(offer: Offer) -> Offer:
    from dataclasses import replace

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


def _splits(ground: Ground, name: str) -> bool:
    """Whether a column's values are groups: words, or a few whole numbers."""
    column = ground.column(name)
    if column.data_type in (DataType.STRING, DataType.BOOLEAN):
        return True
    return 0 < column.distinct <= 12


def _merged(wishes: Sequence[TestWish]) -> list[TestWish]:
    """Wishes put together: what one lacks the one told before, or after it, may have."""
    kept: list[TestWish] = []
    for wish in wishes:
        last = kept[-1] if kept else None
        if last is not None and (last.vague or last.test == wish.test or not wish.columns):
            if last.test != wish.test and not last.vague and not wish.vague and wish.columns:
                kept.append(wish)
                continue
            if not last.vague and not wish.vague and last.test != wish.test and not wish.columns:
                wish.columns, wish.by, wish.groups = last.columns, last.by, last.groups
                kept.append(wish)
                continue
            kept[-1] = _one_of(last, wish)
        else:
            kept.append(wish)
    return kept


def _one_of(first: TestWish, second: TestWish) -> TestWish:
    named = second if first.vague else first
    other = first if named is second else second
    for part in ("columns", "by", "groups", "method", "each", "target", "predictors", "where",
                 "where_text"):  # fmt: skip
        if not getattr(named, part):
            setattr(named, part, getattr(other, part))
    if not named.by and named.test in GROUPED and len(named.columns) == 2:
        named.by = named.columns.pop()
    if named.by in named.columns:
        named.columns = [n for n in named.columns if n != named.by]
    return named


def _implied(wish: TestWish, ground: Ground) -> TestWish:
    """The test that follows from the columns where none is named, and is said."""
    if wish.test == "shape":
        wish.test, wish.method = "normality", "shapiro"
    elif wish.test == "relation":
        numeric = all(ground.numeric(n) for n in wish.columns)
        wish.test, wish.method = ("correlation", "pearson") if numeric else ("chi_square", "")
    else:
        two = len(wish.groups) == 2 or (
            bool(wish.by) and ground.column(wish.by).distinct == 2 and not wish.groups
        )
        wish.test = "t_test" if two else "anova"
    ground.notes.append(f"no test was named: it is a {wish.test.replace('_', ' ')}")
    return wish
