"""Tests as instructions tell them, sentence by sentence, and as they are run in the end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.catalogue import DataType
from services.planner.domain.reader.instructions.analysis import Derive
from services.planner.domain.reader.instructions.composing import Composing
from services.planner.domain.reader.instructions.condition import (
    Condition,
    describe_conditions,
    together,
)
from services.planner.domain.reader.instructions.ground import Ground, UnreadableError
from services.planner.domain.reader.instructions.grouping import of_conditions, tests_of_groups
from services.planner.domain.reader.instructions.results import offers_of, run_of
from services.planner.domain.reader.instructions.sentences import Sentence
from services.planner.domain.reader.instructions.tests import (
    GROUPED,
    PAIRED,
    TestWish,
    read_roles_of,
)

_C = r"⟨c\d+⟩"
_GROUPING = re.compile(
    rf"(?:,? ?(?:separately|individually) )?(?:for|by|per|within|across|of|in|grouped by"
    rf"|group by)"
    rf"(?: the)? (?:each|every|different)(?: (?:of the|number of|value of|values of|level of|the|"
    rf"group of))* (?P<c>{_C})|(?:separately|individually|grouped|broken down|group\w*|split) "
    rf"(?:for|by|per|within|across)(?: the)? (?P<c2>{_C})|(?:for|by|per) (?P<c3>{_C})(?! ?=)"
)
_BETWEEN = re.compile(
    rf"(?:between|across|among|for|by|of|within)(?: the)?(?: (?:⟨n\d+⟩|different|various|all"
    rf"|each|"
    rf"groups? of|levels? of|categor\w+ of))* (?P<c>{_C})(?: (?:groups?|categories))?"
)
_THE_GROUPS = re.compile(
    r"(?:for|of|in|by|per|between|across|into|within)(?: the)? (?:each|every|these|those|two|"
    r"⟨n\d+⟩|both|all|such)?(?: \w+)?(?: of the)? ?(?:groups?|categor\w+|bins?|ones?|intervals?"
    r"|quartiles?|halves)|two groups|each one|each (?:group|bin|interval|category)"
)
_BESIDE = re.compile(
    rf"(?:mean|average|median|standard deviation|number|sum|total) (?:\S+ )*?{_C}[^·]*· and\b|"
    rf"(?:mean|average|median|standard deviation|number|sum|total) (?:\S+ )*?{_C}.* and (?:the"
    rf"|a) .*·"
)


class Wishing(Composing):
    """Reads tests, and the groups that they and other figures are of."""

    def is_test(self, wish: TestWish, sentence: Sentence) -> bool:
        """Whether the words are about a test, not the report of one that was told before."""
        if not wish.vague:
            return True
        named = [w for w in self.wishes if not w.vague]
        return (not named and bool(re.search(_C, sentence.text))) or (
            wish.test == "difference" and "significant" in sentence.wording.lower() and not named
        )

    def read_wish(
        self,
        sentence: Sentence,
        wish: TestWish,
        groups: list[Condition],
        others: list[Condition],
        place: int,
    ) -> None:
        """Reads a test in a sentence: its columns, its groups, and which rows it is of."""
        ground = self.ground
        if others and _BESIDE.search(sentence.text):
            raise UnreadableError(
                f'which rows each figure is of is not clear in "{sentence.wording}"; say it in two.'
            )
        wish.order, wish.barriers = place, len(self.barriers)
        grouped = wish.test in GROUPED or wish.test in ("difference", "relation")
        if groups and wish.test not in PAIRED and not wish.test.endswith("regression"):
            wish.by = groups[0].column
            wish.groups = [str(g.value) for g in groups]
            sentence.read |= {
                n for n, m in sentence.marks.items() if m.kind == "column" and m.column == wish.by
            }
        elif groups:
            self.groups = groups
        wish.where, wish.where_text = together(others), describe_conditions(others)
        if not wish.by:
            by = self.grouping(sentence) if wish.test != "chi_square" else None
            if by is None and wish.test in GROUPED:
                by = self.between(sentence)
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
        if wish.test == "normality" and not names and ground.current and not self.wishes:
            wish.columns = [ground.current]
        if names:
            ground.current = names[0]
        self.wishes.append(wish)
        self.take_rest(sentence)

    def between(self, sentence: Sentence) -> str | None:
        """The column whose values a test compares."""
        for match in reversed(list(_BETWEEN.finditer(sentence.text))):
            name = sentence.marks[match.group("c")].column
            if _splits(self.ground, name):
                sentence.cut(match)
                return name
        return None

    def grouping(self, sentence: Sentence) -> str | None:
        """The column whose groups are told one by one."""
        ground = self.ground
        for hit in _GROUPING.finditer(sentence.text):
            text = hit.group("c") or hit.group("c2") or hit.group("c3")
            name = sentence.marks[text].column
            if hit.group("c3") and not _splits(ground, name):
                continue
            sentence.cut(hit)
            return ground.meaning(name)
        match = _THE_GROUPS.search(sentence.text)
        if match is not None and (ground.grouped or self.two_valued()):
            sentence.cut(match)
            return ground.grouped or self.two_valued()
        if ground.grouped and re.search(
            r"\b(?:half|quartile|group|each|interval)s?\b", sentence.text
        ):
            of = ground.grouped.rpartition(" ")[0]
            sentence.read |= {n for n, m in sentence.marks.items() if m.column == of}
            for match in reversed(list(re.finditer(rf"quartiles? of {_C}", sentence.text))):
                sentence.cut(match)
            return ground.grouped
        return None

    def two_valued(self) -> str:
        """The column of two values that the question made, if it made one."""
        made = [s.column for s in self.ground.steps if isinstance(s, Derive)]
        return next((n for n in reversed(made) if self.ground.column(n).distinct == 2), "")

    def read_open_roles(self, sentence: Sentence) -> None:
        """What a regression explains, and by what, where a later sentence tells it."""
        for wish in self.wishes:
            if wish.test.endswith("regression") and not (wish.target and wish.predictors):
                read_roles_of(sentence, self.ground, wish)

    def run_tests(self) -> None:
        """Tests as they are run: words such as "difference" are those of the test named later."""
        wishes = _merged(self.wishes)
        for wish in wishes:
            if wish.vague:
                wish = _implied(wish, self.ground)
            if wish.each:
                self.of_each(wish)
                continue
            groups = self.groups if wish.test in PAIRED else []
            if groups and wish.test == "correlation":
                self.offers += of_conditions(wish, groups, self.ground, self.parameters)
                continue
            test = run_of(wish, self.ground, self.parameters)
            self.offers += offers_of(test, wish, self.asked)

    def of_each(self, wish: TestWish) -> None:
        """The test within each group of a column."""
        self.offers += tests_of_groups(wish, self.ground, self.parameters)


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
    for part in (
        "columns",
        "by",
        "groups",
        "method",
        "each",
        "target",
        "predictors",
        "where",
        "where_text",
    ):
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
