"""On whose behalf a board asks while they are away."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from gateway.domain.standing import Known, Owner, Seen, StandingRule
from mesh.roles import Role

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
RULE = StandingRule(90 * DAY, by_name=False)


def owner(how: Known) -> Owner:
    return Owner("acme", "ann", how, NOON)


def why(how: Known, *, key: bool = False, seen: Seen | None = None, days: int = 0) -> str:
    return RULE.why_not(owner(how), key, seen, NOON + days * DAY)


def test_whoever_asked_over_this_machines_own_socket_may_ask_for_ever() -> None:
    assert why(Known.SOCKET, days=10_000) == ""


@pytest.mark.parametrize("how", Known)
def test_a_valid_key_is_enough_however_they_were_known(how: Known) -> None:
    assert why(how, key=True, days=10_000) == ""


def test_without_a_valid_key_nothing_is_asked_for_whoever_had_one() -> None:
    assert why(Known.KEY) == "no key with which ann may ask is valid any more"
    assert why(Known.KEY, seen=Seen(NOON, Role.ANALYST)) == "", "they sign in elsewhere too"


def test_who_signs_in_elsewhere_counts_for_so_long_after_they_were_last_here() -> None:
    assert why(Known.TOKEN, days=90) == "", "pinning it counts"
    assert why(Known.TOKEN, days=91) == "ann was not here for 90 days"
    later = Seen(NOON + 10 * DAY, Role.OPERATOR)
    assert why(Known.TOKEN, seen=later, days=100) == ""
    assert why(Known.TOKEN, seen=later, days=101) != ""
    for_ever = StandingRule(None, by_name=False)
    assert for_ever.why_not(owner(Known.TOKEN), False, None, NOON + 10_000 * DAY) == ""


def test_who_came_last_with_less_of_a_role_may_not_ask() -> None:
    lowered = Seen(NOON + DAY, Role.READER)
    assert why(Known.TOKEN, seen=lowered, days=2) == "ann has not the role analyst any more"


def test_a_name_is_enough_where_names_are_believed() -> None:
    assert "not believed any more" in why(Known.NAMED)
    believed = StandingRule(90 * DAY, by_name=True)
    assert believed.why_not(owner(Known.NAMED), False, None, NOON + 10_000 * DAY) == ""
