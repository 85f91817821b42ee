"""Charts that show single rows or their spread: scatter, histogram, box."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from services.executor.plotting import points, spread, style
from services.executor.plotting.brief import Brief
from services.executor.plotting.columns import Key, Numbers, numbers
from services.executor.plotting.request import Request, nothing_to_draw
from services.executor.plotting.sheet import Sheet
from services.executor.plotting.text import inside, quoted, with_unit

MOST_OUTLINES = 4
MOST_BOXES = 20


def scatter(request: Request) -> tuple[Sheet, Brief]:
    """Points of two measures, coloured by series."""
    y = request.measure()
    y = request.positive(y) if request.log else y
    across = np.array([k is not None for k in request.x.keys])
    shown = across & ~np.isnan(y)
    request.note_left_out(int((~across).sum()), request.x.name)
    request.note_left_out(int((across & ~shown).sum()), request.arguments.y_col or "")
    if not shown.any():
        raise nothing_to_draw("No row has a number in both columns.")
    groups, group_of = group_rows(request, shown, style.MOST_SERIES, fold=True)
    sheet = points.draw(
        request.words,
        request.x,
        y,
        groups,
        group_of,
        log=request.log,
        trend=request.arguments.trend,
    )
    return sheet, request.words


def histogram(request: Request) -> tuple[Sheet, Brief]:
    """Counts of a numeric column in equal bins, or those that the frame has counted already."""
    if request.arguments.x_end_col is not None:
        return _counted_before(request, request.arguments.x_end_col)
    values = numbers(request.table, request.arguments.x_col)
    shown = ~np.isnan(values)
    request.note_left_out(int((~shown).sum()), request.arguments.x_col)
    if not shown.any():
        raise nothing_to_draw(f"Column {request.arguments.x_col!r} holds no number.")
    if request.log:
        request.notes.append("The scale stays linear: lengths mean nothing on a log scale.")
    groups, group_of = group_rows(request, shown, MOST_OUTLINES, fold=False)
    words = _of_distribution(request)
    return spread.draw_histogram(words, values, groups, group_of), words


def _of_distribution(request: Request) -> Brief:
    words = replace(
        request.with_value_label("Number of rows").words,
        x_label=with_unit(request.words.x_label, request.words.unit),
    )
    plain = words.title == request.words.x_label
    return replace(words, title=f"Distribution of {inside(words.title)}") if plain else words


def _counted_before(request: Request, end_col: str) -> tuple[Sheet, Brief]:
    """Bins that the engine counted over all rows, none of which the frame holds."""
    arguments = request.arguments
    counts = request.measure()
    low, high = numbers(request.table, arguments.x_col), numbers(request.table, end_col)
    there = ~np.isnan(low) & ~np.isnan(high) & ~np.isnan(counts)
    if not there.any():
        raise nothing_to_draw(f"Column {arguments.x_col!r} holds no number.")
    order = np.argsort(low[there])
    low, high, counts = low[there][order], high[there][order], counts[there][order]
    words = _of_distribution(replace(request, words=replace(request.words, y_label="")))
    rows = f"{int(counts.sum()):,} rows, counted in {len(counts):,} ranges"
    counted = f"{request.table.num_rows:,} row" + "s" * (request.table.num_rows != 1)
    words = replace(words, footer=words.footer.replace(counted, rows, 1))
    return spread.draw_bins(words, low, high, counts), words


def box(request: Request) -> tuple[Sheet, Brief]:
    """The spread of a numeric column, for each value of another."""
    alone = request.arguments.y_col is None
    y = numbers(request.table, request.arguments.x_col) if alone else request.measure()
    y = request.positive(y) if request.log else y
    shown = ~np.isnan(y)
    request.note_left_out(int((~shown).sum()), request.arguments.y_col or request.arguments.x_col)
    if not shown.any():
        raise nothing_to_draw("There is no number to draw.")
    words = request.words
    if alone:
        words = replace(words, x_label="", y_label=with_unit(words.x_label, words.unit))
        return spread.draw_boxes(words, [""], [y[shown]], log=request.log), words
    if request.series is not None:
        request.notes.append(f"Boxes do not show {quoted(request.series.name)}.")
    if request.arguments.named_only:
        shown &= np.array([key is not None for key in request.x.keys])
        if not shown.any():
            raise nothing_to_draw("No row with a number belongs to a group.")
    groups, samples = _samples(request, y, shown)
    return spread.draw_boxes(words, groups, samples, log=request.log), words


def _samples(
    request: Request, y: Numbers, shown: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> tuple[list[str], list[Numbers]]:
    members: dict[Key, list[int]] = {}
    for row in np.flatnonzero(shown).tolist():
        members.setdefault(request.x.keys[row], []).append(row)
    keys = sorted(members, key=lambda k: -len(members[k]))
    if len(keys) > MOST_BOXES:
        request.notes.append(f"The {MOST_BOXES} groups with most rows are shown, of {len(keys):,}.")
    keys = _sorted(keys[:MOST_BOXES], request, {k: float(np.median(y[members[k]])) for k in keys})
    return [request.x.label(k) for k in keys], [y[members[k]] for k in keys]


def _sorted(keys: list[Key], request: Request, medians: dict[Key, float]) -> list[Key]:
    sort = request.arguments.sort
    if sort == "none":
        seen = {key: i for i, key in enumerate(dict.fromkeys(request.x.keys))}
        return sorted(keys, key=lambda k: seen[k])
    if sort in ("x", "-x") or (sort is None and request.x.has_order):
        return sorted(keys, key=request.x.order, reverse=sort == "-x")
    return sorted(keys, key=lambda k: medians[k], reverse=sort != "y")


def group_rows(
    request: Request,
    shown: np.ndarray[tuple[int], np.dtype[np.bool_]],
    most: int,
    *,
    fold: bool,
) -> tuple[list[str], list[int]]:
    """Names of the groups that get a colour, and each row's place among them (-1: left out)."""
    series = request.series
    if series is None:
        return [""], [0] * len(shown)
    counts = Counter(k for k, use in zip(series.keys, shown.tolist(), strict=True) if use)
    names: list[Key] = [k for k, _ in counts.most_common()]
    if len(names) <= most:
        kept, rest = names, 0
    else:
        kept = names[: most - 1] if fold else names[:most]
        rest = len(names) - len(kept)
    if series.has_order:
        kept.sort(key=series.order)
    place = {key: i for i, key in enumerate(kept)}
    labels = [series.label(key) for key in kept]
    if rest and fold:
        labels.append(f"{points.OTHERS} ({rest})")
        request.notes.append(f'"{labels[-1]}" holds the smaller groups of {quoted(series.name)}.')
    elif rest:
        request.notes.append(
            f"The {most} groups of {quoted(series.name)} with most rows are shown; "
            f"{rest:,} left out."
        )
    outside = len(kept) if fold else -1
    return labels, [place.get(key, outside) for key in series.keys]
