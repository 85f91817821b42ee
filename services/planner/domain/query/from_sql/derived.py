"""Numbers that a form works out of the numbers of its groups."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from services.planner.domain.query.from_sql.nodes import AGGREGATES, Node, NotExpressibleError
from services.planner.domain.query.from_sql.numbers import Numbers
from services.planner.domain.query.intent import Calculation, Derived, Measure

_SIZES = {"quarter": 3, "week": 7}
"""How many months, or days, a unit of time has that intervals are not told in."""
_BOUNDS = re.compile(
    r"(?:RANGE|ROWS) BETWEEN (?:INTERVAL )?'?(?P<first>\d+)'?(?: (?:MONTH|DAY)S?)? PRECEDING AND "
    r"(?:CURRENT ROW|(?:INTERVAL )?'?(?P<last>\d+)'?(?: (?:MONTH|DAY)S?)? PRECEDING)"
)


class WorkedOut:
    """The numbers of groups that are asked for, and what is worked out of them."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers
        self.nodes: list[Node] = []
        self.measures: list[Measure] = []
        self.derived: list[tuple[Node, Derived]] = []

    def add(self, node: Node, label: str, *, shown: bool = True) -> int:
        """The place of a number, which is shown if it ever is."""
        if node in self.nodes:
            at = self.nodes.index(node)
            if shown and not self.measures[at].shown:
                self.measures[at] = self.measures[at].model_copy(
                    update={"shown": True, "label": label}
                )
                return at
            if not shown:
                return at
            raise NotExpressibleError("one number twice")
        self.nodes.append(node)
        self.measures.append(self._numbers.measure(node, label, shown=shown))
        return len(self.nodes) - 1

    def derive(self, node: Node, label: str) -> None:
        """A number that is worked out. Raises NotExpressibleError for one that no intent has."""
        for values in self._ways(node):
            of, against = values.pop("of"), values.pop("against", None)
            values["of"] = self.add(of, f"{label} 1", shown=False)
            if against is not None:
                values["against"] = self.add(against, f"{label} 2", shown=False)
            self.derived.append((node, Derived(label=label, **values)))
            return
        raise NotExpressibleError(f"{node.op} is worked out in a way that no intent knows")

    def _ways(self, node: Node) -> Iterator[dict[str, Any]]:
        if node.op == "over":
            above, below = node.parts
            if below.op == "window" and below.parts[1:] == ((), (), ""):
                whole = below.parts[0]
                if whole == Node("sum", (above, None)) and above.op in AGGREGATES:
                    yield {"calculation": Calculation.SHARE, "of": above}
                return
            grows = above.op == "minus" and above.parts[1] == below
            if grows and (back := _earlier(*above.parts)) is not None:
                yield {"calculation": Calculation.GROWTH, "of": above.parts[0], "back": back}
            if above.op in AGGREGATES and below.op in AGGREGATES:
                yield {"calculation": Calculation.RATIO, "of": above, "against": below}
            elif above.op == "minus" and above.parts[1] == below and below.op in AGGREGATES:
                of = {"of": above.parts[0], "against": below}
                yield {"calculation": Calculation.GROWTH, **of}
        elif node.op == "minus" and (back := _earlier(*node.parts)) is not None:
            yield {"calculation": Calculation.CHANGE, "of": node.parts[0], "back": back}
        elif node.op == "minus" and all(part.op in AGGREGATES for part in node.parts):
            of, against = node.parts
            yield {"calculation": Calculation.DIFFERENCE, "of": of, "against": against}
        elif node.op == "window":
            yield from self._over_window(node)

    def _over_window(self, node: Node) -> Iterator[dict[str, Any]]:
        own, apart, by, frame = node.parts
        if own.op == "rank" and not apart and not frame and len(by) == 1 and by[0].parts[1]:
            yield {"calculation": Calculation.RANK, "of": by[0].parts[0]}
        of: Node | None = own.parts[0] if own.parts else None
        if of is None or of.op not in AGGREGATES or own.parts[1] is not None:
            return
        if own.op == "sum" and len(by) == 1 and not frame:
            yield {"calculation": Calculation.RUNNING_TOTAL, "of": of}
        bounds = _frame(frame, by[0]) if own.op == "avg" and len(by) == 1 else None
        if bounds is not None and bounds[1] == 0:
            window = bounds[0] + 1
            yield {"calculation": Calculation.MOVING_AVERAGE, "of": of, "window": window}


def _earlier(own: Node, earlier: Node) -> int | None:
    """How many units of time the earlier value of a number lies back; None where it is none."""
    if earlier.op != "window" or own.op not in AGGREGATES or len(earlier.parts[2]) != 1:
        return None
    bounds = _frame(earlier.parts[3], earlier.parts[2][0])
    same = earlier.parts[0] == Node("max", (own, None))
    return bounds[0] if same and bounds is not None and bounds[0] == bounds[1] > 0 else None


def _frame(frame: str, by: Node) -> tuple[int, int] | None:
    """How many units of time back a frame begins, and how many back it ends; None for another."""
    found = _BOUNDS.fullmatch(frame)
    if found is None:
        return None
    grain = by.parts[0].parts[0] if by.parts[0].op == "grain" else ""
    size = _SIZES.get(grain, 1)
    first, last = int(found["first"]), int(found["last"] or 0)
    return (first // size, last // size) if first % size == last % size == 0 else None
