"""What a reading's numbers are split by, changed by a fragment."""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.intent import Dimension, Field, Grain, Intent, Order
from services.planner.domain.query.joining.joins import JoinGraph
from services.planner.domain.reader.fragments.fragment import EditError, Fragment, Split
from services.planner.domain.reader.fragments.parts import columns_of
from services.planner.domain.reader.times.dates import main_date


def changed_splits(
    intent: Intent, fragment: Fragment, catalogue: Catalogue, graph: JoinGraph
) -> tuple[Intent, list[str]]:
    """The reading with its dimensions changed, and what was done in words. Raises EditError."""
    fresh = [_dimension(one, intent, catalogue, graph) for one in fragment.splits]
    gone = [place.field for place in fragment.gone]
    dimensions = list(intent.dimensions)
    texts: list[str] = []
    for dimension in fresh:
        if any(
            d.expression == dimension.expression and d.grain == dimension.grain for d in dimensions
        ):
            continue
        at = None if fragment.adds else _replaced(dimension, dimensions, gone, fresh)
        if at is None:
            dimensions.append(dimension)
            texts.append(f"by {dimension.label} as well" if dimensions[:-1] else _by(dimension))
        else:
            texts.append(f"{_by(dimension)} instead of {_by(dimensions[at])}")
            dimensions[at] = dimension
    kept = [d for d in dimensions if d in fresh or not set(columns_of(d.expression)) & set(gone)]
    texts += [f"not {_by(d)}" for d in dimensions if d not in kept]
    if kept == list(intent.dimensions):
        return intent, []
    unique = _labelled(kept)
    series = intent.series if intent.series is not None and intent.series < len(unique) else None
    if len(unique) == 2 and intent.grouped and len(intent.dimensions) != 2:
        series = 1
    changed = intent.model_copy(update={"dimensions": tuple(unique), "series": series})
    if intent.limit and fresh and all(d.grain is not None for d in unique):
        # The first few of groups are the highest; the first few of times would be the earliest.
        changed = changed.model_copy(update={"limit": None, "order": ()})
        texts.append("all of them")
    return changed.model_copy(
        update={"order": _order(changed if changed.limit is None else intent, changed)}
    ), texts


def _dimension(split: Split, intent: Intent, catalogue: Catalogue, graph: JoinGraph) -> Dimension:
    if split.place is not None:
        name = readable(split.place.column.name)
        grain = _grain(intent) if split.place.time and intent.grouped else None
        return Dimension(expression=split.place.field, label=name, grain=grain)
    dated = next(
        (d.expression for d in intent.dimensions if d.grain and isinstance(d.expression, Field)),
        None,
    ) or main_date(catalogue, graph, intent.base, ())
    if dated is None:
        raise EditError("the data has no date that could be told apart so")
    assert split.grain is not None
    label = split.grain.value.replace("_", " ")
    return Dimension(expression=dated, label=label, grain=split.grain)


def _grain(intent: Intent) -> Grain:
    return next((d.grain for d in intent.dimensions if d.grain is not None), Grain.MONTH)


def _replaced(
    new: Dimension, old: list[Dimension], gone: list[Field], fresh: list[Dimension]
) -> int | None:
    """Which dimension it takes the place of: what was not meant, a time for a time, what is named
    most alike or is the last of several; or the only one."""
    left = [at for at, d in enumerate(old) if d not in fresh]
    intended = [at for at in left if set(columns_of(old[at].expression)) & set(gone)]
    times = [at for at in left if (old[at].grain is None) == (new.grain is None)]
    if intended or not times:
        only = left[0] if len(left) == 1 else None
        return intended[0] if intended else only
    words = set(words_of(new.label))
    return max(times, key=lambda at: (len(words & set(words_of(old[at].label))), at))


def _by(dimension: Dimension) -> str:
    return f"by {dimension.label}"


def _labelled(dimensions: list[Dimension]) -> list[Dimension]:
    """Labels that differ, with the table's name where two are alike."""
    found: list[Dimension] = []
    for one in dimensions:
        taken = {d.label for d in found}
        if one.label in taken and isinstance(one.expression, Field):
            longer = f"{readable(one.expression.table)} {one.label}"
            found.append(one.model_copy(update={"label": longer}))
        else:
            found.append(one)
    return found


def order_of(intent: Intent) -> Order | None:
    """What an answer is sorted by where nothing says so."""
    times = [at for at, d in enumerate(intent.dimensions) if d.grain is not None]
    if times:
        return Order(target="dimension", index=times[0])
    if intent.measures and intent.dimensions:
        return Order(target="measure", descending=True)
    return Order(target="dimension") if intent.dimensions else None


def _order(before: Intent, intent: Intent) -> tuple[Order, ...]:
    """The order of what is left of what it was sorted by, else what reads best."""
    by_number = [o for o in before.order if o.target == "measure"]
    if before.limit and by_number:
        return tuple(by_number)
    first = order_of(intent)
    rest = tuple(Order(target="dimension", index=at) for at in range(len(intent.dimensions)))
    if first is None or not intent.grouped:
        return ()
    return (first, *(o for o in rest if o.index != first.index or first.target == "measure"))
