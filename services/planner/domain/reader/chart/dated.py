"""Which date months and spans of time are of, where a table has several."""

from __future__ import annotations

from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.chart.said import Said
from services.planner.domain.reader.chart.sketch import Sketch
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.schema import Place

_EMPTY = (Operator.IS_NULL, Operator.NOT_NULL)
_ANY_DATE = frozenset("date dates time times day days month months year years on at".split())


def tells_other_date(sketch: Sketch, said: Said) -> bool:
    """Whether months, or a span of time, are of another date than rows are told by, though nobody
    names it: orders of 1997 are those ordered then, and not those required."""
    times = [p for p in sketch.shown if p.time]
    times += [c.place for c in sketch.rows if c.place is not None and c.operator not in _EMPTY]
    told = [p for p in times if p.time and p.definition is None and not _spoken_of(p, said)]
    if not told:
        return False
    numbers = [n.place.table.name for n in sketch.numbers if n.place is not None]
    for place in told:
        meant = said.scene.main_date(numbers[0] if numbers else place.table.name)
        if meant is not None and meant != place.field:
            return True
    return False


def _spoken_of(place: Place, said: Said) -> bool:
    """Whether a column is named by a word that is not one of any date's."""
    tokens = said.scene.tokens
    return any(
        m.tie is not Tie.IMPLIED
        and any(tokens[at].lower not in _ANY_DATE for at in range(m.first, m.last + 1))
        for m in said.scene.by_place.get(place.index, ())
    )
