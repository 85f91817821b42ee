"""Which numbers a statement reports under which names, and what each of them means.

Two frames of a session that report one name with two meanings, revenue by the day of the order and
by the day it was shipped, are told apart when it happens.
"""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.catalogue import Catalogue, Frozen

_GENERIC_WORDS = frozenset(
    """n x y amount average avg cnt count max mean median min num number pct percent percentage
    quantity rate ratio result rows share std sum total val value""".split()
)
"""Names of columns that are no names of metrics."""


class Reported(Frozen):
    """A number by the `name` of its column: what is computed, over rows of which tables, which date
    tells when, and which conditions keep rows out.

    A condition that says what is counted ("country = 'France'") is no part of what a name means.
    """

    name: str
    number: str
    tables: tuple[str, ...] = ()
    time: str = ""
    without: tuple[str, ...] = ()


def reported_by(text: str, catalogue: Catalogue) -> tuple[Reported, ...]:
    """The numbers of a statement; none of one that has no canonical form."""
    # Here, because decisions are read by this module and no statement is taken apart for that.
    from services.planner.domain.query.from_sql.nodes import NotExpressibleError, aggregated
    from services.planner.domain.twin.differing import canonical, dates_in, keeps_out
    from services.planner.domain.twin.spelling import spell

    try:
        form = canonical(text, catalogue)
    except NotExpressibleError:
        return ()
    dates = sorted(map(spell, dates_in(form, catalogue)))
    tables = tuple(sorted(table for _, table in form.real))
    without = tuple(sorted(spell(one) for one in form.where if keeps_out(one)))
    return tuple(
        Reported(
            name=name,
            number=spell(node),
            tables=tables if node.op == "count" and node.parts[0] is None else (),
            time=dates[0] if len(dates) == 1 else "",
            without=without,
        )
        for name, node in form.outputs
        if aggregated(node) and name not in _GENERIC_WORDS
    )


def find_other_meaning(one: Reported, before: Sequence[tuple[str, Reported]]) -> str:
    """How a number means something else than the last of the same name `before` it, by the names of
    their frames: a sentence without a full stop, empty where it does not."""
    for frame, other in reversed(before):
        if other.name != one.name:
            continue
        if (other.number, other.tables) != (one.number, one.tables):
            return f"{one.name} of {frame} is {_number(other)}, and here {_number(one)}"
        if other.time and one.time and other.time != one.time:
            return f"{one.name} of {frame} goes by {other.time}, and here by {one.time}"
        if other.without != one.without:
            return f"{one.name} of {frame} counts {_kept(other)}, and here {_kept(one)}"
        return ""
    return ""


def _number(one: Reported) -> str:
    return one.number + (f" of {', '.join(one.tables)}" if one.tables else "")


def _kept(one: Reported) -> str:
    return f"only {' and '.join(one.without)}" if one.without else "all rows"
