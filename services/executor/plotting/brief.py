"""The words of a chart, decided once before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass

from services.executor.plotting.arguments import PlotArguments
from services.executor.plotting.text import clean, humanise, with_unit


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
    unit = clean(arguments.unit or "") or None
    value = clean(arguments.y_label or "") or humanise(arguments.y_col or "")
    x_label = clean(arguments.x_label or "") or humanise(arguments.x_col)
    title = clean(arguments.title) or (f"{value} by {x_label}" if value else x_label) or "Chart"
    source = clean(arguments.source or "")
    counted = f"{rows:,} row" + ("" if rows == 1 else "s")
    footer = " · ".join(part for part in (source and f"Source: {source}", counted, remark) if part)
    return Brief(
        title=title,
        subtitle=clean(arguments.subtitle or ""),
        x_label=x_label,
        y_label=with_unit(value, unit) if value else "",
        series_label=humanise(arguments.series_col) if arguments.series_col else "",
        footer=footer,
        unit=unit,
    )
