"""What lies over a mention is found once a place, and is what comparing each with each gives."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from services.planner.domain.reader.choice.overlaps import Overlaps
from services.planner.domain.reader.links.mentions import Mention, Tie


def mention(first: int, words: int, coverage: float) -> Mention:
    return Mention(cast("Any", None), first, first + words, coverage, 1.0, Tie.NAME, words + 1)


MENTIONS = st.lists(
    st.builds(mention, st.integers(0, 4), st.integers(0, 2), st.sampled_from((0.5, 0.9, 0.95, 1.0)))
)


@given(MENTIONS)
def test_it_is_what_comparing_each_mention_with_each_other_gives(mentions: list[Mention]) -> None:
    overlaps = Overlaps(mentions)
    for one in mentions:
        over = [m for m in mentions if m.first <= one.last and m.last >= one.first and m is not one]
        assert overlaps.best(one) == max((m.coverage for m in over), default=0.0)
        assert overlaps.as_good(one) == sum(m.coverage >= one.coverage for m in over)
        whole = [m.last - m.first for m in over if m.coverage > 0.9]
        assert overlaps.longest(one) == max(whole, default=0)
