"""How far checkpoints are behind: never told too short, and nothing once all is covered."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.audit.domain.lag import Lag

STEPS = st.lists(
    st.tuples(st.sampled_from(["append", "cover"]), st.integers(1, 5), st.integers(0, 9))
)


def test_the_oldest_entry_waits_from_its_append_until_it_is_covered() -> None:
    lag = Lag(10, 10, now=0.0)
    assert (lag.entries, lag.seconds(5.0)) == (0, 0.0)
    lag.grown(12, 6.0)
    lag.grown(13, 8.0)
    assert (lag.entries, lag.seconds(9.0)) == (3, 3.0)
    lag.cover(13, 9.0)
    assert (lag.entries, lag.seconds(20.0)) == (0, 0.0)


def test_entries_that_a_start_finds_uncovered_wait_from_then_on() -> None:
    lag = Lag(10, 4, now=2.0)
    assert (lag.entries, lag.seconds(5.0)) == (6, 3.0)


@given(STEPS)
def test_the_wait_is_never_told_too_short(steps: list[tuple[str, int, int]]) -> None:
    lag, now, size, covered = Lag(0, 0, 0.0), 0.0, 0, 0
    appended: list[float] = []
    for kind, amount, seconds in steps:
        now += seconds
        if kind == "append":
            size += amount
            appended += [now] * amount
            lag.grown(size, now)
        else:
            covered = min(size, covered + amount)
            lag.cover(covered, now)
        assert lag.entries == size - covered
        waited = now - appended[covered] if covered < size else 0.0
        later = now + 1
        if covered < size:
            # What a checkpoint left out is told from the checkpoint on, unless it came later.
            assert lag.seconds(later) <= waited + 1
        else:
            assert lag.seconds(later) == 0.0
