"""The words of a chart, decided once before anything is drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass

from services.executor.plotting.arguments import PlotArguments
from services.executor.plotting.text import capital, clean, humanise, inside, with_unit


@dataclass(frozen=True)
class Brief:
    """Every word that is not a value of the data, safe to draw."""

    title: str
    subtitle: str
    x_label: str
    y_label: str
    series_label: str
    footer: str
    unit: str | None


def brief(arguments: PlotArguments, rows: int, remark: str = "") -> Brief:
    """Words as asked for, and sensible ones where nothing was asked."""
    unit = "%" if arguments.fraction else clean(arguments.unit or "") or None
    value = capital(clean(arguments.y_label or ""))
    value = value or (humanise(arguments.y_col) if arguments.y_col else "")
    x_label = capital(clean(arguments.x_label or "")) or humanise(arguments.x_col)
    title = _titled(arguments) or (f"{value} by {x_label}" if value else x_label) or "Chart"
    source = clean(arguments.source or "")
    counted = f"{rows:,} row" + ("" if rows == 1 else "s")
    footer = " · ".join(part for part in (source and f"Source: {source}", counted, remark) if part)
    if doubt := clean(arguments.doubted or ""):
        footer = f"doubted: {doubt}\n{footer}"
    return Brief(
        title=title,
        subtitle=clean(arguments.subtitle or ""),
        x_label=with_unit(x_label, arguments.x_unit),
        y_label=with_unit(value, unit) if value else "",
        series_label=_series(arguments),
        footer=footer,
        unit=unit,
    )


def _series(arguments: PlotArguments) -> str:
    if arguments.series_col is None:
        return ""
    return capital(clean(arguments.series_label or "")) or humanise(arguments.series_col)


def _titled(arguments: PlotArguments) -> str:
    """The title, in which the names of columns are written as along the axes."""
    title = clean(arguments.title)
    for column in (arguments.y_col, arguments.x_col):
        label = humanise(column) if column else ""
        if column and label.endswith(")"):
            names = f"{re.escape(column)}|{re.escape(capital(column))}"
            parts = re.split(rf"(?<!\w)(?:{names})(?!\w)", title)
            title = capital(inside(label).join(parts)) if len(parts) > 1 else title
    return title
