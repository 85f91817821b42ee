"""Questions that are a kind of their own: missing values, closest columns, intervals of means."""

from __future__ import annotations

import re

from services.planner.domain.reader.instructions.analysis import Test, Tested
from services.planner.domain.reader.instructions.composing import Composing
from services.planner.domain.reader.instructions.condition import describe_conditions, together
from services.planner.domain.reader.instructions.missing_values import (
    count_missing_in_all,
    read_columns_with_missing,
    read_missing_of,
)
from services.planner.domain.reader.instructions.offers import Offer
from services.planner.domain.reader.instructions.rows import conditions
from services.planner.domain.reader.instructions.sentences import MARK, Sentence
from services.planner.domain.reader.instructions.vocabulary import stems

_MISSING_ALL = re.compile(
    r"(?:how many|(?:total |overall )?(?:number|count) of) (?:missing|null|nan)\b[^·⟨]*"
    r"\b(?:in total|in all|overall|data|dataset|table|total)\b|total (?:number of )?"
    r"(?:missing|null)\b[^·⟨]*$"
)
_C = r"⟨c\d+⟩"
_MISSING_RANK = re.compile(
    r"(?P<which>which|what)(?: (?P<n>⟨n\d+⟩))? columns?\b[^·]*\b(?:missing|null|nan)"
    r"|columns? (?:with|"
    r"that ha\w+) the (?:most|highest|largest)[^·]*\b(?:missing|null|nan)"
)
_MISSING_OF = re.compile(
    rf"(?:how many|number of|count of|percentage of|share of)[^·⟨]*?\b(?:missing|null"
    rf"|nan)\b[^·]*?"
    rf"(?P<c>{_C})(?: have| has)?"
)
_RANKED = re.compile(
    rf"(?:which|what) (?:\w+ )?(?:columns?|variables?|features?)\b[^·]*?correlat\w*"
    rf"[^·⟨]*?(?P<c>{_C})"
)
_COLUMN = frozenset({"column"})
_INTERVAL = re.compile(rf"confidence interval\b[^·]*?(?P<c>{_C})")


class Special(Composing):
    """Reads them; each says whether the sentence was one."""

    def ranked(self, sentence: Sentence, place: int) -> bool:
        """Which column goes together most closely with one."""
        match = _RANKED.search(sentence.text)
        if match is None:
            return False
        ground = self.ground
        target = ground.meaning(sentence.mark(match.group("c")).column)
        others = [c.name for c in ground.table.columns if ground.numeric(c.name)]
        others = [n for n in others if n != target and n.lower() not in ("rownames", "index")]
        method = next((m for m in ("spearman", "kendall") if m in sentence.text), "pearson")
        test = Test(
            test="correlation", columns=(target,), predictors=tuple(others[:20]), method=method
        )
        made = Tested(test=test, statistic="correlation", tells="name", without=f"{target} and ")
        tested = Tested(test=test, statistic="correlation")
        text = f"most correlated with {target}"
        self.offer(
            [
                Offer(made, f"column {text}", frozenset({"name"}), _COLUMN, text=True),
                Offer(tested, f"correlation of the column {text}", frozenset({"correlation"})),
            ],
            place,
        )
        sentence.read |= set(MARK.findall(sentence.text))
        sentence.matched, sentence.text = True, "·"
        return True

    def interval(self, sentence: Sentence, place: int) -> bool:
        """The confidence interval of a column's mean."""
        match = _INTERVAL.search(sentence.text)
        if match is None:
            return False
        ground = self.ground
        found = conditions(sentence, ground)
        name = ground.meaning(sentence.mark(match.group("c")).column)
        test = Test(
            test="describe",
            columns=(name,),
            where=together(found),
            confidence=self.parameters.confidence,
        )
        where = f" where {describe_conditions(found)}" if found else ""
        self.offer(
            [
                Offer(
                    Tested(test=test, statistic=f"mean {end}", about=name),
                    f"{text} end of the interval of the mean of {name}{where}",
                    frozenset({text, "confidence interval"}),
                    stems(name),
                )
                for end, text in (("low", "lower"), ("high", "upper"))
            ],
            place,
        )
        self.take_rest(sentence)
        ground.current = name
        return True

    def read_missing_counts(self, sentence: Sentence, place: int) -> bool:
        """Missing values: of one column, or which columns lack most."""
        ground = self.ground
        offers = read_columns_with_missing(sentence, ground, _MISSING_RANK, self.slots)
        if offers:
            if not any(o.about == offers[0].about for o in self.offers):
                self.offer(offers, place)
            return True
        if _MISSING_ALL.search(sentence.text):
            self.offer([count_missing_in_all(sentence, ground)], place)
            return True
        offers = read_missing_of(sentence, ground, _MISSING_OF)
        self.offer(offers, place)
        return bool(offers)
